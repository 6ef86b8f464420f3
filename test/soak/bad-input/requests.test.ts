/** Every path with every method, and every endpoint with requests that no client would send. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type Exceptions,
  effectOf,
  examplesOf,
  goodAnswer,
  startTable,
  type Table,
} from '../../contract/bad-input/cells.ts';
import { type Endpoint, endpoints } from '../../contract/endpoints/endpoints.ts';
import type { Want } from '../../contract/endpoints/values.ts';
import { errorBody } from '../../support/admin-client.ts';
import { type Instance, startInstance } from '../../support/instance.ts';
import { sendRaw } from '../../support/raw-http.ts';

const INVALID = '400 ValidationError';
const MISSING = '404 NotFoundError';
let instance: Instance;
let table: Table;

beforeAll(async () => {
  instance = await startInstance('bad-requests', { settings: { VEXIL_IMPORT_LIMIT: '100kB' } });
  table = await startTable(instance);
});
afterAll(async () => {
  table.end();
  await instance.stop();
});

/** Paths that another template matches too, so that OPTIONS names the methods of both. */
const alsoMatchedBy: Readonly<Record<string, string>> = {
  '/projects/validate': '/projects/:projectId',
  '/projects/:projectId/features/:featureName/environments/:environment/strategies/set-sort-order':
    '/projects/:projectId/features/:featureName/environments/:environment/strategies/:strategyId',
  '/archive/features': '/archive/:featureName',
  '/environments/sort-order': '/environments/:environment',
  '/segments/validate': '/segments/:segmentId',
  '/segments/strategies': '/segments/:segmentId',
  '/user-admin/search': '/user-admin/:userId',
};

/** Paths that may be read, although no strategy, no environment and no project has this name. */
const NOT_THERE = ['/set-sort-order', '/environments/sort-order', '/projects/validate'];

/** Paths whose last segment would be an id if the other template matched. */
const NO_ID = ['/segments/validate', '/segments/strategies'];

/** Paths below which Unleash writes, and Vexil refuses with the reason: see src/http/routes/unsupported.ts. */
const DENIED =
  /^\/(context|tags|tag-types|user-admin|roles)\b|^\/environments(\/:environment|\/sort-order)?$|^\/projects\/:projectId\/access$/;

const pathOf = ({ route }: Endpoint) => route.split(' ')[1] ?? '';
const byPath = Map.groupBy(endpoints, pathOf);

function methodsOf(template: string): readonly string[] {
  const templates = [template, alsoMatchedBy[template] ?? ''];
  const methods = templates.flatMap((one) => byPath.get(one) ?? []).map(({ method }) => method);
  return [...new Set(methods.includes('GET') ? [...methods, 'HEAD'] : methods)];
}

describe.each([...byPath.keys()])('%s', (template) => {
  const path = byPath.get(template)?.[0]?.path() ?? '';
  const methods = methodsOf(template);

  test(`OPTIONS: 204, ${methods.join(' ')} and OPTIONS`, async () => {
    const { status, text, headers } = await instance.call(`OPTIONS ${path}`);
    expect([status, text]).toEqual([204, '']);
    expect(headers.get('allow')?.split(', ').toSorted()).toEqual([...methods, 'OPTIONS'].toSorted());
  });

  const absent = byPath.get(template)?.find(({ finds, isRead }) => finds && isRead);
  const isAbsent = absent !== undefined || NOT_THERE.some((end) => template.endsWith(end));
  const isThere = methods.includes('HEAD') && !isAbsent;
  const answer = NO_ID.includes(template) ? 400 : isThere ? 200 : (absent?.answer ?? 404);
  test(`HEAD: ${answer} without a body`, async () => {
    const { status, text } = await instance.call(`HEAD ${path}`);
    expect([status, text]).toEqual([answer, '']);
  });

  const others = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((method) => !methods.includes(method));
  const refused = template === '/projects' ? [...others, 'QUERY', 'PROPFIND'] : others;
  const refusalOf = (method: string): string => {
    if (NO_ID.includes(template) && ['GET', 'PUT', 'DELETE'].includes(method)) return INVALID;
    return DENIED.test(template) ? '403 OperationDeniedError' : MISSING;
  };
  test(`${refused.join(', ')}: ${[...new Set(refused.map(refusalOf))].join(' or ')}`, () =>
    table.expectTrials(
      refused.map((method) => ({
        what: method,
        effect: 'none',
        check: () => expectRefusal(`${method} ${path}`, refusalOf(method)),
      })),
    ));
});

async function expectRefusal(request: string, want: string): Promise<void> {
  const { status, body } = await instance.call(request);
  expect(`${status} ${body?.name}`).toBe(want);
}

type RawWant = Want | 'no answer';

interface RawRow {
  readonly what: string;
  /** The target in the request line. */
  readonly target?: (path: string) => string;
  readonly method?: string;
  readonly headers?: (body: string) => readonly string[];
  readonly sent?: (body: string) => string;
  readonly want: RawWant;
  readonly but?: Exceptions;
}

const LARGE = '413 PayloadTooLargeError';
const HOST = 'Host: 127.0.0.1';
const typed = (body: string) => (body === '' ? [HOST] : [HOST, 'Content-Type: application/json']);
const typicalHeaders = (body: string) =>
  body === '' ? typed(body) : [...typed(body), `Content-Length: ${body.length}`];
const and =
  (...more: readonly string[]) =>
  (body: string) => [...typicalHeaders(body), ...more];
const MEMBER = '/projects/:projectId/users/:userId/roles/:roleId';
const endsWithId = [
  ...['POST', 'PUT', 'DELETE'].map((method) => `${method} ${MEMBER}`),
  ...['GET', 'PUT', 'DELETE'].map((method) => `${method} /segments/:segmentId`),
  ...['/user-admin/:userId', '/user-admin/search', '/roles/:roleId'].map((path) => `GET ${path}`),
];
const noId: Exceptions = Object.fromEntries(
  endsWithId.map((route) => [route, [INVALID, 'the path ends with an id']] as const),
);
const anyName: Exceptions = {
  'GET /events/:featureName': ['good', 'the history may know of any flag'],
  'GET /tags/:type': ['good', 'any type may have no tags'],
  'GET /segments/strategies/:strategyId': ['good', 'any strategy may have no segments'],
};
const inChunks = (body: string, size = body.length) => `${size.toString(16)}\r\n${body}\r\n`;

const ENCODED = 'a letter e that is percent-encoded';

/** Rows that the pattern of a route decides. */
const ofEach: readonly RawRow[] = [
  { what: 'slashes doubled everywhere', target: (path) => path.replace(/\//g, '//'), want: 'good' },
  { what: 'a slash at the end', target: (path) => path.replace(/(\?|$)/, '/$1'), want: 'good' },
  {
    what: ENCODED,
    target: (path) => path.replace(/e/, '%65'),
    want: MISSING,
  },
  {
    what: 'NUL in the path',
    target: (path) => `${path.split('?')[0]}%00`,
    want: MISSING,
    but: {
      ...noId,
      ...anyName,
      'PUT /environments/sort-order': ['403 OperationDeniedError', 'it names an environment'],
    },
  },
];

/** Rows that the server decides before it knows the route (src/http/server/base-app.ts). */
const ofServer: readonly RawRow[] = [
  { what: 'a slash that is percent-encoded', target: (path) => path.replace('/admin/', '/admin%2F'), want: MISSING },
  { what: 'two dots that lead out', target: (path) => path.replace('/admin/', '/admin/../'), want: MISSING },
  { what: 'two dots that lead back', target: (path) => path.replace('/admin/', '/admin/x/../'), want: MISSING },
  { what: 'two dots, percent-encoded', target: (path) => path.replace('/admin/', '/admin/%2e%2e/'), want: MISSING },
  { what: 'a backslash', target: (path) => path.replace('/admin/', '/admin\\'), want: MISSING },
  { what: 'a semicolon', target: (path) => path.replace('/admin/', '/admin;x=1/'), want: MISSING },
  { what: 'capitals', target: (path) => path.replace('/api/', '/API/'), want: MISSING },
  { what: 'a fragment', target: (path) => `${path}#x`, want: 'good' },
  { what: 'bytes that are no ASCII', target: (path) => path.replace('/admin/', '/adm\u00efn/'), want: INVALID },
  { what: 'a blank in the path', target: (path) => path.replace('/admin/', '/ad min/'), want: INVALID },
  { what: 'the address before the path', target: (path) => `http://127.0.0.1${path}`, want: 'good' },
  { what: 'a path of 20,000 characters', target: (path) => `${path}/${'x'.repeat(20_000)}`, want: LARGE },
  { what: 'headers of 20 kB', headers: and(`X-Large: ${'x'.repeat(20_000)}`), want: LARGE },
  { what: '500 headers', headers: and(...Array.from({ length: 500 }, (_, n) => `X-${n}: 1`)), want: 'good' },
  { what: 'a method that there is not', method: 'BREW', want: INVALID },
  { what: 'TRACE', method: 'TRACE', want: MISSING },
  { what: 'CONNECT', method: 'CONNECT', want: 'no answer' },
  { what: 'another host', headers: (body) => ['Host: example.com', ...typicalHeaders(body).slice(1)], want: 'good' },
  { what: 'no host', headers: (body) => typicalHeaders(body).slice(1), want: INVALID },
  { what: 'two hosts', headers: and('Host: 127.0.0.1'), want: INVALID },
  { what: 'a control character in a header', headers: and('X-Odd: a\u0001b'), want: INVALID },
  { what: 'a header without a colon', headers: and('X-Odd'), want: INVALID },
  { what: 'a header folded over two lines', headers: and('X-Odd: a\r\n b'), want: INVALID },
  { what: 'an upgrade', headers: and('Connection: Upgrade', 'Upgrade: websocket'), want: 'good' },
  { what: 'Expect: 100-continue', headers: and('Expect: 100-continue'), want: 'good' },
  { what: 'an Expect that nobody knows', headers: and('Expect: the-impossible'), want: 'good' },
  { what: 'a length that is negative', headers: (body) => [...typed(body), 'Content-Length: -1'], want: INVALID },
  { what: 'a length that is no number', headers: (body) => [...typed(body), 'Content-Length: 1e3'], want: INVALID },
  {
    what: 'a length beyond 2^64',
    headers: (body) => [...typed(body), `Content-Length: ${'9'.repeat(21)}`],
    want: INVALID,
  },
  { what: 'two lengths', headers: (body) => [...typed(body), 'Content-Length: 1', 'Content-Length: 2'], want: INVALID },
  {
    what: 'a length and chunks',
    headers: (body) => [
      ...typicalHeaders(body),
      ...(body === '' ? ['Content-Length: 1'] : []),
      'Transfer-Encoding: chunked',
    ],
    want: INVALID,
  },
  {
    what: 'a transfer encoding that there is not',
    headers: (body) => [...typed(body), 'Transfer-Encoding: gzip'],
    want: INVALID,
  },
];

const ofEachBody: readonly RawRow[] = [
  {
    what: 'in chunks',
    headers: (body) => [...typed(body), 'Transfer-Encoding: chunked'],
    sent: (body) => `${inChunks(body)}0\r\n\r\n`,
    want: 'good',
  },
  {
    what: 'a chunk of a size that is none',
    headers: (body) => [...typed(body), 'Transfer-Encoding: chunked'],
    sent: (body) => `${inChunks(body)}x\r\n`,
    want: INVALID,
  },
];

const ofReader: readonly RawRow[] = [
  {
    what: 'a chunk that is longer than it says',
    headers: (body) => [...typed(body), 'Transfer-Encoding: chunked'],
    sent: (body) => `${inChunks(body, 1)}0\r\n\r\n`,
    want: INVALID,
  },
  {
    what: 'chunks that never say how long they get',
    headers: (body) => [...typed(body), 'Transfer-Encoding: chunked'],
    sent: () => `${inChunks(' '.repeat(60_000)).repeat(2)}0\r\n\r\n`,
    want: LARGE,
  },
  {
    what: 'extensions of chunks of 20 kB',
    headers: (body) => [...typed(body), 'Transfer-Encoding: chunked'],
    sent: () => `1;${'x'.repeat(20_000)}\r\n`,
    want: LARGE,
  },
  {
    what: 'no chunks at all',
    headers: (body) => [...typed(body), 'Transfer-Encoding: chunked'],
    sent: () => '0\r\n\r\n',
    want: INVALID,
  },
  {
    what: 'a length that is less than was sent',
    headers: (body) => [...typed(body), `Content-Length: ${body.length - 1}`],
    want: INVALID,
  },
  {
    what: 'a length above the limit, and nothing else',
    headers: (body) => [...typed(body), 'Content-Length: 100001'],
    sent: () => '',
    want: LARGE,
  },
  { what: 'a length of 0', headers: (body) => [...typed(body), 'Content-Length: 0'], sent: () => '', want: INVALID },
];

/** Returns the request as bytes. A request that is answered asks for the connection to be closed. */
function bytesOf(endpoint: Endpoint, { target, method, headers = typicalHeaders, sent, want }: RawRow): Buffer {
  const body = endpoint.body === undefined ? '' : JSON.stringify(endpoint.body);
  const path = `/api/admin${endpoint.path()}${!endpoint.isRead && want === 'good' ? '?dryRun=true' : ''}`;
  const lines = [`${method ?? endpoint.method} ${target?.(path) ?? path} HTTP/1.1`, ...headers(body)];
  return Buffer.from([...lines, 'Connection: close', '', sent?.(body) ?? body].join('\r\n'), 'latin1');
}

/** Endpoints that take no body do not write before the body has arrived completely either. */
const ofWritesWithout: readonly RawRow[] = [
  {
    what: 'a chunk of a size that is none',
    headers: () => [HOST, 'Transfer-Encoding: chunked'],
    sent: () => `${inChunks('ab')}x\r\n`,
    want: INVALID,
  },
  { what: 'in chunks', headers: () => [HOST, 'Transfer-Encoding: chunked'], sent: () => '0\r\n\r\n', want: 'good' },
];

const examples = examplesOf(endpoints);

function rowsOf(endpoint: Endpoint): readonly RawRow[] {
  const { body, isRead, route } = endpoint;
  const isExample = examples.includes(endpoint);
  // No endpoint writes before the body has arrived completely, whether it takes the body or not.
  const ofBody = body === undefined ? ofWritesWithout : [...ofEachBody, ...(isExample ? ofReader : [])];
  const hasLetter = pathOf(endpoint).replaceAll(/:\w+/g, '').includes('e');
  const ofPath = ofEach.filter(({ what }) => hasLetter || what !== ENCODED);
  const rows = [...ofPath, ...(isExample ? ofServer : []), ...(isRead ? [] : ofBody)];
  return rows.map((row) => ({ ...row, want: row.but?.[route]?.[0] ?? row.want }));
}

async function expectRawAnswer(endpoint: Endpoint, row: RawRow): Promise<void> {
  const { status, body, text } = await sendRaw(instance.url, bytesOf(endpoint, row));
  if (row.want === 'good') {
    expect(status, text).toBe(goodAnswer(endpoint));
    return;
  }
  if (row.want === 'no answer') {
    expect(status).toBeNaN();
    return;
  }
  expect(`${status} ${body?.name}`, text).toBe(row.want);
  expect(errorBody.safeParse(body).success).toBe(true);
}

test.each(endpoints)('$route, with each request', (endpoint) =>
  table.expectTrials(
    rowsOf(endpoint).map((row) => ({
      what: row.what,
      effect: effectOf({ endpoint, want: row.want }),
      check: () => expectRawAnswer(endpoint, row),
    })),
  ),
);

test('the server still answers after all of that', async () => {
  expect((await instance.call('GET /projects/shop')).status).toBe(200);
});
