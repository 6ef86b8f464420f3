/** Items by rank and arrival, one for each key, without time that grows with the square of their number. */
import { expect, test } from 'vitest';
import { type Item, merged, queueItems } from '../../../src/runtime/queue-items.ts';

const item = (key: string, other: Partial<Item> = {}): Item => ({ key, priority: 'low', at: 0, reason: key, ...other });

/** Takes the first items. */
function take(items: ReturnType<typeof queueItems>, count = items.length): (string | undefined)[] {
  return Array.from({ length: count }, () => {
    const key = items.first()?.key;
    items.delete(key ?? '');
    return key;
  });
}

test('lower ranks come first, and items of the same rank in the order of arrival', () => {
  const items = queueItems();
  for (const [key, rank] of [
    ['a', 2],
    ['b', 1],
    ['c', 2],
    ['d', 1],
  ] as const)
    items.set(item(key), rank);
  expect([items.length, items.get('c')?.key, items.get('z')]).toEqual([4, 'c', undefined]);
  expect(take(items, 5)).toEqual(['b', 'd', 'a', 'c', undefined]);
});

test('an item replaces the one of its key, and a deleted one does not come, wherever it is, and can return', () => {
  const items = queueItems();
  for (const key of ['a', 'b', 'c', 'd', 'b']) items.set(item(key));
  for (const key of ['a', 'd', 'z']) items.delete(key);
  items.set(item('a'));
  expect(take(items)).toEqual(['c', 'b', 'a']);
});

test('200,000 keys that all return once come in order', () => {
  const items = queueItems();
  const count = 200_000;
  for (let n = 0; n < count; n += 1) items.set(item(`${n}`));
  for (let n = 0; n < count; n += 1) {
    const [key] = take(items, 1);
    if (key !== `${n}`) expect.unreachable(`${key} came where ${n} was due`);
    items.set(item(`${n} again`));
  }
  expect([items.length, items.first()?.key]).toEqual([count, '0 again']);
});

test('a key that is replaced again and again comes once, with the newest item', () => {
  const items = queueItems();
  for (let n = 0; n < 1000; n += 1) items.set(item('a', { at: n }), n);
  expect([items.length, items.first()?.at]).toEqual([1, 999]);
  expect(take(items, 2)).toEqual(['a', undefined]);
});

test.each<[string, Partial<Item>, Partial<Item>, Partial<Item>]>([
  ['the earlier one', { at: 2 }, { at: 1 }, { at: 1, reason: 'other' }],
  ['the present one at the same time', {}, {}, { reason: 'other' }],
  [
    'the higher one, at the earlier time',
    { priority: 'high', at: 2 },
    { at: 1 },
    { priority: 'high', at: 1, reason: 'one' },
  ],
  ['the higher present one', { at: 1 }, { priority: 'high', at: 2 }, { priority: 'high', at: 1, reason: 'other' }],
])('of two requests, the reason is that of %s', (_, one, other, want) => {
  expect(merged(item('a', { ...one, reason: 'one' }), item('a', { ...other, reason: 'other' }))).toMatchObject(want);
});
