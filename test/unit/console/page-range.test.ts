/** The part of a long list that a page shows, also where the API does not count all of it. */
import { expect, test } from 'vitest';
import { pageRangeOf } from '../../../console/src/list/page-range.ts';

test.each([
  [
    { offset: 0, total: 0 },
    { isWhole: true, text: '0', next: undefined },
  ],
  [
    { offset: 0, total: 50 },
    { isWhole: true, text: '50', next: undefined },
  ],
  [
    { offset: 0, total: 51 },
    { isWhole: false, text: '1 to 50 of 51', next: 50 },
  ],
  [
    { offset: 50, total: 51 },
    { isWhole: false, text: '51 to 51 of 51', next: undefined },
  ],
  [
    { offset: 0, total: 10_000, isAtLeast: true },
    { isWhole: false, text: '1 to 50 of more than 10000', next: 50 },
  ],
  [
    { offset: 10_000, total: 10_000, isAtLeast: true },
    { isWhole: false, text: '10001 to 10050 of more than 10000', next: 10_050 },
  ],
])('%j', (page, range) => {
  expect(pageRangeOf(page)).toEqual(range);
});
