import { expect, test, vi } from 'vitest';
import { createLimiter } from '../../../src/runtime/limiter.ts';

const never = new AbortController().signal;
const refusal = { message: 'busy', retryAfterSeconds: 7 };
const pending = () => Promise.withResolvers<string>();

test('the limiter runs as many tasks as the concurrency allows, the others in their order', async () => {
  const limiter = createLimiter({ concurrency: 2, maxWaiting: 10, maxWaitMs: 60_000, refusal });
  const works = Array.from({ length: 4 }, pending);
  const begun: number[] = [];
  const results = works.map((work, index) =>
    limiter.run(never, () => {
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

test('a task is refused if too many wait, and one that leaves frees its place', async () => {
  const limiter = createLimiter({ concurrency: 1, maxWaiting: 1, maxWaitMs: 60_000, refusal });
  const work = pending();
  const running = limiter.run(never, () => work.promise);
  const leaving = new AbortController();
  const waiting = limiter.run(leaving.signal, async () => 'not run');
  await expect(limiter.run(never, async () => 'not run')).rejects.toMatchObject({ code: 'busy' });
  leaving.abort(new Error('gone'));
  await expect(waiting).rejects.toThrow('gone');
  const next = limiter.run(never, async () => 'next');
  work.resolve('first');
  expect(await Promise.all([running, next])).toEqual(['first', 'next']);
});

test('a task that has waited too long is refused, with the time to try again', async () => {
  vi.useFakeTimers();
  try {
    const limiter = createLimiter({ concurrency: 1, maxWaiting: 1, maxWaitMs: 5_000, refusal });
    const work = pending();
    const running = limiter.run(never, () => work.promise);
    const late = limiter.run(never, async () => 'not run');
    const refused = expect(late).rejects.toMatchObject({ code: 'busy', ...refusal });
    await vi.advanceTimersByTimeAsync(5_000);
    await refused;
    work.resolve('first');
    await running;
    expect(await limiter.run(never, async () => 'free again')).toBe('free again');
  } finally {
    vi.useRealTimers();
  }
});
