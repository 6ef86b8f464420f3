import { expect, test } from 'vitest';
import type { ErrorDetail } from '../../../src/errors.ts';
import { detailMessage, detailPath } from '../../../src/model/invalid-input.ts';

const complaint = 'must be a number.';

test.each<[string, ErrorDetail, string | undefined, string]>([
  ['a property', { part: 'body', keys: ['a', 'b'], complaint }, '/body/a/b', 'The `a.b` property must be a number.'],
  [
    'a value',
    { part: 'query', keys: ['a'], complaint, value: '"x"' },
    '/query/a',
    'The `a` property must be a number. You sent "x".',
  ],
  ['a whole part', { part: 'body', keys: [], complaint }, '/body', 'The body must be a number.'],
  [
    'an item of a list in a body',
    { part: 'body', keys: ['0', 'a'], complaint },
    '/body/0/a',
    'The `0.a` property must be a number.',
  ],
  [
    'an item of a list in a document',
    { part: 'document', keys: ['a', '0', 'b'], complaint },
    '/body/a/0/b',
    'The `a[0].b` property must be a number.',
  ],
  ['a whole document', { part: 'document', keys: [], complaint }, '/body', 'The body must be a number.'],
  ['a sentence with a place in the request', { part: 'params', keys: ['a'], message: 'No.' }, '/params/a', 'No.'],
  ['a sentence with a field of an object', { path: 'spec.a', message: 'No.' }, 'spec.a', 'No.'],
  ['a sentence alone', { message: 'No.' }, undefined, 'No.'],
])('%s', (_, detail, path, message) => {
  expect([detailPath(detail), detailMessage(detail)]).toEqual([path, message]);
});
