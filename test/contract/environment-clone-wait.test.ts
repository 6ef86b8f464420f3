/** POST /environments/:environment/clone without a leader: how long a caller waits, and which replica may answer. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Answer, adminClient } from '../support/admin-client.ts';
import { sharedCluster } from '../support/cluster.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type FlagsDirectly, flagsDirectly } from '../support/fault-proxy/flags-directly.ts';
import { type Operator, startOperator } from '../support/operator.ts';
import type { Stored } from '../support/stored.ts';
import { QUICK_LEASE } from '../support/timings.ts';

const cluster = sharedCluster();
const on = { production: { enabled: true, strategies: { all: { name: 'default' } } } };

let home: string;
let objects: FlagsDirectly;
/** Waits a second for a clone; the other replica waits as long as the shipped operator. */
let hasty: Operator;
let patient: Operator;

beforeAll(async () => {
  home = await cluster.freshNamespace('clone-wait');
  objects = flagsDirectly(cluster.kubeconfig, home);
  for (const name of ['production', 'laboratory']) await objects.apply('Environment', name, {});
  for (const project of ['shop', 'pay']) {
    await objects.apply('Project', project, {});
    await objects.apply('FeatureFlag', `of-${project}`, { project, environments: on });
  }
  await keepFromLeading();
  hasty = await startOperator(cluster, home, { settings: { VEXIL_CLONE_WAIT: '1s', ...QUICK_LEASE } });
  patient = await startOperator(cluster, home, { settings: QUICK_LEASE });
});

afterAll(async () => {
  await Promise.all([hasty.stop(), patient.stop()]);
  objects.close();
});

/** Gives the lease to another holder, which keeps it for an hour and does nothing. */
async function keepFromLeading(): Promise<void> {
  const spec = { holderIdentity: 'somebody', leaseDurationSeconds: 3600 };
  const lease = {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'vexil', namespace: home },
    spec,
  };
  await cluster.apply([lease]);
}

async function giveUpLease(): Promise<void> {
  await cluster.request({
    method: 'DELETE',
    path: `/apis/coordination.k8s.io/v1/namespaces/${home}/leases/vexil`,
  });
}

interface Wanted {
  readonly name: string;
  readonly source?: string;
  readonly project?: string;
}

const ask = ({ url }: Operator, { name, source = 'production', project = 'shop' }: Wanted) =>
  adminClient(url)(`POST /environments/${source}/clone`, { body: { name, type: 'test', projects: [project] } });

async function isThere(name: string): Promise<boolean> {
  const { items } = await cluster.getObject('environments', home);
  return items.some(({ metadata }: Stored) => metadata.name === name);
}

const untilThere = (name: string) => waitUntil({ what: `the environment ${name} is there` }, () => isThere(name));

function expectLater({ status, headers, body: recorded }: Answer, says: string): void {
  expect([status, recorded.name]).toEqual([503, 'UnavailableError']);
  expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  expect(recorded.message).toContain(says);
}

test('a replica that stops answers waiting callers with 503, and ends in order', async () => {
  const stopping = await startOperator(cluster, home);
  const answer = ask(stopping, { name: 'stopped' });
  await untilThere('stopped');
  await stopping.stop();
  expectLater(await answer, 'This replica is stopping. The clone continues: send the same request again.');
  expect(await isThere('stopped')).toBe(true);
});

test('an environment that is deleted while a caller waits for it: 404', async () => {
  const answer = ask(patient, { name: 'deleted' });
  await untilThere('deleted');
  await objects.delete('environments', 'deleted');
  const { status, body: recorded } = await answer;
  expect([status, recorded.name]).toEqual([404, 'NotFoundError']);
  expect(recorded.message).toContain('"deleted" was deleted');
});

test('503 with Retry-After when the wait is over, for the caller that creates the environment and for one that joins', async () => {
  const creates = await ask(hasty, { name: 'staging' });
  for (const answer of [creates, await ask(hasty, { name: 'staging' })])
    expectLater(answer, 'The clone is not done yet, and continues: 0 of 0 flags are copied.');
});

test('once a replica leads, each replica answers who waits and who asks again; a clone without its source or project leaves nothing, and the name stays free', async () => {
  const joined = ask(patient, { name: 'staging' });
  const orphans = [
    ask(patient, { name: 'of-source', source: 'laboratory' }),
    ask(patient, { name: 'of-project', project: 'pay' }),
  ];
  for (const name of ['of-source', 'of-project']) await untilThere(name);
  await objects.delete('environments', 'laboratory');
  await objects.delete('projects', 'pay');
  await giveUpLease();

  const askedAgain = await waitUntil({ what: 'the clone is done' }, async () => {
    const answer = await ask(hasty, { name: 'staging' });
    return answer.status !== 503 && answer;
  });
  for (const { status, body: environment } of [await joined, askedAgain])
    expect([status, environment.name, environment.enabledToggleCount]).toEqual([200, 'staging', 1]);
  // The clone of the stopped replica continues too, before or after this one.
  const { metadata, spec } = await waitUntil({ what: 'both clones are done' }, async () => {
    const flag = await objects.get('of-shop');
    return flag.spec.environments.stopped !== undefined && flag;
  });
  expect(spec.environments.staging.enabled).toBe(true);
  expect(metadata.generation).toBe(3);

  const refused = (await Promise.all(orphans)).map(({ status, body }) => [status, body.name]);
  expect(refused).toEqual([
    [404, 'NotFoundError'],
    [400, 'ValidationError'],
  ]);
  for (const name of ['of-source', 'of-project']) expect(await isThere(name)).toBe(false);
  expect((await objects.get('of-pay')).metadata.generation).toBe(1);
});
