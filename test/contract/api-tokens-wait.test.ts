/**
 * Creating an API token or a segment while no leader completes it: how long a caller waits, and that nothing remains.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { adminClient } from '../support/admin-client.ts';
import { sharedCluster } from '../support/cluster.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Operator, startOperator } from '../support/operator.ts';
import type { Stored } from '../support/stored.ts';
import { type TokensDirectly, tokensDirectly } from '../support/tokens-directly.ts';

const cluster = sharedCluster();
let home: string;
let operator: Operator;
let directly: TokensDirectly;

beforeAll(async () => {
  home = await cluster.freshNamespace('tokens-wait');
  directly = tokensDirectly(cluster.kubeconfig, home);
  // Another holder keeps the lease for an hour and does nothing.
  const spec = { holderIdentity: 'somebody', leaseDurationSeconds: 3600 };
  const metadata = { name: 'vexil', namespace: home };
  const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec };
  await cluster.apply([lease]);
  operator = await startOperator(cluster, home);
});
afterAll(async () => {
  directly.close();
  await operator.stop();
});

const post = (tokenName: string, { url } = operator) =>
  adminClient(url)('POST /api-tokens', { body: { tokenName, type: 'admin' } });
const isThere = async (name: string, plural = 'apitokens') => {
  const path = `/apis/vexil.dev/v1beta1/namespaces/${home}/${plural}`;
  const { items } = (await cluster.request({ method: 'GET', path })) as Stored;
  return items.some(({ metadata }: Stored) => metadata.name === name);
};
const untilThere = (name: string) => waitUntil({ what: `${name} is there` }, () => isThere(name));

/** Writes what a leader would write, but the Secret has another value than the status. */
async function pretend(name: string, sha256: string): Promise<void> {
  await cluster.patchObject(`ftoken/${name}/status`, home, { status: { sha256, secretName: name } });
}

function expectLater({ status, body, headers }: Stored): void {
  expect([status, body.name]).toEqual([503, 'UnavailableError']);
  expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
}

test('without a leader: 503 with Retry-After when the wait is over, and the token or segment, which gets no id, is deleted', async () => {
  const impatient = await startOperator(cluster, home, { settings: { VEXIL_TOKEN_WAIT: '500ms' } });
  expectLater(await post('leaderless', impatient));
  expectLater(await adminClient(impatient.url)('POST /segments', { body: { name: 'leaderless', constraints: [] } }));
  await impatient.stop();
  expect(await isThere('leaderless')).toBe(false);
  expect(await isThere('leaderless', 'segments')).toBe(false);
});

test('a Secret whose value does not match the status is not disclosed, and the token is deleted', async () => {
  const answer = post('swapped');
  await untilThere('swapped');
  const { uid } = (await directly.token('swapped')).metadata;
  const owners = [{ apiVersion: 'vexil.dev/v1beta1', kind: 'ApiToken', name: 'swapped', uid }];
  await directly.createSecret('vexil-token-swapped', {
    value: 'somebody-elses-value',
    labels: { 'vexil.dev/token': 'swapped' },
    owners,
  });
  await pretend('swapped', '0'.repeat(64));
  expectLater(await answer);
  expect((await answer).text).not.toContain('somebody-elses-value');
  expect(await isThere('swapped')).toBe(false);
});

test('a token that is deleted meanwhile is 409', async () => {
  const answer = post('deleted');
  await untilThere('deleted');
  await cluster.deleteObject('ftoken/deleted', home);
  expect((await answer).status).toBe(409);
});

test('a replica that stops answers at once, and deletes the token', async () => {
  const answer = post('stopped');
  await untilThere('stopped');
  await operator.stop();
  expectLater(await answer);
  expect(await isThere('stopped')).toBe(false);
});
