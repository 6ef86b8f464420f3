/**
 * A cluster is upgraded from the oldest version of Kubernetes to the newest, a minor version at a time, while Vexil
 * runs on it.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Binaries } from '../../scripts/tools/control-plane/binaries.ts';
import { projectBinaries } from '../../scripts/tools/control-plane/project-binaries.ts';
import { kubernetesVersions } from '../../scripts/tools/control-plane/versions.ts';
import { adminClient, type Call } from '../support/admin-client.ts';
import { stampOf, untilStamped } from '../support/author-policy.ts';
import { aFlag, aProject, aRole, aSegment, aStrategyType, aToken, aUser } from '../support/builders.ts';
import { type RunningDeployment, runDeployment } from '../support/chart/run-deployment.ts';
import { withJobs } from '../support/chart/run-jobs.ts';
import { objectPath } from '../support/control-plane/objects.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane/start-control-plane.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { recorded } from '../support/recorded-events.ts';
import type { Stored } from '../support/stored.ts';
import { type Helm, projectHelm, type Values } from '../support/tools/helm.ts';
import { untilRecording } from '../support/until-recording.ts';

const HOME = 'vexil-system';
const FLAGS = 30;
const KINDS = ['ff', 'fp', 'fenv', 'fseg', 'fuser', 'frole', 'fstrat', 'ftoken'];
/** A second watched namespace. If several namespaces are watched, ConfigMaps hold the claims to names. */
const OTHER = 'team';
const VALUES: Values = { auth: 'none', config: { allowAnonymous: true }, watch: { namespaces: [OTHER] } };

const versions = await kubernetesVersions();
let programs: readonly Binaries[];
let plane: ControlPlane;
let helm: Helm;
let folder: string;
let operator: RunningDeployment;
let call: Call;

beforeAll(async () => {
  const found: Binaries[] = [];
  for (const { minor } of versions) {
    found.push(await projectBinaries({ environment: { ...process.env, VEXIL_KUBERNETES: minor } }));
  }
  programs = found;
  const [oldest] = programs;
  if (oldest === undefined) throw new Error('there is no version of Kubernetes');
  plane = await startControlPlane({ binaries: oldest });
  helm = await projectHelm(plane.kubeconfig);
  folder = await mkdtemp(join(tmpdir(), 'vexil-cluster-'));
  await plane.kubectlOrThrow(['create', 'namespace', OTHER]);
  await release('install', '--create-namespace');
  operator = await runDeployment({ cluster: plane, namespace: HOME, folder });
  call = adminClient(operator.url);
  const strategies = { all: { name: 'flexibleRollout', parameters: { rollout: 20 }, segments: ['beta'] } };
  await plane.apply([
    aProject(`${HOME}/shop`),
    aSegment(`${HOME}/beta`, { constraints: [{ contextName: 'userId', operator: 'IN', values: ['ada'] }] }),
    aRole(`${HOME}/releaser`, { type: 'root', permissions: [{ name: 'UPDATE_FEATURE' }] }),
    aUser(`${HOME}/ada`, { rootRole: 'releaser' }),
    aStrategyType(`${HOME}/by-country`, { parameters: [{ name: 'countries', type: 'list' }] }),
    aToken(`${HOME}/reports`),
    ...Array.from({ length: FLAGS }, (_, index) =>
      aFlag(`${HOME}/flag-${index}`, { environments: { production: { enabled: index % 2 === 0, strategies } } }),
    ),
  ]);
  await untilRecording(plane, call, { flag: '/projects/shop/features/flag-0', namespace: HOME });
}, 1_800_000);
afterAll(async () => {
  await operator?.stop();
  await plane?.stop();
  await helm?.end();
  if (folder) await rm(folder, { recursive: true, force: true });
});

function release(command: 'install' | 'upgrade', ...args: readonly string[]) {
  return withJobs(plane, HOME, helm.runOrThrow([command, 'vexil', helm.chart, '-n', HOME, ...args], VALUES));
}

/**
 * Returns the spec of every object. For flags it adds the status and the version: an upgrade of the cluster causes no
 * write of a flag.
 */
async function everything(): Promise<ReadonlyMap<string, unknown>> {
  const lists: readonly Stored[] = await Promise.all(KINDS.map((kind) => plane.getObject(kind, HOME)));
  const objects = lists.flatMap(({ kind, items }) =>
    items.map(({ metadata: { name, uid, generation, resourceVersion }, spec, status }: Stored) => {
      // The other statuses have counts, which are written later.
      const judged = kind === 'FeatureFlagList' ? { resourceVersion, status } : givenIn(status);
      return [`${kind} ${name}`, { uid, generation, spec, ...judged }] as const;
    }),
  );
  return new Map([...objects, ...(await notedByOperator())]);
}

/** The parts of a status that cannot be computed again. */
const givenIn = ({ id, sha256, secretName }: Stored = {}) => ({ id, sha256, secretName });

/** The value of the token, the highest ids and the claims of names. */
async function notedByOperator() {
  const labelled = { labelSelector: 'vexil.dev/token' };
  const lists = (await Promise.all([
    plane.request({ method: 'GET', path: objectPath('secrets', HOME), query: labelled }),
    plane.getObject('configmap', HOME),
  ])) as readonly Stored[];
  const items = lists.flatMap((list) => list.items);
  return items.map(({ metadata: { name, uid }, data }: Stored) => [name, { uid, data }] as const);
}

const areJudged = async () => {
  const { items }: Stored = await plane.getObject('ff', HOME);
  return (
    items.length === FLAGS &&
    items.every(({ metadata, status }: Stored) => status?.observedGeneration === metadata.generation)
  );
};

/** Whether the objects have the ids and values that the operator assigns once. */
const areGiven = async () => {
  const [user, role, token]: readonly Stored[] = await Promise.all(
    ['fuser/ada', 'frole/releaser', 'ftoken/reports'].map((what) => plane.getObject(what, HOME)),
  );
  return user?.status?.id && role?.status?.id && token?.status?.secretName;
};

/** Whether each name is claimed by one line: the flags, the segment, and the projects `shop` and `default`. */
const areClaimed = async () => {
  const { items }: Stored = await plane.getObject('configmap', HOME);
  const shards: readonly Stored[] = items.filter(({ metadata }: Stored) => metadata.name.startsWith('vexil-names-'));
  const lines = shards.flatMap(({ data }) => Object.values<string>(data).flatMap((text) => text.trim().split('\n')));
  return lines.length === FLAGS + 3;
};

/** The types of the entries that `changeFlags` causes. */
async function changesOf(flag: string): Promise<readonly string[]> {
  const types = (await recorded(call, `feature=IS:${flag}`)).map(({ type }) => type);
  return types.filter((type) => type === 'feature-environment-enabled' || type === 'feature-metadata-updated');
}

const policies = async (resource: string) =>
  (await plane.kubectlOrThrow(['get', resource, '-o', 'name']))
    .trim()
    .split('\n')
    .map((name) => name.split('/')[1]);

const flagOf = (round: number) => `flag-${2 * round + 1}`;
const switchOn = (flag: string) => call(`POST /projects/shop/features/${flag}/environments/production/on`);

/** Changes the flags once through the API and once with kubectl. Both changes are judged, and recorded once. */
async function changeFlags(round: number): Promise<void> {
  const flag = flagOf(round);
  await waitUntil({ what: 'writes succeed' }, async () => (await switchOn(flag)).status === 200);
  const patch = JSON.stringify({ spec: { description: `Round ${round}` } });
  await plane.kubectlOrThrow(['patch', 'ff', flag, '-n', HOME, '--type=merge', '-p', patch]);
  await waitUntil({ what: 'both changes are recorded' }, async () => (await changesOf(flag)).length === 2);
  await waitUntil({ what: 'both are judged' }, areJudged);
}

test('nothing is lost, changed or recorded twice, and the policies follow with the chart', {
  timeout: 600_000,
}, async () => {
  await waitUntil({ what: 'all is judged' }, areJudged);
  await waitUntil({ what: 'ids and the token are given' }, areGiven);
  await waitUntil({ what: 'names are claimed', timeoutMs: 60_000 }, areClaimed);
  expect([...(await everything()).keys()]).toEqual(expect.arrayContaining(['vexil-ids', 'vexil-token-reports']));
  expect(await policies('validatingadmissionpolicies')).toContain(`vexil-stamps-${HOME}`);
  await changeFlags(0);
  for (const [index, { kubeApiserver }] of programs.entries()) {
    if (index === 0) continue;
    const before = await everything();
    await plane.stopApiServer();
    expect(await switchOn(flagOf(index))).toMatchObject({ status: 503 });
    await plane.startApiServer(kubeApiserver);
    expect(await plane.kubectlOrThrow(['version'])).toContain(`Server Version: v${versions[index]?.pins.kubernetes}`);
    await waitUntil({ what: 'the operator is ready' }, operator.isReady);
    expect(await everything()).toEqual(before);
    await changeFlags(index);
  }

  await release('upgrade');
  expect(await policies('mutatingadmissionpolicies')).toEqual([`vexil-author-${HOME}`]);
  expect(await policies('validatingadmissionpolicies')).not.toContain(`vexil-stamps-${HOME}`);
  await untilStamped(plane, [HOME]);
  await changeFlags(versions.length);
  const flag = await plane.getObject(`ff/${flagOf(versions.length)}`, HOME);
  expect(stampOf(flag)['changed-by']).toBe('admin');
  for (const index of versions.keys()) expect(await changesOf(flagOf(index))).toHaveLength(2);
});
