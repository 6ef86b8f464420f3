/** Ids under leaders that are killed, paused, resumed, doubled, or cut off from the ConfigMap of the highest ids. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sharedCluster } from '../support/cluster.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Fault, hold, lostAnswer, refusal, reset } from '../support/fault-proxy/faults.ts';
import { type BehindProxy, startBehindProxy } from '../support/fault-proxy/operator-behind-proxy.ts';
import { expectFired, on, requestsFor, timesFired } from '../support/fault-proxy/report.ts';
import { type Replica, replicaKubeconfig, startReplica } from '../support/replica.ts';
import { namesOf, type UsersDirectly, usersDirectly } from '../support/users-directly.ts';

const cluster = sharedCluster();
const MANY = 120;

let home: string;
let kubeconfig: string;
let users: UsersDirectly;
let replicas: Replica[];

beforeEach(async () => {
  home = await cluster.freshNamespace('ids-races');
  kubeconfig = await replicaKubeconfig(cluster, home);
  users = await usersDirectly(cluster.kubeconfig, home);
  replicas = [];
});

afterEach(async () => {
  for (const replica of replicas) replica.send('SIGCONT');
  await Promise.all(replicas.map((replica) => replica.stop()));
  await users.close();
});

async function start(settings: Readonly<Record<string, string>> = {}): Promise<Replica> {
  const replica = await startReplica({ kubeconfig, home, settings });
  replicas.push(replica);
  await waitUntil({ what: 'the replica is ready' }, replica.isReady);
  return replica;
}

const leads = async (replica: Replica) => (await replica.metric('vexil_leader')) === 1;
const untilLeading = (replica: Replica) => waitUntil({ what: 'the replica leads' }, () => leads(replica));

const distinct = (ids: readonly number[]) => new Set(ids).size;

/** Disturbs the leader while it gives ids to many users. Returns how many had an id by then. */
async function amidMany(happen: () => void): Promise<number> {
  const creating = users.create(namesOf('many', MANY));
  const numbered = await waitUntil({ what: 'some have ids', everyMs: 1 }, () => users.numbered() || undefined);
  happen();
  await creating;
  return numbered;
}

describe('a leader', () => {
  test('that is killed while it assigns ids is followed by one that assigns none of them again', async () => {
    const one = await start();
    await untilLeading(one);
    const two = await start();
    const before = await amidMany(() => one.send('SIGKILL'));
    await one.ended;
    expect(before).toBeLessThan(MANY);
    const given = new Map((await users.list()).map(({ metadata, status }) => [metadata.uid, status?.id] as const));
    await untilLeading(two);
    const ids = await users.untilReady(MANY);
    expect(distinct(ids)).toBe(MANY);
    for (const { metadata, status } of await users.list()) {
      expect([status.id, undefined]).toContain(given.get(metadata.uid));
    }
    expect(await users.mark()).toBeGreaterThanOrEqual(Math.max(...ids));
    users.expectNeverShared();
  });

  test('that was paused while it assigned ids assigns none of another leader when it resumes', async () => {
    const one = await start();
    await untilLeading(one);
    const two = await start();
    const before = await amidMany(() => one.send('SIGSTOP'));
    expect(before).toBeLessThan(MANY);
    await untilLeading(two);
    const during = await users.untilReady(MANY);
    one.send('SIGCONT');
    await waitUntil({ what: 'the woken one knows that it does not lead' }, async () => !(await leads(one)));
    await users.create(namesOf('later', 20));
    const ids = await users.untilReady(MANY + 20);
    expect(distinct(ids)).toBe(MANY + 20);
    expect(ids).toEqual(expect.arrayContaining(during));
    users.expectNeverShared();
  });

  test('that is not the only leader assigns ids that are unique', { timeout: 120_000 }, async () => {
    const alone = { VEXIL_LEADER_ELECTION: 'false' };
    await Promise.all([start(alone), start(alone)]);
    await users.create(namesOf('many', MANY));
    expect(distinct(await users.untilReady(MANY))).toBe(MANY);
    users.expectNeverShared();
  });
});

describe('behind a network that fails', () => {
  let operator: BehindProxy;
  const alone = { VEXIL_LEADER_ELECTION: 'false' };

  beforeEach(async () => {
    // A call that is held back must last until the test releases it.
    const settings = { ...alone, VEXIL_API_SERVER_TIMEOUT: '5m' };
    operator = await startBehindProxy({ plane: cluster, kubeconfig, home, settings });
    await operator.ready();
  });
  afterEach(({ task }) => operator.stop(task.name));

  test('no status shows an id before the ConfigMap of the highest ids is written', async () => {
    const away = refusal(500);
    operator.proxy.inject({ fault: away, match: on('configmaps', 'create', 'patch'), times: 3 });
    await users.create(['ada']);
    await waitUntil({ what: 'three writes have failed' }, () => timesFired(operator.proxy, away) === 3);
    expect(await users.untilReady(1)).toEqual([1]);
    const [status] = requestsFor(operator.proxy.reached, 'flagusers/status', 'patch');
    const mark = requestsFor(operator.proxy.reached, 'configmaps', 'create').at(-1);
    expect(mark?.at).toBeLessThan(status?.at ?? 0);
    expectFired(operator.proxy, away, 3);
  });

  test('a late write of the ConfigMap does not undo that of another leader', async () => {
    await users.create(['first']);
    await users.untilReady(1);
    operator.proxy.inject({ fault: hold, match: on('configmaps', 'patch'), times: 1 });
    await users.create(['held']);
    await waitUntil({ what: 'the mark is held back' }, () => timesFired(operator.proxy, hold) === 1);
    await start(alone);
    await users.untilReady(2);
    expect(await users.idOf('held')).toBe(2);
    await users.create(['third', 'fourth']);
    await users.untilReady(4);
    const reads = () => requestsFor(operator.proxy.reached, 'configmaps', 'get').length;
    const [readsBefore, mark] = [reads(), await users.mark()];
    operator.proxy.release();
    await waitUntil({ what: 'the late one reads the mark again' }, () => reads() > readsBefore);
    expect(await users.mark()).toBeGreaterThanOrEqual(mark);
    users.expectNeverShared();
  });

  test('an id that is written late does not replace one of another leader', async () => {
    operator.proxy.inject({ fault: hold, match: on('flagusers/status', 'patch'), times: 1 });
    await users.create(['held']);
    await waitUntil({ what: 'the status is held back' }, () => timesFired(operator.proxy, hold) === 1);
    expect(await users.mark()).toBe(1);
    await start(alone);
    expect(await users.untilReady(1)).toEqual([2]);
    const late = () => requestsFor(operator.proxy.reached, 'flagusers/status', 'patch').length;
    expect(late()).toBe(0);
    operator.proxy.release();
    await waitUntil({ what: 'the late status has reached the API server' }, () => late() > 0);
    await users.create(['after']);
    // Both operators may reserve an id for it, so 3 may remain unused.
    expect([3, 4]).toContain((await users.untilReady(2))[1]);
    expect(await users.idOf('held')).toBe(2);
    users.expectNeverShared();
  });

  test.each<[string, Fault, string]>([
    ['the answer to a status is lost', lostAnswer, 'flagusers/status'],
    ['a status is cut off', reset, 'flagusers/status'],
    ['a status meets a conflict', refusal(409, { reason: 'Conflict' }), 'flagusers/status'],
  ])('no id is wasted when %s', async (_, fault, resource) => {
    operator.proxy.inject({ fault, match: on(resource, 'patch'), times: 5 });
    await users.create(namesOf('many', 20));
    expect(await users.untilReady(20)).toEqual(namesOf('', 20).map((_, index) => index + 1));
    expect(await users.mark()).toBe(20);
    expectFired(operator.proxy, fault, 5);
    users.expectNeverShared();
  });

  test.each<[string, Fault]>([
    ['the answer to a write of the ConfigMap is lost', lostAnswer],
    ['a write of the ConfigMap is cut off', reset],
    ['a write of the ConfigMap meets a conflict', refusal(409, { reason: 'Conflict' })],
  ])('ids stay distinct when %s', async (_, fault) => {
    await users.create(['first']);
    await users.untilReady(1);
    operator.proxy.inject({ fault, match: on('configmaps', 'patch'), times: 2 });
    await users.create(namesOf('many', 20));
    expect(distinct(await users.untilReady(21))).toBe(21);
    expectFired(operator.proxy, fault, 2);
    users.expectNeverShared();
  });

  test('many ids at once share the writes of the ConfigMap', async () => {
    await users.create(namesOf('many', MANY));
    await users.untilReady(MANY);
    const writes = requestsFor(operator.proxy.reached, 'configmaps', 'create', 'patch').length;
    expect(writes).toBeLessThan(MANY / 2);
    process.stdout.write(`  ${MANY} ids took ${writes} writes of the mark\n`);
  });
});
