/** Values for the properties of strategy types and API tokens. */
import { constraints } from './flag-values.ts';
import * as value from './values.ts';
import { type Properties, type ValueRow, within } from './values.ts';

const INVALID = '400 ValidationError';

const parameterOf = (n: number) => ({ name: `p${n}` });
export const typeFields: Properties = {
  displayName: [...value.nullable, ...value.text(200)],
  description: [...value.nullable, ...value.text(1000)],
  parameters: [
    ...value.nullable,
    ...value.listOf(parameterOf, 50),
    ['none', '[]', 'good'],
    ['one name twice', '[{"name":"a"},{"name":"b"},{"name":"a"}]', INVALID],
  ],
  ...within('parameters/0', {
    name: [...value.required, ...value.term(100)],
    type: [...value.nullable, ...value.word('string')],
    description: [...value.nullable, ...value.text(1000)],
    required: [...value.nullable, ...value.flag],
    require: [['a property that parameters do not have', 'true', INVALID]],
  }),
};

export const tokenName: readonly ValueRow[] = [
  ['100 characters', JSON.stringify('x'.repeat(100)), 'good'],
  ['101 characters', JSON.stringify('x'.repeat(101)), INVALID],
  ['a blank and an accent in it', '"für Köln"', 'good'],
  ['a slash', '"a/b"', 'good'],
  ['__proto__', '"__proto__"', 'good'],
  ['constructor', '"constructor"', 'good'],
  ['an empty text', '""', INVALID],
  ['a blank', '" "', INVALID],
  ['one dot', '"."', INVALID],
  ['two dots', '".."', INVALID],
  ['NUL', '"a\\u0000"', INVALID],
  ['a bidi control', '"a\u202e"', INVALID],
  ['half of a surrogate pair', '"\\ud83d"', INVALID],
  ['the value of a token', JSON.stringify(`*:*.${'0'.repeat(56)}`), INVALID],
  ['a number', '1', INVALID],
  ['a list', '[]', INVALID],
];
/** The name of a segment in a body. A path has the id of the segment instead. */
export const segmentName: readonly ValueRow[] = [
  ...tokenName.filter(([, , want]) => want === 'good'),
  ...tokenName.filter(
    ([what]) => /empty|blank$|NUL|bidi|101|number|list|surrogate/.test(what) && what !== 'a blank and an accent in it',
  ),
  ['one dot', '"."', 'good'],
];
const segmentFields: Properties = {
  description: [...value.nullable, ...value.text(4096)],
  project: [
    ...value.nullable,
    ['one that there is', '"shop"', 'good'],
    ['one that there is not', '"no-such"', INVALID],
    ['__proto__', '"__proto__"', INVALID],
    ['a number', '1', INVALID],
    ['a list', '["shop"]', INVALID],
  ],
  ...constraints,
};
export const newSegment: Properties = {
  ...segmentFields,
  name: [...value.required, ...segmentName, value.taken('for-reads')],
  constraints: [...value.required, ...(constraints['constraints'] ?? []), ['none', '[]', 'good']],
};
export const changedSegment: Properties = {
  ...segmentFields,
  name: [
    ...value.nullable,
    ['another name', '"renamed"', INVALID],
    ['a number', '1', INVALID],
    ['an object', '{}', INVALID],
  ],
  constraints: [...value.nullable, ...(constraints['constraints'] ?? []), ['none', '[]', 'good']],
};
export const expiry: readonly ValueRow[] = [
  ['null', 'null', 'good'],
  ['another offset', '"2999-01-01T00:00:00+02:00"', 'good'],
  ['nanoseconds', '"2999-01-01T00:00:00.123456789Z"', 'good'],
  ['a day that there is not', '"2999-02-30T00:00:00Z"', INVALID],
  ['an hour that there is not', '"2999-01-01T25:00:00Z"', INVALID],
  ['a day', '"2999-01-01"', INVALID],
  ['no offset', '"2999-01-01T00:00:00"', INVALID],
  ['a year of five digits elsewhere', '"9999-12-31T23:59:59-01:00"', INVALID],
  ['an empty text', '""', INVALID],
  ['a word', '"never"', INVALID],
  ['a number', '32472144000000', INVALID],
  ['a list', '[]', INVALID],
];
export const past: ValueRow = ['a time that is past', '"2020-01-01T00:00:00Z"', INVALID];
