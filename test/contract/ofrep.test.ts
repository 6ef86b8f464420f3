/** OFREP over HTTP: values, errors, 304, callers. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ofrepEvaluation, ofrepEvaluations } from '../../src/wire/ofrep/shapes.ts';
import { adminClient, type CallOptions } from '../support/admin-client.ts';
import { aFlag } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { readMetric } from '../support/read-metric.ts';
import { tokenValue } from '../support/sdk-world.ts';
import type { Stored } from '../support/stored.ts';
import { usageFile } from '../support/stored-usage.ts';

const ADMIN_TOKEN = `*:*.${'6f'.repeat(28)}`;
const ALL = 'POST //ofrep/v1/evaluate/flags';
const forAll = { enabled: true, strategies: { all: { name: 'default' } } };
const staff = { contextName: 'userId', operator: 'STR_ENDS_WITH' as const, values: ['@example.com'] };
let instance: Instance;
let archive: Awaited<ReturnType<typeof usageFile>>;
let backend: string;
let shopOnly: string;

beforeAll(async () => {
  archive = await usageFile();
  instance = await startInstance('ofrep', {
    settings: { VEXIL_AUTH: 'token', VEXIL_ADMIN_TOKEN: ADMIN_TOKEN, ...archive.settings },
  });
  const { home, other } = instance;
  const payload = { type: 'number' as const, value: '5.0' };
  await instance.apply(
    aFlag(`${home}/plain`, { environments: { production: forAll }, stale: true }),
    aFlag(`${home}/kill`, { environments: { production: { ...forAll, enabled: false } } }),
    aFlag(`${home}/ratio`, { variants: [{ name: 'five', payload }], environments: { production: forAll } }),
    aFlag(`${home}/ratio-off`, { variants: [{ name: 'five', payload }] }),
    aFlag(`${home}/staff`, {
      environments: { production: { enabled: true, strategies: { some: { name: 'default', constraints: [staff] } } } },
    }),
    aFlag(`${other}/invoice`, { project: 'pay', environments: { production: forAll } }),
  );
  backend = await tokenValue(instance, 'backend');
  shopOnly = await tokenValue(instance, 'shop-page', { type: 'frontend', projects: ['shop'] });
});
afterAll(async () => {
  await instance.stop();
  await archive.remove();
});

const ask = (request: string, { token = backend, ...options }: CallOptions & { readonly token?: string } = {}) =>
  adminClient(instance.url, { authorization: `Bearer ${token}` })(request, { body: { context: {} }, ...options });
const askFor = (key: string, context: unknown = {}) => ask(`${ALL}/${key}`, { body: { context } });

describe('one flag', () => {
  test('has value, variant, reason and metadata', async () => {
    const { status, body } = await askFor('plain');
    expect([status, body]).toEqual([
      200,
      {
        key: 'plain',
        reason: 'STATIC',
        variant: 'enabled',
        value: true,
        metadata: {
          ...{ enabled: true, environment: 'production', project: 'shop', stale: true },
          ...{ flagSetId: 'shop/production', version: expect.stringMatching(/^[0-9a-f]{12}$/) },
        },
      },
    ]);
    expect(ofrepEvaluation.safeParse(body).error).toBeUndefined();
  });

  test('a kill switch that is off is false', async () => {
    expect((await askFor('kill')).body).toMatchObject({ value: false, variant: 'disabled', reason: 'STATIC' });
  });

  test('a number is sent as it is written, and a flag with payloads has no value while it is off', async () => {
    expect((await askFor('ratio')).text).toContain('"value":5.0}');
    const { body } = await askFor('ratio-off');
    expect(body).toMatchObject({ variant: 'disabled', metadata: { enabled: false } });
    expect(Object.keys(body)).not.toContain('value');
  });

  test.each<[unknown, boolean]>([
    [{ targetingKey: 'ada@example.com' }, true],
    [{ targetingKey: 'ada@example.com', userId: 'eve' }, false],
    [{ targetingKey: 'eve', userId: 'ada@example.com' }, true],
    [{ properties: { userId: 'ada@example.com' } }, false],
    [{}, false],
  ])('the targeting key is the user, unless the context has one: %j', async (context, value) => {
    const { body } = await askFor('staff', context);
    expect([body.value, body.reason]).toEqual([value, 'TARGETING_MATCH']);
  });

  test('counts as usage', async () => {
    const evaluated = async (result: string) =>
      (await readMetric(instance.opsUrl, `vexil_sdk_evaluations_total{environment="production",result="${result}"}`)) ??
      0;
    const [yes, no] = [await evaluated('yes'), await evaluated('no')];
    await askFor('plain');
    await askFor('kill');
    await ask(ALL);
    expect([await evaluated('yes'), await evaluated('no')]).toEqual([yes + 1, no + 1]);
  });
});

describe('all flags', () => {
  test('by name, those of the token', async () => {
    const { status, body } = await ask(ALL);
    expect(status).toBe(200);
    expect(ofrepEvaluations.safeParse(body).error).toBeUndefined();
    const keys = body.flags.map(({ key }: { readonly key: string }) => key);
    expect(keys).toEqual(['invoice', 'kill', 'plain', 'ratio', 'ratio-off', 'staff']);
    expect(body.flags[2]).toEqual((await askFor('plain')).body);
    const { body: ofShop } = await ask(ALL, { token: shopOnly });
    expect(ofShop.flags.map(({ key }: { readonly key: string }) => key)).toEqual(keys.slice(1));
  });

  test('304 for the same context, 200 for another', async () => {
    const etag = (await ask(ALL)).headers.get('etag') ?? '';
    const again = (context: unknown) => ask(ALL, { body: { context }, headers: { 'if-none-match': etag } });
    const { status, text } = await again({ targetingKey: 'eve' });
    expect([status, text]).toEqual([304, '']);
    expect((await again({ targetingKey: 'ada@example.com' })).status).toBe(200);
  });

  test('a public token gets no rule, no other project, no user', async () => {
    const { text } = await ask(ALL, { token: shopOnly });
    for (const secret of ['example.com', 'STR_ENDS_WITH', 'strateg', 'invoice', 'pay"'])
      expect(text).not.toContain(secret);
  });
});

describe('errors', () => {
  test.each<[string, string, unknown, number, string]>([
    ['no such flag', `${ALL}/none`, { context: {} }, 404, 'FLAG_NOT_FOUND'],
    ['no JSON', `${ALL}/plain`, '{', 400, 'PARSE_ERROR'],
    ['no object', `${ALL}/plain`, [], 400, 'PARSE_ERROR'],
    ['too large', `${ALL}/plain`, { filler: 'x'.repeat(65_536) }, 413, 'PARSE_ERROR'],
    ['a context that is a text', `${ALL}/plain`, { context: 'x' }, 400, 'INVALID_CONTEXT'],
    ['a context that is null', ALL, { context: null }, 400, 'INVALID_CONTEXT'],
    ['a long value', ALL, { context: { targetingKey: 'x'.repeat(2000) } }, 400, 'INVALID_CONTEXT'],
  ])('%s', async (_, request, body, status, errorCode) => {
    const answer = await ask(request, { body });
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const [key] = request.startsWith(`${ALL}/`) ? [request.slice(ALL.length + 1)] : [];
    expect([answer.status, answer.body.errorCode, answer.body.key]).toEqual([status, errorCode, key]);
    expect(answer.body.errorDetails).toBe(answer.body.message);
  });

  test('a flag of another project does not exist', async () => {
    const { status, body } = await ask(`${ALL}/invoice`, { token: shopOnly });
    expect([status, body.errorCode]).toEqual([404, 'FLAG_NOT_FOUND']);
  });

  test('a context may be left out', async () => {
    expect((await ask(`${ALL}/plain`, { body: {} })).status).toBe(200);
  });
});

describe('callers', () => {
  const call = (headers: Readonly<Record<string, string>>) =>
    adminClient(instance.url)(`${ALL}/plain`, { body: {}, headers });

  test.each(['authorization', 'x-api-key'])('client and frontend tokens, in %s', async (header) => {
    for (const token of [backend, shopOnly]) expect((await call({ [header]: token })).status).toBe(200);
    const { status, body } = await call({ [header]: 'wrong' });
    expect([status, body.errorCode]).toEqual([401, 'GENERAL']);
  });

  test('Authorization is used if there are both; an admin token is 403', async () => {
    expect((await call({ authorization: 'wrong', 'x-api-key': backend })).status).toBe(401);
    expect((await call({})).status).toBe(401);
    const admin = await tokenValue(instance, 'admin', { type: 'admin' });
    expect((await call({ 'x-api-key': admin })).status).toBe(403);
    expect((await adminClient(instance.url, { 'x-api-key': backend })('GET //api/client/features')).status).toBe(401);
  });
});

test.each([
  ['ratio', { yes: 1, no: 0, variants: { five: 1 } }],
  ['ratio-off', { yes: 0, no: 1, variants: { disabled: 1 } }],
  ['plain', { yes: 1, no: 0 }],
])('an evaluation of %s counts %j, for the application that the header names', async (key, counts) => {
  const appName = `shop-${key}`;
  await ask(`${ALL}/${key}`, { headers: { 'unleash-appname': appName } });
  await askFor(key);
  const call = adminClient(instance.url, { authorization: ADMIN_TOKEN });
  const rows = await waitUntil({ what: 'both are stored', everyMs: 50 }, async () => {
    const { body } = await call(`GET /client-metrics/features/${key}/raw`);
    const found = (name: string): Stored | undefined =>
      body.data.find(({ appName: of, yes, no }: Stored) => of === name && yes + no > 0);
    const [named, unnamed] = [found(appName), found('ofrep')];
    return named && unnamed && { named, unnamed };
  });
  expect(rows.named).toMatchObject(counts);
});
