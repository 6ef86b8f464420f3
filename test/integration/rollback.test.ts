/** A rollback of the definitions to an earlier release: what it hides, what is lost, and what returns. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadKubeConfig } from '../../src/kube/api/kubeconfig.ts';
import { connect, type Transport } from '../../src/kube/api/transport.ts';
import type { Manifest } from '../support/builders.ts';
import { installDefinitions } from '../support/control-plane/install-definitions.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane/start-control-plane.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { grantOperatorRoles } from '../support/operator-roles.ts';
import { frozenPath, LAST_RELEASE } from '../support/releases/frozen.ts';
import { newerObjects } from '../support/releases/newer-objects.ts';
import { type RunningApp, startApp } from '../support/running-app.ts';
import type { Stored } from '../support/stored.ts';

const HOME = 'home';
/** The version that both releases serve. */
const API_VERSION = 'vexil.dev/v1alpha1';
const manifests = newerObjects(HOME);
const [segment] = manifests.slice(-1) as [Manifest];

let plane: ControlPlane;
let transport: Transport;
let created: ReadonlyMap<string, Stored>;

const pathOf = ({ kind, metadata }: Pick<Manifest, 'kind' | 'metadata'>): string =>
  `/apis/${API_VERSION}/namespaces/${HOME}/${kind.toLowerCase()}s/${metadata.name}`;
const flagPath = (name: string): string => `/apis/${API_VERSION}/namespaces/${HOME}/featureflags/${name}`;
const get = (path: string): Promise<Stored> => transport.request({ method: 'GET', path });

async function everySpec(): Promise<ReadonlyMap<string, Stored>> {
  const read = manifests.map(async (one) => [one.metadata.name, (await get(pathOf(one))).spec] as const);
  return new Map(await Promise.all(read));
}

const production = async (flag: string): Promise<Stored> => (await get(flagPath(flag))).spec.environments.production;

/** A definition takes effect a moment after it is stored, each at its own time. */
const untilNewerFieldsAre = (wanted: 'shown' | 'hidden') =>
  waitUntil({ what: `the newer fields are ${wanted}` }, async () => {
    const specs = await everySpec();
    const found = ['production', 'shop'].map((name) => Object.keys(specs.get(name)).length > 0);
    found.push('activeUntil' in specs.get('windowed').environments.production);
    return found.every((isShown) => isShown === (wanted === 'shown'));
  });

async function rollBack(): Promise<void> {
  await installDefinitions(plane, frozenPath(LAST_RELEASE));
  await untilNewerFieldsAre('hidden');
}

async function upgrade(): Promise<void> {
  await installDefinitions(plane);
  await untilNewerFieldsAre('shown');
}

beforeAll(async () => {
  plane = await startControlPlane();
  transport = connect(loadKubeConfig(plane.kubeconfig));
  await installDefinitions(plane);
  await plane.kubectlOrThrow(['create', 'namespace', HOME]);
  const input = manifests.map((one) => JSON.stringify(one)).join('\n---\n');
  await plane.kubectlOrThrow(['create', '--validate=strict', '-f', '-'], { input });
  created = await everySpec();
});

afterAll(async () => {
  transport?.close();
  await plane?.stop();
});

describe('before an object is written', () => {
  test('the API server hides the newer fields, and the newer kind stays', async () => {
    await rollBack();
    const specs = await everySpec();
    expect(specs.get('production')).toEqual({});
    expect(specs.get('shop')).toEqual({});
    expect(specs.get('windowed')).not.toHaveProperty('dependencies');
    expect((await production('ramped')).strategies.slowly).not.toHaveProperty('ramp');
    expect((await production('matched')).strategies.staff).not.toHaveProperty('segments');
    expect(specs.get(segment.metadata.name)).toEqual(segment.spec);
  });

  test('the next upgrade shows all of them again', async () => {
    await upgrade();
    expect(await everySpec()).toEqual(created);
  });
});

describe('after an object is written', () => {
  const merge = (path: string, body: object) =>
    transport.request({ method: 'PATCH', path, body, contentType: 'application/merge-patch+json' });

  test('its values stay, also those that an older release would not accept, and its newer fields are gone', async () => {
    await rollBack();
    await merge(flagPath('matched'), { spec: { description: 'written after the rollback' } });
    // A write of the status is enough to lose the fields, and the older operator writes one.
    await merge(`${flagPath('ramped')}/status`, { status: { observedGeneration: 1 } });
    await upgrade();
    const { segments, ...staff } = created.get('matched').environments.production.strategies.staff;
    expect(segments).toEqual(['staff']);
    expect((await production('matched')).strategies).toEqual({ staff });
    expect((await production('ramped')).strategies.slowly).not.toHaveProperty('ramp');
  });

  test('objects that were not written keep theirs', async () => {
    const specs = await everySpec();
    for (const name of ['production', 'shop', 'windowed', segment.metadata.name])
      expect(specs.get(name), name).toEqual(created.get(name));
  });

  describe('and upgraded again', () => {
    let app: RunningApp;
    beforeAll(async () => {
      app = await startApp({ KUBECONFIG: await grantOperatorRoles(plane, HOME, []), VEXIL_NAMESPACE: HOME });
      await app.ready();
    });
    afterAll(() => app?.stop());

    test('the operator judges every object, and reports a problem of none', async () => {
      for (const one of manifests) {
        await waitUntil({ what: `${one.metadata.name} is Ready` }, async () => {
          const { status } = await get(pathOf(one));
          return status?.conditions?.some(({ type, status: is }: Stored) => type === 'Ready' && is === 'True');
        });
      }
      expect(app.log.filter(({ level }) => level === 'warn' || level === 'error')).toEqual([]);
    });
  });
});
