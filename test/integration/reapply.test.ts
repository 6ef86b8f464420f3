/** Git applies the same YAML again and again: what users and the API have changed meanwhile stays. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aFlag } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Instance, startInstance } from '../support/instance.ts';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance('reapply');
});

afterAll(() => instance?.stop());

/** Rules without a switch, as a repository has them. */
const rules = {
  description: 'from Git',
  environments: {
    development: { strategies: { everyone: { name: 'default' } } },
    production: { enabled: false, strategies: { few: { name: 'flexibleRollout', parameters: { rollout: 25 } } } },
  },
};

const ways: readonly (readonly [string, readonly string[]])[] = [
  ['kubectl apply', ['apply', '-f', '-']],
  ['kubectl apply --server-side', ['apply', '--server-side', '-f', '-']],
  [
    'a Flux-style apply',
    ['apply', '--server-side', '--force-conflicts', '--field-manager=kustomize-controller', '-f', '-'],
  ],
];

describe.each(ways)('%s', (way, args) => {
  const name = way.replace(/[^a-z]+/gi, '-').toLowerCase();
  const input = () => JSON.stringify(aFlag(`${instance.home}/${name}`, rules));
  const apply = () => instance.cluster.kubectlOrThrow([...args], { input: input() });
  const version = async () => (await instance.flag(`${instance.home}/${name}`)).metadata.resourceVersion;

  test('again after an API toggle changes nothing, and it regains a field that it names and another owner took', async () => {
    await apply();
    const flag = `/projects/shop/features/${name}`;
    await instance.served(`GET ${flag}`);
    expect((await instance.call(`POST ${flag}/environments/development/on`)).status).toBe(200);
    expect(
      (await instance.call(`PATCH ${flag}`, { body: [{ op: 'replace', path: '/stale', value: true }] })).status,
    ).toBe(200);
    await waitUntil({ what: 'the toggle is judged' }, async () => {
      const { status } = await instance.flag(`${instance.home}/${name}`);
      return status?.environments?.development?.enabled === true;
    });

    const before = await version();
    await apply();
    expect(await version()).toBe(before);
    const { spec } = await instance.flag(`${instance.home}/${name}`);
    expect([spec.environments.development.enabled, spec.stale]).toEqual([true, true]);

    expect((await instance.call(`POST ${flag}/environments/production/on?force=true`)).status).toBe(200);
    const { code, stderr } = await instance.cluster.kubectl([...args], { input: input() });
    const { spec: after } = await instance.flag(`${instance.home}/${name}`);
    const isConflict = way === 'kubectl apply --server-side';
    expect([code, after.environments.production.enabled]).toEqual(isConflict ? [1, true] : [0, false]);
    if (isConflict) expect(stderr).toContain('conflict with "vexil-api"');
  });
});
