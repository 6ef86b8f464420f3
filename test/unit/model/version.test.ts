import { expect, test } from 'vitest';
import { compareVersions, isAbove, isAtMost } from '../../../src/model/version.ts';

test.each([
  ['1', '2', -1],
  ['9', '10', -1],
  ['10', '9', 1],
  ['10', '10', 0],
  ['99999999999999999999', '100000000000000000000', -1],
  ['0', '1', -1],
  ['abc', 'abc', 0],
  ['abc', '1', undefined],
  ['01', '1', undefined],
  ['', '1', undefined],
  ['-1', '1', undefined],
  ['1.5', '1', undefined],
] as const)('%s against %s is %s', (left, right, want) => {
  expect(compareVersions(left, right)).toBe(want);
});

test('versions that cannot be ordered are neither at most nor above', () => {
  expect(isAtMost('abc', '1')).toBe(false);
  expect(isAbove('abc', '1')).toBe(false);
  expect(isAtMost('1', undefined)).toBe(false);
});
