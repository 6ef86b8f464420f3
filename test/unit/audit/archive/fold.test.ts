import { expect, test } from 'vitest';
import { foldQuery, searchTextOf } from '../../../../src/audit/archive/fold.ts';

/** Whether a search text finds a value, by a comparison of folded texts. */
function finds(value: string, text: string): boolean {
  const query = foldQuery(text);
  return query !== undefined && searchTextOf({ data: { name: value }, preData: null, tags: [] }).includes(query);
}

test.each([
  ['sharp s for two s', 'straße', 'strasse', false],
  ['sharp s by its capital', 'straße', 'STRAẞE', true],
  ['parts for composed letters', 'Café', 'CAFE\u0301', true],
  ['no letter without its accent', 'café', 'cafe', false],
  ['dotted capital I as it is', 'İstanbul', 'İstanbul', true],
  ['dotted capital I by what it becomes', 'İstanbul', 'i\u0307stanbul', true],
  ['no letter without its breathing', 'ὀδυσσεύς', 'ΟΔΥΣΣΕΎΣ', false],
  ['capital sigma for one at the end', 'οδος', 'ΟΔΟΣ', true],
  ['a final sigma for one inside', 'οδοσα', 'ΟΔΟΣ', true],
  ['Cyrillic of another case', 'Привет', 'ПРИВ', true],
  ['a control character', 'one', '\u0001', false],
])('%s: %j by %j is %s', (_, value, text, isFound) => {
  expect(finds(value, text)).toBe(isFound);
});
