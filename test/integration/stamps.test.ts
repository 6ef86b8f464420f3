/**
 * The admission policy that prevents users from writing in the name of another user, for clusters in which no policy
 * stamps the author.
 */
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { isClusterError } from '../../src/errors.ts';
import type { Call } from '../../src/kube/api/transport.ts';
import { API_VERSION } from '../../src/model/kind.ts';
import { type Account, createAccount } from '../support/account.ts';
import { stampOf } from '../support/author-policy.ts';
import { sharedCluster } from '../support/cluster.ts';
import { installPolicyIn } from '../support/control-plane/install-admission.ts';
import { objectPath } from '../support/control-plane/objects.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { SERVICE_ACCOUNT } from '../support/operator-roles.ts';

const cluster = sharedCluster();
let home: string;
let ada: Account;
let operator: Account;

type Stamp = Readonly<Record<string, string | null>>;

/** Replaces the Kubernetes username of Ada, which the account gets at run time, in the tables of stamps. */
const ADA = 'Ada';

const LET_IN = 'let in';
const annotationsOf = (stamp: Stamp) =>
  Object.fromEntries(
    Object.entries(stamp).map(([key, value]) => [`vexil.dev/${key}`, value === ADA ? ada.username : value]),
  );

/** Sends the call, and returns the reason of its refusal. */
async function send(call: Call, { kubeconfig }: Account): Promise<string> {
  try {
    await cluster.request(call, kubeconfig);
    return LET_IN;
  } catch (error) {
    if (isClusterError(error, 'invalid', 'forbidden')) return error.message;
    throw error;
  }
}

function create(stamp: Stamp, { as = ada, name = 'e', dryRun = false } = {}): Promise<string> {
  const metadata = { name, namespace: home, annotations: annotationsOf(stamp) };
  const body = { apiVersion: API_VERSION, kind: 'Environment', metadata, spec: { type: 'test' } };
  return send(
    { method: 'POST', path: objectPath('fenv', home), body, ...(dryRun && { query: { dryRun: 'All' } }) },
    as,
  );
}

function patch(body: object, as = ada): Promise<string> {
  return send(
    { method: 'PATCH', path: objectPath('fenv/e', home), body, contentType: 'application/merge-patch+json' },
    as,
  );
}

/** Writes a stamp together with a change of the spec. */
function change(stamp: Stamp, as = ada): Promise<string> {
  return patch({ metadata: { annotations: annotationsOf(stamp) }, spec: { displayName: 'Other' } }, as);
}

async function stampNow() {
  const stamp = Object.entries(stampOf(await cluster.getObject('fenv/e', home)));
  return Object.fromEntries(stamp.map(([key, value]) => [key, value === ada.username ? ADA : value]));
}

beforeAll(async () => {
  home = await cluster.freshNamespace('stamps');
  const rules = { [home]: [[['*'], ['*']]] } as const;
  ada = await createAccount(cluster, { namespace: home, name: 'ada', rules });
  operator = await createAccount(cluster, { namespace: home, name: SERVICE_ACCOUNT, rules });
  await installPolicyIn(cluster, 'older/stamps.yaml', [home]);
  await waitUntil({ what: 'the policy is in effect' }, async () => {
    return (await create({ 'changed-by': 'nobody' }, { name: 'probe', dryRun: true })).includes('only Vexil writes');
  });
});

beforeEach(async () => {
  await send({ method: 'DELETE', path: objectPath('fenv', home) }, operator);
});

describe('a new object', () => {
  test.each<[string, Stamp]>([
    ['that says nothing', {}],
    ['that names who creates it', { 'created-by': ADA, 'changed-by': ADA, 'changed-generation': '1' }],
  ])('%s is accepted', async (_, stamp) => {
    expect(await create(stamp)).toBe(LET_IN);
  });

  test.each<[string, Stamp]>([
    ['created-by', { 'created-by': 'grace@example.com' }],
    ['changed-by', { 'changed-by': 'grace@example.com', 'changed-generation': '1' }],
    ['changed-generation', { 'changed-by': ADA, 'changed-generation': '2' }],
    ['changed-via', { 'changed-via': 'api-token' }],
    ['changed-from', { 'changed-from': '192.0.2.1' }],
    ['deleted-by', { 'deleted-by': ADA }],
    ['deleted-at', { 'deleted-at': '2026-01-01T00:00:00Z' }],
  ])('is refused for the value of %s', async (key, stamp) => {
    expect(await create(stamp)).toContain(`only Vexil writes the annotation vexil.dev/${key}: leave it out`);
  });

  test('is accepted with any stamp from the operator', async () => {
    const stamp = { 'created-by': 'grace@example.com', 'changed-via': 'api-token' };
    expect(await create(stamp, { as: operator })).toBe(LET_IN);
    expect(await stampNow()).toEqual(stamp);
  });
});

describe('a change', () => {
  const before = {
    'created-by': 'grace',
    'changed-by': 'grace',
    'changed-generation': '1',
    'changed-via': 'api-token',
  };
  beforeEach(async () => {
    await create(before, { as: operator });
  });

  test.each<[string, Stamp, Stamp]>([
    ['that leaves the stamp as it was, of another generation now', {}, before],
    [
      'that takes it away',
      { 'created-by': null, 'changed-by': null, 'changed-generation': null, 'changed-via': null },
      {},
    ],
    [
      'that names who makes it',
      { 'changed-by': ADA, 'changed-generation': '2' },
      { ...before, 'changed-by': ADA, 'changed-generation': '2' },
    ],
  ])('%s is accepted', async (_, stamp, want) => {
    expect(await change(stamp)).toBe(LET_IN);
    expect(await stampNow()).toEqual(want);
  });

  test.each<[string, Stamp]>([
    ['names another user', { 'changed-by': 'alan' }],
    ['makes an old stamp one of now', { 'changed-generation': '3' }],
    ['takes the creation for itself', { 'created-by': ADA }],
    ['says that it came through the API', { 'changed-via': 'kubernetes-token' }],
    ['foretells a deletion', { 'deleted-by': 'grace', 'deleted-at': '2026-01-01T00:00:00Z' }],
  ])('is refused that %s', async (_, stamp) => {
    expect(await change(stamp)).toContain('only Vexil writes the annotation vexil.dev/');
    expect(await stampNow()).toEqual(before);
  });

  test('is refused with the name of the writer without a new generation, because it would hold for the next one', async () => {
    const stamp = { 'changed-by': ADA, 'changed-generation': '2' };
    expect(await patch({ metadata: { annotations: annotationsOf(stamp) } })).not.toBe(LET_IN);
    expect(await stampNow()).toEqual(before);
  });

  test('may have any stamp from the operator', async () => {
    expect(await change({ 'changed-by': 'alan', 'changed-generation': '2' }, operator)).toBe(LET_IN);
  });
});
