import { expect, test, vi } from 'vitest';
import { createTurns } from '../../../src/audit/archive/turns.ts';

const never = new AbortController().signal;
const pending = () => Promise.withResolvers<string>();

test('as many run as there are places, and the others in their order', async () => {
  const turns = createTurns({ places: 2, waiting: 10, waitMs: 60_000 });
  const works = Array.from({ length: 4 }, pending);
  const begun: number[] = [];
  const results = works.map((work, index) =>
    turns.run(never, () => {
      begun.push(index);
      return work.promise;
    }),
  );
  await vi.waitFor(() => expect(begun).toEqual([0, 1]));
  works[1]?.resolve('second');
  expect(await results[1]).toBe('second');
  await vi.waitFor(() => expect(begun).toEqual([0, 1, 2]));
  works[0]?.reject(new Error('failed'));
  await expect(results[0]).rejects.toThrow('failed');
  await vi.waitFor(() => expect(begun).toEqual([0, 1, 2, 3]));
  works[2]?.resolve('third');
  works[3]?.resolve('fourth');
  expect(await Promise.all(results.slice(2))).toEqual(['third', 'fourth']);
});

test('who comes when as many wait as may is refused, and who leaves makes room', async () => {
  const turns = createTurns({ places: 1, waiting: 1, waitMs: 60_000 });
  const work = pending();
  const running = turns.run(never, () => work.promise);
  const leaving = new AbortController();
  const waiting = turns.run(leaving.signal, async () => 'not run');
  await expect(turns.run(never, async () => 'not run')).rejects.toMatchObject({ code: 'busy' });
  leaving.abort(new Error('gone'));
  await expect(waiting).rejects.toThrow('gone');
  const next = turns.run(never, async () => 'next');
  work.resolve('first');
  expect(await Promise.all([running, next])).toEqual(['first', 'next']);
});

test('who has waited for too long is refused', async () => {
  vi.useFakeTimers();
  try {
    const turns = createTurns({ places: 1, waiting: 1, waitMs: 5_000 });
    const work = pending();
    const running = turns.run(never, () => work.promise);
    const refused = expect(turns.run(never, async () => 'not run')).rejects.toMatchObject({ code: 'busy' });
    await vi.advanceTimersByTimeAsync(5_000);
    await refused;
    work.resolve('first');
    await running;
    expect(await turns.run(never, async () => 'free again')).toBe('free again');
  } finally {
    vi.useRealTimers();
  }
});
