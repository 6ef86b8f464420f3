/** A release of the chart vexil-edge in front of an operator that goes away: restarted, killed, moved, removed. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { aFlag, aToken } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import type { Stored } from '../support/stored.ts';
import { realCluster } from './cluster.ts';
import { ensureDefinitions } from './ensure-definitions.ts';
import { openEntryPoint } from './entry-point.ts';
import { type Release, releaseIn, runHelm, served, type Values } from './release.ts';
import { runPod } from './run-pod.ts';
import { signalPod } from './signal-pod.ts';
import { PROJECT } from './stage.ts';

const cluster = realCluster();
const [HOME, PLACE] = ['edge-upstream', 'edge'];
const READ_EVERY_MS = 20;

let operator: Release;
let token: string;
let url: string;

beforeAll(async () => {
  await ensureDefinitions(cluster);
  for (const name of [HOME, PLACE]) await cluster.restrictedNamespace(name);
  operator = releaseIn({ cluster, namespace: HOME });
  await operator.install({ crds: { install: false }, rbac: { aggregate: false } });
  await served(operator.call, 'GET /projects/default');
  const production = { enabled: true, strategies: { all: { name: 'default' } } };
  const flag = aFlag(`${HOME}/checkout`, { project: 'default', environments: { production } });
  await cluster.apply(flag, aToken(`${HOME}/edge`));
  const secret = await waitUntil({ what: 'the token has a value' }, () =>
    cluster.read(`/api/v1/namespaces/${HOME}/secrets/vexil-token-edge`),
  );
  token = Buffer.from(secret?.data.token, 'base64').toString();
  const metadata = { name: 'edge-tokens', namespace: PLACE };
  await cluster.apply({ apiVersion: 'v1', kind: 'Secret', metadata, stringData: { tokens: `${token}\n` } });
  await install({});
  url = await openEntryPoint(cluster, { namespace: PLACE, service: 'vexil-edge', port: 'http' });
});

afterAll(() => cluster.close());

const helm = (args: readonly string[], input?: string) => runHelm(cluster, [...args, '--namespace', PLACE], input);

/** Installs or upgrades the edge. Resolves when every pod is ready. */
async function install(values: Values): Promise<void> {
  const basics = {
    image: { ...cluster.stage.operatorImage, pullPolicy: 'Never' },
    upstream: { urls: [`http://vexil.${HOME}.svc:4242`] },
    tokens: { existingSecret: 'edge-tokens' },
  };
  const chart = join(PROJECT, 'charts/vexil-edge');
  const args = ['upgrade', '--install', 'vexil-edge', chart, '--values', '-', '--wait', '--timeout', '120s'];
  await helm(args, stringify({ ...basics, ...values }));
}

const pods = () => cluster.pods(PLACE, 'app.kubernetes.io/name=vexil-edge,app.kubernetes.io/component=edge');

/** Resolves with the pods when there are two, all of them ready, and each of them is as wanted. */
const twoReady = (what: string, isWanted: (pod: { uid: string; restarts: number }) => boolean = () => true) =>
  waitUntil({ what, timeoutMs: 90_000, everyMs: 250 }, async () => {
    const found = await pods();
    return found.length === 2 && found.every((pod) => pod.isReady && !pod.isEnding && isWanted(pod)) && found;
  });

/** The flags that an application gets, through a connection of its own. */
async function read(): Promise<unknown> {
  const headers = { authorization: token, connection: 'close' };
  const answer = await fetch(`${url}/api/client/features`, { headers });
  const body: Stored = await answer.json();
  return answer.ok ? body.features.map(({ name, enabled }: Stored) => [name, enabled]) : [answer.status, body];
}

const FLAGS = [['checkout', true]];

/** Expects that each pod serves the flags as it knew them before that time, in ms since 1970. */
async function expectOldFlags(before: number): Promise<void> {
  const script = `const headers = { authorization: '${token}' };
    fetch('http://127.0.0.1:3063/api/client/features', { headers }).then(async (answer) => {
      const flags = (await answer.json()).features?.map(({ name, enabled }) => [name, enabled]);
      console.log(JSON.stringify({ flags, goodAt: answer.headers.get('vexil-good-at') }));
    });`;
  for (const { name } of await pods()) {
    const args = ['exec', name, '-n', PLACE, '--', 'node', '--eval', script];
    const { flags, goodAt } = JSON.parse(await cluster.kubectlOrThrow(args));
    expect([name, flags]).toEqual([name, FLAGS]);
    expect(Date.parse(goodAt), name).toBeLessThan(before);
  }
}

/** Ends every pod of the operator, or starts one again. */
async function scaleOperator(replicas: 0 | 1): Promise<void> {
  await cluster.kubectlOrThrow(['scale', 'deployment/vexil', '-n', HOME, `--replicas=${replicas}`]);
  await waitUntil({ what: `the operator has ${replicas} pods`, timeoutMs: 90_000, everyMs: 250 }, async () => {
    const found = await operator.pods();
    return found.length === replicas && found.every(({ isReady }) => isReady);
  });
}

test('a pod in another namespace reads flags of the operator through the Service of the edge', async () => {
  const script = `const headers = { authorization: '${token}' };
    const answer = await fetch('http://vexil-edge.${PLACE}.svc:3063/api/client/features', { headers });
    console.log(JSON.stringify((await answer.json()).features.map(({ name, enabled }) => [name, enabled])));`;
  const output = await runPod(cluster, { namespace: HOME, name: 'application', serviceAccount: 'default', script });
  expect(JSON.parse(output)).toEqual(FLAGS);
});

test('helm test succeeds', async () => {
  expect(await helm(['test', 'vexil-edge', '--timeout', '90s'])).toMatch(/Phase:\s+Succeeded/);
});

test('the edge is the first process, runs as no named user, and has no token of an account', async () => {
  const [pod] = await twoReady('both pods are ready');
  const script = `const { existsSync, readFileSync } = require('node:fs');
    console.log(JSON.stringify([process.getuid(), readFileSync('/proc/1/cmdline', 'utf8').split('\\0').slice(0, 5),
      existsSync('/var/run/secrets/kubernetes.io')]))`;
  const seen = await cluster.kubectlOrThrow(['exec', `${pod?.name}`, '-n', PLACE, '--', 'node', '--eval', script]);
  expect(JSON.parse(seen)).toEqual([
    65532,
    [
      '/usr/local/bin/node',
      '--max-semi-space-size=8',
      '--max-semi-space-size=2',
      '--optimize-for-size',
      '/app/edge.js',
    ],
    false,
  ]);
});

test('a rolling restart fails no read', async () => {
  const before = await twoReady('both pods are ready');
  const reads: unknown[] = [];
  let isOver = false;
  const reading = (async () => {
    while (!isOver) {
      const next = performance.now() + READ_EVERY_MS;
      reads.push(await read().catch(({ message, cause }: Error) => `${message}: ${cause}`));
      await waitUntil({ what: 'it is time for the next', everyMs: 10 }, () => performance.now() >= next);
    }
  })();
  try {
    await cluster.kubectlOrThrow(['rollout', 'restart', 'deployment/vexil-edge', '-n', PLACE]);
    await twoReady('both pods are new', ({ uid }) => !before.some((pod) => pod.uid === uid));
  } finally {
    isOver = true;
    await reading;
  }
  expect(reads.length).toBeGreaterThan(50);
  expect(reads.filter((flags) => JSON.stringify(flags) !== JSON.stringify(FLAGS))).toEqual([]);
});

test('while the operator is away, containers that are killed start again from their backup', async () => {
  const before = await twoReady('both pods are ready');
  await scaleOperator(0);
  const killedAt = Date.now();
  for (const pod of before) await signalPod(pod, 'KILL');
  await twoReady('both containers run again', ({ restarts }) => restarts > 0);
  for (const { uid } of await pods()) expect(before.map((pod) => pod.uid)).toContain(uid);
  await expectOldFlags(killedAt);
});

test('with a persistent backup, each pod has a volume, and new pods start from it while the operator is away', async () => {
  await scaleOperator(1);
  await served(operator.call, 'GET /projects/default');
  await install({ backup: { persistent: { enabled: true } } });
  const before = await twoReady('both pods are ready');
  expect(before.map(({ name }) => name)).toEqual(['vexil-edge-0', 'vexil-edge-1']);
  expect(await read()).toEqual(FLAGS);
  await scaleOperator(0);
  const deletedAt = Date.now();
  await cluster.kubectlOrThrow(['delete', 'pod', '-n', PLACE, ...before.map(({ name }) => name)]);
  await twoReady('both pods are new', ({ uid }) => !before.some((pod) => pod.uid === uid));
  await expectOldFlags(deletedAt);
});

test('uninstalled, it leaves no volumes', async () => {
  await helm(['uninstall', 'vexil-edge', '--wait', '--timeout', '90s']);
  await waitUntil({ what: 'its claims are deleted', timeoutMs: 60_000, everyMs: 250 }, async () => {
    const { items } = (await cluster.read(`/api/v1/namespaces/${PLACE}/persistentvolumeclaims`)) ?? {};
    return items.length === 0;
  });
});
