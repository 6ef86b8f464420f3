/** Turns of the event loop for long work. */
import { nextTick } from 'node:process';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { inTurn, ownTurn, turnsOfRequest } from '../../../src/runtime/turns.ts';

/** The time is that of the work alone, so that other programs on the machine change nothing. */
let time = 0;
beforeEach(() => {
  time = Math.max(time, performance.now());
  vi.spyOn(performance, 'now').mockImplementation(() => time);
});
afterEach(() => {
  vi.restoreAllMocks();
});
const spinFor = (ms: number): void => {
  time += ms;
};

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

test('of many requests one works in each turn, whatever their number, and a short one passes long ones', async () => {
  let turn = 0;
  let isDone = false;
  let short: Promise<number> | undefined;
  const count = () => {
    turn += 1;
    if (turn === 45) short = work(1, 0);
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  const workedIn: number[] = [];
  const work = async (parts: number, ms: number) => {
    const next = turnsOfRequest();
    for (let part = 0; part < parts; part += 1) {
      await inTurn(next, () => {
        spinFor(ms);
        if (ms > 0) workedIn.push(turn);
      });
    }
    return turn;
  };
  await Promise.all(Array.from({ length: 20 }, () => work(3, 6)));
  isDone = true;
  expect(new Set(workedIn).size).toBe(workedIn.length);
  expect(await short).toBeLessThan(50);
});

test('a request with many short parts keeps its turn while others wait', async () => {
  let turn = 0;
  let isDone = false;
  const count = () => {
    turn += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  let parts = 0;
  const isOver = () => parts++ > 4_000;
  await Promise.all([workOnce(6), ...Array.from({ length: 3 }, () => workUntil(isOver, 0.01))]);
  isDone = true;
  // 40 ms of work, in turns of 5 ms.
  expect(turn).toBeLessThan(20);
});

/** A request of one part. Returns its time. */
const workOnce = (ms: number) => {
  let isDone = false;
  const isOver = () => {
    const was = isDone;
    isDone = true;
    return was;
  };
  return workUntil(isOver, ms);
};

/** Works in parts of this length until it is over. Returns the time of all parts. */
async function workUntil(isOver: () => boolean, ms: number): Promise<number> {
  const next = turnsOfRequest();
  let used = 0;
  while (!isOver()) {
    used += await inTurn(next, () => {
      const began = performance.now();
      spinFor(ms);
      return performance.now() - began;
    });
  }
  return used;
}

test('a long request ends while short ones come all the time', async () => {
  let parts = 0;
  const long = workUntil(() => parts++ === 100, 6);
  const isOver = () => parts > 100;
  const short = async (): Promise<number> => (isOver() ? 0 : (await workOnce(6)) + (await short()));
  const shorts = await Promise.all(Array.from({ length: 5 }, short));
  const others = shorts.reduce((sum, used) => sum + used, 0);
  // Half of the time is for the long request.
  expect(others).toBeLessThan(2 * (await long));
});

test('a part in which the machine slept gives nobody a claim to later turns', async () => {
  for (let round = 0; round < 4; round += 1) {
    await Promise.all([workOnce(6), workOnce(6), workOnce(600_000), workOnce(6)]);
    let parts = 0;
    const long = workUntil(() => parts++ === 50, 6);
    const isOver = () => parts > 50;
    const shorts = await Promise.all(Array.from({ length: 5 }, () => workUntil(isOver, 6)));
    const share = shorts.reduce((sum, used) => sum + used, 0) / (await long);
    expect(share).toBeGreaterThan(1 / 2);
    expect(share).toBeLessThan(2);
  }
});

test('a request with long parts gets no more time than those with short ones', async () => {
  let parts = 0;
  // It comes first, so half of the time is for it.
  const long = workUntil(() => parts++ === 20, 120);
  const isOver = () => parts > 20;
  const shorts = await Promise.all(Array.from({ length: 5 }, () => workUntil(isOver, 6)));
  const others = shorts.reduce((sum, used) => sum + used, 0);
  expect(others).toBeGreaterThan((await long) / 2);
});

test('of two requests that come all the time, the one with long parts gets no more time', async () => {
  let parts = 0;
  const first = workUntil(() => parts++ === 100, 6);
  const isOver = () => parts > 100;
  const [long = 0, short = 0] = await Promise.all([workUntil(isOver, 60), workUntil(isOver, 6)]);
  await first;
  expect(short).toBeGreaterThan(long / 2);
});

test('nothing is done for a request that nobody waits for any more', async () => {
  let hasLeft = false;
  const next = turnsOfRequest(() => {
    if (hasLeft) throw new Error('gone');
  });
  const before = inTurn(turnsOfRequest(), () => spinFor(6));
  let parts = 0;
  const work = inTurn(next, () => {
    parts += 1;
  });
  hasLeft = true;
  await Promise.all([before, expect(work).rejects.toThrow('gone')]);
  expect(parts).toBe(0);
});
