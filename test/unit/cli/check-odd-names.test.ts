/** The checks of `vexil check` look up names in the Deployment and in webhooks, which others may write. */
import { expect, test } from 'vitest';
import type { Check, Installation } from '../../../cli/check/check.ts';
import { checkWebhooks } from '../../../cli/check/check-admission.ts';
import { checkSecrets, checkStorage } from '../../../cli/check/check-operator.ts';
import { findInstallation } from '../../../cli/check/find-installation.ts';
import { checkedCluster } from '../../../cli/check/read-cluster.ts';
import { ClusterError } from '../../../src/errors.ts';
import type { Call } from '../../../src/kube/api/transport.ts';

/** A cluster with these lists, by the last part of their paths, and with no other object. */
function clusterWith(lists: Readonly<Record<string, readonly unknown[]>>) {
  const asked: string[] = [];
  const request = async ({ path }: Call) => {
    const items = lists[path.split('/').at(-1) ?? ''];
    if (items) return { metadata: { resourceVersion: '1' }, items };
    asked.push(path);
    throw new ClusterError('not-found', 'nothing is here');
  };
  const transport = { request, stream: () => Promise.reject(new Error('no streams')), close: () => undefined };
  return { cluster: checkedCluster({ transport, place: 'context "test"' }, () => 'user'), asked };
}

function deploymentWith(name: string) {
  const labels = { 'app.kubernetes.io/name': 'vexil', 'app.kubernetes.io/component': 'operator' };
  const spec = {
    containers: [
      { name: 'vexil', envFrom: [{ configMapRef: { name } }], env: [{ valueFrom: { secretKeyRef: { name } } }] },
    ],
    volumes: [{ persistentVolumeClaim: { claimName: name } }],
  };
  return { metadata: { namespace: 'vexil', name: 'vexil' }, spec: { template: { metadata: { labels }, spec } } };
}

function webhookWith(name: string) {
  const rules = [{ apiGroups: ['vexil.dev'] }];
  return {
    metadata: { name: 'w' },
    webhooks: [{ name: 'w', rules, clientConfig: { service: { namespace: 'x', name } } }],
  };
}

test.each([
  ['a?x', 'a%3Fx'],
  ['..', undefined],
  ['a/b', undefined],
  ['../../kube-system/secrets/a', undefined],
])('the name %j is one part of a path, or nothing is read for it', async (name, segment) => {
  const { cluster, asked } = clusterWith({
    deployments: [deploymentWith(name)],
    validatingwebhookconfigurations: [webhookWith(name)],
    mutatingwebhookconfigurations: [],
  });
  const installation = (await findInstallation(cluster, undefined, 'default')) as Installation;
  const missing = [`the Secret ${name} that`, `the PersistentVolumeClaim ${name} of`, `its Service x/${name} does not`];
  const checks: readonly Check[] = [checkSecrets, checkStorage, checkWebhooks];
  for (const [index, check] of checks.entries()) {
    const message = expect.stringContaining(missing[index] ?? '');
    expect(await check({ cluster, installation, version: '1.0.0' })).toMatchObject([{ verdict: 'error', message }]);
  }
  const places = ['vexil/configmaps', 'vexil/secrets', 'vexil/persistentvolumeclaims', 'x/services'];
  expect(asked).toEqual(segment === undefined ? [] : places.map((place) => `/api/v1/namespaces/${place}/${segment}`));
});
