/**
 * The recipes of docs/gitops.md: Git owns the rules and users the switch; Git owns everything; users own everything.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadKubeConfig } from '../../src/kube/api/kubeconfig.ts';
import { connect, type Transport } from '../../src/kube/api/transport.ts';
import type { Answer } from '../support/admin-client.ts';
import { aFlag, aProject, type Manifest } from '../support/builders.ts';
import { FLUX_MODE } from '../support/gitops/flux-cleanup.ts';
import { type Writer, writersOn } from '../support/gitops/writers.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import type { Stored } from '../support/stored.ts';

let instance: Instance;
let transport: Transport;
let writers: readonly Writer[];

beforeAll(async () => {
  instance = await startInstance('recipes');
  transport = connect(loadKubeConfig(instance.cluster.kubeconfig));
  writers = writersOn(transport);
});
afterAll(async () => {
  transport.close();
  await instance.stop();
});

/** Tools that apply again by themselves, or with the next release. */
const tools = [
  'Flux',
  'Argo CD',
  'Argo CD, ServerSideApply',
  'kubectl apply',
  'kubectl apply --server-side',
  'Helm 3',
  'Helm 4',
];
const writerNamed = (name: string) => writers.find((one) => one.name === name) as Writer;
const slug = (...words: readonly string[]) =>
  words
    .join('-')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-');

const rules = (rollout: number) => ({
  environments: { production: { strategies: { few: { name: 'flexibleRollout', parameters: { rollout } } } } },
});

/** The rules with the switch. */
const switchedOn = () => {
  const { environments } = rules(25);
  return { environments: { production: { enabled: true, ...environments.production } } };
};

async function brought(writer: Writer, manifest: Manifest): Promise<string> {
  expect(await writer.apply(manifest)).toBe('written');
  const flag = `/projects/shop/features/${manifest.metadata.name}`;
  await instance.served(`GET ${flag}`);
  return flag;
}

const stored = ({ metadata }: Manifest): Promise<Stored> => instance.flag(`${instance.home}/${metadata.name}`);
const production = async (manifest: Manifest) => (await stored(manifest)).spec.environments.production;

async function switchByHand(manifest: Manifest): Promise<void> {
  await transport.request({
    method: 'PATCH',
    path: `/apis/vexil.dev/v1beta1/namespaces/${instance.home}/featureflags/${manifest.metadata.name}`,
    query: { fieldManager: 'kubectl-patch' },
    contentType: 'application/merge-patch+json',
    body: { spec: { environments: { production: { enabled: true } } } },
  });
  await stored(manifest);
}

describe.each(tools)('Git owns the rules and users the switch, with %s:', (tool) => {
  test.concurrent('the switch stays as users set it, and the rules as in Git', async () => {
    const writer = writerNamed(tool);
    const manifest = aFlag(`${instance.home}/${slug(tool, 'switch')}`, rules(25));
    const flag = await brought(writer, manifest);
    expect((await instance.call(`POST ${flag}/environments/production/on`)).status).toBe(200);
    const before = await stored(manifest);
    expect([await writer.apply(manifest), await writer.apply(manifest)]).toEqual(['nothing to do', 'nothing to do']);
    expect(await stored(manifest)).toEqual(before);

    const changed = aFlag(`${instance.home}/${manifest.metadata.name}`, rules(50));
    expect(await writer.apply(changed)).toBe('written');
    expect(await production(manifest)).toMatchObject({
      enabled: true,
      strategies: { few: { parameters: { rollout: 50 } } },
    });
    expect((await instance.call(`POST ${flag}/environments/production/off`)).status).toBe(200);
    await stored(manifest);
    expect(await writer.apply(changed)).toBe('nothing to do');
    expect((await production(manifest)).enabled).toBe(false);
  });

  test.concurrent('the switch stays when it was changed with kubectl, except with Flux', async () => {
    const writer = writerNamed(tool);
    const manifest = aFlag(`${instance.home}/${slug(tool, 'by-hand')}`, rules(25));
    await brought(writer, manifest);
    await switchByHand(manifest);
    await writer.apply(manifest);
    expect((await production(manifest)).enabled).toBe(tool === 'Flux' ? undefined : true);
  });
});

const SWITCHES = 40;

/** A caller whose write conflicts six times in a row receives ConcurrentUpdateError, and sends it again. */
async function throwSwitch(request: string): Promise<Answer> {
  for (;;) {
    const answer = await instance.call(request);
    if (answer.body?.name !== 'ConcurrentUpdateError') return answer;
  }
}

test.concurrent.each(['Flux', 'Argo CD', 'Argo CD, ServerSideApply'])(
  'while %s applies without a pause, with new rules in between, every switch that users change stays',
  async (tool) => {
    const writer = writerNamed(tool);
    const name = slug(tool, 'meanwhile');
    const manifestWith = (rollout: number) => aFlag(`${instance.home}/${name}`, rules(rollout));
    const flag = await brought(writer, manifestWith(0));
    let rollout = 0;
    let isOver = false;
    const applying = (async () => {
      while (!isOver) {
        rollout += 1;
        await writer.apply(manifestWith(rollout % 100));
        await writer.apply(manifestWith(rollout % 100));
      }
    })();
    const lost: string[] = [];
    for (let count = 0; count < SWITCHES; count += 1) {
      const position = count % 2 === 0 ? 'on' : 'off';
      const { status, text } = await throwSwitch(`POST ${flag}/environments/production/${position}`);
      const { enabled } = await production(manifestWith(0));
      if (status !== 200 || enabled !== (position === 'on')) lost.push(`${count}: ${status} ${enabled} ${text}`);
    }
    isOver = true;
    await applying;
    expect(lost).toEqual([]);
    expect(rollout).toBeGreaterThan(1);
    expect((await production(manifestWith(0))).strategies.few.parameters.rollout).toBe(rollout % 100);
  },
);

describe.each(['Flux', 'Argo CD', 'Argo CD, ServerSideApply', 'Helm 3', 'Helm 4'])(
  'Git owns everything, with %s:',
  (tool) => {
    test('the admin API writes nothing, and names the place to change it', async () => {
      const writer = writerNamed(tool);
      const manifest = aFlag(`${instance.home}/${slug(tool, 'all')}`, switchedOn());
      const flag = await brought(writer, manifest);
      const message = await instance.refuses(`POST ${flag}/environments/production/off`, {
        status: 409,
        name: 'FieldManagedError',
      });
      expect(message).toContain(writer.owner.split(' ')[1]);
      expect(await writer.apply(manifest)).toBe('nothing to do');
    });
  },
);

describe.each(['Flux', 'Argo CD, ServerSideApply', 'Helm 4'])(
  'the switch is handed over from Git to users, with %s:',
  (tool) => {
    test.concurrent('first the API owns it too, then Git drops it: it stays on, and users own it', async () => {
      const writer = writerNamed(tool);
      const manifest = aFlag(`${instance.home}/${slug(tool, 'handed')}`, switchedOn());
      const flag = await brought(writer, manifest);
      expect((await instance.call(`POST ${flag}/ownership`, { body: {} })).status).toBe(200);

      const dropped = { ...manifest, spec: aFlag('n/f', rules(25)).spec };
      await stored(manifest);
      await writer.apply(dropped);
      expect((await production(manifest)).enabled).toBe(true);
      // Flux skips an apply that changes no value, so it still owns the field that it has dropped.
      const first = await instance.call(`POST ${flag}/environments/production/off`);
      expect(first.status).toBe(tool === 'Flux' ? 409 : 200);
      await stored(manifest);
      await writer.apply({ ...manifest, spec: aFlag('n/f', { ...rules(25), description: 'something else' }).spec });
      expect((await instance.call(`POST ${flag}/environments/production/off`)).status).toBe(200);
      await stored(manifest);
      await writer.apply({ ...manifest, spec: aFlag('n/f', { ...rules(25), description: 'once more' }).spec });
      expect((await production(manifest)).enabled).toBe(false);
    });

    test.concurrent('dropped from Git first, the flag is off', async () => {
      const writer = writerNamed(tool);
      const manifest = aFlag(`${instance.home}/${slug(tool, 'lost')}`, switchedOn());
      await brought(writer, manifest);
      await writer.apply({ ...manifest, spec: aFlag('n/f', rules(25)).spec });
      expect((await production(manifest)).enabled).toBeUndefined();
    });
  },
);

test('Flux keeps changes by kubectl if the flag says so', async () => {
  const plain = aFlag(`${instance.home}/flux-merge`, rules(25));
  const manifest = { ...plain, metadata: { ...plain.metadata, annotations: { [FLUX_MODE]: 'Merge' } } };
  await brought(writerNamed('Flux'), manifest);
  await switchByHand(manifest);
  expect(await writerNamed('Flux').apply(manifest)).toBe('nothing to do');
  expect((await production(manifest)).enabled).toBe(true);
});

test('users own everything of a flag that Flux creates once', async () => {
  const plain = aFlag(`${instance.home}/flux-once`, rules(25));
  const manifest = { ...plain, metadata: { ...plain.metadata, annotations: { [FLUX_MODE]: 'IfNotPresent' } } };
  const flag = await brought(writerNamed('Flux'), manifest);
  expect((await instance.call(`POST ${flag}/environments/production/on`)).status).toBe(200);
  const changed = { ...manifest, spec: aFlag(`${instance.home}/flux-once`, rules(50)).spec };
  expect(await writerNamed('Flux').apply(changed)).toBe('nothing to do');
  expect(await production(manifest)).toMatchObject({
    enabled: true,
    strategies: { few: { parameters: { rollout: 25 } } },
  });
});

test('users own everything of a flag whose differences Argo CD ignores, in a project that takes over', async () => {
  const { home } = instance;
  await instance.apply(aProject(`${home}/free`, { managedFields: 'TakeOver' }));
  const manifest = aFlag(`${home}/ignored`, { project: 'free', ...switchedOn() });
  const argo = writerNamed('Argo CD');
  expect(await argo.apply(manifest)).toBe('written');
  await instance.served('GET /projects/free/features/ignored');
  const { status, headers } = await instance.call('POST /projects/free/features/ignored/environments/production/off');
  expect([status, headers.get('warning')]).toEqual([200, expect.stringContaining('argocd-controller')]);
  // With RespectIgnoreDifferences, Argo CD applies the present value of each ignored field.
  await argo.apply({ ...manifest, spec: (await stored(manifest)).spec });
  expect((await production(manifest)).enabled).toBe(false);
});
