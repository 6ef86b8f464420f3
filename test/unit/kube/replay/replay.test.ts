/** Whether the past that is read is that of the earlier watch, or that of a restored backup. */
import { expect, test } from 'vitest';
import type { Call, Transport } from '../../../../src/kube/api/transport.ts';
import { createReplay } from '../../../../src/kube/replay/replay.ts';
import { createSharedSearch } from '../../../../src/kube/replay/shared-search.ts';
import { PROBE } from '../../../support/probe.ts';

const SIGNAL = new AbortController().signal;
const object = (name: string, resourceVersion: string, uid = `uid-${name}`) => ({
  metadata: { namespace: 'any', name, uid, resourceVersion },
});

/** A cluster at version 90 that had these objects at version 10. */
function replayOf(there: readonly ReturnType<typeof object>[], shared = createSharedSearch()) {
  const request = async ({ query = {} }: Call) => {
    const [, name] = `${query['fieldSelector'] ?? ''}`.split('=');
    const items = there.filter(({ metadata }) => name === undefined || metadata.name === name);
    return { metadata: { resourceVersion: query['resourceVersion'] ?? '90' }, items: items.length > 0 ? items : null };
  };
  const transport: Transport = {
    request,
    stream: () => Promise.reject(new Error('no stream')),
    close: () => undefined,
  };
  const parts = { transport, scope: 'probes/any', kind: PROBE, namespace: 'any', onReplayed: () => undefined };
  return createReplay({ ...parts, shared });
}

const isRewritten = async (replay: ReturnType<typeof replayOf>) => (await replay.seek('10', SIGNAL)).isRewritten;

test('a watch without events yet accepts any past', async () => {
  expect(await isRewritten(replayOf([]))).toBe(false);
});

test.each([
  ['the last reported version exists unchanged', object('a', '9'), false],
  ['it is older there', object('a', '7'), true],
  ['another object has its name there', object('a', '9', 'another'), true],
  ['it is not there', object('b', '3'), true],
])('%s', async (_, there, want) => {
  const replay = replayOf([there]);
  replay.saw({ do: 'applied', object: object('a', '9') });
  replay.saw({ do: 'applied', object: object('b', '4') });
  expect(await isRewritten(replay)).toBe(want);
});

test('the object last reported is deleted, and may not exist', async () => {
  const deleted = { do: 'deleted', object: object('a', '9') } as const;
  const [gone, back] = [replayOf([]), replayOf([object('a', '7')])];
  for (const replay of [gone, back]) replay.saw(deleted);
  expect([await isRewritten(gone), await isRewritten(back)]).toEqual([false, true]);
});

test('a list resets the replay', async () => {
  const replay = replayOf([object('a', '3')]);
  replay.saw({ do: 'applied', object: object('a', '9') });
  replay.saw({ do: 'begin', isRewritten: true });
  replay.saw({ do: 'listed', objects: [object('a', '3')] });
  expect(await isRewritten(replay)).toBe(false);
});

test('searches of other kinds can skip changes that the watch has delivered', () => {
  const shared = createSharedSearch();
  const replay = replayOf([], shared);
  replay.saw({ do: 'listed', objects: [object('a', '3')] });
  replay.saw({ do: 'applied', object: object('a', '9') });
  replay.saw({ do: 'applied', object: object('a', 'opaque') });
  replay.saw({ do: 'deleted', object: object('a', '12') });
  const range = { base: 0n, end: 20n };
  const outside = (scope: string) => shared.writesOutside(scope, range);
  expect([outside('featureflags/any'), outside('probes/any')]).toEqual([[9n, 12n], []]);
  replay.saw({ do: 'begin', isRewritten: true });
  expect(outside('featureflags/any')).toEqual([]);
});

test.each([
  ['contains the newest change', object('a', '9'), [9n]],
  ['does not contain it', object('a', '7'), []],
])('after a watch of another kind they can if the past %s', async (_, there, known) => {
  const shared = createSharedSearch();
  const other = replayOf([there], shared);
  other.saw({ do: 'applied', object: object('a', '9') });
  other.saw({ do: 'deleted', object: object('b', '12') });
  await replayOf([], shared).seek('10', SIGNAL);
  expect(shared.writesOutside('featureflags/any', { base: 0n, end: 20n })).toEqual(known);
});
