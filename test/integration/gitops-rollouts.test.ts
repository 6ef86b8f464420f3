/**
 * Windows and the steps of ramps in Git, the switch and the start of ramps by users: tools of every kind leave both
 * unchanged.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadKubeConfig } from '../../src/kube/api/kubeconfig.ts';
import { connect, type Transport } from '../../src/kube/api/transport.ts';
import type { RampStep } from '../../src/schema/ramp.ts';
import { aFlag, type Manifest } from '../support/builders.ts';
import { ownersOf } from '../support/gitops/field-owners.ts';
import { type Writer, writersOn } from '../support/gitops/writers.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import type { Stored } from '../support/stored.ts';

const STEPS = [{ rollout: 5, for: '1h' }, { rollout: 50, for: '2h' }, { rollout: 100 }];
const OTHER_STEPS = [{ rollout: 10, for: '3h' }, { rollout: 60, for: '1h' }, { rollout: 90 }];
const DAY_MS = 86_400_000;
const day = (number: number) => new Date(Date.now() + number * DAY_MS).toISOString();
const activeFrom = day(-1);
const activeUntil = day(30);

let instance: Instance;
let transport: Transport;
let writers: readonly Writer[];

beforeAll(async () => {
  instance = await startInstance('gitops-rollouts');
  transport = connect(loadKubeConfig(instance.cluster.kubeconfig));
  writers = writersOn(transport);
});
afterAll(async () => {
  transport.close();
  await instance.stop();
});

/** Server-side apply with and without force, a merge with the last apply, the whole manifest, the last release. */
const names = ['Flux', 'kubectl apply --server-side', 'Argo CD', 'kubectl patch', 'Helm 3'];
const writerNamed = (name: string) => writers.find((one) => one.name === name) as Writer;
const flagName = (name: string) => name.toLowerCase().replace(/[^a-z0-9]+/g, '-');

function inGit(name: string, steps: readonly RampStep[], window: object): Manifest {
  const s = { name: 'flexibleRollout', parameters: { rollout: 1 }, ramp: { steps: [...steps] } };
  return aFlag(`${instance.home}/${name}`, { environments: { production: { ...window, strategies: { s } } } });
}

async function production(name: string): Promise<Stored> {
  return (await instance.flag(`${instance.home}/${name}`)).spec.environments.production;
}

/** The fields that users have written. */
async function ofPeople(name: string): Promise<object> {
  const { enabled, strategies } = await production(name);
  const { ramp, disabled } = strategies.s;
  return { enabled, disabled, startAt: ramp.startAt, pausedAt: ramp.pausedAt };
}

const send = (name: string, path: string, body?: object) =>
  instance.call(`POST /projects/shop/features/${name}/environments/production/${path}`, { body });

async function post(name: string, path: string, body?: object): Promise<void> {
  const answer = await send(name, path, body);
  expect([answer.status, answer.text]).toEqual([200, '']);
}

const act = (name: string, action: string, step?: number) => post(name, 'strategies/s/ramp', { action, step });

describe.each(names)('%s', (tool) => {
  const name = flagName(tool);

  test('leaves the changes of users to a ramp and the switch, also an abort, and users are not refused', async () => {
    const writer = writerNamed(tool);
    const manifest = inGit(name, STEPS, { activeFrom, activeUntil });
    expect(await writer.apply(manifest)).toBe('written');
    await instance.served(`GET /projects/shop/features/${name}`);
    const owned = ['activeFrom', 'activeUntil', 'strategies.s.ramp.steps'].map(
      (path) => `environments.production.${path}`,
    );
    expect(ownersOf(await instance.flag(`${instance.home}/${name}`))[writer.owner]).toEqual(
      expect.arrayContaining(owned),
    );

    await post(name, 'on');
    const text = expect.stringMatching(/^20.*Z$/);
    await act(name, 'start');
    expect(await ofPeople(name)).toEqual({ enabled: true, startAt: text });
    await act(name, 'skip', 2);
    await act(name, 'pause');
    const left = await ofPeople(name);
    expect(left).toEqual({ enabled: true, startAt: text, pausedAt: text });
    expect(await writer.apply(manifest)).toBe('nothing to do');
    expect(await ofPeople(name)).toEqual(left);

    const later = day(60);
    expect(await writer.apply(inGit(name, OTHER_STEPS, { activeFrom, activeUntil: later }))).toBe('written');
    expect(await ofPeople(name)).toEqual(left);
    expect(await production(name)).toMatchObject({
      activeUntil: later,
      strategies: { s: { ramp: { steps: OTHER_STEPS } } },
    });
    await act(name, 'resume');
    expect(await ofPeople(name)).toEqual({ enabled: true, startAt: text });
    await act(name, 'abort');
    const aborted = await ofPeople(name);
    expect(aborted).toEqual({ enabled: false, disabled: true, startAt: text, pausedAt: text });

    expect(await writer.apply(inGit(name, STEPS, { activeFrom, activeUntil }))).toBe('written');
    expect(await ofPeople(name)).toEqual(aborted);
    expect((await production(name)).strategies.s.ramp.steps).toEqual(STEPS);
  });
});

describe.each(names.filter((name) => name !== 'kubectl patch'))('%s', (tool) => {
  /** kubectl is the tool of users, so the API may change the fields that it has written. */
  const isProtected = !tool.startsWith('kubectl');

  test('resets only its switch after an abort, which needs force for a protected tool', async () => {
    const writer = writerNamed(tool);
    const flag = `${flagName(tool)}-held`;
    const manifest = inGit(flag, STEPS, { enabled: true });
    expect(await writer.apply(manifest)).toBe('written');
    await instance.served(`GET /projects/shop/features/${flag}`);
    await act(flag, 'start');
    if (isProtected) {
      const before = await instance.flag(`${instance.home}/${flag}`);
      const { status, body } = await send(flag, 'strategies/s/ramp', { action: 'abort' });
      expect([status, body.name]).toEqual([409, 'FieldManagedError']);
      expect(body.message).toContain('spec.environments.production.enabled');
      expect(await instance.flag(`${instance.home}/${flag}`)).toEqual(before);
      await act(flag, 'pause');
    }
    await post(flag, 'strategies/s/ramp?force=true', { action: 'abort' });
    const aborted = await ofPeople(flag);
    expect(aborted).toMatchObject({ enabled: false, disabled: true, pausedAt: expect.any(String) });
    await writer.apply(manifest);
    expect(await ofPeople(flag)).toEqual({ ...aborted, enabled: expect.any(Boolean) });
    const { status } = await instance.flag(`${instance.home}/${flag}`);
    expect(status.environments.production.enabled, 'nobody gets the flag').toBe(false);
  });
});

test('Flux resets a start that kubectl has written, and keeps one of another field manager', async () => {
  const flux = writerNamed('Flux');
  const manifest = inGit('started', STEPS, {});
  expect(await flux.apply(manifest)).toBe('written');
  const startAt = day(-1);
  const body = { spec: { environments: { production: { strategies: { s: { ramp: { startAt } } } } } } };
  const patch = (fieldManager: string) =>
    transport.request({
      method: 'PATCH',
      path: `/apis/vexil.dev/v1beta1/namespaces/${instance.home}/featureflags/started`,
      query: { fieldManager },
      contentType: 'application/merge-patch+json',
      body,
    });
  await patch('kubectl-patch');
  await flux.apply(manifest);
  expect(await ofPeople('started')).toEqual({});
  await patch('people');
  expect(await flux.apply(manifest)).toBe('nothing to do');
  expect(await ofPeople('started')).toEqual({ startAt });
});
