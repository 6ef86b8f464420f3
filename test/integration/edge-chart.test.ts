/** The objects that the chart vexil-edge renders for values: valid manifests, or a refusal that says what to do. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { edgeSettings, type Setting } from '../../src/edge/setting-table.ts';
import { readEdgeSettings } from '../../src/edge/settings.ts';
import { EDGE_OBJECTS, type EdgeRow, edgeBasics, edgeRefused, edgeRows } from '../support/chart/edge-matrix.ts';
import { sharedCluster } from '../support/cluster.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import type { Stored } from '../support/stored.ts';
import { writeClusterSchemas } from '../support/tools/cluster-schemas.ts';
import { chartFolder, type Helm, projectHelm, templateArgs, type Values } from '../support/tools/helm.ts';
import { complaintsOfKubeconform } from '../support/tools/kubeconform.ts';
import { monitoringDefinitions } from '../support/tools/monitoring-definitions.ts';

const HOME = 'edge-chart';
const CHART = 'vexil-edge';

const VARIABLES = Object.values<Setting>(edgeSettings).flatMap(({ variables }) => variables);

const cluster = sharedCluster();
let helm: Helm;
let schemas: string;
/** The objects of each row. */
const rendered = new Map<string, readonly Stored[]>();

beforeAll(async () => {
  helm = await projectHelm();
  const files = (await monitoringDefinitions()).flatMap((path) => ['--filename', path]);
  await cluster.kubectlOrThrow(['apply', '--server-side', ...files]);
  const metadata = { name: HOME, labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } };
  await cluster.apply([{ apiVersion: 'v1', kind: 'Namespace', metadata }]);
  schemas = await mkdtemp(join(tmpdir(), 'vexil-schemas-'));
  const document = await waitUntil({ what: 'the API server describes all kinds' }, async () => {
    const text = await cluster.kubectlOrThrow(['get', '--raw', '/openapi/v2']);
    return text.includes('ServiceMonitor') && JSON.parse(text);
  });
  await writeClusterSchemas(schemas, document, () => true);
  for (const [name, { values, options }] of Object.entries(edgeRows)) rendered.set(name, await render(values, options));
});

afterAll(async () => {
  await helm?.end();
  if (schemas) await rm(schemas, { recursive: true, force: true });
});

const withBasics = (values: Values): Values => ({ ...edgeBasics, ...values });
const render = (values: Values, options: EdgeRow['options'] = {}) =>
  helm.template(withBasics(values), { chart: CHART, namespace: HOME, ...options });

/** The object that makes the pods. */
const workloadIn = (objects: readonly Stored[]): Stored =>
  objects.find(({ kind }) => ['Deployment', 'StatefulSet'].includes(kind));
const podIn = (objects: readonly Stored[]): Stored => workloadIn(objects).spec.template.spec;

/** What an edge in the container reads; `a-secret` stands for what is in Secrets. */
function settingsIn(objects: readonly Stored[]) {
  const { env, args } = podIn(objects).containers[0];
  expect(args).toEqual(['--max-semi-space-size=2', '--optimize-for-size', '/app/edge.js']);
  const variables = env.map(({ name, value }: Stored) => [name, value ?? 'X-From=a-secret']);
  const environment = Object.fromEntries(variables);
  expect(Object.keys(environment)).toHaveLength(env.length);
  // The edge ignores variables that it does not know.
  expect(Object.keys(environment).filter((name) => !VARIABLES.includes(name))).toEqual([]);
  const { upstreamUrl, ...settings } = readEdgeSettings({}, environment);
  return { ...settings, upstreamUrl: upstreamUrl.map(String) };
}

const objectsOf = (name: string) => rendered.get(name) ?? [];
const plain = () => objectsOf('nothing but an upstream');

describe.each(Object.entries(edgeRows))('with %s', (name, row) => {
  test('the chart renders the expected objects', () => {
    const { more = [], less = [] } = row;
    const objects = objectsOf(name);
    const wanted = [...EDGE_OBJECTS.filter((title) => !less.includes(title)), ...more];
    expect(objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`).sort()).toEqual(wanted.toSorted());
    for (const { metadata } of objects) {
      expect(metadata.namespace).toBe(HOME);
      expect(metadata.labels).toMatchObject({
        'app.kubernetes.io/managed-by': 'Helm',
        'app.kubernetes.io/name': CHART,
        'app.kubernetes.io/part-of': 'vexil',
      });
    }
  });

  test('the edge reads the settings that it is given, and each file of them is in a volume', () => {
    const objects = objectsOf(name);
    const settings = settingsIn(objects);
    expect(settings).toEqual({ ...settingsIn(plain()), ...row.settings });
    const { containers, volumes } = podIn(objects);
    const mounted: readonly Stored[] = containers[0].volumeMounts;
    const files = Object.values(settings).filter((value) => typeof value === 'string' && /^\/(etc|var)\//.test(value));
    for (const file of files) {
      expect([file, mounted.some(({ mountPath }) => String(file).startsWith(`${mountPath}/`))]).toEqual([file, true]);
    }
    const claims = workloadIn(objects).spec.volumeClaimTemplates?.map(({ metadata }: Stored) => metadata.name) ?? [];
    const known = [...volumes.map(({ name }: Stored) => name), ...claims];
    expect(mounted.map(({ name }) => name).sort()).toEqual(known.toSorted());
  });
});

test('all objects are of known kinds with known fields', async () => {
  expect(await complaintsOfKubeconform(schemas, [...rendered.values()].flat())).toEqual([]);
});

test('the API server accepts the objects without warnings, and the pods under the restricted standard', async () => {
  const dryRun = ['apply', '--server-side', '--force-conflicts', '--dry-run=server', '--validate=strict', '-f', '-'];
  const whole = [...rendered.values()].map((objects) => {
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'probe', namespace: HOME }, spec: podIn(objects) };
    const claims: readonly Stored[] = workloadIn(objects).spec.volumeClaimTemplates ?? [];
    const own = claims.map(({ metadata: { name } }) => ({ name, persistentVolumeClaim: { claimName: name } }));
    return { ...pod, spec: { ...pod.spec, volumes: [...pod.spec.volumes, ...own] } };
  });
  const input = [...[...rendered.values()].flat(), ...whole].map((object) => stringify(object)).join('---\n');
  const { code, stderr } = await cluster.kubectl(dryRun, { input });
  expect([code, stderr]).toEqual([0, '']);
});

test('alerts are about the pods of their release, and link to the page of the team', async () => {
  const runbookUrl = 'https://docs.example.com/edge';
  const objects = await render({ prometheusRule: { enabled: true, runbookUrl } }, { release: 'shop' });
  const { spec } = objects.find(({ kind }) => kind === 'PrometheusRule') as Stored;
  for (const { expr, annotations } of spec.groups[0].rules) {
    const jobs = [...expr.matchAll(/job="[^"]*"(,namespace="[^"]*")?/g)].map(([selector]) => selector);
    expect(new Set(jobs)).toEqual(new Set([`job="shop-vexil-edge",namespace="${HOME}"`]));
    expect(annotations.runbook_url).toMatch(/^https:\/\/docs\.example\.com\/edge#vexil-edge-/);
  }
});

test('all values at once pass the linter without warnings', async () => {
  const values = Object.assign({}, edgeBasics, ...Object.values(edgeRows).map((row) => row.values));
  const { code, stdout } = await helm.run(['lint', '--strict', chartFolder(CHART), '--namespace', HOME], values);
  expect([code, stdout]).toEqual([0, expect.stringMatching(/1 chart\(s\) linted, 0 chart\(s\) failed/)]);
  expect(stdout).not.toMatch(/\[(WARNING|ERROR)\]/);
});

test('pods have no token of an account and no variables of Services, and stop after the last request', () => {
  const { containers, ...pod } = podIn(plain());
  expect(pod).toMatchObject({ automountServiceAccountToken: false, enableServiceLinks: false });
  expect(containers[0]).toMatchObject({
    securityContext: { readOnlyRootFilesystem: true },
    lifecycle: { preStop: { sleep: { seconds: 5 } } },
    livenessProbe: { httpGet: { path: '/internal-backstage/health' } },
    readinessProbe: { httpGet: { path: '/internal-backstage/ready' } },
  });
});

test('with a certificate, probes, the Service, metrics and the test use https', async () => {
  const objects = await render({ tls: { secretName: 'certificate' }, serviceMonitor: { enabled: true } });
  const one = (kind: string) => objects.find((object) => object.kind === kind)?.spec;
  const [{ startupProbe, livenessProbe, readinessProbe }] = podIn(objects).containers;
  const schemes = [startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => httpGet.scheme);
  expect(schemes).toEqual(['HTTPS', 'HTTPS', 'HTTPS']);
  expect(one('Service').ports[0].appProtocol).toBe('https');
  expect(one('ServiceMonitor').endpoints[0]).toMatchObject({
    scheme: 'https',
    tlsConfig: { insecureSkipVerify: true },
  });
  expect(one('Pod').containers[0].env[0].value).toBe(`https://vexil-edge.${HOME}.svc:3063`);
});

test.each<[string, Values, string, string]>([
  ['a Deployment', {}, 'Deployment', 'pod-template-hash'],
  ['a StatefulSet', { backup: { persistent: { enabled: true } } }, 'StatefulSet', 'controller-revision-hash'],
])('two or more pods of %s are spread, drained one by one, and scaled', async (_, values, kind, hash) => {
  const objects = await render({ ...values, autoscaling: { enabled: true } });
  const one = (name: string) => objects.find((object) => object.kind === name)?.spec;
  const { replicas, selector, template } = one(kind);
  expect(replicas).toBeUndefined();
  expect(one('HorizontalPodAutoscaler').scaleTargetRef).toEqual({ apiVersion: 'apps/v1', kind, name: CHART });
  const { topologySpreadConstraints: spread } = template.spec;
  expect(spread.map(({ topologyKey }: Stored) => topologyKey)).toEqual([
    'kubernetes.io/hostname',
    'topology.kubernetes.io/zone',
  ]);
  expect(spread[0]).toMatchObject({ labelSelector: selector, matchLabelKeys: [hash] });
  expect(template.metadata.labels).toMatchObject(selector.matchLabels);
  expect(one('PodDisruptionBudget')).toMatchObject({ maxUnavailable: 1, selector });
  expect(one('Service').selector).toEqual(selector.matchLabels);
});

test('the network policy lets the edge reach the ports of its upstreams, and no others', async () => {
  const urls = ['https://a.example.com', 'http://b.example.com/base', 'http://vexil.vexil-system.svc:4242'];
  const portsWith = async (networkPolicy: Values): Promise<unknown> => {
    const objects = await render({ upstream: { urls }, networkPolicy: { enabled: true, ...networkPolicy } });
    const policy: Stored = objects.find(({ kind }) => kind === 'NetworkPolicy');
    return policy.spec.egress.map(({ ports }: Stored) => ports.map(({ port }: Stored) => port));
  };
  expect(await portsWith({})).toEqual([
    [53, 53],
    [443, 80, 4242],
  ]);
  expect(await portsWith({ upstreamPorts: [8443] })).toEqual([[53, 53], [8443]]);
});

test.each(Object.entries(edgeRefused))('%s: refused, with instructions', async (_, [values, ...words]) => {
  const args = templateArgs({ chart: CHART });
  const { code, stdout, stderr } = await helm.run(args, withBasics(values));
  expect([code, stdout]).toEqual([1, '']);
  for (const one of words) expect(stderr).toMatch(one);
});
