/**
 * The operator of 0.1.0 runs with data, is upgraded to the present one, and returns with the newer CRDs, as
 * docs/upgrade.md says.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { adminClient, type Call, uncheckedClient } from '../support/admin-client.ts';
import { aFlag, anEnvironment, aProject } from '../support/builders.ts';
import { type RunningDeployment, runDeployment } from '../support/chart/run-deployment.ts';
import { withJobs } from '../support/chart/run-jobs.ts';
import { objectPath } from '../support/control-plane/objects.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane/start-control-plane.ts';
import { untilAdmitted } from '../support/control-plane/until-admitted.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { inVersion, pathIn } from '../support/in-version.ts';
import { recorded } from '../support/recorded-events.ts';
import { frozenPath, unpackOperator } from '../support/releases/frozen.ts';
import { newerObjects } from '../support/releases/newer-objects.ts';
import type { Stored } from '../support/stored.ts';
import { type Helm, projectHelm, type Values } from '../support/tools/helm.ts';
import { untilRecording } from '../support/until-recording.ts';

const HOME = 'vexil-system';
/** The version that the definitions of both releases serve. */
const BOTH = 'v1alpha1';
const FORMER = frozenPath('chart-0.1.0');
const REUSE = '--reset-then-reuse-values';
const VALUES: Values = { auth: 'none', config: { allowAnonymous: true } };
const FLAG = '/projects/shop/features/checkout';

let plane: ControlPlane;
let helm: Helm;
let folder: string;
let former: string;
let operator: RunningDeployment;
let call: Call;

const release = (args: readonly string[], values?: Values) =>
  withJobs(plane, HOME, helm.runOrThrow([...args, '--namespace', HOME], values));

/** Runs the operator as the pod of the release. The Deployment replaces it: one at a time, on the same volume. */
async function replaceOperator(program?: string): Promise<void> {
  await operator?.stop();
  operator = await runDeployment({
    cluster: plane,
    namespace: HOME,
    folder,
    ...(program !== undefined && { program }),
  });
  call = program === undefined ? adminClient(operator.url) : uncheckedClient(operator.url);
  await waitUntil({ what: 'the flag is served' }, async () => (await call(`GET ${FLAG}`)).status === 200);
}

async function describeFlag(name: string, value: string): Promise<void> {
  const body = [{ op: 'replace', path: '/description', value }];
  const { status, text } = await call(`PATCH /projects/shop/features/${name}`, { body });
  expect(status, text).toBe(200);
}

/** The descriptions that the history has of the flag, set by the tests below, the first one first. */
const described = async () =>
  (await recorded(call, 'feature=IS:checkout&type=IS:feature-metadata-updated'))
    .map(({ data }) => data.description)
    .filter((description) => description.startsWith('by '));

const untilDescribed = (...wanted: readonly string[]) =>
  waitUntil({ what: `"${wanted.at(-1)}" is recorded` }, async () => (await described()).at(-1) === wanted.at(-1)).then(
    async () => expect(await described()).toEqual(wanted),
  );

const flag = (name: string): Promise<Stored> =>
  plane.request({ method: 'GET', path: pathIn(BOTH, objectPath(`ff/${name}`, HOME)) });
const readyOf = ({ status }: Stored) => status?.conditions?.find(({ type }: Stored) => type === 'Ready');

async function untilReady(name: string, status: 'True' | 'False'): Promise<Stored> {
  return waitUntil({ what: `Ready of ${name} is ${status}` }, async () => {
    const found = await flag(name);
    const isRecent = found.status?.observedGeneration === found.metadata.generation;
    return isRecent && readyOf(found)?.status === status && found;
  });
}

const newerSpecs = async (): Promise<readonly unknown[]> =>
  Promise.all(
    newerObjects(HOME).map(
      async ({ kind, metadata }) => (await plane.getObject(`${kind}/${metadata.name}`, HOME)).spec,
    ),
  );

beforeAll(async () => {
  plane = await startControlPlane();
  helm = await projectHelm(plane.kubeconfig);
  folder = await mkdtemp(join(tmpdir(), 'vexil-operators-'));
  former = await unpackOperator('0.1.0', await mkdtemp(join(folder, 'former-')));
  await release(['install', 'vexil', FORMER, '--create-namespace'], VALUES);
  await untilAdmitted(plane, HOME, BOTH);
  const production = { enabled: true, strategies: { all: { name: 'default' } } };
  const objects = [
    anEnvironment(`${HOME}/production`),
    aProject(`${HOME}/shop`),
    aFlag(`${HOME}/checkout`, { environments: { production } }),
  ];
  await plane.apply(objects.map((one) => inVersion(BOTH, one)));
  await replaceOperator(former);
  await untilRecording(plane, call, { flag: FLAG, namespace: HOME });
});

afterAll(async () => {
  await operator?.stop();
  await plane?.stop();
  await helm?.end();
  if (folder) await rm(folder, { recursive: true, force: true });
});

test('the operator of 0.1.0 judges, writes and records', async () => {
  await describeFlag('checkout', 'by 0.1.0');
  await untilDescribed('by 0.1.0');
  await untilReady('checkout', 'True');
});

test('the present operator has the flags and the history of 0.1.0, and judges new fields', async () => {
  const before = await flag('checkout');
  await release(['upgrade', 'vexil', helm.chart, REUSE]);
  await replaceOperator();
  const after = await flag('checkout');
  expect([after.metadata.uid, after.spec, readyOf(after)]).toEqual([before.metadata.uid, before.spec, readyOf(before)]);
  expect(await described()).toEqual(['by 0.1.0']);
  await describeFlag('checkout', 'by the present one');
  await untilDescribed('by 0.1.0', 'by the present one');
  // The API server learns of a new version of its kinds a moment after it serves the definitions.
  await waitUntil({ what: 'the newer version is admitted' }, () =>
    plane.apply(newerObjects(HOME)).then(
      () => true,
      () => false,
    ),
  );
  for (const name of ['windowed', 'ramped', 'matched']) await untilReady(name, 'True');
});

test('0.1.0 with the newer CRDs keeps newer fields, reports what it cannot read, and records in the same history', async () => {
  const specs = await newerSpecs();
  await release(['upgrade', 'vexil', FORMER, REUSE, '--set', 'crds.install=false']);
  await replaceOperator(former);
  await describeFlag('checkout', 'by 0.1.0 again');
  await untilDescribed('by 0.1.0', 'by the present one', 'by 0.1.0 again');
  expect(readyOf(await untilReady('matched', 'False'))).toMatchObject({ reason: 'InvalidSpec' });
  expect(await newerSpecs()).toEqual(specs);

  await describeFlag('windowed', 'by 0.1.0');
  const { spec } = await untilReady('windowed', 'True');
  expect(spec).toMatchObject({ description: 'by 0.1.0', dependencies: [{ feature: 'parent' }] });
  expect(spec.environments.production.activeUntil).toBe('2099-01-03T00:00:00Z');
});

test('the next upgrade puts everything into effect again', async () => {
  await release(['upgrade', 'vexil', helm.chart, REUSE, '--set', 'crds.install=true']);
  await replaceOperator();
  for (const name of ['windowed', 'ramped', 'matched']) await untilReady(name, 'True');
  expect(await described()).toEqual(['by 0.1.0', 'by the present one', 'by 0.1.0 again']);
});
