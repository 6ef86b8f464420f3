/**
 * Kubernetes Events about flags that become Ready or not: one for each transition, even if the operator is restarted.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadKubeConfig } from '../../src/kube/api/kubeconfig.ts';
import { connect } from '../../src/kube/api/transport.ts';
import { sharedCluster } from '../support/cluster.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { refusal } from '../support/fault-proxy/faults.ts';
import { type FlagsDirectly, flagsDirectly } from '../support/fault-proxy/flags-directly.ts';
import { type BehindProxy, startBehindProxy } from '../support/fault-proxy/operator-behind-proxy.ts';
import { on } from '../support/fault-proxy/report.ts';
import { grantOperatorRoles } from '../support/operator-roles.ts';
import type { Stored } from '../support/stored.ts';

const cluster = sharedCluster();
const transport = connect(loadKubeConfig(cluster.kubeconfig));
let home: string;
let kubeconfig: string;
let flags: FlagsDirectly;
let operator: BehindProxy;

beforeAll(async () => {
  home = await cluster.freshNamespace('ready-events');
  kubeconfig = await grantOperatorRoles(cluster, home, []);
  flags = flagsDirectly(cluster.kubeconfig, home);
  await flags.apply('Environment', 'production', {});
  await start();
});

afterAll(async () => {
  await operator?.stop('the end');
  flags.close();
  transport.close();
});

async function start(): Promise<void> {
  operator = await startBehindProxy({ plane: cluster, kubeconfig, home });
  await operator.ready();
}

/** Restarts the operator. Resolves when it has judged every flag that exists at its start. */
async function restart(test: string): Promise<void> {
  await operator.stop(test);
  await start();
  const { length } = await flags.list();
  await waitUntil({ what: 'every flag is judged' }, async () => {
    const runs = await operator.metric('vexil_queue_work_duration_seconds_count{kind="FeatureFlag"}');
    return runs >= length && (await operator.metric('vexil_queue_depth{kind="FeatureFlag"}')) === 0;
  });
}

/** Applies a project. Resolves when the operator knows it, because it may receive a flag before its project. */
async function applyProject(name: string): Promise<void> {
  await flags.apply('Project', name, {});
  await waitUntil({ what: `the project ${name} is judged` }, async () => {
    const { metadata, status } = await cluster.getObject(`fp/${name}`, home);
    return status?.observedGeneration === metadata.generation;
  });
}

/** Resolves with the flag when its condition Ready has this reason. */
function untilReason(name: string, reason: string): Promise<Stored> {
  return waitUntil({ what: `${name} is ${reason}` }, async () => {
    const flag = await flags.get(name);
    const ready = flag.status?.conditions.find(({ type }: Stored) => type === 'Ready');
    return ready?.reason === reason && flag;
  });
}

/** The Events about a flag, without those of the history, the oldest first. */
async function eventsAbout(name: string): Promise<Stored[]> {
  const path = `/apis/events.k8s.io/v1/namespaces/${home}/events`;
  const query = { labelSelector: '!vexil.dev/audit', fieldSelector: `regarding.name=${name}` };
  const { items }: Stored = await transport.request({ method: 'GET', path, query });
  return items.toSorted((one: Stored, other: Stored) => (one.eventTime < other.eventTime ? -1 : 1));
}

const briefly = async (name: string) => (await eventsAbout(name)).map(({ type, reason }) => `${type} ${reason}`);

test('a flag whose project is deleted and comes back: none at first, one Warning, one Normal, none after a restart', async ({
  task,
}) => {
  await applyProject('passing');
  await flags.apply('FeatureFlag', 'loyal', { project: 'passing' });
  const { metadata } = await untilReason('loyal', 'Succeeded');
  expect(await briefly('loyal')).toEqual([]);

  await flags.delete('projects', 'passing');
  await untilReason('loyal', 'ProjectNotFound');
  const [warning, ...others] = await eventsAbout('loyal');
  expect(others).toEqual([]);
  expect(warning).toMatchObject({
    type: 'Warning',
    reason: 'ProjectNotFound',
    action: 'ProjectNotFound',
    note: `spec.project: there is no project "passing" in namespace ${home}: create it there`,
    regarding: { apiVersion: 'vexil.dev/v1beta1', kind: 'FeatureFlag', namespace: home, uid: metadata['uid'] },
    reportingController: 'vexil.dev/operator',
  });
  // Without the label and the entry of the history, no new archive imports it.
  expect([warning.metadata.labels, warning.metadata.annotations]).toEqual([undefined, undefined]);

  await flags.apply('Project', 'passing', {});
  await untilReason('loyal', 'Succeeded');
  const both = ['Warning ProjectNotFound', 'Normal Succeeded'];
  expect(await briefly('loyal')).toEqual(both);

  await restart(task.name);
  expect(await briefly('loyal')).toEqual(both);
});

test('a flag that is wrong from the start: one Warning, no other when the reason changes, one Normal', async () => {
  const environments = { soon: { enabled: true, strategies: { all: { name: 'default' } } } };
  await flags.apply('FeatureFlag', 'early', { project: 'later', environments });
  await untilReason('early', 'ProjectNotFound');
  await flags.apply('Project', 'later', {});
  await untilReason('early', 'EnvironmentNotFound');
  expect(await briefly('early')).toEqual(['Warning ProjectNotFound']);

  await flags.apply('Environment', 'soon', {});
  await untilReason('early', 'Succeeded');
  expect(await briefly('early')).toEqual(['Warning ProjectNotFound', 'Normal Succeeded']);
});

test('an operator that ended before it wrote the status publishes the same Event again, so there is one', async ({
  task,
}) => {
  await applyProject('unlucky');
  await flags.apply('FeatureFlag', 'unwritten', { project: 'unlucky' });
  const { status } = await untilReason('unwritten', 'Succeeded');
  await flags.delete('projects', 'unlucky');
  await untilReason('unwritten', 'ProjectNotFound');

  await operator.stop(task.name);
  const path = `/apis/vexil.dev/v1beta1/namespaces/${home}/featureflags/unwritten/status`;
  const contentType = 'application/merge-patch+json';
  await transport.request({
    method: 'PATCH',
    path,
    contentType,
    body: { status: { problems: null, ...status } },
  });
  await untilReason('unwritten', 'Succeeded');
  await start();
  await untilReason('unwritten', 'ProjectNotFound');
  expect(await briefly('unwritten')).toEqual(['Warning ProjectNotFound']);
});

test('an Event that is refused delays nothing: the log names the flag and the run', async () => {
  operator.proxy.inject({ fault: refusal(403), match: on('events', 'create') });
  await flags.apply('FeatureFlag', 'mute', { project: 'nowhere' });
  await untilReason('mute', 'ProjectNotFound');
  const lines = operator.log.filter(({ msg }) => msg === 'ready events: cannot publish Event');
  const facts = { kind: 'FeatureFlag', namespace: home, name: 'mute', reason: 'ProjectNotFound' };
  expect(lines).toMatchObject([{ ...facts, reconcileId: expect.stringMatching(/^[0-9a-f]{8}$/) }]);
  expect(await briefly('mute')).toEqual([]);
});
