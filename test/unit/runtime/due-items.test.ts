/** Two priorities: the high one comes first, and the low one is never starved. */
import { beforeEach, expect, test } from 'vitest';
import { MAX_HIGH_IN_A_ROW } from '../../../src/runtime/due-items.ts';
import { createQueue, type Queue } from '../../../src/runtime/queue.ts';
import { fakeClock } from '../../support/fake-clock.ts';
import { observedQueue } from './observed.ts';

let queue: Queue;

beforeEach(() => {
  queue = createQueue({ clock: fakeClock(), observer: observedQueue().observer, backoff: () => 100 });
});

test('a low key leaves after a number of high ones, however many of those keep coming', async () => {
  for (const key of ['low', 'other']) queue.add(key, { priority: 'low' });
  const left: (string | undefined)[] = [];
  for (let n = 0; n < 3 * MAX_HIGH_IN_A_ROW; n += 1) {
    queue.add(`${n}`);
    queue.add(`${n} again`);
    left.push(await queue.get());
  }
  expect(left.indexOf('low')).toBe(MAX_HIGH_IN_A_ROW);
  expect(left.indexOf('other')).toBe(2 * MAX_HIGH_IN_A_ROW + 1);
});

test('high keys that leave while no low one waits do not count against later ones', async () => {
  for (let n = 0; n < 50; n += 1) queue.add(`${n}`);
  for (let n = 0; n < 40; n += 1) await queue.get();
  queue.add('low', { priority: 'low' });
  expect(await queue.get()).toBe('40');
});
