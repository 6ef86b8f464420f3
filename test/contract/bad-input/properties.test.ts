/** Every property of every body, with values that are wrong or odd. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Instance, startInstance } from '../../support/instance.ts';
import { type Endpoint, endpoints } from '../endpoints/endpoints.ts';
import { startTable, type Table } from './cells.ts';
import { dependents } from './neighbours.ts';
import * as value from './values.ts';
import { type Properties, taken, type ValueRow, within } from './values.ts';

let instance: Instance;
let table: Table;

beforeAll(async () => {
  instance = await startInstance('bad-values');
  table = await startTable(instance);
});
afterAll(async () => {
  table.end();
  await instance.stop();
});

const INVALID = '400 ValidationError';
const MISSING = '404 NotFoundError';

const missing = (what: string): ValueRow[] => [[what, '1', MISSING]];

const metadata: Properties = {
  description: [...value.nullable, ...value.text(4096)],
  type: [...value.nullable, ...value.word('release')],
  impressionData: [...value.nullable, ...value.flag],
  stale: [...value.nullable, ...value.flag],
  lifetimeDays: [...value.nullable, ...value.positive(3650)],
};

const context = { contextName: 'userId', values: ['1'] };

const variant: Properties = {
  name: [...value.required, ...value.name],
  weightType: [...value.notNull, ...value.word('variable'), ['the only one is fixed', '"fix"', INVALID]],
  weight: [...value.notNull, ...value.integer(1000)],
  stickiness: [...value.notNull, ...value.text(100)],
  payload: [
    ...value.nullable,
    ['no type', '{"value":"x"}', INVALID],
    ['a property that payloads do not have', '{"type":"string","value":"x","x":1}', INVALID],
    ['JSON that is none', '{"type":"json","value":"{"}', INVALID],
    ['a text', '"x"', INVALID],
    ['a list', '[]', INVALID],
  ],
  'payload/type': [...value.required, ...value.word('string')],
  'payload/value': [...value.required, ...value.text(65_536)],
  overrides: [...value.nullable, ...value.listOf(() => context, 100)],
  'overrides/0/contextName': [...value.required, ...value.text(100)],
  'overrides/0/values': [...value.required, ...value.listOf((n) => `v${n}`, 250)],
  'overrides/0/values/0': value.term(100),
};

const constraint: Properties = {
  contextName: [...value.required, ...value.term(100)],
  operator: [...value.required, ...value.word('in')],
  values: [
    ['left out, though IN needs some', undefined, INVALID],
    ['null, though IN needs some', 'null', INVALID],
    ['none, though IN needs some', '[]', INVALID],
    ...value.listOf((n) => `v${n}`, 250),
  ],
  'values/0': value.term(100),
  caseInsensitive: [...value.notNull, ...value.flag],
  inverted: [...value.notNull, ...value.flag],
};

/** The same constraint with another operator. */
const operand = (operator: string, good: readonly string[], bad: readonly string[]): ValueRow[] =>
  value
    .operands(good, [...bad, '""', '"x"', 'true', '[]', 'null', '1e400', '"\\u0000"'])
    .map(([what, json, want]) => [
      `${operator} ${what}`,
      `{"contextName":"currentTime","operator":"${operator}","value":${json}}`,
      want,
    ]);
const operators: readonly ValueRow[] = [
  ...operand(
    'NUM_EQ',
    ['1', '-1.5', '"1e400"', '"+0.5"', '9007199254740993'],
    ['"+.5"', '"NaN"', '"Infinity"', '"0x10"', '" 1"', '"1_0"', '"\u0665"', `"${'1'.repeat(51)}"`],
  ),
  ...operand(
    'DATE_AFTER',
    ['"2026-01-31T12:00:00Z"', '"2026-01-31T12:00:00.000+01:00"'],
    ['"2026-01-31"', '"31.01.2026"', '"2026-31-01"', '"tomorrow"', '1767225600'],
  ),
  ...operand('SEMVER_GT', ['"1.2.3"', '"1.2.3-rc.1+5"'], ['"v1.2.3"', '"1.2"', '"01.2.3"', '"1.2.3-01"', '1.2']),
  ['REGEX that RE2 takes', '{"contextName":"c","operator":"REGEX","value":"^a+$"}', 'good'],
  ['REGEX that RE2 rejects', '{"contextName":"c","operator":"REGEX","value":"("}', INVALID],
];

const fresh = (n: number) => ({ name: `v${n}` });
const constraintOf = () => ({ contextName: 'userId', operator: 'IN', values: ['1'] });

const strategy: Properties = {
  title: [...value.nullable, ...value.text(200)],
  disabled: [...value.nullable, ...value.flag],
  sortOrder: [...value.nullable, ...value.integer(2_147_483_647)],
  parameters: [...value.nullable, ...value.preserveNulls],
  'parameters/rollout': [...value.nullable, ...value.percentage],
  'parameters/anything': value.anything,
  constraints: [...value.nullable, ...value.listOf(constraintOf, 30)],
  ...within('constraints/0', constraint),
  'constraints/0': operators,
  variants: [...value.nullable, ...value.listOf(fresh, 14)],
  ...within('variants/0', variant),
  segments: [
    ...value.nullable,
    ['one that there is not', '[1]', MISSING],
    ['a number beyond 2^53', '[9007199254740993]', INVALID],
    ['half a number', '[1.5]', INVALID],
    ['a number in text', '["1"]', INVALID],
    ['a text', '"x"', INVALID],
  ],
  id: [...value.nullable, ['anything: it never counts', '{"a":[1]}', 'good']],
};

const strategyType = value.name.map(([what, json]): ValueRow => [what, json, INVALID]);
const parameterOf = (n: number) => ({ name: `p${n}` });
const typeFields: Properties = {
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

const tokenName: readonly ValueRow[] = [
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
const expiry: readonly ValueRow[] = [
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
const past: ValueRow = ['a time that is past', '"2020-01-01T00:00:00Z"', INVALID];

const variantsIn = (place: string, most: number): Properties => ({
  ...within(place === '' ? '0' : `${place}/0`, variant),
  ...(place === '' ? {} : { [place]: [...value.required, ...value.listOf(fresh, most)] }),
});

const FLAG = '/projects/:projectId/features/:featureName';
const PLACE = `${FLAG}/environments/:environment`;

const properties: Readonly<Record<string, Properties>> = {
  ...dependents,
  'POST /projects/:projectId/features': { name: [...value.required, ...value.name], ...metadata },
  [`PUT ${FLAG}`]: {
    name: [
      ...value.nullable,
      ['another name', '"renamed"', INVALID],
      ['90 kB', JSON.stringify('x'.repeat(90_000)), INVALID],
      ['a number', '1', INVALID],
      ['an object', '{}', INVALID],
    ],
    ...metadata,
  },
  [`POST ${FLAG}/ownership`]: {
    fields: [
      ['left out', undefined, 'good'],
      ['null', 'null', INVALID],
      ['none', '[]', INVALID],
      ['no field of the flag', '["spec.nope"]', INVALID],
      ['__proto__', '["__proto__"]', INVALID],
      ['one that kubectl applies on the client', '["spec.project"]', '403 OperationDeniedError'],
      ['an empty text', '[""]', INVALID],
      ['2,001 characters', `["${'x'.repeat(2001)}"]`, INVALID],
      ['1,001 items', JSON.stringify(Array.from({ length: 1001 }, () => 'spec.project')), INVALID],
      ['a number in it', '[1]', INVALID],
      ['a text', '"spec.project"', INVALID],
      ['an object', '{"0":"spec.project"}', INVALID],
    ],
  },
  [`POST ${FLAG}/clone`]: { name: [...value.required, ...value.name] },
  [`POST ${FLAG}/dependencies`]: {
    feature: [
      ...value.required,
      ['one that there is not', '"no-such"', '403 InvalidOperationError'],
      ['__proto__', '"__proto__"', '403 InvalidOperationError'],
      ['a name that is none', '"a b"', INVALID],
      ['a number', '1', INVALID],
    ],
    enabled: [...value.nullable, ...value.flag],
    variants: [...value.nullable, ...value.listOf((n) => `v${n}`, 100)],
  },
  [`POST ${PLACE}/strategies`]: { name: [...value.required, ...strategyType], ...strategy },
  [`PUT ${PLACE}/strategies/:strategyId`]: { name: [...value.nullable, ...strategyType], ...strategy },
  [`POST ${PLACE}/strategies/set-sort-order`]: {
    '0/id': [
      ...value.required,
      ['one that there is not', '"no-such"', MISSING],
      ['__proto__', '"__proto__"', MISSING],
      ['constructor', '"constructor"', MISSING],
      ['101 characters', JSON.stringify('x'.repeat(101)), INVALID],
      ['a number', '1', INVALID],
    ],
    '0/sortOrder': [...value.required, ...value.integer(2_147_483_647)],
    '0': [
      ['one that is there twice', '{"id":"one","sortOrder":1},{"id":"one","sortOrder":2}', INVALID],
      ['null', 'null', INVALID],
    ],
  },
  'POST /state/import': {
    version: [...value.nullable, ['one to come', '5', INVALID], ['a text', '"1"', INVALID], ['0', '0', INVALID]],
    features: [...value.nullable, ['an object', '{}', INVALID], ['a text', '"x"', INVALID]],
    'features/0/name': [...value.required, ...value.name],
    'features/0/project': [
      ['one that there is not', '"no-such"', INVALID],
      ['__proto__', '"__proto__"', INVALID],
      ['none, which is default, which there is not', 'null', INVALID],
      ['a number', '1', INVALID],
    ],
    ...within('features/0', metadata),
  },
  'PUT /environments/sort-order': {
    production: value.integer(2_147_483_647),
    'no-such': missing('an environment that there is not'),
    constructor: missing('the name of what every object has'),
  },
  'POST /environments/:environment/clone': {
    name: [...value.required, ...value.name],
    type: [...value.required, ...value.term(50)],
    projects: [
      ...value.nullable,
      ['one that there is not', '["no-such"]', INVALID],
      ['__proto__', '["__proto__"]', INVALID],
      ['a number in it', '[1]', INVALID],
      ['a text', '"shop"', INVALID],
    ],
    clonePermissions: [...value.nullable, ...value.flag],
  },
  'POST /projects/:projectId/environments': {
    environment: [
      ...value.required,
      ['one that there is not', '"no-such"', MISSING],
      ['one that the project uses already', '"production"', '409 NameExistsError'],
      ['__proto__', '"__proto__"', MISSING],
      ['constructor', '"constructor"', MISSING],
      ['a number', '1', INVALID],
      ['a list', '["production"]', INVALID],
    ],
  },
  'POST /strategies': {
    name: [
      ...value.required,
      ...value.name,
      ...['for-reads', 'default', 'flexibleRollout'].map(taken),
      ['a built-in one in capitals', '"DEFAULT"', INVALID],
    ],
    ...typeFields,
  },
  'PUT /strategies/:strategyName': {
    name: [
      ...value.nullable,
      ['another name', '"renamed"', INVALID],
      ['one that there is', '"default"', INVALID],
      ['90 kB', JSON.stringify('x'.repeat(90_000)), INVALID],
      ['a number', '1', INVALID],
      ['an object', '{}', INVALID],
    ],
    ...typeFields,
  },
  'POST /api-tokens': {
    tokenName: [...value.nullable, ...tokenName, taken('for-reads')],
    username: [...value.nullable, ...tokenName.filter(([, , want]) => want === 'good')],
    type: [
      ...value.required,
      ...value.word('client').filter(([what]) => what !== 'in capitals'),
      ['in capitals', '"CLIENT"', 'good'],
      ['another type, of another scope', '"admin"', INVALID],
      ['personal', '"personal"', INVALID],
    ],
    environment: [
      ...value.required,
      ...['*', '', 'no-such', '__proto__', 'constructor', 'Production'].map(
        (one): ValueRow => [JSON.stringify(one), JSON.stringify(one), INVALID],
      ),
      ['a number', '1', INVALID],
      ['a list', '["production"]', INVALID],
    ],
    project: [
      ...value.nullable,
      ['another than in projects', '"pay"', INVALID],
      ['all', '"*"', INVALID],
      ['a number', '1', INVALID],
    ],
    projects: [
      ...value.nullable,
      ['none', '[]', INVALID],
      ['one that there is not', '["no-such"]', INVALID],
      ['__proto__', '["__proto__"]', INVALID],
      ['all beside others', '["*","shop"]', INVALID],
      ['a number in it', '[1]', INVALID],
      ['a text', '"shop"', INVALID],
      ['101 items', JSON.stringify(Array.from({ length: 101 }, () => 'shop')), INVALID],
    ],
    expiresAt: [['left out', undefined, 'good'], ...expiry, past],
  },
  'PUT /api-tokens/:tokenName': {
    expiresAt: [['left out', undefined, INVALID], ...expiry, [past[0], past[1], 'good']],
  },
  [`PUT ${FLAG}/variants`]: variantsIn('', 100),
  [`PUT ${PLACE}/variants`]: variantsIn('', 80),
  [`PUT ${FLAG}/variants-batch`]: {
    ...variantsIn('variants', 80),
    environments: [
      ...value.required,
      ['none', '[]', INVALID],
      ['one that there is not', '["no-such"]', MISSING],
      ['one that the project does not use', '["production","elsewhere"]', MISSING],
      ['__proto__', '["__proto__"]', MISSING],
      ['one twice', '["production","production"]', 'good'],
      ['one 30 times', JSON.stringify(Array.from({ length: 30 }, () => 'production')), 'good'],
      ['31 that there are not', JSON.stringify(Array.from({ length: 31 }, (_, n) => `e${n}`)), INVALID],
      ['a number in it', '[1]', INVALID],
      ['a text', '"production"', INVALID],
      ['an object', '{"0":"production"}', INVALID],
    ],
  },
};

/** The body of a patch has no properties: see `patches.test.ts`. */
const isPatch = ({ method }: Endpoint) => method === 'PATCH';
const forcing = endpoints.filter((endpoint) => endpoint.body !== undefined && !isPatch(endpoint));

test('every endpoint that takes a body is in the table', () => {
  expect(Object.keys(properties).toSorted()).toEqual(forcing.map(({ route }) => route).toSorted());
});

test.each(forcing)('$route, with each value of each property', (endpoint) =>
  table.expectAnswers(
    Object.entries(properties[endpoint.route] ?? {}).flatMap(([property, rows]) =>
      rows.map(([what, json, want]) => ({
        what: `${property} ${what}`,
        endpoint,
        want,
        spoilt: { body: bodyWith(endpoint.body, property, json) },
      })),
    ),
  ),
);

const HERE = '@here@';

/** The good body as text, with the JSON in that place. */
function bodyWith(good: unknown, property: string, json: string | undefined): string {
  const body = structuredClone(good);
  const keys = property.split('/');
  const last = keys.pop() ?? '';
  // biome-ignore lint/suspicious/noExplicitAny: the table says what is where
  const part = keys.reduce<any>((at, key) => at[key], body);
  part[last] = json === undefined ? undefined : HERE;
  return JSON.stringify(body).replace(`"${HERE}"`, () => json ?? '');
}
