import { describe, expect, test } from 'vitest';
import { ClusterError, Refusal } from '../../../../src/errors.ts';
import { parseObject } from '../../../../src/kube/object/parse-object.ts';
import { type ChangeOptions, changeSpec, specOperations } from '../../../../src/kube/write/change.ts';
import { mergeSpec } from '../../../../src/kube/write/merge-spec.ts';
import type { OwnedField } from '../../../../src/kube/write/owned-fields.ts';
import { PROBE, type Probe, type ProbeSpec, type ProbeStatus, rawProbe } from '../../../support/probe.ts';

function aProbe(spec: unknown, metadata = {}): Probe {
  return parseObject(PROBE, rawProbe({ version: 7, spec, metadata }));
}

describe('the merge keeps what the edit did not touch', () => {
  test.each([
    [
      'nulls beside the edit',
      { note: null, parts: { a: null } },
      {},
      { group: 'g' },
      { note: null, parts: { a: null }, group: 'g' },
    ],
    [
      'defective parts beside the edit',
      { parts: { a: { size: 999 }, b: {} } },
      { parts: { b: {} } },
      { parts: { b: { on: true } } },
      { parts: { a: { size: 999 }, b: { on: true } } },
    ],
    [
      'nothing of what the edit removed',
      { note: 'x', group: 'g' },
      { note: 'x', group: 'g' },
      { group: 'g' },
      { group: 'g' },
    ],
    ['nothing of a null that the edit fills', { parts: null }, {}, { parts: { a: {} } }, { parts: { a: {} } }],
    ['nothing of a defect that the edit replaces', { note: 1 }, {}, { note: 'x' }, { note: 'x' }],
    ['lists as a whole', { list: ['a', null, 'b'] }, { list: ['a', null, 'b'] }, { list: ['b'] }, { list: ['b'] }],
    ['an absent spec becomes the edit', undefined, {}, { note: 'x' }, { note: 'x' }],
    ['members that became undefined go', { note: 'x' }, { note: 'x' }, { note: undefined }, {}],
  ])('%s', (...[, raw, before, after, want]) => {
    expect(mergeSpec({ raw, before, after })).toEqual(want);
  });
});

describe('the patch', () => {
  test.each<[string, unknown, unknown, unknown[]]>([
    [
      'of one leaf is one operation',
      { parts: { a: { on: false, size: 1 } } },
      { parts: { a: { on: true, size: 1 } } },
      [{ op: 'replace', path: '/spec/parts/a/on', value: true }],
    ],
    [
      'escapes keys',
      { parts: { 'a/b~c': {} } },
      { parts: { 'a/b~c': { on: true } } },
      [{ op: 'add', path: '/spec/parts/a~1b~0c/on', value: true }],
    ],
    ['adds an absent spec', undefined, { note: 'x' }, [{ op: 'add', path: '/spec', value: { note: 'x' } }]],
    ['replaces a null spec', null, { note: 'x' }, [{ op: 'replace', path: '/spec', value: { note: 'x' } }]],
    [
      'replaces a null parent',
      { parts: null },
      { parts: { a: {} } },
      [{ op: 'replace', path: '/spec/parts', value: { a: {} } }],
    ],
  ])('%s', (...[, raw, next, want]) => {
    expect(specOperations(raw, next)).toEqual(want);
  });

  test('replaces the whole spec if it would be thousands of operations', () => {
    const parts = Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`p${index}`, {}]));
    expect(specOperations({ parts: {} }, { parts })).toEqual([{ op: 'replace', path: '/spec', value: { parts } }]);
  });
});

describe('a change of fields of other owners', () => {
  const foreignFields: readonly OwnedField[] = [
    {
      path: 'spec.note',
      owners: [{ manager: 'tool', operation: 'Apply', time: '2026-01-01T00:00:00Z', fields: '{}' }],
    },
  ];
  const log: string[] = [];
  /** The cache is behind: in it the field has another owner, or none yet. */
  const changing = (ownedAt: readonly string[], options: ChangeOptions<ProbeSpec, ProbeStatus> = {}) => {
    log.length = 0;
    const at = (version: string) => aProbe({ note: 'x' }, { resourceVersion: version });
    return changeSpec<ProbeSpec, ProbeStatus>(
      {
        cached: () => at('1'),
        live: async () => {
          log.push('live');
          return at('2');
        },
        patch: async (_, operations) => {
          const [guard] = operations;
          log.push(`patch ${guard && 'value' in guard ? guard.value : ''}`);
          return at('3');
        },
        sourcesOf: () => [],
        ownedBy: ({ metadata }) => (ownedAt.includes(metadata.resourceVersion) ? foreignFields : []),
        clock: { now: () => 0, after: () => () => undefined },
        random: () => 1,
      },
      { ref: { namespace: 'home', name: 'a' }, edit: () => ({ note: 'y' }), options },
    );
  };

  test('is refused, with all owners', async () => {
    await expect(changing(['1', '2'])).rejects.toMatchObject({
      code: 'field-managed',
      message: expect.stringContaining('spec.note by "tool" (Apply, last write 2026-01-01T00:00:00Z)'),
      details: [{ path: 'spec.note', message: expect.stringContaining('"tool"') }],
    });
    expect(log).toEqual(['live']);
  });

  test('is not refused because of the cache only', async () => {
    await changing(['1']);
    expect(log).toEqual(['live', 'patch 2']);
  });

  test('is written if the fields may be taken, and the taken fields are reported', async () => {
    const taken: unknown[] = [];
    await changing(['1', '2'], { take: (_, fields) => taken.push(...fields) });
    expect([log, taken]).toEqual([['live', 'patch 2'], foreignFields]);
  });

  test('is not compared for a caller who may not write the object', async () => {
    const admit = async () => {
      throw new Refusal('forbidden', 'not yours');
    };
    await expect(changing(['1', '2'], { admit })).rejects.toMatchObject({ code: 'forbidden' });
  });
});

test('a change that always loses the race ends as a conflict after a bounded number of tries', async () => {
  const waits: number[] = [];
  let patches = 0;
  const changing = changeSpec<ProbeSpec, { seen?: number | undefined }>(
    {
      cached: () => aProbe({ note: 'x' }),
      live: async () => aProbe({ note: 'x' }),
      patch: async () => {
        patches += 1;
        throw new ClusterError('conflict', 'someone was faster');
      },
      ownedBy: () => [],
      sourcesOf: () => [],
      clock: {
        now: () => 0,
        after(ms, wake) {
          waits.push(ms);
          queueMicrotask(wake);
          return () => undefined;
        },
      },
      random: () => 1,
    },
    { ref: { namespace: 'home', name: 'a' }, edit: () => ({ note: 'y' }), options: {} },
  );
  await expect(changing).rejects.toMatchObject({ code: 'conflict' });
  expect(patches).toBe(6);
  expect(waits).toEqual([80, 160, 320, 640]);
});
