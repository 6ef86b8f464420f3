/** An upgrade of the chart from 0.1.0, and the two ways back: the older chart without its CRDs, and `helm rollback`. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { withJobs } from '../support/chart/run-jobs.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane/start-control-plane.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { frozenPath } from '../support/releases/frozen.ts';
import { newerObjects } from '../support/releases/newer-objects.ts';
import type { Stored } from '../support/stored.ts';
import { type Helm, projectHelm, type Values } from '../support/tools/helm.ts';

const HOME = 'vexil-system';
const FORMER = frozenPath('chart-0.1.0');
const REUSE = '--reset-then-reuse-values';

let plane: ControlPlane;
let helm: Helm;
/** The objects that were written under the newer definitions, by kind and name. */
let written: ReadonlyMap<string, Stored>;

const run = (args: readonly string[], values?: Values) =>
  withJobs(plane, HOME, helm.runOrThrow([...args, '--namespace', HOME], values));

async function get(...what: readonly string[]): Promise<Stored> {
  return JSON.parse(await plane.kubectlOrThrow(['get', ...what, '-n', HOME, '-o', 'json']));
}

async function everySpec(): Promise<ReadonlyMap<string, Stored>> {
  const kinds = 'environments.vexil.dev,projects.vexil.dev,featureflags.vexil.dev,segments.vexil.dev';
  const { items } = await get(kinds);
  return new Map(items.map(({ kind, metadata, spec }: Stored) => [`${kind}/${metadata.name}`, spec]));
}

/** A definition takes effect a moment after it is stored. */
const untilWindowIsHidden = () =>
  waitUntil({ what: 'activeUntil is hidden' }, async () => {
    const flag = (await everySpec()).get('FeatureFlag/windowed');
    return !('activeUntil' in flag.environments.production);
  });

async function installed() {
  const { items: policies } = await get('validatingadmissionpolicies');
  const { spec, metadata } = await get('deployment/vexil');
  return {
    chart: metadata.labels['helm.sh/chart'],
    image: spec.template.spec.containers[0].image,
    freezes: policies.some(({ metadata: { name } }: Stored) => name.includes('environment-changes')),
  };
}

const PRESENT = { chart: `vexil-${manifest.version}`, image: `vexil:${manifest.version}`, freezes: true };
const BEFORE = { chart: 'vexil-0.1.0', image: 'vexil:0.1.0', freezes: false };

beforeAll(async () => {
  plane = await startControlPlane();
  helm = await projectHelm(plane.kubeconfig);
  await run(['install', 'vexil', FORMER, '--create-namespace'], {});
});

afterAll(async () => {
  await plane?.stop();
  await helm?.end();
});

test('the upgrade brings the CRDs, the policies and the image of this version', async () => {
  expect(await installed()).toEqual(BEFORE);
  await run(['upgrade', 'vexil', helm.chart, REUSE]);
  expect(await installed()).toEqual(PRESENT);
  const input = newerObjects(HOME)
    .map((one) => JSON.stringify(one))
    .join('\n---\n');
  await waitUntil({ what: 'the kinds are served' }, async () => {
    const { code } = await plane.kubectl(['apply', '--server-side', '--force-conflicts', '-f', '-'], { input });
    return code === 0;
  });
  written = await everySpec();
  expect(written.get('FeatureFlag/matched').environments.production.strategies.staff.segments).toEqual(['staff']);
});

test('the older chart with crds.install=false restores the old release, and keeps the newer CRDs with all fields', async () => {
  await run(['upgrade', 'vexil', FORMER, REUSE, '--set', 'crds.install=false']);
  expect(await installed()).toEqual(BEFORE);
  expect(await everySpec()).toEqual(written);
});

test('the next upgrade takes the CRDs back into the release', async () => {
  await run(['upgrade', 'vexil', helm.chart, REUSE, '--set', 'crds.install=true']);
  expect(await installed()).toEqual(PRESENT);
  expect(await everySpec()).toEqual(written);
});

test('helm rollback brings the older CRDs, which hide the newer fields, and keeps the newer kind with its objects', async () => {
  await run(['rollback', 'vexil', '1']);
  expect(await installed()).toEqual(BEFORE);
  await untilWindowIsHidden();
  const specs = await everySpec();
  expect([...specs.keys()]).toEqual([...written.keys()]);
  expect(specs.get('Segment/staff')).toEqual(written.get('Segment/staff'));
  expect(specs.get('FeatureFlag/matched').environments.production.strategies.staff).not.toHaveProperty('segments');
});

test('the next upgrade shows the fields of objects that were not written meanwhile', async () => {
  await run(['upgrade', 'vexil', helm.chart, REUSE]);
  // Each definition takes effect a moment after it is stored.
  await expect.poll(everySpec).toEqual(written);
});
