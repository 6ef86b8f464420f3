/** Every endpoint for SDKs: which callers it accepts, and what it answers to wrong or unusual input. */
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { adminClient, type CallOptions } from '../support/admin-client.ts';
import { aFlag, aUser } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { openStream, type ReceivedEvent } from '../support/event-stream.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { complaintsAbout, expectNoComplaints } from '../support/rows.ts';
import { tokenValue } from '../support/sdk-world.ts';
import {
  type CallerName,
  type ClientEndpoint,
  callers,
  clientEndpoints,
  clientMismatches,
  THERE,
} from './endpoints/client-rows.ts';

const BOOTSTRAP = `*:*.${'6d'.repeat(28)}`;
const CONCURRENCY = 4;
let instance: Instance;
let tokens: Readonly<Record<Exclude<CallerName, 'anonymous'>, string>>;
/** The key of an address that stands for the frontend token. */
let key: string;
let before: ReadonlyMap<string, string>;

beforeAll(async () => {
  instance = await startInstance('client-endpoints', {
    settings: { VEXIL_AUTH: 'token', VEXIL_ADMIN_TOKEN: BOOTSTRAP },
  });
  const environments = { production: { enabled: true, strategies: { all: { name: 'default' } } } };
  await instance.apply(aUser(`${instance.home}/ada`), aFlag(`${instance.home}/${THERE}`, { environments }));
  tokens = {
    wrong: `*:production.${'0'.repeat(56)}`,
    bootstrap: BOOTSTRAP,
    admin: await tokenValue(instance, 'admin', { type: 'admin' }),
    personal: await tokenValue(instance, 'personal', { type: 'personal', user: 'ada' }),
    frontend: await tokenValue(instance, 'frontend', { type: 'frontend' }),
    client: await tokenValue(instance, 'client'),
  };
  const call = adminClient(instance.url, { authorization: tokens.frontend });
  const { body } = await call('POST //ofrep/v1/evaluate/flags', { body: {} });
  key = new URL(body.eventStreams[0].endpoint.requestUri, instance.url).searchParams.get('key') ?? '';
  before = await instance.everything();
});
afterAll(async () => {
  expect(await instance.everything()).toEqual(before);
  await instance.stop();
});

/** The status, with the name of the error if there is one. */
async function answerTo(who: CallerName, request: string, options: CallOptions = {}): Promise<string> {
  const call = adminClient(instance.url, who === 'anonymous' ? {} : { authorization: tokens[who] });
  const { status, body } = await call(request, options);
  return `${status}${body?.name === undefined || status < 400 ? '' : ` ${body.name}`}`;
}

interface Row {
  readonly what: string;
  readonly request?: string;
  readonly options?: CallOptions;
  readonly want: string;
}

const requestTo = ({ request, hasKey }: ClientEndpoint, query = '') => request(THERE, query, hasKey && key);

const goodOptions = ({ body }: ClientEndpoint): CallOptions => (body === undefined ? {} : { body });

/** A caller that the endpoint accepts; a client token if possible. */
const allowedIn = ({ allowed }: ClientEndpoint): CallerName =>
  allowed.find((one) => one === 'client') ?? allowed[0] ?? 'anonymous';

async function expectAnswers(endpoint: ClientEndpoint, rows: readonly Row[]): Promise<void> {
  const trials = rows.map(({ what, request = requestTo(endpoint), options = goodOptions(endpoint), want }) => ({
    what,
    check: async () => expect(await answerTo(allowedIn(endpoint), request, options)).toBe(want),
  }));
  expectNoComplaints(await complaintsAbout(trials, CONCURRENCY));
}

test('every endpoint for SDKs has a row', () => {
  expect(clientMismatches()).toEqual([]);
});

const refusals: Readonly<Record<CallerName, string>> = {
  anonymous: '401 AuthenticationRequired',
  wrong: '401 AuthenticationRequired',
  bootstrap: '403 PermissionError',
  admin: '403 PermissionError',
  personal: '403 PermissionError',
  frontend: '403 PermissionError',
  client: '403 PermissionError',
};

describe.each(clientEndpoints)('$route', (endpoint) => {
  const { allowed, definition } = endpoint;
  const good = `${definition.answer}`;

  test.each(callers)('called with a good request by: %s', async (who) => {
    const want = allowed.includes(who) ? good : refusals[who];
    // An answer to HEAD has no body.
    const [status = ''] = want.split(' ');
    expect(await answerTo(who, requestTo(endpoint), goodOptions(endpoint))).toBe(definition.streams ? status : want);
  });

  test('answers no other method', async () => {
    const served = clientEndpoints.filter((one) => one.definition.path === definition.path);
    const methods = served.map((one) => one.definition.method.toUpperCase());
    const [, path] = endpoint.request().split(' ');
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((one) => !methods.includes(one))) {
      expect(await answerTo('client', `${method} ${path}`)).toBe('404 NotFoundError');
    }
  });

  test('ignores queries and headers that it does not know', async () => {
    const queries = [
      ...(endpoint.readsAnyQuery ? [] : ['unknown=1&unknown=2']),
      '__proto__=1&constructor=1',
      'dryRun=banana',
      '%=%&%FF=%FF&%00=%00',
      '&&==',
    ];
    const headers = [
      { accept: 'text/html' },
      { 'unleash-interval': 'undefined', 'unleash-client-spec': 'nonsense', 'unleash-appname': '\u00e9' },
      { 'if-match': '"x"' },
      { 'if-none-match': 'nonsense, "' },
      { 'accept-encoding': 'klingon;q=x, gzip;q=0' },
      { 'x-http-method-override': 'DELETE' },
      { origin: 'null' },
    ];
    await expectAnswers(endpoint, [
      ...queries.map((query) => ({ what: query, request: requestTo(endpoint, query), want: good })),
      ...headers.map((more) => ({
        what: JSON.stringify(more),
        options: { ...goodOptions(endpoint), headers: more },
        want: good,
      })),
    ]);
  });
});

const NOT_FOUND = '404 NotFoundError';
const INVALID = '400 ValidationError';

test.each(clientEndpoints.filter(({ route }) => route.includes(':')))('$route, for a missing flag', (endpoint) => {
  const missing = ['no-such', '__proto__', 'constructor', 'a%2Fb', '%00', '%20', '%F0%9F%9A%A9', 'x'.repeat(5000)];
  return expectAnswers(endpoint, [
    ...missing.map((segment) => ({ what: segment, request: endpoint.request(segment), want: NOT_FOUND })),
    ...['%', '%FF', '%C0%AF'].map((segment) => ({ what: segment, request: endpoint.request(segment), want: INVALID })),
  ]);
});

/** The endpoints that list flags, each in its own form. */
const LISTS = ['GET /api/client/features', 'GET /api/client/delta', 'GET /api/client/streaming'];

test.each(LISTS)('%s, with each query', async (route) => {
  const endpoint = clientEndpoints.find((one) => one.route === route);
  expect(endpoint).toBeDefined();
  const rows: Readonly<Record<string, string>> = {
    'environment=none&project=none&namePrefix=': '200',
    'project=&project=%FF&project[]=shop': '200',
    'tag=a:b&tag=c:d:e': '200',
    [`namePrefix=${'x'.repeat(10_000)}`]: '200',
    'tag=': INVALID,
    'tag=:a': INVALID,
    'tag=a:b&tag=a': INVALID,
    'namePrefix=a&namePrefix=b': INVALID,
    'environment=a&environment=b': INVALID,
  };
  if (!endpoint) return;
  // An answer to HEAD has no body.
  const wanted = (want: string) => (endpoint.definition.streams ? want.slice(0, 3) : want);
  await expectAnswers(
    endpoint,
    Object.entries(rows).map(([query, want]) => ({
      what: query,
      request: endpoint.request(THERE, query),
      want: wanted(want),
    })),
  );
});

const oddIds = (id: string): readonly string[] => [
  ...['', '-', '-1', '1e3', 'null', '__proto__', 'constructor', '"quoted"', '\u00e9', '9'.repeat(400)],
  ...[`${id}9999`, `-${id}`, `${id},${id}`, `${id}.5`, `${id}e9`, 'x'.repeat(5000)],
];

test.each<[string, (event: ReceivedEvent) => string | undefined, string]>([
  ['/api/client/streaming', ({ data = '' }) => JSON.parse(data).events[0]?.type, 'hydration'],
  ['/ofrep/v1/streams', ({ data = '{}' }) => JSON.parse(data).type, 'refetchEvaluation'],
])('GET %s begins again after each unknown Last-Event-ID', async (path, whatOf, wanted) => {
  const first = async (lastEventId?: string) => {
    const stream = await openStream(instance.url, {
      path: path.startsWith('/ofrep') ? `${path}?key=${key}` : path,
      token: tokens.client,
      lastEventId,
    });
    expect(stream.status).toBe(200);
    const event = await waitUntil({ what: 'an event arrives', everyMs: 5 }, async () => stream.events[0] ?? false);
    stream.close();
    return event;
  };
  const { id = '' } = await first();
  expect(whatOf(await first(id))).toBeUndefined();
  const trials = oddIds(id).map((odd) => ({
    what: odd,
    check: async () => expect(whatOf(await first(odd))).toBe(wanted),
  }));
  expectNoComplaints(await complaintsAbout(trials, CONCURRENCY));
});

const TYPE = '415 ContentTypeError';
const LARGE = '413 PayloadTooLargeError';
const limitOf = ({ definition }: ClientEndpoint) => (definition.isContext ? 64 : 1024) * 1024;
const BOMB = gzipSync(Buffer.alloc(50_000_000, ' '));
const JSON_TYPE = { 'content-type': 'application/json' };

interface OddBody {
  readonly what: string;
  /** Makes the body from the text of a good body and the number of allowed bytes. */
  readonly body: (good: string, limit: number) => string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
  /** The answer of an endpoint that does not take any body. */
  readonly want: string;
}

const invalid: Readonly<Record<string, OddBody['body']>> = {
  'no bytes': () => '',
  null: () => 'null',
  'a number': () => '42',
  'a text': () => '"text"',
  'a list': (good) => `[${good}]`,
  'cut off': (good) => good.slice(0, -1),
  'two bodies': (good) => good + good,
  NaN: (good) => good.replace('{', '{"x":NaN,'),
  'a number beyond the largest': (good) => good.replace('{', '{"x":1e400,'),
  __proto__: (good) => good.replace('{', '{"__proto__":{"polluted":1},'),
  'half of a surrogate pair': (good) => good.replace('{', '{"x":"\\ud800",'),
  'a byte that is no UTF-8': (good) => Buffer.concat([Buffer.from(good), Buffer.from([0xff])]),
  '10,000 levels': (good) => good.replace('{', `{"x":${'['.repeat(10_000)}${']'.repeat(10_000)},`),
};
const good: Readonly<Record<string, OddBody['body']>> = {
  'an unknown member': (body) => body.replace('{', '{"x":1,'),
  'members that all objects have': (body) => body.replace('{', '{"constructor":{"prototype":{"polluted":1}},'),
  'as many bytes as are allowed': (body, limit) => body.padEnd(limit),
};
const bodies: readonly OddBody[] = [
  ...Object.entries(invalid).map(([what, body]) => ({ what, body, want: INVALID })),
  ...Object.entries(good).map(([what, body]) => ({ what, body, want: '200' })),
  { what: 'a byte too many', body: (body, limit) => body.padEnd(limit + 1), want: LARGE },
  { what: 'no content type', body: (body) => Buffer.from(body), headers: {}, want: '200' },
  { what: 'text', body: (body) => body, headers: { 'content-type': 'text/plain' }, want: '200' },
  { what: 'a charset that there is not', body: (body) => body, headers: charset('klingon'), want: TYPE },
  { what: 'packed with gzip', body: (body) => gzipSync(body), headers: packed('gzip'), want: '200' },
  { what: 'packed with br', body: (body) => brotliCompressSync(body), headers: packed('br'), want: '200' },
  { what: 'not packed, though it says so', body: (body) => body, headers: packed('gzip'), want: INVALID },
  { what: 'packed with what there is not', body: (body) => body, headers: packed('compress'), want: TYPE },
  { what: '50 MB in 49 kB', body: () => BOMB, headers: packed('gzip'), want: LARGE },
];

function charset(name: string) {
  return { 'content-type': `application/json; charset=${name}` };
}

function packed(encoding: string) {
  return { ...JSON_TYPE, 'content-encoding': encoding };
}

/** Values in place of each member of the good body. */
const oddValues = ['null', '-1', '1e300', 'true', '"x"', '[]', '[null]', '{}', '{"":{"a":[[]]}}', '"\\u0000"'];

describe.each(clientEndpoints.filter(({ body }) => body !== undefined))('$route', (endpoint) => {
  const { takesAnyBody, taken = {}, definition } = endpoint;
  const text = JSON.stringify(endpoint.body);
  const accepted = `${definition.answer}`;

  test('with each odd body', () =>
    expectAnswers(
      endpoint,
      bodies.map(({ what, body, headers = JSON_TYPE, want }) => ({
        what,
        options: { body: body(text, limitOf(endpoint)), headers },
        want: takesAnyBody ? accepted : want,
      })),
    ));

  test('with each odd value of each member', () => {
    const members = Object.keys(endpoint.body as object);
    const rows = members.flatMap((member) =>
      oddValues.map((value) => ({
        what: `${member}: ${value}`,
        options: { body: text.slice(0, -1).concat(`,${JSON.stringify(member)}:${value}}`) },
        want: takesAnyBody || taken[member]?.includes(value) ? accepted : INVALID,
      })),
    );
    return expectAnswers(endpoint, rows);
  });
});

test('no prototype has changed; the server runs in this process', () => {
  expect([{}, [], ''].map((one) => Object.keys(Object.getPrototypeOf(one)))).toEqual([[], [], []]);
});
