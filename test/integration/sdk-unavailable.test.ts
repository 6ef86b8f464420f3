/**
 * The APIs for SDKs while a replica is unsure: the answer is 503, because SDKs take 401 and 403 as final, and never a
 * wrong value.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TOKEN_LABEL } from '../../src/schema/api-token.ts';
import { type Answer, adminClient, type CallOptions, errorBody } from '../support/admin-client.ts';
import { aFlag } from '../support/builders.ts';
import { environmentOfChart } from '../support/chart/environment-of-chart.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { proxiedKubeconfig, proxyFor } from '../support/fault-proxy/proxied-kubeconfig.ts';
import type { FaultProxy } from '../support/fault-proxy/start-fault-proxy.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { type RunningApp, startApp } from '../support/running-app.ts';
import { tokenValue } from '../support/sdk-world.ts';
import { QUICK_WATCH } from '../support/timings.ts';
import { tokensDirectly } from '../support/tokens-directly.ts';

const on = { enabled: true, strategies: { all: { name: 'default' } } };
const WRONG = `*:production.${'0'.repeat(56)}`;
const OFREP = 'POST //ofrep/v1/evaluate/flags';
const requests: readonly (readonly [string, CallOptions])[] = [
  ['GET //api/frontend', {}],
  ['POST //api/frontend', { body: {} }],
  ['GET //api/frontend/all', {}],
  ['GET //api/frontend/features/plain', {}],
  ['POST //api/frontend/client/metrics', { body: {} }],
  [OFREP, { body: {} }],
  [`${OFREP}/plain`, { body: {} }],
];
/** Requests with a client token. */
const clientRequests: readonly (readonly [string, CallOptions, number])[] = [
  ['GET //api/client/features', {}, 200],
  ['GET //api/client/features/plain', {}, 200],
  ['GET //api/client/delta', {}, 200],
  ['HEAD //api/client/streaming', {}, 200],
  ['POST //api/client/register', { body: {} }, 202],
  ['POST //api/client/metrics', { body: {} }, 202],
  ['POST //api/client/metrics/bulk', { body: {} }, 202],
  ['POST //api/client/metrics/edge', { body: {} }, 202],
];
const settings = { VEXIL_AUTH: 'token', ...QUICK_WATCH };
let instance: Instance;
let proxy: FaultProxy;
/** A second replica, which reaches the API server through the proxy. */
let unsure: RunningApp;
let page: string;
let backend: string;

beforeAll(async () => {
  instance = await startInstance('sdk-unavailable', { settings });
  const { home, other, cluster, kubeconfig } = instance;
  await instance.apply(aFlag(`${home}/plain`, { environments: { production: on } }));
  page = await tokenValue(instance, 'page', { type: 'frontend' });
  backend = await tokenValue(instance, 'backend');
  proxy = await proxyFor(cluster);
  await proxy.close();
  unsure = await startApp({
    ...(await environmentOfChart(home, { watched: [other], settings })),
    KUBECONFIG: await proxiedKubeconfig(proxy, kubeconfig),
  });
});
afterAll(async () => {
  await unsure.stop();
  await proxy.stop();
  await instance.stop();
});

const ask = (request: string, token: string, { url }: Pick<RunningApp, 'url'> = unsure, options: CallOptions = {}) =>
  adminClient(url, { authorization: token })(request, options);

const addressFor = async (token: string): Promise<string> =>
  (await ask(OFREP, token, instance, { body: {} })).body.eventStreams[0].endpoint.requestUri;

function expectUnavailable(request: string, { status, headers, body }: Answer): void {
  expect([request, status, body.name]).toEqual([request, 503, 'UnavailableError']);
  expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  const { errorCode, errorDetails, key: _, ...always } = body;
  expect(errorBody.safeParse(always).error).toBeUndefined();
  if (request.startsWith(OFREP)) expect([errorCode, errorDetails]).toEqual(['GENERAL', body.message]);
}

const validate = (...tokens: readonly string[]) => ask('POST //edge/validate', '', unsure, { body: { tokens } });

/** An answer to HEAD has no body. */
async function expectClientUnavailable(token: string): Promise<void> {
  for (const [request, options] of clientRequests) {
    const answer = await ask(request, token, unsure, options);
    if (!request.startsWith('HEAD')) expectUnavailable(request, answer);
    expect([request, answer.status]).toEqual([request, 503]);
  }
  expectUnavailable('validation', await validate(token));
}

async function expectAllUnavailable(token: string, app: Pick<RunningApp, 'url'> = unsure): Promise<void> {
  for (const [request, options] of requests) expectUnavailable(request, await ask(request, token, app, options));
}

test('a replica that has not read its flags and tokens is unavailable, also to a wrong token', async () => {
  for (const token of [page, WRONG]) await expectAllUnavailable(token);
  expectUnavailable('GET of a stream', await ask(`GET /${await addressFor(page)}`, ''));
  for (const token of [backend, WRONG]) await expectClientUnavailable(token);
  await proxy.open();
  await unsure.ready();
  for (const [request, options, status] of clientRequests)
    expect([request, (await ask(request, backend, unsure, options)).status]).toEqual([request, status]);
  expect((await validate(backend, WRONG)).body.tokens).toMatchObject([{ token: backend }]);
  for (const [request, options] of requests) expect((await ask(request, page, unsure, options)).status).toBe(200);
});

test('a replica that is cut off answers what it knows, and is unavailable for unknown tokens and flags', async () => {
  const known = [OFREP, { body: {} }] as const;
  const { body } = await ask(known[0], page, unsure, known[1]);
  await proxy.close();
  try {
    const later = await tokenValue(instance, 'later', { type: 'frontend' });
    await instance.apply(aFlag(`${instance.home}/later`, { environments: { production: on } }));
    const address = await addressFor(later);
    await waitUntil({ what: 'it knows that it is cut off', everyMs: 20 }, async () => {
      return (await ask('GET //api/frontend/features/later', page)).status === 503;
    });
    await expectAllUnavailable(later);
    // The token is unknown to this replica, which cannot check it. The flags of a known token are served.
    await expectClientUnavailable(await tokenValue(instance, 'later-backend'));
    expect((await ask('GET //api/client/features', backend)).status).toBe(200);
    expectUnavailable(`${OFREP}/later`, await ask(`${OFREP}/later`, page, unsure, { body: {} }));
    expectUnavailable('GET of a stream', await ask(`GET /${address}`, ''));
    expect((await ask(known[0], page, unsure, known[1])).body.flags).toEqual(body.flags);
  } finally {
    await proxy.open();
  }
  const later = await tokenValue(instance, 'later', { type: 'frontend' });
  const seen = new Set<number>();
  await waitUntil({ what: 'it knows the token and the flag', everyMs: 20 }, async () => {
    const { status } = await ask('GET //api/frontend/features/later', later);
    seen.add(status);
    return status === 200;
  });
  expect([...seen].filter((status) => status !== 503)).toEqual([200]);
});

test('a value in a Secret that the operator has not recorded is 503, and never 401', async () => {
  const tokens = tokensDirectly(instance.kubeconfig, instance.home);
  await tokens.create('brought', { type: 'frontend', secretRef: { name: 'own' } });
  await tokens.untilRecorded('brought', 'Error SecretNotFound spec.secretRef');
  const value = 'a-value-that-comes-later';
  await tokens.createSecret('own', { value, labels: { [TOKEN_LABEL]: 'brought' } });
  await expectAllUnavailable(value, instance);
  await tokens.delete('apitokens', 'brought');
  tokens.close();
});
