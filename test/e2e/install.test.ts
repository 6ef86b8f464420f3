/**
 * The life of a release with SQLite: installed, used from inside and outside, restarted, upgraded, rolled back,
 * removed.
 */
import { cp, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { aFlag } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import type { Stored } from '../support/stored.ts';
import { realCluster } from './cluster.ts';
import { type Release, releaseIn, served } from './release.ts';
import { runPod, TOKEN_FILE } from './run-pod.ts';
import { PROJECT } from './stage.ts';

const cluster = realCluster();
const NAMESPACE = 'vexil-system';
const FLAG = '/projects/default/features/checkout';
const RELEASES = join(PROJECT, 'test/releases');
const CHART = join(PROJECT, 'charts/vexil');
const PREVIOUS = join(PROJECT, '.cache/e2e/previous-chart');
const strategies = { all: { name: 'default' } };

let release: Release;

beforeAll(async () => {
  await cluster.restrictedNamespace(NAMESPACE);
  release = releaseIn({ cluster, namespace: NAMESPACE });
  await release.install({}, { chart: await previousChart() });
  await served(release.call, 'GET /projects/default');
});

afterAll(() => cluster.close());

/**
 * The chart of the last release, with the present definitions and roles: the image is the one of the present operator,
 * which is not ready without them.
 */
async function previousChart(): Promise<string> {
  await cp(await lastChart(), PREVIOUS, { recursive: true });
  await cp(join(CHART, 'files/crds'), join(PREVIOUS, 'files/crds'), { recursive: true });
  for (const name of ['_rules.tpl', 'people.yaml']) {
    await cp(join(CHART, 'templates', name), join(PREVIOUS, 'templates', name));
  }
  return PREVIOUS;
}

async function lastChart(): Promise<string> {
  const charts = (await readdir(RELEASES)).filter((name) => name.startsWith('chart-'));
  const [last] = charts.toSorted((one, other) => other.localeCompare(one, 'en', { numeric: true }));
  if (last === undefined) throw new Error(`there is no chart in ${RELEASES}`);
  return join(RELEASES, last);
}

async function pod() {
  const [one] = await release.pods();
  if (!one) throw new Error('the release has no pod');
  return one;
}

/** The running pod, with the chart that it comes from and the names of its variables. */
async function running(): Promise<{ readonly chart: string; readonly variables: readonly string[] }> {
  const { spec, metadata } = await cluster.read(`/api/v1/namespaces/${NAMESPACE}/pods/${(await pod()).name}`);
  const variables = spec.containers[0].env.map(({ name }: Stored) => name);
  return { chart: metadata.labels['helm.sh/chart'], variables };
}

const historyOf = async (name: string): Promise<Stored[]> =>
  (await release.call(`GET /search/events?feature=IS:${name}&limit=1000`)).body.events;

const storedFlag = (name: string) =>
  cluster.read(`/apis/vexil.dev/v1beta1/namespaces/${NAMESPACE}/featureflags/${name}`);

const untilRecorded = (name: string, types: readonly string[]) =>
  waitUntil({ what: `the history of ${name} has ${types.join(', ')}`, everyMs: 200 }, async () => {
    const events = await historyOf(name);
    return types.every((wanted) => events.some(({ type }) => type === wanted)) && events;
  });

/** A program that prints what a process in the container sees. */
const LOOK = `const { existsSync, readFileSync, writeFileSync } = require('node:fs');
const write = (file) => { try { writeFileSync(file, ''); return true } catch (error) { return error.code } };
console.log(JSON.stringify({
  user: process.getuid() + ':' + process.getgid(),
  first: readFileSync('/proc/1/cmdline', 'utf8').split('\\0').slice(0, 3),
  shells: ['/bin/sh', '/bin/bash', '/busybox/sh', '/usr/bin/env'].filter(existsSync),
  packages: existsSync('/app/node_modules') || existsSync('/node_modules'),
  root: write('/app/written'),
  history: write('/var/lib/vexil/written'),
}))`;

test('the operator is the first process, runs as no named user, has no shell and no packages, and can write only to its volume', async () => {
  const { name } = await pod();
  const seen = await cluster.kubectlOrThrow(['exec', name, '-n', NAMESPACE, '--', 'node', '--eval', LOOK]);
  expect(JSON.parse(seen)).toEqual({
    user: '65532:65532',
    first: ['/usr/local/bin/node', '--max-semi-space-size=8', '/app/main.js'],
    shells: [],
    packages: false,
    root: 'EROFS',
    history: true,
  });
});

test('the page at /docs comes with its scripts and its styles', async () => {
  for (const path of ['docs', 'docs/swagger-ui-bundle.js', 'docs/swagger-ui.css', 'docs/openapi.json']) {
    const answer = await fetch(`${await release.url()}/${path}`);
    expect([path, answer.status]).toEqual([path, 200]);
    expect((await answer.text()).length, path).toBeGreaterThan(500);
  }
});

test('the image contains its software bill of materials', async () => {
  const { name } = await pod();
  const script = "console.log(require('node:fs').readFileSync('/app/sbom.cdx.json', 'utf8'))";
  const bill = JSON.parse(
    await cluster.kubectlOrThrow(['exec', name, '-n', NAMESPACE, '--', 'node', '--eval', script]),
  );
  const names = bill.components.map((component: Stored) => component.name);
  expect(names).toEqual(expect.arrayContaining(['node', 'express', 'pg', 'zod', 'swagger-ui-dist']));
});

test('a flag of kubectl is switched through the API, and the history has both', async () => {
  await cluster.apply(
    aFlag(`${NAMESPACE}/checkout`, { project: 'default', environments: { production: { strategies } } }),
  );
  await served(release.call, `GET ${FLAG}`);
  expect((await release.call(`POST ${FLAG}/environments/production/on`)).status).toBe(200);
  expect((await storedFlag('checkout')).spec.environments.production.enabled).toBe(true);
  await untilRecorded('checkout', ['feature-created', 'feature-environment-enabled']);
});

test('helm test succeeds', async () => {
  expect(await release.helm('test', release.name, '--timeout', '90s')).toMatch(/Phase:\s+Succeeded/);
});

test('a pod calls the API through the Service with the token of its account, and the history names it', async () => {
  const metadata = { name: 'caller', namespace: NAMESPACE };
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  const rules = [{ apiGroups: ['vexil.dev'], resources: ['featureflags', 'projects'], verbs: ['get', 'patch'] }];
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'caller' };
  const subjects = [{ kind: 'ServiceAccount', ...metadata }];
  await cluster.apply(
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
    { apiVersion, kind: 'Role', metadata, rules },
    { apiVersion, kind: 'RoleBinding', metadata, roleRef, subjects },
  );
  const api = `http://${release.name}.${NAMESPACE}.svc:4242/api/admin`;
  const script = `import { readFileSync } from 'node:fs';
    const authorization = readFileSync('${TOKEN_FILE}', 'utf8');
    const call = async (method, path, headers) => (await fetch('${api}' + path, { method, headers })).status;
    const on = '${FLAG}/environments/production';
    console.log(JSON.stringify([
      await call('GET', '${FLAG}', { authorization }),
      await call('POST', on + '/off', { authorization }),
      await call('DELETE', '/archive/checkout', { authorization }),
      await call('GET', '${FLAG}', {}),
    ]));`;
  const output = await runPod(cluster, { namespace: NAMESPACE, name: 'caller', serviceAccount: 'caller', script });
  expect(JSON.parse(output)).toEqual([200, 200, 403, 401]);
  expect((await storedFlag('checkout')).spec.environments.production.enabled).toBe(false);
  const events = await untilRecorded('checkout', ['feature-environment-disabled']);
  const { createdBy } = events.find(({ type }) => type === 'feature-environment-disabled');
  expect(createdBy).toBe(`system:serviceaccount:${NAMESPACE}:caller`);
});

test('on SIGTERM the first process ends in order, and the next pod has the history of the volume', async () => {
  const before = await historyOf('checkout');
  const old = await pod();
  const exitCode = cluster.exitOf(NAMESPACE, old.name);
  await cluster.kubectlOrThrow(['delete', 'pod', old.name, '-n', NAMESPACE, '--wait=false']);
  expect(await exitCode).toBe(0);
  await waitUntil({ what: 'the next pod is ready', timeoutMs: 60_000 }, async () => {
    const [next] = await release.pods();
    return next !== undefined && next.uid !== old.uid && next.isReady;
  });
  await served(release.call, `GET ${FLAG}`);
  expect(await historyOf('checkout')).toEqual(before);
});

test('an upgrade from the chart of the last release keeps flags, history and tokens, and takes the new settings', async () => {
  const old = await running();
  expect(old.variables).not.toContain('VEXIL_LOG_LEVEL');
  const flag = await storedFlag('checkout');
  const before = await historyOf('checkout');
  await release.install({ config: { logLevel: 'debug' } });
  await served(release.call, `GET ${FLAG}`);
  expect((await storedFlag('checkout')).metadata.resourceVersion).toBe(flag.metadata.resourceVersion);
  expect(await historyOf('checkout')).toEqual(before);
  const now = await running();
  expect(now.chart).not.toBe(old.chart);
  expect(now.variables).toContain('VEXIL_LOG_LEVEL');
});

test('a rollback restores the previous release, with flags and history', async () => {
  const { chart } = await running();
  expect((await release.call(`POST ${FLAG}/environments/production/on`)).status).toBe(200);
  const before = await untilRecorded('checkout', ['feature-environment-enabled']);
  await release.helm('rollback', release.name, '1', '--wait', '--timeout', '90s');
  await served(release.call, `GET ${FLAG}`);
  expect((await storedFlag('checkout')).spec.environments.production.enabled).toBe(true);
  expect((await historyOf('checkout')).length).toBeGreaterThanOrEqual(before.length);
  const now = await running();
  expect(now.chart).not.toBe(chart);
  expect(now.variables).not.toContain('VEXIL_LOG_LEVEL');
});

test('uninstalled, it leaves the flags, their definitions and the history, which the next release finds', async () => {
  const flag = await storedFlag('checkout');
  const before = await historyOf('checkout');
  await release.helm('uninstall', release.name, '--wait', '--timeout', '90s');
  await waitUntil({ what: 'its pod is gone', timeoutMs: 60_000 }, async () => (await release.pods()).length === 0);
  expect((await storedFlag('checkout')).metadata.uid).toBe(flag.metadata.uid);
  await release.install({});
  await served(release.call, `GET ${FLAG}`);
  expect((await storedFlag('checkout')).metadata.resourceVersion).toBe(flag.metadata.resourceVersion);
  expect(await historyOf('checkout')).toEqual(before);
});

test('with a limit of 128 MB it starts, idles below it, and is not killed', async () => {
  await release.install({ resources: { requests: { memory: '64M' }, limits: { memory: '128M' } } });
  await served(release.call, `GET ${FLAG}`);
  const taken = await cluster.memoryOf(NAMESPACE, (await pod()).name);
  expect(taken.workingSetBytes).toBeLessThan(128e6);
  expect(await pod()).toMatchObject({ restarts: 0, isReady: true });
});
