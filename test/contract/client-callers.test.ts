/** The client API without authentication, and with a limit of requests. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { adminClient } from '../support/admin-client.ts';
import { aFlag, aToken } from '../support/builders.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { tokenValue } from '../support/sdk-world.ts';

const FEATURES = 'GET //api/client/features';
const on = { enabled: true, strategies: { all: { name: 'default' } } };

describe('without authentication', () => {
  let instance: Instance;
  beforeAll(async () => {
    instance = await startInstance('client-anyone');
    await instance.apply(aFlag(`${instance.home}/f`, { environments: { production: on } }));
  });
  afterAll(() => instance.stop());

  test('the query names the environment; the default is the first one in order', async () => {
    const enabledIn = async (query: string) => {
      const { body } = await instance.call(`${FEATURES}${query}`);
      return [body.query.environment, body.features[0].enabled];
    };
    expect(await enabledIn('')).toEqual(['development', false]);
    expect(await enabledIn('?environment=production')).toEqual(['production', true]);
    const { status, body } = await instance.call(`${FEATURES}?environment=none`);
    expect([status, body.name]).toEqual([404, 'NotFoundError']);
    expect((await instance.call('POST //api/client/metrics', { body: {} })).status).toBe(202);
    // SDKs of browsers name `default` where the application names none.
    for (const query of ['', '?environment=default']) {
      expect((await instance.call(`GET //api/frontend${query}`)).body).toEqual({ toggles: [] });
    }
    const { body: inProduction } = await instance.call('GET //api/frontend?environment=production');
    expect(inProduction.toggles).toMatchObject([{ name: 'f' }]);
    const { body: evaluated } = await instance.call('POST //ofrep/v1/evaluate/flags', { body: {} });
    const address = evaluated.eventStreams[0].endpoint.requestUri;
    expect((await instance.call(`HEAD /${address}`)).status).toBe(200);
    expect((await instance.call(`HEAD /${address}-not`)).status).toBe(404);
  });

  test('a token names the environment unless the query does, and a token that is not known names none', async () => {
    const token = await tokenValue(instance, 'production', { environment: 'production' });
    const environmentFor = async (authorization: string, query = '') =>
      (await adminClient(instance.url, { authorization })(`${FEATURES}${query}`)).body.query.environment;
    expect(await environmentFor(token)).toBe('production');
    expect(await environmentFor(`Bearer ${token}`)).toBe('production');
    expect(await environmentFor(token, '?environment=development')).toBe('development');
    expect(await environmentFor('unknown')).toBe('development');
  });
});

describe('with a limit', () => {
  const LIMIT = 3;
  let instance: Instance;
  let token: string;
  let other: string;
  beforeAll(async () => {
    const settings = {
      VEXIL_AUTH: 'token',
      VEXIL_SDK_RATE_LIMIT: `${LIMIT}`,
      VEXIL_RATE_LIMIT: '1',
      VEXIL_TRUST_PROXY: '1',
    };
    instance = await startInstance('client-limit', { settings });
    token = await tokenValue(instance, 'one');
    other = await tokenValue(instance, 'other');
  });
  afterAll(() => instance.stop());

  const statusOf = async (authorization: string, request = FEATURES) =>
    (await adminClient(instance.url, { authorization })(request, request.startsWith('POST') ? { body: {} } : {}))
      .status;

  test('each token has its own count, which does not include reports', async () => {
    for (let turn = 0; turn < LIMIT; turn += 1) expect(await statusOf(token)).toBe(200);
    const { status, headers, body } = await adminClient(instance.url, { authorization: token })(FEATURES);
    expect([status, body.name]).toEqual([429, 'RateLimitError']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    for (let turn = 0; turn <= LIMIT; turn += 1) expect(await statusOf(token, 'POST //api/client/metrics')).toBe(202);
    expect(await statusOf(other)).toBe(200);
  });

  test('requests of Edge count by address, whatever header they have', async () => {
    const ask = (authorization: string) =>
      adminClient(instance.url, { authorization })('POST //edge/validate', { body: { tokens: [token] } });
    for (let turn = 0; turn < LIMIT; turn += 1) expect((await ask(`any-${turn}`)).status).toBe(200);
    expect((await ask('another')).status).toBe(429);
  });

  test('a frontend token, which is public, counts for each address separately, including reports', async () => {
    const page = await tokenValue(instance, 'page', { type: 'frontend' });
    const statusFrom = async (address: string, request = 'GET //api/frontend') => {
      const call = adminClient(instance.url, { authorization: page, 'x-forwarded-for': address });
      return (await call(request, request.startsWith('POST') ? { body: {} } : {})).status;
    };
    expect(await statusFrom('192.0.2.1')).toBe(200);
    expect(await statusFrom('192.0.2.1', 'POST //api/frontend/client/metrics')).toBe(200);
    expect(await statusFrom('192.0.2.1', 'POST //ofrep/v1/evaluate/flags')).toBe(200);
    expect(await statusFrom('192.0.2.1')).toBe(429);
    expect(await statusFrom('192.0.2.2')).toBe(200);
  });

  test('opening an event stream counts for its token and the address; a wrong address of a stream counts for the address', async () => {
    const page = await tokenValue(instance, 'streaming-page', { type: 'frontend' });
    const callFrom = (from: string) => adminClient(instance.url, { authorization: page, 'x-forwarded-for': from });
    const { body } = await callFrom('192.0.2.3')('POST //ofrep/v1/evaluate/flags', { body: {} });
    const statusFrom = async (from: string, more = '') => {
      const request = `HEAD /${body.eventStreams[0].endpoint.requestUri}${more}`;
      return (await adminClient(instance.url, { 'x-forwarded-for': from })(request)).status;
    };
    for (let turn = 1; turn < LIMIT; turn += 1) expect(await statusFrom('192.0.2.3')).toBe(200);
    expect([await statusFrom('192.0.2.3'), await statusFrom('192.0.2.4')]).toEqual([429, 200]);
    for (let turn = 0; turn < LIMIT; turn += 1) expect(await statusFrom('192.0.2.5', 'x')).toBe(401);
    expect(await statusFrom('192.0.2.5', 'x')).toBe(429);
  });

  test('values that a token of a Secret may still get count by address', async () => {
    const { cluster, home } = instance;
    const own = aToken(`${home}/own-value`, { secretRef: { name: 'not-yet' } });
    await cluster.apply([own]);
    await instance.judged(own);
    const statusFrom = async (number: number) => {
      const headers = { authorization: `guessed-value-${number}`, 'x-forwarded-for': '192.0.2.9:5000' };
      return (await adminClient(instance.url, headers)(FEATURES)).status;
    };
    for (let turn = 0; turn < LIMIT; turn += 1) expect([401, 503]).toContain(await statusFrom(turn));
    expect(await statusFrom(LIMIT)).toBe(429);
    await cluster.deleteObject('apitoken/own-value', home);
  });

  test('addresses with ports count separately', async () => {
    const page = await tokenValue(instance, 'page-with-port', { type: 'frontend' });
    const statusFrom = async (address: string) =>
      (await adminClient(instance.url, { authorization: page, 'x-forwarded-for': address })('GET //api/frontend'))
        .status;
    for (let turn = 0; turn < LIMIT; turn += 1) expect(await statusFrom(`192.0.2.10:${6000 + turn}`)).toBe(200);
    expect(await statusFrom('192.0.2.10:7000')).toBe(429);
    expect(await statusFrom('192.0.2.11:7000')).toBe(200);
  });

  test('wrong tokens count by address', async () => {
    for (let turn = 0; turn < LIMIT; turn += 1) expect(await statusOf(`wrong-${turn}`)).toBe(401);
    expect(await statusOf('wrong')).toBe(429);
    expect(await statusOf('wrong', 'POST //api/client/metrics')).toBe(429);
    expect(await statusOf(other, 'POST //api/client/metrics')).toBe(202);
  });

  test('wrong tokens of reports count by address, and those that Edge asks for one by one', async () => {
    const from = (address: string, authorization = 'wrong') =>
      adminClient(instance.url, { authorization, 'x-forwarded-for': address });
    const report = async () => (await from('192.0.2.20')('POST //api/client/register', { body: {} })).status;
    for (let turn = 0; turn < LIMIT; turn += 1) expect(await report()).toBe(401);
    expect(await report()).toBe(429);
    const validate = async (...tokens: readonly string[]) =>
      (await from('192.0.2.21')('POST //edge/validate', { body: { tokens } })).status;
    expect(await validate(token, 'wrong-1', 'wrong-2', 'wrong-3')).toBe(200);
    expect(await validate(token, 'wrong-4')).toBe(429);
    expect(await validate(token)).toBe(200);
  });
});
