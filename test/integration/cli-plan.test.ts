/** Plans of objects that the API server cannot read, which need no operator. */
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { createAccount } from '../support/account.ts';
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
    { ...aFlag(`${home}/version`), metadata: { ...aFlag(`${home}/version`).metadata, resourceVersion: 'abc' } },
    aFlag(`${home}/fine`),
  ];
  const deep = `a: 1\nb: ${'['.repeat(3000)}${']'.repeat(3000)}\n`;
  const input = [...manifests.map((manifest) => stringify(manifest)), deep].join('---\n');
  const args = ['plan', '-f', '-', '--output', 'json'];
  const { code, stdout } = await vexil(args, { environment: { KUBECONFIG: cluster.kubeconfig }, input });
  const { plans } = JSON.parse(stdout);
  expect(plans.map(({ name, action }: { name: string; action: string }) => [name, action])).toEqual([
    ['', 'rejected'],
    ...Object.keys(odd).map((name) => [`odd-${name}`, 'rejected']),
    ['old', 'rejected'],
    ['version', 'rejected'],
    ['fine', 'create'],
  ]);
  expect(plans[0]).toMatchObject({ place: { line: 85 }, message: expect.stringContaining('200 levels') });
  expect(plans[1].message).toContain('.spec.lifetimeDays: expected');
  expect(code).toBe(1);
});

test('plan rejects objects in a namespace where the user has no permission, and plans the rest', async () => {
  const [home, other] = [await cluster.freshNamespace('plan-own'), await cluster.freshNamespace('plan-other')];
  const rules = { [home]: [[['get', 'list', 'patch', 'create'], ['featureflags']] as const] };
  const account = await createAccount(cluster, { namespace: home, name: 'planner', rules });
  const plan = (...places: readonly string[]) =>
    vexil(['plan', '-f', '-', '--output', 'json'], {
      environment: { KUBECONFIG: account.kubeconfig },
      input: places.map((place) => stringify(aFlag(place))).join('---\n'),
    });
  const { code, stdout } = await plan(`${other}/theirs`, `${home}/ours`);
  const { plans } = JSON.parse(stdout);
  expect(plans.map(({ name, action }: { name: string; action: string }) => [name, action])).toEqual([
    ['theirs', 'rejected'],
    ['ours', 'create'],
  ]);
  expect(plans[0].message).toContain(`may not get featureflags.vexil.dev in the namespace "${other}"`);
  expect(code).toBe(1);
  expect((await plan(`${other}/theirs`)).code).toBe(77);
});
