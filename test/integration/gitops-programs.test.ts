/** The writers of the matrix send what the real tools send: kubectl itself leaves the same object behind. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runProgram } from '../../scripts/tools/run-program.ts';
import { loadKubeConfig } from '../../src/kube/api/kubeconfig.ts';
import { connect, type Transport } from '../../src/kube/api/transport.ts';
import { aFlag, type Manifest } from '../support/builders.ts';
import { sharedCluster } from '../support/cluster.ts';
import { saidByGit } from '../support/gitops/fields.ts';
import { writersOn } from '../support/gitops/writers.ts';
import type { Stored } from '../support/stored.ts';

const cluster = sharedCluster();
let transport: Transport;
let namespace: string;
let other: string;

beforeAll(async () => {
  transport = connect(loadKubeConfig(cluster.kubeconfig));
  [namespace, other] = await Promise.all([cluster.freshNamespace('stand-in'), cluster.freshNamespace('program')]);
});
afterAll(() => transport.close());

/** The first manifest; and the second one, in which one field changes, one is left out and one is added. */
const first = structuredClone(saidByGit);
const { stale: _, ...rest } = structuredClone(saidByGit);
const then = { ...rest, description: 'changed in Git', impressionData: true };

const kubectl = async (args: readonly string[], input?: object, editor = 'true') => {
  const { code, stderr } = await runProgram(cluster.kubectlProgram, [...args, '-n', other], {
    ...(input && { input: JSON.stringify(input) }),
    environment: { KUBECONFIG: cluster.kubeconfig, KUBE_EDITOR: editor, KUBERC: 'off' },
  });
  expect(code, stderr).toBe(0);
};
const applied =
  (...args: readonly string[]) =>
  (manifest: Manifest) =>
    kubectl(['apply', ...args, '-f', '-'], manifest);

/** The kubectl commands that do what the writer of this name sends: one of each kind. */
const programs: Readonly<Record<string, (manifest: Manifest) => Promise<void>>> = {
  'kubectl apply': applied(),
  'kubectl apply --server-side': applied('--server-side'),
  'Argo CD, ServerSideApply': (manifest) =>
    applied('--server-side', '--force-conflicts', '--field-manager=argocd-controller')(tracked(manifest)),
};

/** Adds the mark by which Argo CD recognises its objects. */
const tracked = (manifest: Manifest) => ({
  ...manifest,
  metadata: { ...manifest.metadata, annotations: { 'argocd.argoproj.io/tracking-id': trackingOf(manifest) } },
});
const trackingOf = ({ metadata }: Manifest) => `flags:vexil.dev/FeatureFlag:${metadata.namespace}/${metadata.name}`;

/** Returns the object that a writer leaves behind, without times, versions and the name of the namespace. */
async function left(place: string, name: string): Promise<Stored> {
  const path = `/apis/vexil.dev/v1beta1/namespaces/${place}/featureflags/${name}`;
  const { metadata, spec } = (await transport.request({ method: 'GET', path })) as Stored;
  const { labels, annotations, generation } = metadata;
  const managed = metadata.managedFields.map(({ time: __, ...entry }: Stored) => entry);
  return JSON.parse(JSON.stringify({ labels, annotations, generation, spec, managed }).replaceAll(place, 'PLACE'));
}

test.each(Object.keys(programs))('%s', async (way) => {
  const name = way.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  const writer = writersOn(transport).find((one) => one.name === way);
  for (const spec of [first, then]) {
    await writer?.apply(aFlag(`${namespace}/${name}`, structuredClone(spec)));
    await programs[way]?.(aFlag(`${other}/${name}`, structuredClone(spec)));
    expect(await left(namespace, name)).toEqual(await left(other, name));
  }
});

test.each([
  ['kubectl patch', (name: string) => kubectl(['patch', 'ff', name, '--type=merge', '-p', '{"spec":{"stale":true}}'])],
  ['kubectl edit', (name: string) => kubectl(['edit', 'ff', name], undefined, 'sed -i "s/stale: false/stale: true/"')],
])('%s', async (way, program) => {
  const name = way.replace(' ', '-');
  const [base, hand] = ['Helm 4', way].map((one) => writersOn(transport).find((writer) => writer.name === one));
  for (const place of [namespace, other]) await base?.apply(aFlag(`${place}/${name}`, first));
  await hand?.apply(aFlag(`${namespace}/${name}`, { ...first, stale: true }));
  await program(name);
  const [standIn, real] = [await left(namespace, name), await left(other, name)];
  const manager = way.replace(' ', '-');
  const ownedBy = ({ managed }: Stored) =>
    managed.find((entry: Stored) => entry.manager === manager)?.fieldsV1['f:spec'];
  expect(ownedBy(real)).toEqual({ 'f:stale': {} });
  // The writer that stands for a patch sends the whole spec, and owns only what it changes.
  expect(ownedBy(standIn)).toMatchObject({ 'f:stale': {} });
  expect(standIn.spec).toEqual(real.spec);
});
