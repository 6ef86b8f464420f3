/**
 * The author policy together with the policy for older clusters, as during an upgrade that replaces one by the other.
 */
import { expect, test } from 'vitest';
import { API_VERSION } from '../../src/model/kind.ts';
import { createAccount } from '../support/account.ts';
import { installAuthorPolicy, stampOf } from '../support/author-policy.ts';
import { sharedCluster } from '../support/cluster.ts';
import { installPolicyIn, untilRefused } from '../support/control-plane/install-admission.ts';
import { objectPath } from '../support/control-plane/objects.ts';

const cluster = sharedCluster();

test('a write in the name of another user is accepted, with the true author', async () => {
  const home = await cluster.freshNamespace('replaced');
  const { kubeconfig, username } = await createAccount(cluster, {
    namespace: home,
    name: 'ada',
    rules: { [home]: [[['*'], ['*']]] },
  });
  const path = objectPath('fenv', home);
  const annotations = { 'vexil.dev/created-by': 'alan', 'vexil.dev/changed-by': 'alan' };
  const body = { apiVersion: API_VERSION, kind: 'Environment', metadata: { name: 'e', annotations }, spec: {} };
  const create = { method: 'POST', path, body } as const;
  await installPolicyIn(cluster, 'older/stamps.yaml', [home]);
  await untilRefused(cluster, { ...create, query: { dryRun: 'All' } }, kubeconfig);
  await installAuthorPolicy(cluster, [home]);
  await cluster.request(create, kubeconfig);
  const stamp = stampOf(await cluster.getObject('fenv/e', home));
  expect(stamp).toMatchObject({ 'created-by': username, 'changed-by': username, 'changed-generation': '1' });
});
