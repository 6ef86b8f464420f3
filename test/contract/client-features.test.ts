/** The client API over HTTP: which callers it accepts, what it answers, and 304. */
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TOKEN_LABEL } from '../../src/schema/api-token.ts';
import { clientFeatures } from '../../src/wire/client/shapes.ts';
import { type Answer, adminClient } from '../support/admin-client.ts';
import { aFlag } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { startOperator } from '../support/operator.ts';
import { readMetric } from '../support/read-metric.ts';
import { tokenValue } from '../support/sdk-world.ts';
import type { Stored } from '../support/stored.ts';
import { tokensDirectly } from '../support/tokens-directly.ts';

const BOOTSTRAP = `*:*.${'6c'.repeat(28)}`;
const WRONG = `*:production.${'0'.repeat(56)}`;
const FEATURES = 'GET //api/client/features';
const on = { enabled: true, strategies: { all: { name: 'default' } } };
const settings = { VEXIL_AUTH: 'token', VEXIL_ADMIN_TOKEN: BOOTSTRAP };
let instance: Instance;
let backend: string;
let shopOnly: string;

beforeAll(async () => {
  instance = await startInstance('client-api', { settings });
  const { home, other } = instance;
  await instance.apply(
    aFlag(`${home}/checkout`, {
      environments: { production: on },
      tags: ['simple:payments'],
      description: 'x'.repeat(2000),
    }),
    aFlag(`${home}/off`, { environments: { development: on } }),
    aFlag(`${other}/invoice`, { project: 'pay', environments: { production: on } }),
  );
  backend = await tokenValue(instance, 'backend');
  shopOnly = await tokenValue(instance, 'shop-only', { projects: ['shop'] });
});
afterAll(() => instance.stop());

const ask = (authorization: string, request = FEATURES, headers: Readonly<Record<string, string>> = {}) =>
  adminClient(instance.url, { authorization })(request, { headers });
const names = ({ body }: Answer) => body.features.map(({ name }: { readonly name: string }) => name);

describe('GET /api/client/features', () => {
  test('has the flags of the environment and the projects of the token', async () => {
    const answer = await ask(backend);
    expect(answer.status).toBe(200);
    expect(clientFeatures.safeParse(answer.body).error).toBeUndefined();
    expect(answer.body.features).toMatchObject([
      { name: 'invoice', enabled: true, project: 'pay' },
      { name: 'checkout', enabled: true, strategies: [{ name: 'default' }] },
      { name: 'off', enabled: false, strategies: [] },
    ]);
    expect(names(await ask(shopOnly))).toEqual(['checkout', 'off']);
    expect(names(await ask(`Bearer ${shopOnly}`, `${FEATURES}?project=pay&environment=development`))).toEqual([
      'checkout',
      'off',
    ]);
  });

  test('accepts project, tag and namePrefix; a tag without a colon is invalid', async () => {
    expect(names(await ask(backend, `${FEATURES}?project=pay&project=none`))).toEqual(['invoice']);
    expect(names(await ask(backend, `${FEATURES}?tag=simple:none&tag=simple:payments`))).toEqual(['checkout']);
    expect(names(await ask(backend, `${FEATURES}?namePrefix=o`))).toEqual(['off']);
    const refused = await ask(backend, `${FEATURES}?tag=payments`);
    expect([refused.status, refused.body.name]).toEqual([400, 'ValidationError']);
  });

  test('answers 304 to a request with the current ETag, in a list or weak, with headers for caching by proxies', async () => {
    const { headers } = await ask(backend, FEATURES, { 'accept-encoding': 'identity' });
    const etag = headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[\w-]+"$/);
    expect([headers.get('cache-control'), headers.get('vary')]).toEqual([
      'private, no-cache',
      'Authorization, Accept-Encoding, Unleash-Client-Spec, Vexil-Edge',
    ]);
    for (const sent of [etag, `W/${etag}`, `"other", W/${etag}`, '*']) {
      const answer = await ask(backend, FEATURES, { 'if-none-match': sent });
      expect([answer.status, answer.text]).toEqual([304, '']);
    }
    expect((await ask(backend, FEATURES, { 'if-none-match': '"other"' })).status).toBe(200);
    expect((await ask(shopOnly, FEATURES, { 'if-none-match': etag })).status).toBe(200);
  });

  test.each([
    ['gzip', gunzipSync],
    ['br', brotliDecompressSync],
  ] as const)(
    'is compressed with %s for clients that accept it, with the weak form of the same ETag',
    async (encoding, decompress) => {
      const plain = await ask(backend, FEATURES, { 'accept-encoding': 'identity' });
      const headers = { authorization: backend, 'accept-encoding': encoding };
      const [response] = (await once(get(`${instance.url}/api/client/features`, { headers }), 'response')) as [
        IncomingMessage,
      ];
      const bytes = await buffer(response);
      expect(response.headers).toMatchObject({
        'content-encoding': encoding,
        'content-length': `${bytes.length}`,
        etag: `W/${plain.headers.get('etag')}`,
      });
      expect(`${decompress(bytes)}`).toBe(plain.text);
    },
  );

  test('has the same tag on all replicas', async () => {
    const replica = await startOperator(instance.cluster, instance.home, { watched: [instance.other], settings });
    const answer = await adminClient(replica.url, { authorization: backend })(FEATURES);
    await replica.stop();
    expect(answer.headers.get('etag')).toBe((await ask(backend)).headers.get('etag'));
  });
});

describe('GET /api/client/features/:featureName', () => {
  const one = (token: string, name: string) => ask(token, `${FEATURES}/${name}`);

  test('has the flag, unless the token does not include it', async () => {
    const [, checkout] = (await ask(backend)).body.features;
    expect((await one(backend, 'checkout')).body).toEqual(checkout);
    expect((await one(shopOnly, 'checkout')).body).toEqual(checkout);
    for (const [token, name] of [
      [shopOnly, 'invoice'],
      [backend, 'none'],
    ] as const) {
      const { status, body } = await one(token, name);
      expect([status, body.name]).toEqual([404, 'NotFoundError']);
    }
  });
});

describe('callers', () => {
  test('a token of an SDK is refused by the admin API', async () => {
    expect((await ask(backend, 'GET /projects')).status).toBe(403);
  });

  test('a token that is deleted is 401 at once', async () => {
    const gone = await tokenValue(instance, 'gone');
    expect((await ask(gone)).status).toBe(200);
    await instance.cluster.deleteObject('apitoken/gone', instance.home);
    await waitUntil({ what: 'the token is refused', everyMs: 10 }, async () => (await ask(gone)).status === 401);
  });

  test('a token whose Secret is missing makes no other value uncertain', async () => {
    const tokens = tokensDirectly(instance.kubeconfig, instance.home);
    await tokens.create('waiting', { secretRef: { name: 'later' } });
    await tokens.untilRecorded('waiting', 'Error SecretNotFound spec.secretRef');
    expect([(await ask(WRONG)).status, (await ask(backend)).status]).toEqual([401, 200]);
    const validated = await adminClient(instance.url)('POST //edge/validate', { body: { tokens: [WRONG] } });
    expect([validated.status, validated.body]).toEqual([200, { tokens: [] }]);
    await tokens.delete('apitokens', 'waiting');
    tokens.close();
  });

  test('a value in a Secret that the operator has not recorded yet is 503, and never 401', async () => {
    const tokens = tokensDirectly(instance.kubeconfig, instance.home);
    await tokens.create('brought', { secretRef: { name: 'own' } });
    await tokens.untilRecorded('brought', 'Error SecretNotFound spec.secretRef');
    const value = 'a-value-that-comes-later';
    await tokens.createSecret('own', { value, labels: { [TOKEN_LABEL]: 'brought' } });
    const { status, headers } = await ask(value);
    expect([status, headers.get('retry-after')]).toEqual([503, '1']);
    // This answer comes after a read of the Secrets that began after both requests were sent.
    await waitUntil({ what: 'another value is 401', everyMs: 10 }, async () => (await ask(`${value}0`)).status === 401);
    expect((await ask(value)).status).toBe(503);
    const validated = await adminClient(instance.url)('POST //edge/validate', { body: { tokens: [value] } });
    expect(validated.status).toBe(503);
    await tokens.nudge('brought');
    const answers = new Set<number>();
    await waitUntil({ what: 'the value is good', everyMs: 10 }, async () => {
      answers.add((await ask(value)).status);
      return answers.has(200);
    });
    expect([...answers].filter((one) => one !== 503)).toEqual([200]);
    await tokens.delete('apitokens', 'brought');
    tokens.close();
  });
});

describe('POST /edge/validate', () => {
  const validate = (body: unknown) => adminClient(instance.url)('POST //edge/validate', { body });

  test('logs many wrong values as failures to authenticate', async () => {
    await validate({ tokens: Array.from({ length: 100 }, (_, index) => `guess-${index}`) });
    const isLogged = ({ msg, failures }: Stored) => msg === 'authentication: repeated failures' && failures >= 10;
    expect(instance.log.some(isLogged)).toBe(true);
  });

  test('reports the scope of valid tokens, without a token of its own', async () => {
    // Unknown values are in doubt until the Secrets have been read again.
    const { status, body } = await waitUntil({ what: 'it is certain' }, async () => {
      const answer = await validate({ tokens: [shopOnly, 'wrong', BOOTSTRAP, backend] });
      return answer.status !== 503 && answer;
    });
    expect([status, body]).toEqual([
      200,
      {
        tokens: [
          { token: shopOnly, type: 'client', environment: 'production', projects: ['shop'] },
          { token: backend, type: 'client', environment: 'production', projects: ['*'] },
        ],
      },
    ]);
  });

  test('accepts at most a hundred tokens', async () => {
    expect((await validate({ tokens: Array(100).fill(backend) })).status).toBe(200);
    for (const body of [{}, { tokens: Array(101).fill(backend) }, { tokens: [5] }])
      expect((await validate(body)).status).toBe(400);
  });
});

describe('reports', () => {
  const send = (path: string, body: unknown) =>
    adminClient(instance.url, { authorization: backend })(`POST //api/client/${path}`, { body });
  const evaluated = (result: string) =>
    readMetric(instance.opsUrl, `vexil_sdk_evaluations_total{environment="production",result="${result}"}`);

  test('are summed up for each environment', async () => {
    const before = [await evaluated('yes'), await evaluated('no')];
    const toggles = { f: { yes: 2, no: 1, variants: { a: 2 } }, g: { yes: 3, no: -5 }, h: { yes: 1.5 } };
    await send('metrics', { appName: 'a', bucket: { start: 0, stop: 0, toggles } });
    const entry = { featureName: 'f', appName: 'a', timestamp: '2026-01-01T00:00:00Z', yes: 10, no: 20 };
    const metrics = [
      { ...entry, environment: 'production' },
      { ...entry, environment: 'development' },
    ];
    await send('metrics/bulk', { applications: [], metrics });
    const [yes = 0, no = 0] = before;
    expect([await evaluated('yes'), await evaluated('no')]).toEqual([yes + 15, no + 21]);
  });
});
