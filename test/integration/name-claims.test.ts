/** Names stay with the namespace that has had them, whatever waits for them elsewhere. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aFlag, aProject, type Manifest } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import type { Stored } from '../support/stored.ts';

const on = { enabled: true, strategies: { all: { name: 'default' } } };

let instance: Instance;
let home: string;
let tenant: string;

beforeAll(async () => {
  instance = await startInstance('claims');
  home = instance.home;
  tenant = instance.other;
});
afterAll(() => instance?.stop());

/** `place` is like `ff namespace/name`. */
async function object(place: string): Promise<Stored> {
  const [kind = '', where = ''] = place.split(' ');
  const [namespace = '', name = ''] = where.split('/');
  return JSON.parse(await instance.cluster.kubectlOrThrow(['get', kind, name, '-n', namespace, '-o', 'json']));
}

async function becomes(place: string, reason: string): Promise<Stored> {
  return waitUntil({ what: `${place} becomes ${reason}` }, async () => {
    const one = await object(place);
    const ready = one.status?.conditions?.find(({ type }: Stored) => type === 'Ready');
    return one.status?.observedGeneration === one.metadata.generation && ready?.reason === reason && one;
  });
}

/** Resolves when the name is written down as that of the namespace; answers what stands behind it. */
async function claimed(kind: string, name: string, namespace: string): Promise<string> {
  return waitUntil({ what: `the name ${name} belongs to ${namespace}` }, async () => {
    const list = JSON.parse(await instance.cluster.kubectlOrThrow(['get', 'configmaps', '-n', home, '-o', 'json']));
    const lines = list.items.flatMap(({ data }: Stored) => data?.[`${namespace}.${kind}`]?.split('\n') ?? []);
    const line = lines.find((one: string) => one.split(' ')[0] === name);
    return line === undefined ? undefined : line.slice(name.length).trim();
  });
}

async function replace(...manifests: readonly Manifest[]): Promise<void> {
  const input = manifests.map((manifest) => JSON.stringify(manifest)).join('\n---\n');
  await instance.cluster.kubectlOrThrow(['replace', '--force', '-f', '-'], { input });
}

describe('a twin that waits in another namespace', () => {
  test('gets nothing when the objects that have the names are replaced by force', async () => {
    const project = aProject(`${home}/store`);
    const flag = aFlag(`${home}/card-payments`, {
      project: 'store',
      description: 'ours',
      environments: { production: on },
    });
    await instance.apply(project, flag);
    await instance.apply(
      aProject(`${tenant}/squat`, { name: 'store' }),
      aFlag(`${tenant}/squat`, { name: 'card-payments', project: 'store', environments: { production: on } }),
    );
    await becomes(`ff ${tenant}/squat`, 'NameConflict');
    await claimed('featureflags', 'card-payments', home);
    await claimed('projects', 'store', home);

    await replace(flag, project);
    await becomes(`fp ${home}/store`, 'Succeeded');
    expect((await becomes(`ff ${home}/card-payments`, 'Succeeded')).status.enabledIn).toBe('production');
    await becomes(`fp ${tenant}/squat`, 'NameConflict');
    await becomes(`ff ${tenant}/squat`, 'NameConflict');
    const { body } = await instance.call('GET /projects/store/features/card-payments');
    expect(body.description).toBe('ours');
  });
});
