/** The properties of bodies about projects, tags and several flags at once, with values that are wrong or odd. */

import * as value from './values.ts';
import { type Properties, taken, type ValueRow, within } from './values.ts';

const INVALID = '400 ValidationError';
const MISSING = '404 NotFoundError';

const BULK = '/projects/:projectId/bulk_features/environments/:environment';

/** `flag` is in the good body; another of the project is taken as well. */
const names = (flag: string): ValueRow[] => {
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
const tagPart = (most: number): ValueRow[] => [
  ...value.required,
  [`${most} characters`, JSON.stringify('x'.repeat(most)), 'good'],
  [`${most + 1} characters`, JSON.stringify('x'.repeat(most + 1)), INVALID],
  ['one character', '"x"', INVALID],
  ['an empty text', '""', INVALID],
  ['a line break', '"a\\nb"', INVALID],
  ['half of a surrogate pair', '"\\ud83d\\ud83d"', INVALID],
  ['a number', '12', INVALID],
  ['a list', '["simple"]', INVALID],
];
const tagFields: Properties = {
  type: [
    ...tagPart(50),
    ['all that a URL takes', '"aZ0-_.!~*\'()"', 'good'],
    ['a colon', '"a:b"', INVALID],
    ['a blank', '"a b"', INVALID],
    ['é composed (NFC)', '"\u00e9\u00e9"', INVALID],
  ],
  value: [
    ...tagPart(50),
    ['a colon and a slash', '"a:b/c"', 'good'],
    ['é decomposed (NFD)', '"e\u0301"', 'good'],
    ['two emoji', '"🚩🚩"', 'good'],
    ['50 emoji', JSON.stringify('🚩'.repeat(50)), 'good'],
    ['51 emoji', JSON.stringify('🚩'.repeat(51)), INVALID],
    ['__proto__', '"__proto__"', 'good'],
  ],
};
/** One of them is there already, and there may be 100. */
const tagOf = (n: number) => ({ type: 'simple', value: n === 0 ? 'present' : `v${n}` });
const tagLists: Properties = {
  addedTags: [...value.nullable, ...value.listOf(tagOf, 100)],
  removedTags: [...value.nullable, ...value.listOf(tagOf, 100)],
  ...within('addedTags/0', tagFields),
  ...within('removedTags/0', tagFields),
};
const projectFields: Properties = {
  name: [...value.required, ...value.term(200)],
  description: [...value.nullable, ...value.text(4096)],
  defaultStickiness: [...value.nullable, ...value.text(100)],
  mode: [...value.nullable, ...value.word('open'), ['private', '"private"', INVALID]],
  featureLimit: [...value.nullable, ['a number', '5', INVALID], ['a text', '""', INVALID]],
};

export const dependents: Readonly<Record<string, Properties>> = {
  'POST /projects': {
    id: [...value.required, ...value.name, taken('shop'), taken('pay')],
    ...projectFields,
  },
  'POST /projects/validate': { id: [...value.required, ...value.name, taken('shop')] },
  'PUT /projects/:projectId': projectFields,
  'POST /projects/:projectId/archive': { features: names('bulk') },
  'POST /projects/:projectId/revive': { features: names('bulk-stowed') },
  'POST /projects/:projectId/delete': {
    features: [...names('bulk-stowed'), ['one that is not archived', '["bulk-stowed","bulk"]', MISSING]],
  },
  'POST /projects/:projectId/stale': {
    features: [...names('bulk'), ['one that is archived', '["bulk","bulk-stowed"]', MISSING]],
    stale: [...value.nullable, ...value.flag],
  },
  'PUT /projects/:projectId/tags': {
    features: names('bulk'),
    tags: [...value.required, ['an empty object', '{}', 'good'], ['a list', '[]', INVALID], ['a text', '"x"', INVALID]],
    ...within('tags', tagLists),
  },
  [`POST ${BULK}/on`]: { features: names('bulk') },
  [`POST ${BULK}/off`]: {
    features: [...names('bulk'), ['one that is archived', '["bulk","bulk-stowed"]', '400 ArchivedFeatureError']],
  },
  'POST /features/:featureName/tags': {
    ...tagFields,
    value: [...(tagFields['value'] ?? []), ['one that is there', '"present"', '409 FeatureHasTagError']],
  },
  'PUT /features/:featureName/tags': tagLists,
  'POST /features/validate': {
    name: [...value.required, ...value.name, taken('for-reads'), taken('bulk-stowed')],
    projectId: [
      ...value.nullable,
      ['one that there is not', '"no-such"', MISSING],
      ['__proto__', '"__proto__"', MISSING],
      ['a number', '1', INVALID],
      ['a list', '["shop"]', INVALID],
    ],
  },
};
