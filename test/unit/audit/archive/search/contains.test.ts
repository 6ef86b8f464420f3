import fc from 'fast-check';
import { expect, test } from 'vitest';
import { containing } from '../../../../../src/audit/archive/search/contains.ts';

const fewLetters = (maxLength: number) =>
  fc.array(fc.constantFrom('a', 'a', 'a', 'b', 'ö', '🎉'), { maxLength }).map((letters) => letters.join(''));

test.each([
  ['short', 5],
  ['long', 400],
])('a %s text is found where it is, and nowhere else', (_, length) => {
  fc.assert(
    fc.property(fewLetters(length), fewLetters(600), fewLetters(20), (wanted, before, after) => {
      const isIn = containing(wanted);
      expect(isIn(`${before}${wanted}${after}`)).toBe(true);
      for (const text of [before, `${before}${wanted.slice(1)}${after}`, wanted.slice(0, -1), '']) {
        expect(isIn(text)).toBe(text.includes(wanted));
      }
    }),
    { numRuns: 200 },
  );
});

test('a long text that nearly repeats is searched in one pass: comparing again at each place would take hours', () => {
  const wanted = `${'a'.repeat(200_000)}b${'a'.repeat(200_000)}`;
  expect(containing(wanted)('a'.repeat(4_000_000))).toBe(false);
});
