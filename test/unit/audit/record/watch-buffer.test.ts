/** The bounded buffer between a watch and its recorder. */
import { expect, test } from 'vitest';
import { createByteBudget } from '../../../../src/audit/record/byte-budget.ts';
import { createWatchBuffer } from '../../../../src/audit/record/watch-buffer.ts';

const anObject = (name: string, description = '') => ({
  metadata: { namespace: 'shop', name, uid: `uid-of-${name}`, resourceVersion: '7', generation: 1 },
  spec: { description },
});

const plenty = { frames: 10, size: 1_000_000 };

function open(maxBuffered?: number) {
  const end = new AbortController();
  let at = 1000;
  const now = () => at++;
  const budget = createByteBudget(end.signal, maxBuffered);
  return { end, budget, watchBuffer: createWatchBuffer({ now, signal: end.signal, budget }) };
}

/** Whether a promise is settled when all work that waits only for promises has run. */
async function isDone(promise: Promise<unknown> | undefined): Promise<boolean> {
  let done = false;
  void promise?.then(() => {
    done = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  return done;
}

test('frames leave in the order in which they arrived, with the time of each', async () => {
  const { watchBuffer } = open();
  watchBuffer.sink.begin(false);
  watchBuffer.sink.listed(anObject('a'));
  watchBuffer.sink.swap('7');
  watchBuffer.sink.applied(anObject('b'));
  watchBuffer.sink.deleted(anObject('b'));
  watchBuffer.sink.progressed('9');
  const frames = await watchBuffer.next(plenty);
  expect(frames.map(({ reports, at }) => [reports, at])).toEqual([
    ['begin', 1000],
    ['listed', 1001],
    ['swap', 1002],
    ['applied', 1003],
    ['deleted', 1004],
    ['progressed', 1005],
  ]);
  expect(frames[1]).toMatchObject({ uid: 'uid-of-a', key: 'shop/a', version: '7' });
});

test('a taken frame stays until it is dropped, so that it can be taken again', async () => {
  const { watchBuffer } = open();
  for (const name of ['a', 'b', 'c']) watchBuffer.sink.applied(anObject(name));
  const keys = async (most: number) =>
    (await watchBuffer.next({ ...plenty, frames: most })).map((frame) => 'key' in frame && frame.key);
  expect(await keys(2)).toEqual(['shop/a', 'shop/b']);
  expect(await keys(2)).toEqual(['shop/a', 'shop/b']);
  watchBuffer.drop(2);
  expect([watchBuffer.oldest, await keys(2)]).toEqual([1002, ['shop/c']]);
});

test('large frames leave one by one, and small ones together', async () => {
  const { watchBuffer } = open();
  const limits = { frames: 3, size: 1000 };
  const take = async () => {
    const isFull = watchBuffer.isFull(limits);
    const taken = await watchBuffer.next(limits);
    watchBuffer.drop(taken.length);
    return [taken.length, isFull];
  };
  for (const size of [2000, 2000, 10, 10, 10, 10]) watchBuffer.sink.applied(anObject('a', 'x'.repeat(size)));
  expect([await take(), await take(), await take(), await take()]).toEqual([
    [1, true],
    [1, true],
    [3, true],
    [1, false],
  ]);
});

test('frames up to the end of a replay are late, unless the cluster was restored since', async () => {
  const { watchBuffer } = open();
  watchBuffer.sink.lateUpTo?.('8');
  watchBuffer.sink.applied(anObject('a'));
  watchBuffer.sink.progressed('9');
  watchBuffer.sink.begin(true);
  watchBuffer.sink.applied(anObject('a'));
  expect((await watchBuffer.next(plenty)).map(({ isLate }) => isLate)).toEqual([true, false, false, false]);
});

test('a reader of an empty buffer waits', async () => {
  const { watchBuffer } = open();
  const next = watchBuffer.next(plenty);
  expect(await isDone(next)).toBe(false);
  watchBuffer.sink.progressed('9');
  expect(await next).toHaveLength(1);
});

test('beyond its bound the reader is delayed, until half of it is recorded', async () => {
  const { watchBuffer } = open(4000);
  const pace = () => watchBuffer.sink.pace?.();
  for (const name of ['a', 'b', 'c']) watchBuffer.sink.applied(anObject(name, 'x'.repeat(1000)));
  expect(pace()).toBeUndefined();
  watchBuffer.sink.applied(anObject('d', 'x'.repeat(1000)));
  const paused = pace();
  expect(await isDone(paused)).toBe(false);
  watchBuffer.drop(1);
  expect(await isDone(paused)).toBe(false);
  watchBuffer.drop(2);
  expect([await isDone(paused), pace()]).toEqual([true, undefined]);
});

test('the end resumes both sides, and no frame leaves any more', async () => {
  const { watchBuffer, end } = open(10);
  watchBuffer.sink.applied(anObject('a'));
  const paused = watchBuffer.sink.pace?.();
  const { watchBuffer: empty, end: other } = open();
  const next = empty.next(plenty);
  end.abort();
  other.abort();
  expect([await isDone(paused), watchBuffer.sink.pace?.(), await watchBuffer.next(plenty), await next]).toEqual([
    true,
    undefined,
    [],
    [],
  ]);
});

test('a snapshot has no foreign annotations, and of field owners only those of the spec', async () => {
  const { watchBuffer } = open();
  const { metadata, spec } = anObject('a');
  const annotations = { 'vexil.dev/changed-by': 'ada', 'kubectl.kubernetes.io/last-applied-configuration': '{}' };
  const fieldsV1 = { 'f:spec': { 'f:description': {} }, 'f:metadata': {} };
  const managedFields = [
    { manager: 'kubectl', operation: 'Update', time: '2026-01-02T03:04:05Z', fieldsV1 },
    { manager: 'vexil', operation: 'Apply', subresource: 'status', fieldsV1: { 'f:status': {} } },
  ];
  watchBuffer.sink.applied({
    metadata: { ...metadata, annotations, managedFields },
    spec,
    status: { enabledIn: 'production' },
  });
  const [frame] = await watchBuffer.next(plenty);
  expect(frame && 'snapshot' in frame && JSON.parse(frame.snapshot)).toEqual({
    metadata: {
      ...metadata,
      annotations: { 'vexil.dev/changed-by': 'ada' },
      managedFields: [{ ...managedFields[0], fieldsV1: { 'f:spec': {} } }],
    },
    spec,
    status: { enabledIn: 'production' },
  });
});

test('all buffers share the budget: one that uses all of it delays the others too', async () => {
  const { watchBuffer, budget, end } = open(2000);
  const other = createWatchBuffer({ now: () => 0, signal: end.signal, budget });
  watchBuffer.sink.applied(anObject('a', 'x'.repeat(2500)));
  const paused = other.sink.pace?.();
  expect(await isDone(paused)).toBe(false);
  watchBuffer.drop(1);
  expect(await isDone(paused)).toBe(true);
});
