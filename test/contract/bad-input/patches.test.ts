/** Every JSON Patch endpoint, with wrong or unusual operations. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Instance, startInstance } from '../../support/instance.ts';
import { endpoints } from '../endpoints/endpoints.ts';
import type { Want } from '../endpoints/values.ts';
import { type Cell, type Exceptions, startTable, type Table, wanted } from './cells.ts';

let instance: Instance;
let table: Table;

beforeAll(async () => {
  instance = await startInstance('bad-patches');
  table = await startTable(instance);
});
afterAll(async () => {
  table.end();
  await instance.stop();
});

const INVALID = '400 ValidationError';
const LARGE = '413 PayloadTooLargeError';

const FLAG = 'PATCH /projects/:projectId/features/:featureName';
const STRATEGY = `${FLAG}/environments/:environment/strategies/:strategyId`;
const VARIANTS = `${FLAG}/variants`;
const ENVIRONMENT_VARIANTS = `${FLAG}/environments/:environment/variants`;

interface Place {
  /** The path of a text in the document that may be changed. */
  readonly text: string;
  /** The path of the object that holds the text. */
  readonly holder: string;
  /**
   * The path of a list in the document with one item, and such an item. The list of variants is the document itself.
   */
  readonly list: readonly [path: string, item: object] | undefined;
}

const lists: Readonly<Record<string, Place>> = {
  [VARIANTS]: { text: '/0/stickiness', holder: '/0', list: ['', { name: 'new' }] },
  [ENVIRONMENT_VARIANTS]: { text: '/0/stickiness', holder: '/0', list: ['', { name: 'new' }] },
};
const places: Readonly<Record<string, Place>> = {
  // No list of a flag may be changed: the one of the variants is refused with 403 whatever the operation.
  [FLAG]: { text: '/description', holder: '', list: undefined },
  [STRATEGY]: {
    text: '/title',
    holder: '',
    list: ['/constraints', { contextName: 'userId', operator: 'IN', values: ['1'] }],
  },
  ...lists,
};

const patching = endpoints.filter(({ method }) => method === 'PATCH');

test('every endpoint that takes a patch is in the table', () => {
  expect(patching.map(({ route }) => route).toSorted()).toEqual(Object.keys(places).toSorted());
});

interface Row {
  readonly what: string;
  /** The body as JSON text, or a value that is serialised. */
  readonly patch: (place: Place) => string | readonly unknown[] | object;
  readonly want: Want;
  readonly but?: Exceptions;
}

const refuse = (what: string, patch: Row['patch']): Row => ({ what, patch, want: INVALID });
const accept = (what: string, patch: Row['patch'], but?: Exceptions): Row => ({
  what,
  patch,
  want: 'good',
  ...(but && { but }),
});

const STRICT = [INVALID, 'unknown properties are refused'] as const;
/** A patch of a flag ignores members that flags do not have. */
const refusedButOfFlags: Exceptions = { [STRATEGY]: STRICT, [VARIANTS]: STRICT, [ENVIRONMENT_VARIANTS]: STRICT };

const replace = (path: string, value: unknown = 'd') => ({ op: 'replace', path, value });
const add = (path: string, value: unknown = 'd') => ({ op: 'add', path, value });

const rows: readonly Row[] = [
  accept('no operations', () => []),
  accept('an operation with a member more', ({ text }) => [{ ...replace(text), x: 1 }]),
  accept('op twice: the last counts', ({ text }) => `[{"op":"remove","op":"replace","path":"${text}","value":"d"}]`),
  refuse('an operation alone', ({ text }) => replace(text)),
  refuse('what only looks like a list', ({ text }) => ({ 0: replace(text), length: 1 })),
  refuse('an operation that is null', () => [null]),
  refuse('an operation that is a list', ({ text }) => [['replace', text, 'd']]),
  refuse('no op', ({ text }) => [{ path: text, value: 'd' }]),
  refuse('an op that there is not', ({ text }) => [{ ...replace(text), op: 'increment' }]),
  refuse('an op in capitals', ({ text }) => [{ ...replace(text), op: 'REPLACE' }]),
  refuse('the op __proto__', ({ text }) => [{ ...replace(text), op: '__proto__' }]),
  refuse('the op constructor', ({ text }) => [{ ...replace(text), op: 'constructor' }]),
  refuse('the op _get of the library', ({ text }) => [{ ...replace(text), op: '_get' }]),
  accept('a test that holds', ({ text }) => [replace(text), { op: 'test', path: text, value: 'd' }]),
  refuse('a test that does not', ({ text }) => [replace(text), { op: 'test', path: text, value: 'e' }]),
  refuse('a test without a value', ({ text }) => [{ op: 'test', path: text }]),
  refuse('no path', () => [{ op: 'remove' }]),
  refuse('a path that is null', () => [{ op: 'remove', path: null }]),
  refuse('a path that is a list', ({ text }) => [{ op: 'remove', path: [text] }]),
  refuse('the path of the whole', () => [{ op: 'replace', path: '', value: [] }]),
  refuse('a path without its slash', ({ text }) => [replace(text.slice(1))]),
  refuse('a path with a hash', ({ text }) => [replace(`#${text}`)]),
  refuse('a wrong escape', () => [{ op: 'remove', path: '/~2' }]),
  refuse('a tilde at the end', () => [{ op: 'remove', path: '/~' }]),
  refuse('a path with a slash at its end', ({ text }) => [replace(`${text}/`)]),
  refuse('a path that is percent-encoded', ({ text }) => [replace(text.replace(/\//g, '%2F'))]),
  refuse('a path of 1,001 characters', () => [add(`/${'x'.repeat(1000)}`)]),
  refuse('a path of 300 steps', () => [add('/x'.repeat(300))]),
  refuse('a path with half of a surrogate pair', () => '[{"op":"add","path":"/\\ud83d","value":1}]'),
  accept('a member that there is not', ({ holder }) => [add(`${holder}/nonsense`)], refusedButOfFlags),
  accept('a member without a name', ({ holder }) => [add(`${holder}/`)], refusedButOfFlags),
  accept('the member -', ({ holder }) => [add(`${holder}/-`)], refusedButOfFlags),
  accept('a member that is a huge number', ({ holder }) => [add(`${holder}/4294967296`)], refusedButOfFlags),
  accept('a member with NUL', ({ holder }) => [add(`${holder}/\0`)], refusedButOfFlags),
  refuse('remove of what there is not', ({ holder }) => [{ op: 'remove', path: `${holder}/nonsense` }]),
  refuse('replace of what there is not', ({ holder }) => [replace(`${holder}/nonsense`)]),
  refuse('a parent that there is not', ({ holder }) => [add(`${holder}/nonsense/x`)]),
  refuse('a parent that is text', ({ text }) => [replace(text), add(`${text}/x`)]),
  refuse('a letter of a text', ({ text }) => [replace(text), replace(`${text}/0`)]),
  refuse('the length of a text', ({ text }) => [replace(text), { op: 'copy', from: `${text}/length`, path: text }]),
  refuse('the end of what is no list', ({ text }) => [replace(text), add(`${text}/-`)]),

  refuse('__proto__', () => [add('/__proto__', {})]),
  refuse('into __proto__', () => [add('/__proto__/polluted')]),
  refuse('into __proto__ of a part', ({ holder }) => [add(`${holder}/__proto__/polluted`)]),
  refuse('into constructor/prototype', ({ holder }) => [add(`${holder}/constructor/prototype/polluted`)]),
  refuse('constructor', ({ holder }) => [add(`${holder}/constructor`, {})]),
  refuse('what all objects have', ({ holder }) => [replace(`${holder}/toString`)]),
  refuse('a copy from __proto__', ({ text }) => [{ op: 'copy', from: '/__proto__/toString', path: text }]),
  refuse('a copy from constructor', ({ text }) => [{ op: 'copy', from: '/constructor/name', path: text }]),
  refuse('a move from __proto__', ({ text }) => [{ op: 'move', from: '/__proto__', path: text }]),
  refuse(
    'a value with __proto__',
    ({ text }) => `[{"op":"add","path":"${text}","value":{"__proto__":{"polluted":1}}}]`,
  ),
  refuse('an operation with __proto__', () => '[{"op":"remove","__proto__":{"path":"/description"}}]'),
  accept('a member prototype', ({ holder }) => [add(`${holder}/prototype`)], refusedButOfFlags),

  refuse('a move into itself', ({ holder }) => [
    add(`${holder}/x`, { y: 1 }),
    { op: 'move', from: `${holder}/x`, path: `${holder}/x/y` },
  ]),
  accept('a move to where it is', ({ text }) => [replace(text), { op: 'move', from: text, path: text }]),
  accept('a copy to where it is', ({ text }) => [replace(text), { op: 'copy', from: text, path: text }]),
  refuse('a move of what there is not', ({ text }) => [{ op: 'move', from: '/nonsense', path: text }]),
  refuse('a copy of what there is not', ({ text }) => [{ op: 'copy', from: '/nonsense', path: text }]),
  refuse('no from', ({ text }) => [{ op: 'copy', path: text }]),
  refuse('no value', ({ text }) => [{ op: 'replace', path: text }]),
  refuse('a value of the wrong type', ({ text }) => [replace(text, { a: 1 })]),
  refuse('a value with half of a surrogate pair', ({ text }) => `[{"op":"add","path":"${text}","value":"\\ud83d"}]`),
  refuse('a value beyond the largest number', ({ text }) => `[{"op":"add","path":"${text}","value":1e400}]`),
  refuse(
    'a value of 100 levels',
    ({ text }) => `[{"op":"add","path":"${text}","value":${'['.repeat(100)}${']'.repeat(100)}}]`,
  ),
  refuse('a bad operation behind a good one', ({ text }) => [replace(text), { op: 'remove', path: '/nonsense' }]),
  refuse('copies that double each time', ({ holder }) => [
    add(`${holder}/x`, ['grows']),
    ...Array.from({ length: 60 }, () => ({ op: 'copy', from: `${holder}/x`, path: `${holder}/x/-` })),
  ]),

  accept('1,000 operations', ({ text }) => Array.from({ length: 1000 }, () => replace(text))),
  refuse('1,001 operations', ({ text }) => Array.from({ length: 1001 }, () => replace(text))),
  { what: '10,000 operations', patch: ({ text }) => Array.from({ length: 10_000 }, () => replace(text)), want: LARGE },
];

/** The other refusals are the same code for every document: test/unit/wire/admin/json-patch.test.ts. */
const REFUSED_BY_EACH: ReadonlySet<string> = new Set([
  'an operation alone',
  'an op that there is not',
  'a test that does not',
  'the path of the whole',
  'remove of what there is not',
  'into __proto__ of a part',
  'a value of the wrong type',
  'a bad operation behind a good one',
  '1,001 operations',
]);

/** All rows for the document with most parts, the strategy; for the others, those that depend on the document. */
const rowsOf = (route: string): readonly Row[] =>
  route === STRATEGY ? rows : rows.filter(({ what, want }) => want !== INVALID || REFUSED_BY_EACH.has(what));

test('every row that each document refuses is there', () => {
  expect(rows.filter(({ what }) => REFUSED_BY_EACH.has(what))).toHaveLength(REFUSED_BY_EACH.size);
});

/** Indexes into a list of one item. */
const indexes: readonly [string, Want][] = [
  ['0', 'good'],
  ['1', 'good'],
  ['-', 'good'],
  ...['2', '3', '-1', '-0', '+0', '00', '01', '1.0', '1e0', '0x0', ' 0', '0 ', '٠', '', 'length', 'first'].map(odd),
  ...['2147483648', '4294967295', '4294967296', '4294967297', '9007199254740993', '9'.repeat(30)].map(odd),
];

describe.each(patching)('$route', (endpoint) => {
  const place = places[endpoint.route];
  if (!place) return;
  test('each patch', () =>
    table.expectAnswers(
      rowsOf(endpoint.route).map((row) => ({
        what: row.what,
        endpoint,
        want: wanted(row, endpoint),
        spoilt: { body: row.patch(place) },
      })),
    ));

  const { list } = place;
  // The variants of a flag and of an environment are the same list to a patch.
  if (!list || endpoint.route === ENVIRONMENT_VARIANTS) return;
  const [path, item] = list;
  const here = Array.isArray(endpoint.body) && path === '' ? [] : [add(path, [item])];

  test('add to a list of one item, at each index', () =>
    table.expectAnswers(
      indexes.map(([index, want]) => {
        const added = { ...item, ...('name' in item && { name: `new-${index.length}` }) };
        const body = [...here, add(`${path}/${index}`, added)];
        return { what: `at "${index}"`, endpoint, want, spoilt: { body } };
      }),
    ));

  const refused = (operations: readonly object[]): Cell[] =>
    operations.map((operation) => ({
      what: JSON.stringify(operation),
      endpoint,
      want: INVALID,
      spoilt: { body: [...here, operation] },
    }));

  test('replace and remove at each missing index: 400', () =>
    table.expectAnswers(
      ['1', '-', '00', '-1', '4294967296', 'length'].flatMap((index) =>
        refused([replace(`${path}/${index}`, item), { op: 'remove', path: `${path}/${index}` }]),
      ),
    ));

  test('copy and move from each missing index: 400', () =>
    table.expectAnswers(
      ['1', '-', '00', '-1', '4294967296', 'length', 'map'].flatMap((index) =>
        refused(['copy', 'move'].map((op) => ({ op, from: `${path}/${index}`, path: `${path}/0` }))),
      ),
    ));
});

function odd(index: string): [string, Want] {
  return [index, INVALID];
}
