/** Plans of objects that the API server cannot read, which need no operator. */
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { aFlag } from '../support/builders.ts';
import { sharedCluster } from '../support/cluster.ts';
import { vexil } from '../support/command-line.ts';

const cluster = sharedCluster();

test('plan rejects each object that does not fit the schema, and plans the rest', async () => {
  const home = await cluster.freshNamespace('plan-odd');
  const odd = {
    number: { lifetimeDays: '5' },
    boolean: { stale: 'perhaps' },
    twice: { tags: ['simple:a', 'simple:a'] },
    list: { environments: [] },
    map: { tags: {} },
    unknown: { colour: 'red' },
  };
  const manifests = [
    ...Object.entries(odd).map(([name, spec]) => ({
      ...aFlag(`${home}/odd-${name}`),
      spec: { project: 'shop', ...spec },
    })),
    // As `kubectl get -o yaml` leaves it.
    { ...aFlag(`${home}/old`), metadata: { ...aFlag(`${home}/old`).metadata, uid: '1', resourceVersion: '1' } },
    aFlag(`${home}/fine`),
  ];
  const input = manifests.map((manifest) => stringify(manifest)).join('---\n');
  const args = ['plan', '-f', '-', '--output', 'json'];
  const { code, stdout } = await vexil(args, { environment: { KUBECONFIG: cluster.kubeconfig }, input });
  const { plans } = JSON.parse(stdout);
  expect(plans.map(({ name, action }: { name: string; action: string }) => [name, action])).toEqual([
    ...Object.keys(odd).map((name) => [`odd-${name}`, 'rejected']),
    ['old', 'rejected'],
    ['fine', 'create'],
  ]);
  expect(plans[0].message).toContain('.spec.lifetimeDays: expected');
  expect(code).toBe(1);
});
