/** Whether existing objects contradict the archive. */
import { expect, test } from 'vitest';
import type { KnownObject } from '../../../../src/audit/archive/archive.ts';
import { fingerprintOf } from '../../../../src/audit/record/fingerprint.ts';
import { wasRestored } from '../../../../src/audit/record/restore-detection.ts';

const VERSION = '100';

function object(name: string, resourceVersion: string, generation = 1) {
  const metadata = { namespace: 'shop', name, uid: `uid-${name}`, resourceVersion, generation };
  return { metadata: { ...metadata, creationTimestamp: '2026-01-02T03:04:05Z', labels: {}, annotations: {} } };
}
type Seen = ReturnType<typeof object>;

function known(name: string, version: string, generation = 1): KnownObject {
  const { metadata } = object(name, version, generation);
  return { uid: metadata.uid, key: `shop/${name}`, version, fingerprint: fingerprintOf({ metadata }) };
}

interface Row {
  readonly archive: readonly KnownObject[];
  readonly cached: readonly Seen[];
  /** The existing objects, if they differ from the cache. */
  readonly live?: readonly Seen[];
}

test.each<[string, Row, boolean]>([
  ['all is as it is known', { archive: [known('a', '90')], cached: [object('a', '90')] }, false],
  ['a status was written since', { archive: [known('a', '90')], cached: [object('a', '95')] }, false],
  [
    'what is newer than the cursor is not recorded yet',
    { archive: [known('a', '90')], cached: [object('a', '101', 2)] },
    false,
  ],
  ['a new object is not recorded yet', { archive: [], cached: [object('a', '101')] }, false],
  ['an object is gone: the watch will report it', { archive: [known('a', '90')], cached: [] }, false],
  ['an object is older than it was', { archive: [known('a', '90')], cached: [object('a', '80')] }, true],
  ['a change should have been recorded', { archive: [known('a', '90', 2)], cached: [object('a', '95', 3)] }, true],
  ['an object should have been recorded', { archive: [], cached: [object('a', '95')] }, true],
  [
    'the cache is behind',
    { archive: [known('a', '90', 2)], cached: [object('a', '80')], live: [object('a', '90', 2)] },
    false,
  ],
  ['the cache has what is gone', { archive: [], cached: [object('a', '80')], live: [] }, false],
])('%s', async (_, { archive, cached, live = cached }, isRestored) => {
  const suspicion = {
    present: cached,
    known: archive,
    version: VERSION,
    live: async ({ name }: { readonly name: string }) => {
      const found = live.find(({ metadata }) => metadata.name === name);
      if (!found) throw new Error('not found');
      return found;
    },
  };
  expect(await wasRestored(suspicion)).toBe(isRestored);
});

test('a cache that is far behind costs few requests', async () => {
  const asked: string[] = [];
  const live = async ({ name }: { readonly name: string }) => {
    asked.push(name);
    return object(name, '150', 2);
  };
  const present = Array.from({ length: 100 }, (_, index) => object(`f${index}`, '80'));
  expect(await wasRestored({ present, known: [], version: VERSION, live })).toBe(false);
  expect(asked).toHaveLength(5);
});
