/** The real kubectl and Helm move manifests between the versions of the API: no foreign owner, no difference. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { runProgram } from '../../scripts/tools/run-program.ts';
import { parseObject } from '../../src/kube/object/parse-object.ts';
import { GROUP, VERSIONS } from '../../src/model/kind.ts';
import { featureFlag } from '../../src/schema/feature-flag.ts';
import { aFlag, type Manifest } from '../support/builders.ts';
import { sharedCluster } from '../support/cluster.ts';
import { inVersion } from '../support/in-version.ts';
import type { Stored } from '../support/stored.ts';
import { type Helm, projectHelm } from '../support/tools/helm.ts';

const cluster = sharedCluster();
const [newer = '', older = ''] = VERSIONS.map(({ name }) => name);
let namespace: string;
let helm: Helm;
let folder: string;

beforeAll(async () => {
  namespace = await cluster.freshNamespace('moved');
  helm = await projectHelm(cluster.kubeconfig);
  folder = await mkdtemp(join(tmpdir(), 'vexil-moved-'));
});
afterAll(async () => {
  await helm?.end();
  if (folder) await rm(folder, { recursive: true });
});

const environments = (rollout: number) => ({
  development: { strategies: { few: { name: 'flexibleRollout', parameters: { rollout } } } },
});
const stored = (name: string): Promise<Stored> => cluster.getObject(`ff/${name}`, namespace);
const stateOf = ({ metadata: { uid, generation }, spec }: Stored) => ({ uid, generation, spec });
const ownersOf = (flag: Stored) =>
  parseObject(featureFlag, flag).owners.map(({ operation, manager }) => `${operation} ${manager}`);

const kubectl =
  (...flags: readonly string[]) =>
  async (manifest: Manifest) => {
    await cluster.kubectlOrThrow(['apply', ...flags, '-f', '-'], { input: JSON.stringify(manifest) });
  };

/** What `kubectl diff` says about a manifest that is applied. */
const difference =
  (...flags: readonly string[]) =>
  (manifest: Manifest) =>
    cluster.kubectl(['diff', ...flags, '-f', '-'], { input: JSON.stringify(manifest) });

/** Helm 3 applied on the side of the client, as `--server-side=false` does. */
const helmUpgrade =
  (...flags: readonly string[]) =>
  async (manifest: Manifest) => {
    const { name } = manifest.metadata;
    const chart = join(folder, name);
    await mkdir(join(chart, 'templates'), { recursive: true });
    await writeFile(join(chart, 'Chart.yaml'), stringify({ apiVersion: 'v2', name: 'flags', version: '1.0.0' }));
    await writeFile(join(chart, 'templates/flags.yaml'), stringify(manifest));
    await helm.runOrThrow(['upgrade', '--install', name, chart, '-n', namespace, ...flags]);
  };

test.each([
  ['kubectl apply', 'Update kubectl-client-side-apply', kubectl(), difference()],
  ['kubectl apply --server-side', 'Apply kubectl', kubectl('--server-side'), difference('--server-side')],
  ['helm upgrade', 'Apply helm', helmUpgrade(), undefined],
  ['helm upgrade --server-side=false', 'Update helm', helmUpgrade('--server-side=false'), undefined],
])('%s', async (way, owner, apply, diff) => {
  const name = way.replace(/[^a-z]+/g, '-');
  const manifestIn = (version: string, spec: object) => inVersion(version, aFlag(`${namespace}/${name}`, spec));
  const applyIn = async (version: string, spec: object) => {
    await apply(manifestIn(version, spec));
    return stored(name);
  };
  const before = { description: 'from Git', stale: true, environments: environments(25) };
  const first = await applyIn(older, before);
  expect(ownersOf(first)).toEqual([owner]);
  for (const version of [newer, older]) {
    const moved = await applyIn(version, before);
    expect([stateOf(moved), ownersOf(moved)]).toEqual([stateOf(first), [owner]]);
    if (diff) expect(await diff(manifestIn(version, before))).toMatchObject({ code: 0, stdout: '' });
  }
  const moved = await applyIn(newer, before);
  expect((await applyIn(newer, before)).metadata.resourceVersion).toBe(moved.metadata.resourceVersion);
  const changed = await applyIn(newer, { description: 'now', environments: environments(50) });
  expect(changed.spec).toEqual({ project: 'shop', description: 'now', environments: environments(50) });
  expect([changed.metadata.uid, ownersOf(changed)]).toEqual([first.metadata.uid, [owner]]);
});

test('kubectl edit in the older version of an object that was written in the newer one', async () => {
  await cluster.apply([
    inVersion(newer, aFlag(`${namespace}/edited`, { description: 'before', tags: ['simple:checkout'] })),
  ]);
  const edit = ['edit', `featureflags.${older}.${GROUP}/edited`, '-n', namespace];
  const { code, stderr } = await runProgram(cluster.kubectlProgram, edit, {
    environment: { KUBECONFIG: cluster.kubeconfig, KUBE_EDITOR: 'sed -i s/before/after/', KUBERC: 'off' },
  });
  expect([code, stderr]).toEqual([0, '']);
  const edited = await stored('edited');
  expect(edited.spec).toEqual({ project: 'shop', description: 'after', tags: ['simple:checkout'] });
  expect(ownersOf(edited)).toEqual(['Apply kubectl', 'Update kubectl-edit']);
});
