/** Kubernetes tokens while the API server cannot review them, or has just changed its answer: 401, 403 and 503. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Account, createAccount } from '../support/account.ts';
import { type Answer, adminClient, type Call } from '../support/admin-client.ts';
import { aFlag, anEnvironment, aProject } from '../support/builders.ts';
import { type Cluster, sharedCluster } from '../support/cluster.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import {
  byteByByte,
  delay,
  type Fault,
  hold,
  lostAnswer,
  refusal,
  reset,
  stall,
  wrongContent,
} from '../support/fault-proxy/faults.ts';
import { type BehindProxy, startBehindProxy } from '../support/fault-proxy/operator-behind-proxy.ts';
import { expectFired, on, requestsFor, timesFired } from '../support/fault-proxy/report.ts';
import { type Operator, startOperator } from '../support/operator.ts';
import { grantOperatorRoles, grantReviews, SERVICE_ACCOUNT } from '../support/operator-roles.ts';
import type { Stored } from '../support/stored.ts';

const BOOTSTRAP = 'the-bootstrap-token';
const settings = {
  VEXIL_AUTH: 'token',
  VEXIL_ADMIN_TOKEN: BOOTSTRAP,
  VEXIL_RATE_LIMIT: '1000',
  VEXIL_ACCESS_CACHE: '1s',
  VEXIL_REVIEW_TIMEOUT: '4s',
};
const EVERYTHING = ['featureflags', 'projects', 'environments', 'strategydefinitions', 'flagusers', 'segments'];

let cluster: Cluster;
let home: string;
let behind: BehindProxy;
let reader: Account;

const by =
  (token: string, call: Call): Call =>
  (request, options) =>
    call(request, { ...options, headers: { authorization: `Bearer ${token}` } });

const create = (name: string, verbs: readonly string[] = []) =>
  createAccount(cluster, { namespace: home, name, rules: verbs.length === 0 ? {} : { [home]: [[verbs, EVERYTHING]] } });

/** Creates a token as `kubectl create token` does. */
async function tokenOf(name: string, wishes: object = {}): Promise<string> {
  const spec = { expirationSeconds: 3600, ...wishes };
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec };
  const path = `/api/v1/namespaces/${home}/serviceaccounts/${name}/token`;
  const { status } = (await cluster.request({ method: 'POST', path, body })) as Stored;
  return status.token;
}

const untilStatus = (what: string, want: number, ask: () => Promise<Answer>) =>
  waitUntil({ what: `${what}: ${want}` }, async () => (await ask()).status === want);

async function applyWorld(namespace: string): Promise<void> {
  const world = [aProject(`${namespace}/shop`), anEnvironment(`${namespace}/production`), aFlag(`${namespace}/one`)];
  await cluster.apply(world);
}

beforeAll(async () => {
  cluster = sharedCluster();
  home = await cluster.freshNamespace('reviews');
  const kubeconfig = await grantOperatorRoles(cluster, home, []);
  await grantReviews(cluster, home);
  await applyWorld(home);
  reader = await create('reader', ['get', 'list', 'create', 'patch', 'delete']);
  behind = await startBehindProxy({ plane: cluster, kubeconfig, home, settings });
  await behind.ready();
});
afterAll(() => behind.stop('reviews'));

function expectUnavailable({ status, headers, body }: Answer): void {
  expect([status, body.name]).toEqual([503, 'UnavailableError']);
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
}

const FAULTS: readonly (readonly [string, Fault])[] = [
  ['says 500', refusal(500)],
  ['says 429', refusal(429, { retryAfterSeconds: 7 })],
  ['does not know the operator', refusal(401)],
  ['has no such resource', refusal(404)],
  ['refuses the question', refusal(422)],
  ['calls the question bad', refusal(400)],
  ['hangs up', reset],
  ['hangs up behind the question', lostAnswer],
  ['sends a page', wrongContent],
];

describe('while the API server cannot review a token, the answer is 503 and not 401', () => {
  test.each(FAULTS)('it %s', async (name, fault) => {
    const ask = () => by(`wrong-${name.replaceAll(' ', '-')}`, behind.call)('GET /projects');
    behind.proxy.inject({ fault, match: on('tokenreviews', 'create'), times: 1 });
    const answer = await ask();
    expectUnavailable(answer);
    expect(answer.headers.get('ratelimit'), 'it counts as a wrong token').toMatch(/r=\d+/);
    expectFired(behind.proxy, fault);
    expect((await ask()).status, 'a failure is not remembered').toBe(401);
  });

  test('it is slow: the caller waits', async () => {
    const late = delay(700);
    behind.proxy.inject({ fault: late, match: on('tokenreviews', 'create'), times: 1 });
    expect((await by(await tokenOf('reader'), behind.call)('GET /projects')).status).toBe(200);
    expectFired(behind.proxy, late);
  });
});

describe('when the API server cannot review the permissions of a caller, the answer is 503 and not 403', () => {
  const requests = [
    'GET /environments',
    'GET /environments/production',
    'GET /strategies',
    'GET /strategies/default',
    'GET /user-admin',
    'POST /projects/shop/features',
    'POST /environments/production/on?dryRun=true',
    'PUT /projects/shop/features/one',
    'GET /projects/shop/features/one',
  ];

  test.each(FAULTS.map(([name, fault], index) => [name, requests[index] ?? '', fault] as const))(
    'it %s: %s',
    async (_name, request, fault) => {
      const ask = () => by(reader.token, behind.call)(request);
      behind.proxy.inject({ fault, match: on('subjectaccessreviews', 'create'), times: 1 });
      expectUnavailable(await ask());
      expectFired(behind.proxy, fault);
      expect([200, 204, 415], 'a failure is not remembered').toContain((await ask()).status);
    },
  );

  test('it answers byte by byte: the caller waits', async () => {
    // No review of this user is remembered.
    const { token } = await create('newcomer', ['get']);
    behind.proxy.inject({ fault: byteByByte, match: on('subjectaccessreviews', 'create'), times: 1 });
    expect((await by(token, behind.call)('GET /projects/shop')).status).toBe(200);
    expectFired(behind.proxy, byteByByte);
  });
});

test('when it never answers a review of a token or of a permission, the answer is 503; Vexil tokens are accepted meanwhile', async () => {
  const newcomer = await create('another-newcomer', ['get']);
  behind.proxy.inject({ fault: stall, match: on('tokenreviews', 'create'), times: 1 });
  const asStranger = by('wrong-and-slow', behind.call)('GET /projects');
  await waitUntil({ what: 'the review of the token stalls' }, () => timesFired(behind.proxy, stall) === 1);
  behind.proxy.inject({ fault: stall, match: on('subjectaccessreviews', 'create'), times: 1 });
  const asNewcomer = by(newcomer.token, behind.call)('GET /projects/shop');
  expect((await by(BOOTSTRAP, behind.call)('GET /projects')).status).toBe(200);
  expectUnavailable(await asStranger);
  expectUnavailable(await asNewcomer);
  expect(timesFired(behind.proxy, stall)).toBe(2);
});

test('simultaneous calls with one token cause one review of the token, and one review of each permission', async () => {
  const token = await tokenOf('reader', { expirationSeconds: 7200 });
  const seen = (resource: string) => requestsFor(behind.proxy.reached, resource, 'create').length;
  const before = { tokens: seen('tokenreviews'), accesses: seen('subjectaccessreviews') };
  behind.proxy.inject({ fault: hold, match: on('tokenreviews', 'create'), times: 1 });
  const calls = Array.from({ length: 8 }, () => by(token, behind.call)('GET /projects/shop/features/no-such-flag'));
  await waitUntil({ what: 'the review is held back' }, () => behind.proxy.fired.includes(hold.name));
  behind.proxy.release();
  expect(new Set((await Promise.all(calls)).map(({ status }) => status))).toEqual(new Set([404]));
  expect({ tokens: seen('tokenreviews'), accesses: seen('subjectaccessreviews') }).toEqual({
    tokens: before.tokens + 1,
    accesses: before.accesses + 1,
  });
});

describe('a change in the cluster', () => {
  test('a permission takes effect seconds after it is granted, and ends seconds after it is revoked', async () => {
    const { token, username } = await create('promoted');
    const ask = () => by(token, behind.call)('GET /projects/shop');
    expect((await ask()).status).toBe(403);
    const [namespace, name] = username.split(':').slice(2);
    const readers = { apiVersion: 'rbac.authorization.k8s.io/v1', metadata: { name: 'readers', namespace: home } };
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'readers' };
    const rules = [{ verbs: ['get'], apiGroups: ['vexil.dev'], resources: ['projects'] }];
    const subjects = [{ kind: 'ServiceAccount', namespace, name }];
    const binding = { ...readers, kind: 'RoleBinding', ...{ roleRef, subjects } };
    await cluster.apply([{ ...readers, kind: 'Role', ...{ rules } }, binding]);
    await untilStatus('a right was given', 200, ask);
    const path = `/apis/rbac.authorization.k8s.io/v1/namespaces/${home}/rolebindings/readers`;
    await cluster.request({ method: 'DELETE', path });
    await untilStatus('a right was withdrawn', 403, ask);
  });

  test('the token of a deleted ServiceAccount is invalid', async () => {
    const { token } = await create('leaving', ['get']);
    const ask = () => by(token, behind.call)('GET /projects/shop');
    expect((await ask()).status).toBe(200);
    await cluster.deleteObject('serviceaccount/leaving', home);
    await untilStatus('its ServiceAccount was deleted', 401, ask);
  });
});

describe('a token is valid only for its audience', () => {
  test.each([
    [['vexil'], 200],
    [['vexil', 'others'], 200],
    [['others'], 401],
    [['Vexil'], 401],
    [undefined, 200],
  ])('%j: %i', async (audiences, want) => {
    const token = await tokenOf('reader', { audiences });
    expect((await by(token, behind.call)('GET /projects/shop')).status).toBe(want);
  });
});

describe('an operator without the permission for reviews', () => {
  let alone: Operator;
  let place: string;
  let token: string;
  const ask = (given: string, request = 'GET /projects/shop') =>
    adminClient(alone.url, { authorization: `Bearer ${given}` })(request);

  beforeAll(async () => {
    place = await cluster.freshNamespace('reviews-none');
    await applyWorld(place);
    alone = await startOperator(cluster, place, { settings });
    const rules = { [place]: [[['get'], EVERYTHING]] as const };
    ({ token } = await createAccount(cluster, { namespace: place, name: 'reader', rules }));
  });
  afterAll(() => alone.stop());

  test('accepts only Vexil tokens, and has logged that at its start', async () => {
    expect((await ask(token)).status).toBe(401);
    expect((await ask(BOOTSTRAP)).status).toBe(200);
    await waitUntil({ what: 'the log says who gets in' }, () =>
      alone.log.some(
        ({ level, msg }) => level === 'warn' && `${msg}`.startsWith('authentication: Kubernetes tokens disabled'),
      ),
    );
  });

  test('with only token reviews answers 503 if a call needs a permission', async () => {
    const metadata = { name: `token-reviews-${place}` };
    const rbac = { apiVersion: 'rbac.authorization.k8s.io/v1', metadata };
    const rules = [{ verbs: ['create'], apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'] }];
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: metadata.name };
    const subjects = [{ kind: 'ServiceAccount', namespace: place, name: SERVICE_ACCOUNT }];
    await cluster.apply([
      { ...rbac, kind: 'ClusterRole', ...{ rules } },
      { ...rbac, kind: 'ClusterRoleBinding', ...{ roleRef, subjects } },
    ]);
    await untilStatus('tokens are reviewed', 503, () => ask(token));
    expectUnavailable(await ask(token));
    expect((await ask(token)).body.message).toContain('system:auth-delegator');
    expect((await ask(token, 'GET /feature-types')).status, 'nothing is asked for this').toBe(200);
    expect((await ask(BOOTSTRAP)).status).toBe(200);
  });

  test('that receives both permissions answers without a restart', async () => {
    await grantReviews(cluster, place);
    await untilStatus('both questions are answered', 200, () => ask(token));
    expect((await ask(token, 'POST /environments/production/on')).status).toBe(403);
  });
});
