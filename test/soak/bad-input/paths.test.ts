/** Every endpoint with path parameters, queries, headers and methods that are wrong or odd. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type Cell,
  type Exceptions,
  examplesOf,
  startTable,
  type Table,
  wanted,
} from '../../contract/bad-input/cells.ts';
import { type Endpoint, endpoints, mismatches } from '../../contract/endpoints/endpoints.ts';
import type { Want } from '../../contract/endpoints/values.ts';
import { type Instance, startInstance } from '../../support/instance.ts';

let instance: Instance;
let table: Table;

beforeAll(async () => {
  instance = await startInstance('bad-paths');
  table = await startTable(instance);
});
afterAll(async () => {
  table.end();
  await instance.stop();
});

test('every endpoint is in the table', () => {
  expect(mismatches()).toEqual([]);
});

test.each(endpoints)('$route: a good call is good', (endpoint) =>
  table.expectAnswers([
    { what: 'the good call', endpoint, want: 'good', spoilt: {}, writes: endpoint.dry === undefined },
    ...(endpoint.isRead ? [] : [{ what: 'as a dry run', endpoint, want: 'good' as const, spoilt: {} }]),
  ]),
);

const NOT_FOUND = '404 NotFoundError';
const INVALID = '400 ValidationError';

/** Each segment replaces one parameter, percent-encoded as it is sent. No object has such a name. */
const segments: readonly (readonly [what: string, segment: string, want: Want])[] = [
  ['a name that nothing has', 'no-such', NOT_FOUND],
  ['__proto__', '__proto__', NOT_FOUND],
  ['constructor', 'constructor', NOT_FOUND],
  ['prototype', 'prototype', NOT_FOUND],
  ['an encoded slash', 'a%2Fb', NOT_FOUND],
  ['a slash encoded twice', 'a%252Fb', NOT_FOUND],
  ['NUL', '%00', NOT_FOUND],
  ['a line break', 'a%0D%0Ab', NOT_FOUND],
  ['a space', '%20', NOT_FOUND],
  ['é composed (NFC)', 'caf%C3%A9', NOT_FOUND],
  ['é decomposed (NFD)', 'cafe%CC%81', NOT_FOUND],
  ['an emoji', '%F0%9F%9A%A9', NOT_FOUND],
  ['a bidi override', '%E2%80%AEa', NOT_FOUND],
  ['a byte order mark', '%EF%BB%BF', NOT_FOUND],
  ['-1', '-1', NOT_FOUND],
  ['a number beyond 2^53', '9007199254740993', NOT_FOUND],
  ['NaN', 'NaN', NOT_FOUND],
  ['null', 'null', NOT_FOUND],
  ['a quote', "'%22%3B--", NOT_FOUND],
  ['10,000 characters', 'x'.repeat(10_000), NOT_FOUND],
  ['a percent sign alone', '%', INVALID],
  ['half a character', '%C3', INVALID],
  ['no UTF-8', '%FF', INVALID],
  ['an overlong slash', '%C0%AF', INVALID],
  ['a lone surrogate', '%ED%A0%80', INVALID],
];

/** Parameters that are ids. None of the texts above is one, so the endpoint does not look for an object. */
const IDS = ['userId', 'roleId', 'segmentId'];

const ids: typeof segments = [
  ['an id that nothing has', '4711', NOT_FOUND],
  ['the largest number that is one', '9007199254740991', NOT_FOUND],
  ['0', '0', INVALID],
  ['half a number', '1.5', INVALID],
  ['a number with an exponent', '1e0', INVALID],
  ['a hexadecimal number', '0x2', INVALID],
  ['a leading zero', '02', INVALID],
  ['a plus sign', '%2B2', INVALID],
  ['a blank behind', '2%20', INVALID],
  ['digits of another script', '%D9%A2', INVALID],
  ['400 digits', '9'.repeat(400), INVALID],
];

/**
 * The history and change requests may be about what does not exist any more, and most strategies have no segments, so
 * no name is wrong.
 */
const OF_ANY = [
  ...['GET /events/:featureName', 'GET /segments/strategies/:strategyId', 'GET /tags/:type'],
  ...['GET /projects/:projectId/change-requests', 'GET /projects/:projectId/change-requests/count'],
];

/** Parameters that are at most as long as the name of an object. */
const NAMES_OF_OBJECTS = ['id'];

function segmentsOf({ route, finds }: Endpoint, parameter: string): typeof segments {
  // The time is judged before the object, which may have existed then.
  if (finds === 'no history') return segments.map(([what, segment]) => [what, segment, INVALID] as const);
  if (OF_ANY.includes(route)) {
    return segments.map(([what, segment, want]) => [what, segment, want === NOT_FOUND ? 'good' : want] as const);
  }
  if (NAMES_OF_OBJECTS.includes(parameter)) {
    return segments.map(([what, segment, want]) => [what, segment, segment.length > 253 ? INVALID : want] as const);
  }
  if (!IDS.includes(parameter)) return segments;
  return [...segments.map(([what, segment]) => [what, segment, INVALID] as const), ...ids];
}

/**
 * Segments that could match an object by mistake, and one form of an invalid path. The others are tried once per
 * parameter and way.
 */
const OF_EACH = [
  ...['a name that nothing has', '__proto__', 'an encoded slash', 'a percent sign alone'],
  ...['an id that nothing has', '0'],
];

/** The first endpoint of each way that has the parameter. */
const examplesOfParameter = (parameter: string) =>
  examplesOf(endpoints.filter(({ parameters }) => parameters.includes(parameter)));

function segmentCells(endpoint: Endpoint): readonly Cell[] {
  return endpoint.parameters.flatMap((parameter) => {
    const isExample = examplesOfParameter(parameter).includes(endpoint);
    const rows = segmentsOf(endpoint, parameter).filter(([what]) => isExample || OF_EACH.includes(what));
    return rows.map(([what, segment, want]) => ({
      what: `:${parameter} is ${what}`,
      endpoint,
      want,
      spoilt: { values: { [parameter]: segment } },
    }));
  });
}

interface QueryRow {
  readonly query: string;
  readonly want: Want;
  readonly but?: Exceptions;
}

const LIST = 'GET /projects/:projectId/features';
const FLAG = 'GET /projects/:projectId/features/:featureName';
const SEARCH = 'GET /user-admin/search';

const EVENTS = 'GET /events';
const PERMISSIONS = 'GET /user/permissions';
const OWNERSHIP = 'GET /projects/:projectId/features/:featureName/ownership';
const FLAGS = 'GET /search/features';
const APPLICATIONS = 'GET /metrics/applications';
const STALE = 'GET /reports/stale';
const REQUESTS = ['GET /change-requests', 'GET /projects/:projectId/change-requests'];
const HEADS = 'GET /history/heads';
const BY_FILTERS = ['GET /search/events', 'GET /search/events/export'];
const refusedBy = (because: string, ...routes: readonly string[]): Exceptions =>
  Object.fromEntries(routes.map((route) => [route, [INVALID, because]]));

const EVALUATE = 'GET /projects/:projectId/features/:featureName/evaluate';
const EXPORT = 'GET /state/export';
const IMPORT = 'POST /state/import';

/** Unknown query parameters are ignored (docs/unleash-compatibility.md#requests). */
const anyQuery: readonly QueryRow[] = [
  { query: 'unknown=1', want: 'good' },
  { query: 'unknown=1&unknown=2', want: 'good', but: refusedBy('it takes one of each', EVALUATE) },
  { query: '__proto__=1&constructor=1&prototype=1', want: 'good' },
  { query: '__proto__[dryRun]=banana', want: 'good' },
  { query: 'dryRun[]=banana', want: 'good' },
  { query: 'dryRun[a]=banana', want: 'good' },
  { query: 'DRYRUN=banana', want: 'good' },
  { query: '%=%&%FF=%FF&%00=%00', want: 'good' },
  { query: '&&==&=?', want: 'good', but: refusedBy('it takes one of each', EVALUATE) },
  { query: `unknown=${'x'.repeat(10_000)}`, want: 'good', but: refusedBy('it is too long', EVALUATE) },
  {
    query: Array.from({ length: 1500 }, (_, n) => `p${n}=`).join('&'),
    want: 'good',
    but: refusedBy('they are too many', EVALUATE),
  },
  { query: 'tag[]=x', want: 'good' },
  { query: 'tag=x&tag=y', want: 'good', but: refusedBy('it takes one', FLAGS, EVALUATE) },
  { query: 'tag=', want: 'good', but: refusedBy('it has another form', FLAGS) },
  { query: 'namePrefix=%FF', want: 'good' },
  { query: 'namePrefix=a&namePrefix=b', want: 'good', but: refusedBy('it takes one', LIST, EVALUATE) },
  { query: 'q=', want: 'good' },
  { query: 'q=%FF%00', want: 'good' },
  { query: 'q[]=ada&q[a]=ada', want: 'good' },
  { query: 'q=ada&q=lin', want: 'good', but: refusedBy('it takes one', SEARCH, EVALUATE) },
  { query: `q=${'x'.repeat(1001)}`, want: 'good', but: { [SEARCH]: [INVALID, 'nobody is called like that'] } },
  { query: 'query=%25_%00%FF', want: 'good' },
  {
    query: 'query=a&query=b',
    want: 'good',
    but: refusedBy('it takes one', FLAGS, APPLICATIONS, EVALUATE, ...BY_FILTERS),
  },
  {
    query: `query=${'x'.repeat(1001)}`,
    want: 'good',
    but: refusedBy('it is too long', FLAGS, APPLICATIONS, ...BY_FILTERS),
  },
  {
    query: 'feature=IS:a,b&project=IS:&environment=IS_ANY_OF:%00',
    want: 'good',
    but: {
      ...refusedBy('there is no such environment', EXPORT),
      [EVALUATE]: [NOT_FOUND, 'there is no such environment'],
    },
  },
  { query: 'feature=a', want: 'good', but: refusedBy('it has another form', ...BY_FILTERS) },
  { query: 'type=IS:a%0Ab', want: 'good', but: refusedBy('it has another form', FLAGS, ...BY_FILTERS) },
  { query: 'type=IS:a&type=IS:b', want: 'good', but: refusedBy('it takes one', FLAGS, EVALUATE, ...BY_FILTERS) },
  {
    query: 'project=IS:a&project=IS:b',
    want: 'good',
    but: refusedBy('it takes one', EVENTS, FLAGS, EVALUATE, PERMISSIONS, ...BY_FILTERS),
  },
  {
    query: `environment=IS:${'x,'.repeat(5000)}`,
    want: 'good',
    but: refusedBy('it is too long', EXPORT, IMPORT, EVALUATE, PERMISSIONS, ...BY_FILTERS),
  },
  { query: 'format=xml&drop=x&keep=x', want: 'good', but: refusedBy('there is no such format', EXPORT) },
  { query: 'drop=true&drop=true', want: 'good', but: refusedBy('it takes one', IMPORT, EVALUATE) },
  { query: 'author=a&author=b', want: 'good', but: refusedBy('it takes one', EVALUATE, ...BY_FILTERS) },
  { query: `author=${'x'.repeat(1001)}`, want: 'good', but: refusedBy('it is too long', ...BY_FILTERS) },
  { query: 'createdBy=IS:ada', want: 'good', but: refusedBy('it is no id', ...BY_FILTERS) },
  { query: 'from=IS:2024-13-45', want: 'good', but: refusedBy('there is no such day', ...BY_FILTERS) },
  { query: 'to=IS:2023-02-29', want: 'good', but: refusedBy('there is no such day', ...BY_FILTERS) },
  {
    query: 'offset=-1&limit=banana',
    want: 'good',
    but: refusedBy('it is no page', FLAGS, APPLICATIONS, STALE, ...REQUESTS),
  },
  {
    query: 'offset=1e300&limit=9007199254740993',
    want: 'good',
    but: refusedBy('it is no page', FLAGS, APPLICATIONS, STALE, ...REQUESTS),
  },
  { query: 'sortBy=nonsense', want: 'good', but: refusedBy('there is no such field', FLAGS, APPLICATIONS, STALE) },
  {
    query: 'sortBy=environment:__proto__&sortOrder=desc',
    want: 'good',
    but: refusedBy('there is no such field', APPLICATIONS, STALE),
  },
  { query: 'status=__proto__:enabled&status=%00:disabled', want: 'good', but: refusedBy('it takes one', EVALUATE) },
  { query: `status=${'x'.repeat(200)}:enabled`, want: 'good', but: refusedBy('it is too long', FLAGS) },
  {
    query: 'limit=1&limit=2',
    want: 'good',
    but: refusedBy(
      'it takes one',
      FLAGS,
      OWNERSHIP,
      APPLICATIONS,
      STALE,
      EVALUATE,
      HEADS,
      ...REQUESTS,
      BY_FILTERS[0] ?? '',
    ),
  },
  { query: 'include=banana', want: 'good', but: refusedBy('there is no such part', LIST, FLAGS) },
  { query: 'owned=me', want: 'good', but: { [FLAG]: [INVALID, 'it is all, people or git'] } },
  { query: 'variantEnvironments=banana', want: 'good', but: { [FLAG]: [INVALID, 'it is true or false'] } },
  { query: 'variantEnvironments=', want: 'good', but: { [FLAG]: [INVALID, 'it is true or false'] } },
];

const readQuery: readonly QueryRow[] = [
  { query: 'dryRun=banana', want: 'good' },
  { query: 'dryRun=true&dryRun=true', want: 'good', but: refusedBy('it takes one', EVALUATE) },
];
const writeQuery: readonly QueryRow[] = ['banana', '', '1', 'TRUE', '%00', 'true&dryRun=true'].map((value) => {
  return { query: `dryRun=${value}`, want: INVALID };
});

const shortened = (query: string) => (query.length > 50 ? `${query.slice(0, 50)}…` : query);

const examples = examplesOf(endpoints);

/**
 * An endpoint without a schema for its query reads only the parameters that all writes have; all others are sent at
 * once.
 */
function queriesOf(endpoint: Endpoint): readonly QueryRow[] {
  const ofMethod = endpoint.isRead ? readQuery : writeQuery;
  if (endpoint.definition.query || examples.includes(endpoint)) return [...anyQuery, ...ofMethod];
  const short = anyQuery.filter(({ query }) => query.length < 1000);
  return [{ query: short.map(({ query }) => query).join('&'), want: 'good' }, ...ofMethod.slice(0, 1)];
}

function queryCells(endpoint: Endpoint): readonly Cell[] {
  return queriesOf(endpoint).map((row) => ({
    what: `?${shortened(row.query)}`,
    endpoint,
    want: wanted(row, endpoint),
    spoilt: { query: row.query },
  }));
}

interface HeaderRow {
  readonly what: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly want: Want;
  readonly but?: Exceptions;
}

const anyHeader: readonly HeaderRow[] = [
  { what: 'Accept of something else', headers: { accept: 'text/html' }, want: 'good' },
  { what: 'Accept-Charset', headers: { 'accept-charset': 'utf-16' }, want: 'good' },
  { what: 'a token that nobody asks for', headers: { authorization: 'Bearer nonsense' }, want: 'good' },
  { what: 'X-HTTP-Method-Override', headers: { 'x-http-method-override': 'DELETE' }, want: 'good' },
  { what: 'a range', headers: { range: 'bytes=0-1' }, want: 'good' },
  { what: 'If-None-Match that is none', headers: { 'if-none-match': 'nonsense, "' }, want: 'good' },
  { what: 'If-Modified-Since that is none', headers: { 'if-modified-since': 'tomorrow' }, want: 'good' },
  { what: 'the origin null', headers: { origin: 'null' }, want: 'good' },
];
const readHeader: readonly HeaderRow[] = [{ what: 'If-Match', headers: { 'if-match': '"x"' }, want: 'good' }];
const writeHeader: readonly HeaderRow[] = [
  {
    what: 'If-Match that names no version',
    headers: { 'if-match': 'nonsense, "' },
    want: '412 PreconditionFailedError',
    but: Object.fromEntries(
      endpoints.flatMap(({ route, unversioned }) =>
        unversioned === undefined ? [] : [[route, ['good', unversioned]]],
      ),
    ),
  },
];

/** Headers that no endpoint reads, sent together. */
const everyHeader: HeaderRow = {
  what: 'headers of clients',
  headers: Object.assign({}, ...anyHeader.map(({ headers }) => headers)),
  want: 'good',
};

function headerCells(endpoint: Endpoint): readonly Cell[] {
  const ofClients = examples.includes(endpoint) ? anyHeader : [everyHeader];
  const rows = [...ofClients, ...(endpoint.isRead ? readHeader : writeHeader)];
  const typed = endpoint.body !== undefined && { 'content-type': 'application/json' };
  return rows.map((row) => ({
    what: row.what,
    endpoint,
    want: wanted(row, endpoint),
    spoilt: { headers: { ...typed, ...row.headers } },
  }));
}

test.each(endpoints)('$route, with each segment in place of each parameter, each query and each header', (endpoint) =>
  table.expectAnswers([...segmentCells(endpoint), ...queryCells(endpoint), ...headerCells(endpoint)]),
);
