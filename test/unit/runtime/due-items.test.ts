/** Two priorities: the high one comes first, and the low one is never starved. */
import { expect, test } from 'vitest';
import { MAX_HIGH_IN_A_ROW, readyItems } from '../../../src/runtime/due-items.ts';
import type { Item, Priority } from '../../../src/runtime/queue-items.ts';

const item = (key: string, priority: Priority): Item => ({ key, priority, at: 0, reason: 'test' });

function filled(...keys: readonly (readonly [string, Priority])[]) {
  const ready = readyItems();
  for (const [key, priority] of keys) ready.push(item(key, priority));
  return ready;
}

function shiftAll(ready: ReturnType<typeof readyItems>): string[] {
  const keys: string[] = [];
  for (let next = ready.shift(true); next !== undefined; next = ready.shift(true)) keys.push(next.key);
  return keys;
}

test('high keys leave before low ones, each priority in the order of arrival', () => {
  const ready = filled(['a', 'low'], ['b', 'high'], ['c', 'low'], ['d', 'high']);
  expect([ready.length, ready.has('c'), ready.has('z')]).toEqual([4, true, false]);
  expect(ready.shift(true)).toMatchObject({ key: 'b', priority: 'high' });
  expect(shiftAll(ready)).toEqual(['d', 'a', 'c']);
  expect(ready.length).toBe(0);
});

test('a low key that is pushed as a high one is raised, and leaves once', () => {
  const ready = filled(['a', 'low'], ['b', 'low'], ['c', 'high'], ['b', 'high']);
  expect(ready.length).toBe(3);
  expect(shiftAll(ready)).toEqual(['c', 'b', 'a']);
});

test('a high key that is pushed as a low one keeps its priority and place', () => {
  const ready = filled(['a', 'high'], ['b', 'high'], ['a', 'low']);
  expect([ready.length, shiftAll(ready)]).toEqual([2, ['a', 'b']]);
});

test('a low key leaves after a number of high ones, however many of those keep coming', () => {
  const ready = filled(['low', 'low'], ['other', 'low']);
  const left: string[] = [];
  for (let n = 0; n < 3 * MAX_HIGH_IN_A_ROW; n += 1) {
    ready.push(item(`${n}`, 'high'));
    ready.push(item(`${n} again`, 'high'));
    left.push(ready.shift(true)?.key ?? 'none');
  }
  expect(left.indexOf('low')).toBe(MAX_HIGH_IN_A_ROW);
  expect(left.indexOf('other')).toBe(2 * MAX_HIGH_IN_A_ROW + 1);
});

test('without low keys only high ones leave; the low ones stay in their order', () => {
  const ready = filled(['a', 'low'], ['b', 'high'], ['c', 'low']);
  expect([ready.shift(false)?.key, ready.shift(false), ready.length]).toEqual(['b', undefined, 2]);
  expect(shiftAll(ready)).toEqual(['a', 'c']);
});

test('high keys that leave while no low one waits do not count against later ones', () => {
  const ready = readyItems();
  for (let n = 0; n < 50; n += 1) ready.push(item(`${n}`, 'high'));
  for (let n = 0; n < 40; n += 1) ready.shift(true);
  ready.push(item('low', 'low'));
  expect(ready.shift(true)).toMatchObject({ key: '40', priority: 'high' });
});
