/** The frontend API over HTTP: what a public token gets, and what it never gets. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Constraint } from '../../src/schema/constraint.ts';
import { frontendToggle, frontendToggles } from '../../src/wire/client/toggle.ts';
import { adminClient, type CallOptions } from '../support/admin-client.ts';
import { aFlag } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { startOperator } from '../support/operator.ts';
import { readMetric } from '../support/read-metric.ts';
import { tokenValue } from '../support/sdk-world.ts';

const settings = { VEXIL_AUTH: 'token', VEXIL_ADMIN_TOKEN: `*:*.${'7c'.repeat(28)}` };
const FLAGS = 'GET //api/frontend';
const forAll = { enabled: true, strategies: { all: { name: 'default' } } };
const within = (constraint: Constraint) => ({
  enabled: true,
  strategies: { some: { name: 'default', constraints: [constraint] } },
});
const isIn = (contextName: string, value: string): Constraint => ({ contextName, operator: 'IN', values: [value] });
let instance: Instance;
let page: string;
let shopOnly: string;
let backend: string;

beforeAll(async () => {
  instance = await startInstance('frontend', { settings });
  const { home, other } = instance;
  const payload = { type: 'string' as const, value: 'red' };
  await instance.apply(
    aFlag(`${home}/plain`, { environments: { production: forAll }, impressionData: true }),
    aFlag(`${home}/coloured`, { variants: [{ name: 'red', payload }], environments: { production: forAll } }),
    aFlag(`${home}/german`, { environments: { production: within(isIn('country', 'de')) } }),
    aFlag(`${home}/for-ada`, { environments: { production: within(isIn('userId', 'ada@example.com')) } }),
    aFlag(`${home}/nearby`, { environments: { production: within(isIn('remoteAddress', '127.0.0.1')) } }),
    aFlag(`${home}/placed`, { environments: { production: within(isIn('environment', 'production')) } }),
    aFlag(`${home}/off`, { environments: { development: forAll } }),
    aFlag(`${home}/gone`, { archived: true, environments: { production: forAll } }),
    aFlag(`${other}/invoice`, { project: 'pay', environments: { production: forAll } }),
  );
  page = await tokenValue(instance, 'page', { type: 'frontend' });
  shopOnly = await tokenValue(instance, 'shop-page', { type: 'frontend', projects: ['shop'] });
  backend = await tokenValue(instance, 'backend');
});
afterAll(() => instance.stop());

const ask = (request: string, { token = page, ...options }: CallOptions & { readonly token?: string } = {}) =>
  adminClient(instance.url, { authorization: token })(request, options);
const namesIn = async (request: string, options?: Parameters<typeof ask>[1]) => {
  const { status, body } = await ask(request, options);
  expect(status).toBe(200);
  return body.toggles.map(({ name }: { readonly name: string }) => name);
};
const EVERYBODY = ['coloured', 'invoice', 'nearby', 'placed', 'plain'];

describe('GET /api/frontend', () => {
  test('has the flags that are on for the context, by name, with their variants', async () => {
    const { status, body, headers } = await ask(FLAGS);
    expect([status, headers.get('cache-control'), headers.get('vary')]).toEqual([
      200,
      'private, no-cache',
      'Authorization',
    ]);
    expect(frontendToggles.safeParse(body).error).toBeUndefined();
    const none = { name: 'disabled', enabled: false, feature_enabled: true, featureEnabled: true };
    const red = { name: 'red', enabled: true, payload: { type: 'string', value: 'red' } };
    expect(body.toggles).toEqual([
      { name: 'coloured', enabled: true, variant: { ...none, ...red }, impressionData: false },
      ...['invoice', 'nearby', 'placed'].map((name) => ({ name, enabled: true, variant: none, impressionData: false })),
      { name: 'plain', enabled: true, variant: none, impressionData: true },
    ]);
    expect(await namesIn(FLAGS, { token: shopOnly })).toEqual(EVERYBODY.filter((name) => name !== 'invoice'));
  });

  test.each([
    ['a field', '?userId=ada%40example.com', 'for-ada'],
    ['a property in brackets', '?properties[country]=de', 'german'],
    ['percent-encoded brackets', '?properties%5Bcountry%5D=de', 'german'],
    ['any other name', '?country=de', 'german'],
  ])('the context is in the query: %s', async (_, query, name) => {
    expect(await namesIn(FLAGS + query)).toContain(name);
  });

  test('the address is that of the caller unless the context has one; the environment is that of the token', async () => {
    expect(await namesIn(`${FLAGS}?remoteAddress=192.0.2.1`)).not.toContain('nearby');
    expect(await namesIn(`${FLAGS}?environment=development&properties[environment]=development`)).toEqual(EVERYBODY);
  });

  test.each([
    ['a name twice', '?userId=1&userId=2'],
    ['a long value', `?userId=${'x'.repeat(2000)}`],
    ['many values', `?${Array.from({ length: 201 }, (_, index) => `p${index}=1`).join('&')}`],
  ])('%s is invalid', async (_, query) => {
    const { status, body } = await ask(FLAGS + query);
    expect([status, body.name]).toEqual([400, 'ValidationError']);
  });

  test('answers 304 to a request with the current ETag, and 200 after a change for this context', async () => {
    const request = `${FLAGS}?userId=ada%40example.com&sessionId=1`;
    const etag = (await ask(request)).headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[\w-]+"$/);
    const again = (asked: string) => ask(asked, { headers: { 'if-none-match': etag } });
    const { status, text } = await again(request);
    expect([status, text]).toEqual([304, '']);
    expect((await again(`${FLAGS}?userId=eve&sessionId=1`)).status).toBe(200);
    await instance.apply(aFlag(`${instance.home}/for-ada`, { environments: {} }));
    await waitUntil({ what: 'it is answered anew', everyMs: 10 }, async () => (await again(request)).status === 200);
    await instance.apply(
      aFlag(`${instance.home}/for-ada`, { environments: { production: within(isIn('userId', 'ada@example.com')) } }),
    );
  });

  test('has the same tag on all replicas', async () => {
    const replica = await startOperator(instance.cluster, instance.home, { watched: [instance.other], settings });
    const request = `${FLAGS}?userId=7&sessionId=1`;
    const answer = await adminClient(replica.url, { authorization: page })(request);
    await replica.stop();
    expect(answer.headers.get('etag')).toBe((await ask(request)).headers.get('etag'));
  });
});

describe('POST /api/frontend', () => {
  const post = (context: unknown, request = 'POST //api/frontend') => ask(request, { body: { context } });

  test('answers the same for a context in the body; numbers and booleans are texts', async () => {
    const context = { userId: 'ada@example.com', sessionId: '1', properties: { country: 'de', age: 5, old: false } };
    const { body, headers } = await post(context);
    const query = '?userId=ada%40example.com&sessionId=1&country=de';
    expect(body).toEqual((await ask(FLAGS + query)).body);
    const options = { body: { context }, headers: { 'if-none-match': headers.get('etag') ?? '' } };
    expect((await ask('POST //api/frontend', options)).status).toBe(304);
  });

  test('without a context it is that of the caller', async () => {
    const { body } = await ask('POST //api/frontend', { body: {} });
    expect(body).toEqual((await ask(FLAGS)).body);
  });

  test.each<[string, unknown]>([
    ['a list', []],
    ['a text', 'x'],
    ['a long value', { userId: 'x'.repeat(2000) }],
    ['a name that no object may have', JSON.parse('{"__proto__": "x"}')],
  ])('a context that is %s is invalid', async (_, context) => {
    const { status, body } = await post(context);
    expect([status, body.name]).toEqual([400, 'ValidationError']);
  });

  test('a body above 64 KiB is too large', async () => {
    const { status } = await ask('POST //api/frontend', { body: { filler: 'x'.repeat(65_536) } });
    expect(status).toBe(413);
  });
});

describe('/api/frontend/all and /api/frontend/features/:featureName', () => {
  test.each([
    ['GET //api/frontend/all?country=de', {}],
    ['POST //api/frontend/all', { body: { context: { country: 'de' } } }],
  ])('%s has flags that are off, too', async (request, options) => {
    expect(await namesIn(request, options)).toEqual([...EVERYBODY, 'for-ada', 'german', 'off'].toSorted());
    const { body } = await ask(request, options);
    const on = body.toggles.flatMap(({ name, enabled }: Record<string, unknown>) => (enabled ? [name] : []));
    expect(on).toEqual([...EVERYBODY, 'german'].toSorted());
  });

  test.each([
    ['GET //api/frontend/features/german?country=de', {}, true],
    ['GET //api/frontend/features/german', {}, false],
    ['POST //api/frontend/features/german', { body: { context: { country: 'de' } } }, true],
  ])('%s', async (request, options, enabled) => {
    const { status, body } = await ask(request, options);
    expect([status, body.enabled, body.variant.feature_enabled]).toEqual([200, enabled, enabled]);
    expect(frontendToggle.safeParse(body).error).toBeUndefined();
  });

  test.each(['none', 'gone', 'invoice'])('%s does not exist for a token of the shop', async (name) => {
    const { status, body } = await ask(`${FLAGS}/features/${name}`, { token: shopOnly });
    expect([status, body.name]).toEqual([404, 'NotFoundError']);
  });
});

describe('a public token', () => {
  const everywhere = ['GET //api/frontend', 'GET //api/frontend/all', 'GET //api/frontend/features/for-ada'];

  test.each(everywhere)('%s leaks no rule, no other project, no user', async (request) => {
    const { text } = await ask(request, { token: shopOnly });
    for (const secret of ['ada@example.com', 'country', 'strateg', 'constraint', 'invoice', '"pay"', 'description']) {
      expect(text).not.toContain(secret);
    }
  });

  test('is accepted by nothing else, and no other token is accepted by the frontend API', async () => {
    const others = ['GET //api/client/features', 'POST //api/client/metrics', 'GET /projects', 'GET /ui-config'];
    for (const request of others) expect([request, (await ask(request)).status]).toEqual([request, 403]);
    const paths = [FLAGS, 'POST //api/frontend/client/metrics', `${FLAGS}/features/plain`];
    for (const request of paths) {
      for (const token of [backend, settings.VEXIL_ADMIN_TOKEN]) {
        const { status, body } = await ask(request, { token });
        expect([request, status, body.name]).toEqual([request, 403, 'PermissionError']);
      }
      expect((await ask(request, { token: `${page}0` })).status).toBe(401);
      expect((await adminClient(instance.url)(request)).status).toBe(401);
    }
  });

  test('that is deleted is 401', async () => {
    const gone = await tokenValue(instance, 'deleted-page', { type: 'frontend' });
    expect((await ask(FLAGS, { token: gone })).status).toBe(200);
    await instance.cluster.deleteObject('apitoken/deleted-page', instance.home);
    await waitUntil(
      { what: 'the token is refused', everyMs: 10 },
      async () => (await ask(FLAGS, { token: gone })).status === 401,
    );
  });
});

describe('reports', () => {
  test('count as those of SDKs, and answer 200 to anything', async () => {
    const series = 'vexil_sdk_evaluations_total{environment="production",result="yes"}';
    const before = (await readMetric(instance.opsUrl, series)) ?? 0;
    const toggles = { plain: { yes: 2, no: 1, variants: {} } };
    for (const body of [{ bucket: { start: 0, stop: 0, toggles } }, {}, [], '{"a']) {
      const { status, text } = await ask('POST //api/frontend/client/metrics', { body });
      expect([status, text]).toEqual([200, '']);
    }
    expect(await readMetric(instance.opsUrl, series)).toBe(before + 2);
    expect((await ask('POST //api/frontend/client/register', { body: { appName: 'a' } })).status).toBe(200);
  });
});
