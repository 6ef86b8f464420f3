/** Imports are done one after the other, and nobody waits for long. */
import { expect, test } from 'vitest';
import { oneAtATime } from '../../../src/http/one-at-a-time.ts';

const never = new AbortController().signal;
const start = (waitMs: number) => oneAtATime({ waitMs, message: 'busy' });

test('the next begins when the one before has ended, also where it fails', async () => {
  const inTurn = start(10_000);
  const first = Promise.withResolvers<string>();
  const order: string[] = [];
  const answers = [
    inTurn(() => first.promise.finally(() => order.push('first')), never),
    inTurn(async () => order.push('second'), never),
  ];
  first.reject(new Error('no'));
  const [failed] = await Promise.allSettled(answers);
  expect([failed?.status, ...order]).toEqual(['rejected', 'first', 'second']);
});

test('who has waited long enough is told when to come again, and is never begun', async () => {
  const inTurn = start(20);
  const first = Promise.withResolvers<void>();
  const running = inTurn(() => first.promise, never);
  let isBegun = false;
  const begin = async () => {
    isBegun = true;
  };
  await expect(inTurn(begin, never)).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 0.02 });
  first.resolve();
  await running;
  await inTurn(async () => undefined, never);
  expect(isBegun).toBe(false);
});

test('who has gone is never begun', async () => {
  const inTurn = start(10_000);
  const first = Promise.withResolvers<void>();
  const running = inTurn(() => first.promise, never);
  const gone = new AbortController();
  let isBegun = false;
  const waiting = inTurn(async () => {
    isBegun = true;
  }, gone.signal);
  gone.abort(new Error('gone'));
  await expect(waiting).rejects.toThrow('gone');
  first.resolve();
  await running;
  await inTurn(async () => undefined, never);
  expect(isBegun).toBe(false);
});
