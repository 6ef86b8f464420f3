/** Values for the properties of projects, and for lists of their flags. */

import type { Properties, ValueRow } from './values.ts';
import * as value from './values.ts';

const INVALID = '400 ValidationError';
const MISSING = '404 NotFoundError';

/** `flag` is in the good body; another of the project is taken as well. */
export const names = (flag: string): ValueRow[] => {
  const many = (count: number) => JSON.stringify(Array.from({ length: count }, () => flag));
  return [
    ...value.required,
    ['none', '[]', 'good'],
    ['one 500 times', many(500), 'good'],
    ['one 501 times', many(501), INVALID],
    ['one that there is not', `["${flag}","no-such"]`, MISSING],
    ['several that there are not', '["no-such","constructor","__proto__",""]', MISSING],
    ['101 characters', JSON.stringify(['x'.repeat(101)]), INVALID],
    ['a number in it', '[1]', INVALID],
    ['a list in it', '[[]]', INVALID],
    ['a text', `"${flag}"`, INVALID],
    ['an object', `{"0":"${flag}"}`, INVALID],
  ];
};

export const projectFields: Properties = {
  name: [...value.required, ...value.term(200)],
  description: [...value.nullable, ...value.text(4096)],
  defaultStickiness: [...value.nullable, ...value.text(100)],
  mode: [...value.nullable, ...value.word('open'), ['private', '"private"', INVALID]],
  featureLimit: [...value.nullable, ['a number', '5', INVALID], ['a text', '""', INVALID]],
};
