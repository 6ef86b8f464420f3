/** The kustomization of the edge that docs/kustomize.md shows: valid, and the same pods as the chart makes. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { readEdgeSettings } from '../../src/edge/settings.ts';
import { sharedCluster } from '../support/cluster.ts';
import { build, layOutExamples } from '../support/kustomize.ts';
import type { Stored } from '../support/stored.ts';
import { projectHelm } from '../support/tools/helm.ts';

const NAMESPACE = 'edge';
const cluster = sharedCluster();
let examples: string;
let objects: readonly Stored[];

beforeAll(async () => {
  examples = await layOutExamples();
  objects = await build(cluster, join(examples, 'edge'));
});
afterAll(() => rm(examples, { recursive: true, force: true }));

const one = (kind: string): Stored => objects.find((object) => object.kind === kind);

test('it has all objects in the namespace of the overlay, and the API server accepts them without warnings', async () => {
  expect(objects.map(({ kind, metadata }) => [kind, metadata.namespace]).sort()).toEqual(
    ['ConfigMap', 'Deployment', 'PodDisruptionBudget', 'Service'].map((kind) => [kind, NAMESPACE]),
  );
  const metadata = { name: NAMESPACE, labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } };
  await cluster.apply([{ apiVersion: 'v1', kind: 'Namespace', metadata }]);
  const { spec } = one('Deployment').spec.template;
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'probe', namespace: NAMESPACE }, spec };
  const input = [...objects, pod].map((object) => stringify(object)).join('---\n');
  const { code, stderr } = await cluster.kubectl(
    ['apply', '--server-side', '--dry-run=server', '--validate=strict', '-f', '-'],
    { input },
  );
  expect([code, stderr]).toEqual([0, '']);
});

test('the edge reads its settings', () => {
  const [{ env, envFrom }] = one('Deployment').spec.template.spec.containers;
  expect(envFrom).toEqual([{ configMapRef: { name: one('ConfigMap').metadata.name } }]);
  const own = Object.fromEntries(env.map(({ name, value }: Stored) => [name, value]));
  const settings = readEdgeSettings({}, { ...one('ConfigMap').data, ...own });
  expect({ ...settings, upstreamUrl: settings.upstreamUrl.map(String) }).toMatchObject({
    upstreamUrl: ['https://flags.example.com/'],
    tokensFile: '/etc/vexil-edge/tokens/tokens',
    backupFolder: '/var/lib/vexil-edge/backup',
    port: 3063,
  });
});

test('its pods, Service and budget are those of the chart', async () => {
  const helm = await projectHelm();
  const values = {
    ...{ upstream: { urls: ['https://flags.example.com'] }, tokens: { existingSecret: 'vexil-edge-tokens' } },
    image: { repository: 'registry.example.com/vexil' },
  };
  const fromChart = await helm.template(values, { chart: 'vexil-edge', namespace: NAMESPACE });
  await helm.end();
  for (const kind of ['Deployment', 'Service', 'PodDisruptionBudget']) {
    const wanted: Stored = fromChart.find((object) => object.kind === kind);
    expect(comparable(one(kind).spec), kind).toEqual(comparable(wanted.spec));
  }
});

/** Without labels, which name the release of a chart, without defaults, and without variables. */
function comparable(spec: Stored): Stored {
  const shown = JSON.stringify(spec, (key, value) => {
    if (['env', 'envFrom', 'labels', 'annotations', 'matchLabels', 'imagePullPolicy'].includes(key)) return undefined;
    if (['revisionHistoryLimit', 'type', 'selector'].includes(key) && spec[key] === value) return undefined;
    return value;
  });
  const plain: Stored = JSON.parse(shown);
  const byName = (one: Stored, other: Stored) => one.name.localeCompare(other.name);
  const pod = plain.template?.spec;
  if (pod) {
    pod.volumes.sort(byName);
    pod.containers[0].volumeMounts.sort(byName);
  }
  return plain;
}
