/** First in, first out, without repeats, in linear time. */
import { expect, test } from 'vitest';
import { keyedFifo } from '../../../src/runtime/keyed-fifo.ts';

test('an empty list can be filled again', () => {
  const keys = keyedFifo();
  for (const key of ['a', 'b', 'a', 'c']) keys.push(key);

  expect([keys.length, keys.has('b'), keys.has('z')]).toEqual([3, true, false]);
  expect([keys.shift(), keys.shift()]).toEqual(['a', 'b']);
  keys.push('a');
  expect([keys.shift(), keys.shift(), keys.shift()]).toEqual(['c', 'a', undefined]);
});

test('200,000 keys that all return once leave in order', () => {
  const keys = keyedFifo();
  for (const round of ['one', 'two', 'three']) {
    expect(keys.shift()).toBeUndefined();
    keys.push(round);
    expect([keys.shift(), keys.length]).toEqual([round, 0]);
  }
});

test('a deleted key does not leave, wherever it is, and can return', () => {
  const keys = keyedFifo();
  const count = 200_000;
  for (let n = 0; n < count; n += 1) keys.push(`${n}`);
  for (let n = 0; n < count; n += 1) {
    const key = keys.shift();
    if (key !== `${n}`) expect.unreachable(`${key} came where ${n} was due`);
    keys.push(`${n} again`);
  }
  expect([keys.length, keys.shift()]).toEqual([count, '0 again']);
});

test('a key that is deleted does not leave, wherever it stands, and can come again', () => {
  const keys = keyedFifo();
  for (const key of ['a', 'b', 'c', 'd']) keys.push(key);
  for (const key of ['a', 'c', 'z']) keys.delete(key);
  keys.push('a');
  expect([keys.length, keys.shift(), keys.shift(), keys.shift(), keys.shift()]).toEqual([3, 'b', 'd', 'a', undefined]);
});
