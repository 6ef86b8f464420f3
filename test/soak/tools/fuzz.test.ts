/** The fuzzer sends what it plans to, and detects what it looks for. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { describeApi } from '../../../src/http/route/openapi/describe-api.ts';
import { sections } from '../../../src/http/routes/all.ts';
import { anyOfSchema } from '../../fuzz/any-of-schema.ts';
import { complaintsOf } from '../../fuzz/judge-answer.ts';
import { complaintsOfStream } from '../../fuzz/judge-stream.ts';
import { anyMutation, mutated } from '../../fuzz/mutation.ts';
import { type ApiDocument, type Operation, operationsOf } from '../../fuzz/operations.ts';
import { complaintsOfEcho, complaintsOfReading } from '../../fuzz/read-back.ts';
import type { Resolved } from '../../fuzz/resolve.ts';
import { validators } from '../../support/api-promise.ts';

const document: ApiDocument = JSON.parse(JSON.stringify(describeApi(sections, '1.2.3')));
const operations = operationsOf(document);
const parts = {
  components: document.components,
  vocabulary: {
    texts: ['default'],
    of: { name: ['x'] },
    keys: ['k'],
    keysOf: {},
    numbersOf: {},
    times: ['2026-01-31T00:00:00Z'],
  },
};
const validatorFor = validators(document.components);
const bodies = operations.flatMap(({ id, body }) => (body ? [{ id, body }] : []));

describe.each(bodies)('bodies of $id', ({ body }) => {
  test('that are made from the schema fit it', () => {
    const isValid = validatorFor(body);
    const property = fc.property(anyOfSchema(body, parts), (value) => isValid(JSON.parse(JSON.stringify(value))));
    fc.assert(property, { seed: 1, numRuns: 100 });
  });

  test('with one difference often do not', () => {
    const isValid = validatorFor(body);
    const changed = fc
      .tuple(anyOfSchema(body, parts), anyMutation())
      .map(([value, how]) => mutated(value, how) ?? null);
    const misfits = fc.sample(changed, { seed: 1, numRuns: 200 }).filter((value) => !isValid(value));
    expect(misfits.length).toBeGreaterThan(30);
  });
});

test('a mutation changes a copy', () => {
  const value = Object.freeze({ list: Object.freeze([Object.freeze({ a: 1 })]) });
  fc.assert(
    fc.property(anyMutation(), (mutation) => void mutated(value, mutation)),
    { seed: 1, numRuns: 500 },
  );
  expect(value).toEqual({ list: [{ a: 1 }] });
  const key = '__proto__';
  const inserted = mutated({}, { at: 0, how: 'insert', key, value: { polluted: true } });
  expect(JSON.stringify(inserted)).toBe('{"__proto__":{"polluted":true}}');
});

const operationNamed = (id: string): Operation => {
  const found = operations.find((operation) => operation.id === id);
  if (!found) throw new Error(`there is no operation ${id}`);
  return found;
};
const flagPath = '/api/admin/projects/shop/features/plain';

interface Sending {
  readonly id?: string;
  readonly breach?: Resolved['breach'];
  readonly dryRun?: boolean;
  readonly match?: Resolved['match'];
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly text?: string;
}

function sent({ id = 'putProjectFeature', path = flagPath, ...more }: Sending): Resolved {
  const operation = operationNamed(id);
  const { headers = { 'Content-Type': 'application/json' }, text = '{}', breach, dryRun = false, match } = more;
  return {
    request: { method: operation.method, path, headers, text },
    operation,
    path,
    flag: 'plain',
    breach,
    dryRun,
    match,
  };
}

const answered = (status: number, body: object | undefined = undefined) => {
  return { status, headers: new Headers(), text: body === undefined ? '' : JSON.stringify(body) };
};
const invalid = (message: string) => answered(400, { name: 'ValidationError', message });

describe('findings about an answer', () => {
  test.each<[string, Sending, ReturnType<typeof answered>, string]>([
    ['500', {}, answered(500), 'answers 500'],
    ['503 while the control plane is there', {}, answered(503), 'answers 503'],
    ['200 to a body that the schema refuses', { breach: 'body' }, answered(200), 'answers 200 though'],
    ['404 before the body is looked at', { breach: 'body' }, answered(404), 'answers 404 though'],
    ['200 to a query that is wrong', { breach: 'query' }, answered(200), 'refuses the query'],
    ['200 to text', { breach: 'content type' }, answered(200), 'refuses the content type'],
    ['400 for what the schema allows', {}, invalid('Request validation failed: `type` is odd'), 'not known'],
    [
      '400 as if the path did not lead there, where there is no patch',
      {},
      invalid('Could not apply provided patch'),
      'not known',
    ],
    ['412 without If-Match', {}, answered(412), 'answers 412'],
    ['412 with the present ETag', { match: 'fresh' }, answered(412), 'answers 412'],
    ['200 with another ETag', { match: 'stale' }, answered(200), 'If-Match forbids'],
    ['413 to a small body', {}, answered(413), '413 to a body within'],
    ['415 to JSON', {}, answered(415), '415 to plain JSON'],
    ['a conflict', {}, answered(409, { name: 'ConcurrentUpdateError' }), 'a conflict'],
  ])('%s is reported', (_, sending, answer, words) => {
    expect(complaintsOf(sent(sending), answer).join()).toContain(words);
  });

  test.each<[string, Sending, ReturnType<typeof answered>]>([
    ['200', {}, answered(200)],
    ['404', {}, answered(404)],
    ['400 to a body that the schema refuses', { breach: 'body' }, answered(400)],
    ['415 to text', { breach: 'content type' }, answered(415)],
    ['412 with another ETag', { match: 'stale' }, answered(412)],
    ['413 to a large body', { text: 'x'.repeat(100_001) }, answered(413)],
    ['400 for a rule without words in JSON Schema', {}, invalid('Cannot change the name of a flag. You sent')],
    ['a name that is taken', {}, answered(409, { name: 'NameExistsError' })],
  ])('%s is accepted', (_, sending, answer) => {
    expect(complaintsOf(sent(sending), answer)).toEqual([]);
  });
});

describe('findings about the first event of a stream', () => {
  const complaints = (id: string, text: string) =>
    complaintsOfStream(
      { operations: new Map(operations.map((operation) => [operation.id, operation])), validatorFor },
      sent({ id }),
      { ...answered(200), text },
    );
  const delta = (events: readonly object[]) => `id: a-1\nevent: unleash-connected\ndata: ${JSON.stringify({ events })}`;
  const [changes, flags, ofrep] = ['getChanges', 'getApiClientStreaming', 'getOfrepV1Streams'] as const;

  test('each stream has a description', () => {
    for (const { id } of operations.filter(({ streams }) => streams)) {
      expect(complaints(id, 'id: a-1\n\n')).not.toContain('is a stream whose first event is not known');
    }
  });

  test.each<[string, string, string]>([
    [changes, 'id: a-1\nevent: connected\ndata: {}', 'no whole event'],
    [changes, ':\n\n', 'the line :'],
    [changes, 'event: connected\ndata: {}\n\n', 'without an id'],
    [changes, 'id: a-1\nevent: change\ndata: {}\n\n', 'has change as its first event'],
    [flags, `${delta([{ type: 'strange' }])}\n\n`, 'other data'],
    [flags, 'id: a-1\nevent: unleash-connected\ndata: {"events":\n\n', 'other data'],
  ])('%s: %j is reported', (id, text, words) => {
    expect(complaints(id, text).join()).toContain(words);
  });

  test.each([
    [changes, 'id: a-1\nevent: resync\ndata: {}\n\nid: a'],
    [flags, `${delta([])}\n\n`],
    [ofrep, 'id: a-1\n\n'],
  ])('%s: %j is accepted', (id, text) => {
    expect(complaints(id, text)).toEqual([]);
  });
});

test('findings about an answer that contradicts its request', () => {
  const asked = sent({ text: '{"description":"a","type":"release"}' });
  expect(complaintsOfEcho(asked, answered(200, { description: 'b', type: 'release' }))).toEqual([
    'is acknowledged with another description',
  ]);
  expect(complaintsOfEcho(asked, answered(200, { description: 'a', type: 'release' }))).toEqual([]);
});

describe('findings about a read after a write', () => {
  const reading = (sending: Sending, answer: ReturnType<typeof answered>, found: ReturnType<typeof answered>) =>
    complaintsOfReading({ send: async () => found, close: () => undefined }, sent(sending), answer);
  const on = { id: 'postProjectFeatureEnvironmentOn', path: `${flagPath}/environments/production/on` };
  const removed = { id: 'deleteProjectFeatureEnvironmentStrategy', path: `${flagPath}/environments/e/strategies/s` };

  test.each<[string, Sending, ReturnType<typeof answered>, ReturnType<typeof answered>]>([
    ['another description', {}, answered(200, { description: 'a' }), answered(200, { description: 'b' })],
    ['nothing there', {}, answered(200, { description: 'a' }), answered(404, {})],
    ['still off', on, answered(200), answered(200, { enabled: false })],
    ['still there', removed, answered(200), answered(200, { name: 'default' })],
  ])('%s is reported', async (_, sending, answer, found) => {
    expect((await reading(sending, answer, found)).join()).toContain('is acknowledged, and then');
    expect(await reading({ ...sending, dryRun: true }, answer, found)).toEqual([]);
  });

  test.each<[string, Sending, ReturnType<typeof answered>, ReturnType<typeof answered>]>([
    [
      'the same and more',
      {},
      answered(200, { description: 'a' }),
      answered(200, { description: 'a', environments: [] }),
    ],
    ['on', on, answered(200), answered(200, { enabled: true })],
    ['gone', removed, answered(200), answered(404, {})],
    ['after a refusal', {}, answered(404, {}), answered(404, {})],
  ])('%s is accepted', async (_, sending, answer, found) => {
    expect(await reading(sending, answer, found)).toEqual([]);
  });
});
