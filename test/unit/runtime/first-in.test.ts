/** First in, first out, without repeats, in linear time. */
import { expect, test } from 'vitest';
import { firstIn } from '../../../src/runtime/first-in.ts';

test('keys leave in the order they came, a repeated one at its first place', () => {
  const keys = firstIn();
  for (const key of ['a', 'b', 'a', 'c']) keys.push(key);

  expect([keys.length, keys.has('b'), keys.has('z')]).toEqual([3, true, false]);
  expect([keys.shift(), keys.shift()]).toEqual(['a', 'b']);
  keys.push('a');
  expect([keys.shift(), keys.shift(), keys.shift()]).toEqual(['c', 'a', undefined]);
});

test('an emptied list can be filled again', () => {
  const keys = firstIn();
  for (const round of ['one', 'two', 'three']) {
    expect(keys.shift()).toBeUndefined();
    keys.push(round);
    expect([keys.shift(), keys.length]).toEqual([round, 0]);
  }
});

test('200,000 keys that all come back once leave in order', () => {
  const keys = firstIn();
  const count = 200_000;
  for (let n = 0; n < count; n += 1) keys.push(`${n}`);
  for (let n = 0; n < count; n += 1) {
    const key = keys.shift();
    if (key !== `${n}`) expect.unreachable(`${key} came where ${n} was due`);
    keys.push(`${n} again`);
  }
  expect([keys.length, keys.shift()]).toEqual([count, '0 again']);
});
