import { describe, expect, test } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import { changeSpec, specOperations } from '../../../src/kube/change.ts';
import { mergeSpec } from '../../../src/kube/merge-spec.ts';
import { parseObject } from '../../../src/kube/parse-object.ts';
import { PROBE, type Probe, type ProbeSpec, rawProbe } from '../../support/probe.ts';

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
  test.each<[string, unknown, ProbeSpec, unknown[]]>([
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
    expect(specOperations(aProbe(raw), next)).toEqual(want);
  });

  test('replaces the spec whole when it would be thousands of operations', () => {
    const parts = Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`p${index}`, {}]));
    expect(specOperations(aProbe({ parts: {} }), { parts })).toEqual([
      { op: 'replace', path: '/spec', value: { parts } },
    ]);
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
        throw new AppError('conflict', 'someone was faster');
      },
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
