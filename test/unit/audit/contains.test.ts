import fc from 'fast-check';
import { expect, test } from 'vitest';
import { containing } from '../../../src/audit/archive/contains.ts';

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

test('a long text that nearly repeats is looked for in the time that a short one takes, whatever its length', () => {
  const text = 'a'.repeat(4_000_000);
  const wanted = (length: number) => `${'a'.repeat(length)}b${'a'.repeat(length)}`;
  const taken = (pattern: string) => {
    const isIn = containing(pattern);
    const before = performance.now();
    expect(isIn(text)).toBe(false);
    return performance.now() - before;
  };
  taken(wanted(130));
  // To compare anew at each place would take the second one fifteen times as long.
  const [longer, longest] = [taken(wanted(130)), taken(wanted(2_000))];
  expect(longest).toBeLessThan(longer * 6);
});
