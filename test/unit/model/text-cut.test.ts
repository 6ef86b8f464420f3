import { expect, test } from 'vitest';
import { cut, cutToBytes, ownText, truncate } from '../../../src/model/text.ts';

const flag = '🏁';

test.each([
  ['abc', 3, 'abc'],
  ['abcd', 3, 'abc…'],
  [`ab${flag}`, 4, `ab${flag}`],
  [`ab${flag}c`, 4, `ab${flag}…`],
  [`ab${flag}c`, 3, 'ab…'],
])('%s in %i characters', (text, maxLength, want) => {
  expect(truncate(text, maxLength)).toBe(want);
  expect(cut(text, maxLength)).toBe(want.replace('…', ''));
});

test('half of a pair that existed before is replaced, as the API server does', () => {
  expect(cut('a\ud800b', 9)).toBe('a\ufffdb');
});

test.each([
  ['abc', 3, 'abc'],
  ['abcd', 3, 'abc'],
  ['aß', 2, 'a'],
  [`a${flag}b`, 5, `a${flag}`],
  [`a${flag}b`, 4, 'a'],
  ['a\ufffdb', 4, 'a\ufffd'],
])('%s in %i bytes', (text, maxBytes, want) => {
  expect(cutToBytes(text, maxBytes)).toBe(want);
});

test.each(['', 'a', flag, 'half \ud800 of a pair'])('the own text of %j is equal', (text) => {
  expect(ownText(text)).toBe(text);
});
