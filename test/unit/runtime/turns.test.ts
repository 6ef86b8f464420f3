/** Turns of the event loop for long work. */
import { nextTick } from 'node:process';
import { expect, test } from 'vitest';
import { ownTurn } from '../../../src/runtime/turns.ts';

test('each caller gets a turn of its own, with the work that it leaves behind', async () => {
  let turn = 0;
  const ranIn: number[] = [];
  const all = Promise.all(
    Array.from({ length: 30 }, async () => {
      await ownTurn();
      // As an answer, whose bytes are written at the end of the tick.
      nextTick(() => ranIn.push(turn));
    }),
  );
  for (; ranIn.length < 30; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  await all;
  expect(new Set(ranIn).size).toBe(30);
});
