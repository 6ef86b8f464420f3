/** Two priorities: the high one comes first, and the low one is never starved. */
import { expect, test } from 'vitest';
import { higher, MAX_HIGH_IN_A_ROW, type Priority, priorityFifo } from '../../../src/runtime/priority-fifo.ts';

function filled(...keys: readonly (readonly [string, Priority])[]) {
  const fifo = priorityFifo();
  for (const [key, priority] of keys) fifo.push(key, priority);
  return fifo;
}

function shiftAll(fifo: ReturnType<typeof priorityFifo>): string[] {
  const keys: string[] = [];
  for (let next = fifo.shift(true); next !== undefined; next = fifo.shift(true)) keys.push(next.key);
  return keys;
}

test('high keys leave before low ones, each priority in the order of arrival', () => {
  const fifo = filled(['a', 'low'], ['b', 'high'], ['c', 'low'], ['d', 'high']);
  expect([fifo.length, fifo.has('c'), fifo.has('z')]).toEqual([4, true, false]);
  expect(fifo.shift(true)).toEqual({ key: 'b', priority: 'high' });
  expect(shiftAll(fifo)).toEqual(['d', 'a', 'c']);
  expect(fifo.length).toBe(0);
});

test('a low key that is pushed as a high one is raised, and leaves once', () => {
  const fifo = filled(['a', 'low'], ['b', 'low'], ['c', 'high'], ['b', 'high']);
  expect(fifo.length).toBe(3);
  expect(shiftAll(fifo)).toEqual(['c', 'b', 'a']);
});

test('a high key that is pushed as a low one keeps its priority and place', () => {
  const fifo = filled(['a', 'high'], ['b', 'high'], ['a', 'low']);
  expect([fifo.length, shiftAll(fifo)]).toEqual([2, ['a', 'b']]);
});

test('a low key leaves after a number of high ones, however many of those keep coming', () => {
  const fifo = filled(['low', 'low'], ['other', 'low']);
  const left: string[] = [];
  for (let n = 0; n < 3 * MAX_HIGH_IN_A_ROW; n += 1) {
    fifo.push(`${n}`, 'high');
    fifo.push(`${n} again`, 'high');
    left.push(fifo.shift(true)?.key ?? 'none');
  }
  expect(left.indexOf('low')).toBe(MAX_HIGH_IN_A_ROW);
  expect(left.indexOf('other')).toBe(2 * MAX_HIGH_IN_A_ROW + 1);
});

test('without low keys only high ones leave; the low ones stay in their order', () => {
  const fifo = filled(['a', 'low'], ['b', 'high'], ['c', 'low']);
  expect([fifo.shift(false)?.key, fifo.shift(false), fifo.length]).toEqual(['b', undefined, 2]);
  expect(shiftAll(fifo)).toEqual(['a', 'c']);
});

test('high keys that leave while no low one waits do not count against later ones', () => {
  const fifo = priorityFifo();
  for (let n = 0; n < 50; n += 1) fifo.push(`${n}`, 'high');
  for (let n = 0; n < 40; n += 1) fifo.shift(true);
  fifo.push('low', 'low');
  expect(fifo.shift(true)).toEqual({ key: '40', priority: 'high' });
});

test.each([
  ['high', 'low', 'high'],
  ['low', 'high', 'high'],
  ['low', 'low', 'low'],
  ['low', undefined, 'low'],
] as const)('of %s and %s, %s is higher', (one, other, want) => {
  expect(higher(one, other)).toBe(want);
});
