/** Every endpoint that takes a body, with bodies that are invalid or unusual as bytes, before any property matters. */
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Exceptions, examplesOf, startTable, type Table, wanted } from '../../contract/bad-input/cells.ts';
import { endpoints } from '../../contract/endpoints/endpoints.ts';
import type { Want } from '../../contract/endpoints/values.ts';
import { type Instance, startInstance } from '../../support/instance.ts';

let instance: Instance;
let table: Table;

beforeAll(async () => {
  instance = await startInstance('bad-bodies');
  table = await startTable(instance);
});
afterAll(async () => {
  table.end();
  await instance.stop();
});

const INVALID = '400 ValidationError';
const TYPE = '415 ContentTypeError';
const LARGE = '413 PayloadTooLargeError';
const LIMIT = 100_000;

interface Row {
  readonly what: string;
  /** Makes the body from the text of a good body. */
  readonly body: (good: string) => string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
  readonly want: Want;
  readonly but?: Exceptions;
}

const JSON_TYPE = { 'content-type': 'application/json' };
const CLONE = 'POST /projects/:projectId/features/:featureName/clone';
const anyTypeForClone: Exceptions = { [CLONE]: ['good', 'its body is read whatever its content type is'] };

const IMPORT = 'POST /state/import';
const wider: Exceptions = { [IMPORT]: ['good', 'it has a limit of its own, 5 MiB'] };

const unpackedBomb = Buffer.alloc(50_000_000, ' ');
const bombs = {
  gzip: gzipSync(unpackedBomb),
  deflate: deflateSync(unpackedBomb),
  br: brotliCompressSync(unpackedBomb),
};
const packedAs = (encoding: string) => ({ ...JSON_TYPE, 'content-encoding': encoding });

/** Adds a member to a body that is an object, or to the first item of a body that is a list. */
const withMember = (member: string) => (good: string) => good.replace('{', `{${member},`);

const STRICT = 'unknown properties are refused';
/** Endpoints that refuse unknown properties; the others drop them. */
const strictly: Exceptions = {
  'PUT /environments/sort-order': ['404 NotFoundError', 'its members are names of environments'],
  ...Object.fromEntries(endpoints.filter(({ strict }) => strict).map(({ route }) => [route, [INVALID, STRICT]])),
};

/** The same endpoints, for members that are objects. */
const noPlace: Exceptions = { ...strictly, 'PUT /environments/sort-order': [INVALID, 'a place is a number'] };

/** Rows that the shape of a body decides, with one form of each rule of the reader. */
const ofEach: readonly Row[] = [
  { what: 'no bytes', body: () => '', want: INVALID },
  { what: 'null', body: () => 'null', want: INVALID },
  { what: 'true', body: () => 'true', want: INVALID },
  { what: 'a number', body: () => '42', want: INVALID },
  { what: 'a text', body: () => '"text"', want: INVALID },
  { what: 'a list of null', body: () => '[null]', want: INVALID },
  { what: 'a list of lists', body: () => '[[[]]]', want: INVALID },
  { what: 'the good body in a list', body: (good) => `[${good}]`, want: INVALID },
  { what: 'cut off', body: (good) => good.slice(0, -1), want: INVALID },
  { what: 'an unknown member', body: withMember('"x":1'), want: 'good', but: strictly },
  { what: 'a member without a name', body: withMember('"":1'), want: 'good', but: strictly },
  { what: '__proto__', body: withMember('"__proto__":{"polluted":1}'), want: INVALID },
  {
    what: 'constructor with prototype',
    body: withMember('"constructor":{"prototype":{"polluted":1}}'),
    want: 'good',
    but: noPlace,
  },
  { what: 'prototype', body: withMember('"prototype":{"polluted":1}'), want: 'good', but: noPlace },
  {
    what: 'toString and hasOwnProperty',
    body: withMember('"toString":1,"hasOwnProperty":1'),
    want: 'good',
    but: strictly,
  },
  {
    what: 'a member twice: the last counts',
    body: (good) => good.replace(/"(\w+)":/, '"$1":[],"$1":'),
    want: 'good',
    but: { [IMPORT]: [INVALID, 'people write such documents by hand'] },
  },
  { what: 'one byte more', body: (good) => good.padEnd(LIMIT + 1), want: LARGE, but: wider },
  { what: 'a charset that there is not', body: (good) => good, headers: typed('charset=klingon'), want: TYPE },
  { what: 'packed with gzip', body: (good) => gzipSync(good), headers: packedAs('gzip'), want: 'good' },
];

/**
 * The other forms that the reader refuses or decompresses before it knows which endpoint takes the body
 * (src/http/server/body/body.ts, upload.ts).
 */
const ofReader: readonly Row[] = [
  { what: 'blanks', body: () => ' \n\t', want: INVALID },
  { what: 'a comma too many', body: (good) => good.replace(/(.)$/, ',$1'), want: INVALID },
  { what: 'two bodies', body: (good) => good + good, want: INVALID },
  {
    what: 'single quotes',
    body: (good) => good.replaceAll('"', "'"),
    want: INVALID,
    but: { 'POST /projects/:projectId/features/:featureName/ownership': ['good', 'its good body has no quotes'] },
  },
  { what: 'a comment', body: (good) => `/**/${good}`, want: INVALID },
  { what: 'NaN', body: withMember('"x":NaN'), want: INVALID },
  { what: 'Infinity', body: withMember('"x":Infinity'), want: INVALID },
  { what: 'a number beyond the largest', body: withMember('"x":1e400'), want: INVALID },
  { what: 'minus that number', body: withMember('"x":[-1e400]'), want: INVALID },
  { what: 'a plus sign', body: withMember('"x":+1'), want: INVALID },
  { what: 'a leading zero', body: withMember('"x":01'), want: INVALID },
  { what: '__proto__, escaped', body: withMember('"\\u005f_proto__":null'), want: INVALID },
  { what: '__proto__ further in', body: withMember('"x":[{"__proto__":{"polluted":1}}]'), want: INVALID },
  { what: 'half of a surrogate pair', body: withMember('"x":"\\ud800"'), want: INVALID },
  { what: 'the other half', body: withMember('"x":"a\\udc00"'), want: INVALID },
  { what: 'half of a pair as a name', body: withMember('"\\ud83d":1'), want: INVALID },
  { what: 'a control character, not escaped', body: withMember('"x":"\u0001"'), want: INVALID },
  { what: 'NUL after the body', body: (good) => `${good}\0`, want: INVALID },
  { what: 'a byte that is no UTF-8', body: (good) => bytesBefore(good, [0xff]), want: INVALID },
  { what: 'half a character', body: (good) => bytesBefore(good, [0xc3]), want: INVALID },
  { what: 'a surrogate as bytes', body: (good) => bytesBefore(good, [0xed, 0xa0, 0x80]), want: INVALID },
  { what: 'a byte order mark', body: (good) => `\ufeff${good}`, want: 'good' },
  { what: 'a byte order mark alone', body: () => '\ufeff', want: INVALID },
  { what: 'UTF-16 that says nothing', body: (good) => Buffer.from(good, 'utf16le'), want: INVALID },
  { what: '10,000 levels of lists', body: withMember(`"x":${'['.repeat(10_000)}${']'.repeat(10_000)}`), want: INVALID },
  {
    what: '10,000 levels of objects',
    body: withMember(`"x":${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`),
    want: INVALID,
  },
  { what: 'exactly 100 kB', body: (good) => good.padEnd(LIMIT), want: 'good' },
  { what: '5 MB', body: (good) => good.padEnd(5_000_000), want: LARGE, but: wider },
  { what: '6 MB', body: (good) => good.padEnd(6_000_000), want: LARGE },
  { what: '10,000 unknown members', body: withMember(many(10_000)), want: 'good', but: strictly },
  { what: 'UTF-8 that says so', body: (good) => good, headers: typed('charset="UTF-8"'), want: 'good' },
  {
    what: 'UTF-16 that says so',
    body: (good) => Buffer.from(good, 'utf16le'),
    headers: typed('charset=utf-16'),
    want: TYPE,
  },
  { what: 'UTF-8 that says UTF-16', body: (good) => good, headers: typed('charset=utf-16le'), want: TYPE },
  { what: 'the charset utf-7', body: (good) => good, headers: typed('charset=utf-7'), want: TYPE },
  { what: 'the charset latin1', body: (good) => good, headers: typed('charset=iso-8859-1'), want: TYPE },
  { what: 'no content type', body: (good) => Buffer.from(good), headers: {}, want: TYPE, but: anyTypeForClone },
  ...['text/plain', 'text/json', 'application/x-www-form-urlencoded', 'application/xml', 'json', ''].map(
    (type): Row => {
      const headers = { 'content-type': type };
      return { what: `the content type "${type}"`, body: (good) => good, headers, want: TYPE, but: anyTypeForClone };
    },
  ),
  { what: 'any +json', body: (good) => good, headers: { 'content-type': 'application/x.y+json' }, want: 'good' },
  { what: 'packed with deflate', body: (good) => deflateSync(good), headers: packedAs('deflate'), want: 'good' },
  { what: 'packed with br', body: (good) => brotliCompressSync(good), headers: packedAs('br'), want: 'good' },
  { what: 'packed with zstd', body: (good) => zstdCompressSync(good), headers: packedAs('zstd'), want: 'good' },
  { what: 'packed twice', body: (good) => gzipSync(gzipSync(good)), headers: packedAs('gzip, gzip'), want: TYPE },
  { what: 'packed with what there is not', body: (good) => good, headers: packedAs('compress'), want: TYPE },
  { what: 'not packed, though it says so', body: (good) => good, headers: packedAs('gzip'), want: INVALID },
  {
    what: 'packed and cut off',
    body: (good) => gzipSync(good).subarray(0, -9),
    headers: packedAs('gzip'),
    want: INVALID,
  },
  { what: '50 MB in 49 kB of gzip', body: () => bombs.gzip, headers: packedAs('gzip'), want: LARGE },
  { what: '50 MB in 49 kB of deflate', body: () => bombs.deflate, headers: packedAs('deflate'), want: LARGE },
  { what: '50 MB in 50 bytes of br', body: () => bombs.br, headers: packedAs('br'), want: LARGE },
];

function bytesBefore(good: string, bytes: readonly number[]): Buffer {
  const [head, tail] = withMember('"x":"@"')(good).split('@');
  return Buffer.concat([Buffer.from(head ?? ''), Buffer.from(bytes), Buffer.from(tail ?? '')]);
}

function many(count: number): string {
  return Array.from({ length: count }, (_, n) => `"${n}":0`).join(',');
}

function typed(parameter: string) {
  return { 'content-type': `application/json; ${parameter}` };
}

const forcing = endpoints.filter(({ body }) => body !== undefined);
const examples = examplesOf(forcing);

test('the examples include the reader of bodies, that of uploads, that before a streamed answer, and that for any content type', () => {
  expect(examples.map(({ route }) => route)).toEqual(['POST /projects', IMPORT, 'POST /playground', CLONE]);
});

test.each(forcing)('$route, with each body', (endpoint) => {
  const good = JSON.stringify(endpoint.body);
  const rows = examples.includes(endpoint) ? [...ofEach, ...ofReader] : ofEach;
  return table.expectAnswers(
    rows.map(({ body, headers = JSON_TYPE, ...row }) => ({
      what: row.what,
      endpoint,
      want: wanted(row, endpoint),
      spoilt: { body: body(good), headers },
    })),
  );
});

test('bodies that decompress to 50 MB each are never decompressed completely, however many arrive at once', async () => {
  const request = 'POST /projects/shop/features';
  const before = process.memoryUsage().rss;
  const answers = await Promise.all(
    Array.from({ length: 40 }, () => instance.call(request, { body: bombs.gzip, headers: packedAs('gzip') })),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([413]));
  expect(process.memoryUsage().rss - before).toBeLessThan(400_000_000);
});

/** Endpoints that ignore the body, because they take none. */
const takingNone = endpoints.filter(({ body, isRead }) => body === undefined && !isRead);

const MEMBER = '/projects/:projectId/users/:userId/roles/:roleId';
const sent = ['POST', 'PUT', 'DELETE'].map((method) => `${method} ${MEMBER}`);
const bounded: Exceptions = Object.fromEntries(
  sent.map((route) => [route, [LARGE, 'clients send a body, so it has the limit']]),
);

const unread: readonly (Omit<Row, 'body' | 'want'> & { readonly body: string | Buffer })[] = [
  { what: 'broken JSON', body: '{"broken', headers: JSON_TYPE },
  { what: 'no content type', body: Buffer.from('x'), headers: {} },
  { what: 'a charset that there is not', body: '{}', headers: typed('charset=klingon') },
  { what: 'exactly 100 kB', body: ' '.repeat(LIMIT), headers: JSON_TYPE },
  { what: '200 kB', body: ' '.repeat(200_000), headers: JSON_TYPE, but: bounded },
  { what: 'what is not packed, though it says so', body: 'x', headers: packedAs('gzip') },
];

test.each(takingNone)('$route takes no body, with each one', (endpoint) =>
  table.expectAnswers(
    unread.map(({ body, headers = {}, ...row }) => ({
      what: row.what,
      endpoint,
      want: wanted({ ...row, want: 'good' }, endpoint),
      spoilt: { body, headers },
    })),
  ),
);
