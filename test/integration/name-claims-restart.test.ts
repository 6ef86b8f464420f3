/** Names that belonged to a namespace before the operator started, or while it did not run. */
import { afterEach, expect, test } from 'vitest';
import { adminClient } from '../support/admin-client.ts';
import { aFlag, aProject } from '../support/builders.ts';
import { type Cluster, sharedCluster } from '../support/cluster.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { nameWorld } from '../support/name-world.ts';
import { type Operator, startOperator } from '../support/operator.ts';

const cluster: Cluster = sharedCluster();
const running = new Set<Operator>();

afterEach(async () => {
  await Promise.all([...running].map((operator) => operator.stop()));
  running.clear();
});

async function start(home: string, tenant: string): Promise<Operator> {
  const operator = await startOperator(cluster, home, { watched: [tenant] });
  running.add(operator);
  return operator;
}

async function stop(operator: Operator): Promise<void> {
  running.delete(operator);
  await operator.stop();
}

const served = async ({ url }: Operator) =>
  (await adminClient(url)('GET /projects/store/features/flag')).body.description;

test('holders at the first start of this version keep their names, and younger ones in a namespace that is emptied and filled again', async () => {
  const home = await cluster.freshNamespace('upgrade');
  const tenant = await cluster.freshNamespace('upgrade-tenant');
  const world = nameWorld(cluster, home);
  const ours = [aProject(`${home}/store`), aFlag(`${home}/flag`, { project: 'store', description: 'ours' })];
  const theirs = [aProject(`${tenant}/store`), aFlag(`${tenant}/flag`, { project: 'store', description: 'theirs' })];
  const removeFrom = async (namespace: string) => {
    for (const place of [`ff ${namespace}/flag`, `fp ${namespace}/store`]) await world.remove(place);
  };
  await cluster.apply(ours);
  const { metadata } = await world.object(`ff ${home}/flag`);
  await waitUntil({ what: 'the clock of the API server moves on' }, async () => {
    await cluster.apply(theirs);
    const created = (await world.object(`ff ${tenant}/flag`)).metadata.creationTimestamp;
    if (created > metadata.creationTimestamp) return true;
    await removeFrom(tenant);
    return false;
  });

  const first = await start(home, tenant);
  await world.claimed('featureflags', 'flag', home);
  await world.claimed('projects', 'store', home);
  expect(await served(first)).toBe('ours');
  await stop(first);

  await removeFrom(home);
  await cluster.apply(ours);
  // There are two replicas: one leads, and the other one reads what the first operator wrote.
  const replicas = await Promise.all([start(home, tenant), start(home, tenant)]);
  await world.becomes(`ff ${home}/flag`, 'Succeeded');
  await world.becomes(`fp ${tenant}/store`, 'NameConflict');
  await world.becomes(`ff ${tenant}/flag`, 'NameConflict');
  expect(await Promise.all(replicas.map(served))).toEqual(['ours', 'ours']);
});
