/** A caller without a valid token changes nothing, reads nothing and does not slow down other callers. */
import { Agent, request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Account, createAccount } from '../support/account.ts';
import { adminClient, errorBody } from '../support/admin-client.ts';
import { aProject } from '../support/builders.ts';
import { environmentOfChart } from '../support/chart/environment-of-chart.ts';
import { sharedCluster } from '../support/cluster.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { hold } from '../support/fault-proxy/faults.ts';
import { proxiedKubeconfig, proxyFor } from '../support/fault-proxy/proxied-kubeconfig.ts';
import type { FaultProxy } from '../support/fault-proxy/start-fault-proxy.ts';
import { type OperatorProgram, startOperatorProgram } from '../support/operator-program.ts';
import { grantOperatorRoles, grantReviews } from '../support/operator-roles.ts';
import { sendRaw } from '../support/raw-http.ts';
import { readMetric } from '../support/read-metric.ts';
import { type TokensDirectly, tokensDirectly } from '../support/tokens-directly.ts';

/** The same limits as in src/access/authentication/kubernetes-tokens.ts. */
const CONCURRENCY = 16;
const MAX_WAITING = 256;
const REMEMBERED_MS = 500;

const BOOTSTRAP = `*:*.${'5f'.repeat(28)}`;
const HEAP_MB = 128;
/** How much garbage the heap may hold after a flood; a program that kept what is sent to it would hold more. */
const GARBAGE_MB = 25;

const cluster = sharedCluster();
const lines: string[] = [];
let proxy: FaultProxy;
let program: OperatorProgram;
let url: string;
let opsUrl: string;
let tokens: TokensDirectly;
let apiToken: string;
let reader: Account;

beforeAll(async () => {
  const home = await cluster.freshNamespace('abuse');
  const kubeconfig = await grantOperatorRoles(cluster, home, []);
  await grantReviews(cluster, home);
  const rules = { [home]: [[['get'], ['projects']]] as const };
  reader = await createAccount(cluster, { namespace: home, name: 'reader', rules });
  await cluster.apply([aProject(`${home}/shop`)]);
  proxy = await proxyFor(cluster);
  program = startOperatorProgram({
    nodeOptions: [`--max-old-space-size=${HEAP_MB}`],
    onLine: (line) => lines.push(line),
    settings: {
      ...(await environmentOfChart(home, {
        settings: {
          VEXIL_AUTH: 'token',
          VEXIL_ADMIN_TOKEN: BOOTSTRAP,
          VEXIL_ACCESS_CACHE: `${REMEMBERED_MS}ms`,
          // The delayed reviews stay delayed, even if all other requests take long to arrive.
          VEXIL_REVIEW_TIMEOUT: '30s',
        },
      })),
      KUBECONFIG: await proxiedKubeconfig(proxy, kubeconfig),
    },
  });
  const { httpPort, opsPort } = await program.listening;
  url = `http://127.0.0.1:${httpPort}`;
  opsUrl = `http://127.0.0.1:${opsPort}`;
  await waitUntil({ what: 'the operator is ready' }, async () => (await fetch(`${opsUrl}/readyz`)).ok);
  tokens = tokensDirectly(cluster.kubeconfig, home);
  await tokens.create('ops', { type: 'admin' });
  apiToken = await tokens.untilReady('ops');
  await waitUntil({ what: 'the token gets in' }, async () => (await read(apiToken)) === 200);
});
afterAll(async () => {
  proxy.release();
  expect((await program.stop()).code).toBe(0);
  await proxy.stop();
  tokens.close();
});

async function read(token: string): Promise<number> {
  return (await adminClient(url, { authorization: token })('GET /projects/shop')).status;
}

const reviews = () => proxy.arrived.filter(({ resource }) => resource === 'tokenreviews').length;

const heap = () => readMetric(opsUrl, 'nodejs_heap_size_used_bytes');

/** The bytes that were sent are garbage, which may stay in the heap for a while. */
const untilHeapIsAt = (used: number) =>
  waitUntil({ what: 'no more is used than before' }, async () => (await heap()) < used + GARBAGE_MB * 2 ** 20);

interface Flood {
  readonly tokenOf: (index: number) => string;
  readonly atOnce: number;
  /** Whether to send another request. Called before each request. */
  readonly goesOn: (sent: number) => boolean;
}

/** How many answers had each status. */
async function flood({ tokenOf, atOnce, goesOn }: Flood): Promise<Readonly<Record<number, number>>> {
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce });
  const answers: Record<number, number> = {};
  let sent = 0;
  const send = async (): Promise<void> => {
    while (goesOn(sent)) {
      const status = await statusFor(agent, tokenOf(sent++));
      answers[status] = (answers[status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, send));
  agent.destroy();
  return answers;
}

function statusFor(agent: Agent, authorization: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(`${url}/api/admin/projects`, { agent, headers: { authorization } }, (answer) => {
      answer.resume().once('end', () => resolve(answer.statusCode ?? 0));
    });
    sent.once('error', reject).end();
  });
}

/** Looks like a Kubernetes token, but belongs to no user. */
const unknown = (index: number) => `eyJ-${index}.${'a'.repeat(13_000)}.c2ln`;
/** Looks like a token of ours. */
const ours = (index: number) => `shop:production.${index}${'5f'.repeat(6_500)}`;

describe('headers', () => {
  const request = (...more: readonly string[]) =>
    ['GET /api/admin/projects HTTP/1.1', 'Host: 127.0.0.1', 'Connection: close', ...more, '', ''].join('\r\n');
  const fillers = (count: number) => Array.from({ length: count }, () => 'a:');

  test.each<[string, string, number, string]>([
    ['one of 100 kB', request(`X-Large: ${'x'.repeat(100_000)}`), 413, 'PayloadTooLargeError'],
    ['a token of 100 kB', request(`Authorization: ${'x'.repeat(100_000)}`), 413, 'PayloadTooLargeError'],
    ['a token of 16 kB', request(`Authorization: ${'x'.repeat(16_384)}`), 413, 'PayloadTooLargeError'],
    ['a token of 15 kB', request(`Authorization: ${'x'.repeat(15_000)}`), 401, 'AuthenticationRequired'],
    ['seventeen thousand of them', request(...fillers(17_000)), 413, 'PayloadTooLargeError'],
    ['three thousand of them', request(...fillers(3_000)), 401, 'AuthenticationRequired'],
    ['NUL in the token', request(`Authorization: ${BOOTSTRAP}\0`), 400, 'ValidationError'],
    ['CR in the token', request(`Authorization: ${BOOTSTRAP}\rX: y`), 400, 'ValidationError'],
    ['LF in the token', request(`Authorization: ${BOOTSTRAP}\nrubbish`), 400, 'ValidationError'],
    ['a token in two lines', request('Authorization: *:*.', ` ${'5f'.repeat(28)}`), 400, 'ValidationError'],
    ['letters beyond ASCII', request(`Authorization: ${BOOTSTRAP}é`), 401, 'AuthenticationRequired'],
    ['emoji', request('Authorization: 🔑🔑🔑'), 401, 'AuthenticationRequired'],
    ['full-width digits', request(`Authorization: ${BOOTSTRAP.replaceAll('5', '５')}`), 401, 'AuthenticationRequired'],
    ['nothing but blanks', request('Authorization:  \t  '), 401, 'AuthenticationRequired'],
    ['two tokens, the first one good', twice(BOOTSTRAP, 'x'), 400, 'ValidationError'],
    ['two tokens, the second one good', twice('x', BOOTSTRAP), 400, 'ValidationError'],
    ['the same good token twice', twice(BOOTSTRAP, BOOTSTRAP), 400, 'ValidationError'],
    [
      'a second token behind thousands of headers',
      request(`Authorization: ${BOOTSTRAP}`, ...fillers(3_000), 'AUTHORIZATION: x'),
      400,
      'ValidationError',
    ],
  ])('%s', async (_, sent, wantStatus, wantName) => {
    const { status, body, text } = await sendRaw(url, sent);
    expect([status, body?.name]).toEqual([wantStatus, wantName]);
    expect(errorBody.safeParse(body).success).toBe(true);
    expect(text).not.toContain('5f5f5f');
  });

  function twice(one: string, other: string): string {
    return request(`Authorization: ${one}`, `authorization: ${other}`);
  }

  test('a valid token after thousands of other headers is accepted', async () => {
    expect((await sendRaw(url, request(...fillers(3_000), `Authorization: ${BOOTSTRAP}`))).status).toBe(200);
  });

  test('no content of a token makes its check slow', async () => {
    // If the program tried every start and every end of the value, each request would take a third of a second of the
    // processor.
    const before = await readMetric(opsUrl, 'process_cpu_seconds_total');
    const answers = await flood({ atOnce: 4, goesOn: (sent) => sent < 100, tokenOf: () => ':'.repeat(15_000) });
    expect(answers).toEqual({ 401: 100 });
    expect((await readMetric(opsUrl, 'process_cpu_seconds_total')) - before).toBeLessThan(10);
  });
});

describe('thousands of wrong tokens', () => {
  test('the same token: the API server reviews it once while the answer is cached', async () => {
    const [before, began] = [reviews(), performance.now()];
    const answers = await flood({ atOnce: 50, goesOn: (sent) => sent < 1_000, tokenOf: () => unknown(-1) });
    const windows = 1 + Math.floor((performance.now() - began) / REMEMBERED_MS);
    expect(answers).toEqual({ 401: 1_000 });
    expect(reviews() - before).toBeGreaterThan(0);
    expect(reviews() - before).toBeLessThanOrEqual(windows);
  });

  test('different tokens in the form of Vexil tokens: the API server is never called, and no token is kept', async () => {
    const count = 3_100;
    const [asked, used] = [reviews(), await heap()];
    const answers = await flood({ atOnce: 50, goesOn: (sent) => sent < count, tokenOf: ours });
    expect(answers).toEqual({ 401: count });
    expect(reviews()).toBe(asked);
    expect(count * ours(0).length).toBeGreaterThan(1.5 * GARBAGE_MB * 2 ** 20);
    await untilHeapIsAt(used);
  });

  test('different tokens that Kubernetes could know: reviews and waiting requests are limited, all others get 503 at once', async () => {
    const [asked, wanted] = [reviews(), CONCURRENCY + MAX_WAITING + 100];
    proxy.inject({ fault: hold, times: CONCURRENCY, match: ({ resource }) => resource === 'tokenreviews' });
    const agent = new Agent({ keepAlive: true, maxSockets: wanted });
    let refused = 0;
    const sent = Array.from({ length: wanted }, async (_, index) => {
      const status = await statusFor(agent, unknown(1_000_000 + index));
      if (status === 503) refused += 1;
      return status;
    });
    await waitUntil({ what: 'callers without a place are answered, and the others wait' }, () => {
      return refused === 100 && reviews() - asked >= CONCURRENCY;
    });
    // Tokens that Vexil itself knows need no review, so their requests do not wait.
    expect([await read(BOOTSTRAP), await read(apiToken)]).toEqual([200, 200]);
    expect(reviews() - asked).toBe(CONCURRENCY);
    proxy.release();
    const answers = Object.groupBy(await Promise.all(sent), (status) => status);
    agent.destroy();
    expect(answers[401]?.length).toBeGreaterThanOrEqual(MAX_WAITING);
    expect((answers[401]?.length ?? 0) + (answers[503]?.length ?? 0)).toBe(wanted);
  });

  test('during a flood of them good callers of each kind are answered, for longer than their reviews are cached', async () => {
    expect(await read(reader.token)).toBe(200);
    const [used, asked, began] = [await heap(), reviews(), performance.now()];
    let isOver = false;
    const flooding = flood({ atOnce: 400, goesOn: () => !isOver, tokenOf: (index) => unknown(2_000_000 + index) });
    const good: number[] = [];
    // On a slow machine an answer takes longer than the cache keeps a review.
    while (good.length < 6 || performance.now() - began < 2.5 * REMEMBERED_MS) {
      good.push(await read(BOOTSTRAP), await read(apiToken), await read(reader.token));
    }
    isOver = true;
    const answers = await flooding;
    expect(good.filter((status) => status !== 200)).toEqual([]);
    expect(Object.keys(answers).filter((status) => status !== '401' && status !== '503')).toEqual([]);
    // More requests came at once than the limit allows, and the API server reviewed only a part of them.
    const sent = (answers[401] ?? 0) + (answers[503] ?? 0);
    expect(answers[503]).toBeGreaterThan(100);
    expect(reviews() - asked).toBeLessThan(sent - 100);
    await untilHeapIsAt(used);
  });
});

test('the log reports the address and the number of attempts in a few lines, without tokens', () => {
  const recorded = lines
    .filter((line) => line.includes('authentication: repeated failures'))
    .map((line) => JSON.parse(line));
  expect(recorded.length).toBeLessThan(30);
  for (const failures of [10, 100, 1_000]) {
    const line = { level: 'warn', address: '127.0.0.1', failures, withinMs: 60_000 };
    expect(recorded).toContainEqual(expect.objectContaining(line));
  }
  const log = lines.join('\n');
  for (const part of ['aaaaaaaa', '5f5f5f5f', ':::::', '🔑', reader.token]) expect(log).not.toContain(part);
});
