/** The version in which the API server stores objects moves, and goes back, while objects are written. */
import { readFileSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { customResourceDefinition } from '../../scripts/crd.ts';
import { runProgram } from '../../scripts/tools/run-program.ts';
import { isClusterError } from '../../src/errors.ts';
import { loadKubeConfig } from '../../src/kube/api/kubeconfig.ts';
import { type Call, connect, type Transport } from '../../src/kube/api/transport.ts';
import { GROUP, VERSIONS } from '../../src/model/kind.ts';
import { featureFlag } from '../../src/schema/feature-flag.ts';
import { project } from '../../src/schema/project.ts';
import { aFlag, aProject } from '../support/builders.ts';
import { installDefinitions } from '../support/control-plane/install-definitions.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane/start-control-plane.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { inVersion } from '../support/in-version.ts';
import { CURRENT_DEFINITIONS, frozenPath, LAST_RELEASE } from '../support/releases/frozen.ts';
import type { Stored } from '../support/stored.ts';

const UPGRADE = readFileSync(new URL('../../docs/upgrade.md', import.meta.url), 'utf8');
const HOME = 'home';
const NAME = `featureflags.${GROUP}`;
const [newer = '', older = ''] = VERSIONS.map(({ name }) => name);
const FLAGS = ['a', 'b', 'c'];
/** Each change of a definition costs the API server a second, so there are two of them. */
const KINDS = [featureFlag, project];

let plane: ControlPlane;
let transport: Transport;
let folder: string;

beforeAll(async () => {
  plane = await startControlPlane();
  transport = connect(loadKubeConfig(plane.kubeconfig));
  folder = await mkdtemp(join(tmpdir(), 'vexil-storage-version-'));
  await installFrom(frozenPath(LAST_RELEASE, 'crds'));
  await plane.kubectlOrThrow(['create', 'namespace', HOME]);
  // No writer changes the project.
  await plane.apply(
    [aProject(`${HOME}/shop`), ...FLAGS.map((name) => aFlag(`${HOME}/${name}`, { description: name }))].map((one) =>
      inVersion(older, one),
    ),
  );
});
afterAll(async () => {
  transport?.close();
  await plane?.stop();
  await rm(folder, { recursive: true });
});

/** Installs the definitions of these kinds. */
async function installFrom(definitions: string): Promise<void> {
  for (const { plural } of KINDS) {
    const file = `${plural}.yaml`;
    await cp(join(definitions, file), join(folder, 'crds', file));
  }
  await installDefinitions(plane, folder);
}

/** While a definition takes effect, the API server may ask clients to call again (429); kubectl and client-go do. */
function request(call: Call): Promise<Stored> {
  return waitUntil({ what: `${call.method} ${call.path} is answered` }, async () => {
    try {
      return (await transport.request(call)) as Stored;
    } catch (error) {
      if (isClusterError(error) && error.answer?.status === 429) return false;
      throw error;
    }
  });
}

const get = (path: string): Promise<Stored> => request({ method: 'GET', path });
const storedVersions = async () =>
  (await get(`/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${NAME}`)).status.storedVersions;
const inHome = (version: string, place: string) => `/apis/${GROUP}/${version}/namespaces/${HOME}/${place}`;
const pathOf = (version: string, name: string) => inHome(version, `featureflags/${name}`);
/** Of the flags and the project, by name. */
const resourceVersions = async () => {
  const { items } = await get(pathOf(newer, ''));
  const all: Stored[] = [...items, await get(inHome(newer, 'projects/shop'))];
  return new Map(all.map(({ metadata }) => [metadata.name, metadata.resourceVersion]));
};

/** The definitions with another storage version, as a later release has them. */
async function storeIn(version: string): Promise<void> {
  const definitions = KINDS.map((kind) => {
    const { spec, ...rest } = customResourceDefinition(kind);
    const versions = spec.versions.map((one) => ({ ...one, storage: one.name === version }));
    return { ...rest, spec: { ...spec, versions } };
  });
  const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: definitions });
  await plane.kubectlOrThrow(['apply', '--server-side', '--filename', '-'], { input });
  await waitUntil({ what: `${version} is a stored version` }, async () => (await storedVersions()).includes(version));
}

/** Runs the commands of docs/upgrade.md, for a version. */
async function migrate(version: string): Promise<void> {
  const [, commands = ''] =
    /<!-- not run: for the next minor version[^\n]*-->\n```sh\n([\s\S]*?)```/.exec(UPGRADE) ?? [];
  const environment = {
    KUBECONFIG: plane.kubeconfig,
    PATH: `${dirname(plane.kubectlProgram)}:${process.env['PATH']}`,
  };
  const script = commands.replace('"storedVersions":["v1beta1"]', `"storedVersions":["${version}"]`);
  const { code, stderr } = await runProgram('sh', ['-c', script], { environment });
  expect([code, stderr]).toEqual([0, '']);
}

/** Writes flags in turn, each time in the next version, until it is stopped. Resolves with the last values. */
function writeUntilStopped(...versions: readonly string[]): { stop(): Promise<ReadonlyMap<string, number>> } {
  const written = new Map(FLAGS.map((name) => [name, 0]));
  let isStopped = false;
  const running = (async () => {
    for (let turn = 0; !isStopped; turn += 1) {
      const name = FLAGS[turn % FLAGS.length] as string;
      const count = (written.get(name) ?? 0) + 1;
      await request({
        method: 'PATCH',
        path: pathOf(versions[turn % versions.length] ?? older, name),
        contentType: 'application/merge-patch+json',
        body: { spec: { lifetimeDays: count } },
      });
      written.set(name, count);
    }
  })();
  return {
    stop: async () => {
      isStopped = true;
      await running;
      return written;
    },
  };
}

/** The last value of each flag is there in both versions. */
async function expectNothingLost(written: ReadonlyMap<string, number>): Promise<void> {
  for (const version of [newer, older]) {
    const { items } = await get(pathOf(version, ''));
    expect(items.map(({ spec }: Stored) => spec)).toEqual(
      FLAGS.map((name) => ({ project: 'shop', description: name, lifetimeDays: written.get(name) })),
    );
  }
}

test('with writers running the definitions are upgraded: nothing is refused, nothing is lost or stored anew', async () => {
  const writers = writeUntilStopped(older);
  await installFrom(CURRENT_DEFINITIONS);
  await expectNothingLost(await writers.stop());
  expect(await storedVersions()).toEqual([older]);
});

test('with writers running the storage version moves: nothing is refused, and nothing is lost', async () => {
  expect(await storedVersions()).toEqual([older]);
  const writers = writeUntilStopped(newer, older);
  await storeIn(newer);
  expect(await storedVersions()).toEqual([older, newer]);
  await expectNothingLost(await writers.stop());
});

test('a definition without the older version is refused until the objects are migrated', async () => {
  const { spec, ...rest } = customResourceDefinition(featureFlag);
  const versions = spec.versions.filter(({ name }) => name === newer).map((one) => ({ ...one, storage: true }));
  const input = JSON.stringify({ ...rest, spec: { ...spec, versions } });
  const withoutOlder = ['apply', '--server-side', '--dry-run=server', '--filename', '-'];
  expect((await plane.kubectl(withoutOlder, { input })).stderr).toContain('status.storedVersions');
  const before = await resourceVersions();
  await migrate(newer);
  expect(await storedVersions()).toEqual([newer]);
  // Objects that writers have stored in the newer version already are left as they are.
  const after = await resourceVersions();
  expect([...after.keys()]).toEqual([...before.keys()]);
  expect(after.get('shop')).not.toBe(before.get('shop'));
  await plane.kubectlOrThrow(withoutOlder, { input });
  const { items } = await get(pathOf(newer, ''));
  await plane.kubectlOrThrow(['replace', '--filename', '-'], {
    input: JSON.stringify({ apiVersion: 'v1', kind: 'List', items }),
  });
  expect(await resourceVersions()).toEqual(after);
});

/**
 * The migrator is in kube-controller-manager, which the tests do not have. These are its requests in Kubernetes 1.37.
 */
async function migrateAsKubernetes(): Promise<Stored[]> {
  const { items } = await get(pathOf(newer, ''));
  return Promise.all(
    items.map(({ metadata: { name, uid, resourceVersion } }: Stored) =>
      request({
        method: 'PATCH',
        path: pathOf(newer, name),
        query: { fieldManager: 'storage-version-migrator-controller' },
        contentType: 'application/merge-patch+json',
        body: { apiVersion: `${GROUP}/${newer}`, kind: 'FeatureFlag', metadata: { uid, resourceVersion } },
      }),
    ),
  );
}

test('the requests of the migrator of Kubernetes store objects anew, and change neither owners nor generations', async () => {
  await storeIn(older);
  const before = (await get(pathOf(newer, ''))).items;
  const after = await migrateAsKubernetes();
  const withoutRevision = ({ metadata: { resourceVersion: _, ...metadata }, ...rest }: Stored) => ({
    ...rest,
    metadata,
  });
  expect(after.map(withoutRevision)).toEqual(before.map(withoutRevision));
  for (const [index, { metadata }] of after.entries()) {
    expect(metadata.resourceVersion).not.toBe(before[index].metadata.resourceVersion);
  }
  expect(await migrateAsKubernetes()).toEqual(after);
});

test('a rollback to the last release is refused until the objects are migrated back, and then loses nothing', async () => {
  const definition = frozenPath(LAST_RELEASE, 'crds', 'featureflags.yaml');
  const rollback = ['apply', '--server-side', '--filename', definition];
  expect((await plane.kubectl(rollback)).stderr).toContain('status.storedVersions');
  const before = await resourceVersions();
  await migrate(older);
  const after = await resourceVersions();
  expect(after.get('shop')).not.toBe(before.get('shop'));
  await plane.kubectlOrThrow(rollback);
  const { items } = await get(pathOf(older, ''));
  expect(items.map(({ spec }: Stored) => spec.description)).toEqual(FLAGS);
});
