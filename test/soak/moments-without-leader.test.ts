/**
 * Moments of windows, ramps and freezes while no operator runs, or while the leader is killed: each is recorded once.
 */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Account, createAccount } from '../support/account.ts';
import { adminClient, type Call } from '../support/admin-client.ts';
import { installAuthorPolicy } from '../support/author-policy.ts';
import { aFlag, anEnvironment, aProject, type Manifest } from '../support/builders.ts';
import { sharedCluster } from '../support/cluster.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { recorded, untilRecorded } from '../support/recorded-events.ts';
import { type Replica, replicaKubeconfig, startReplica } from '../support/replica.ts';
import type { Stored } from '../support/stored.ts';
import { untilRecording } from '../support/until-recording.ts';

const cluster = sharedCluster();
const TIMEOUT_MS = 180_000;
let home: string;
let kubeconfig: string;
let alice: Account;
let bob: Account;
let replicas: Replica[];

beforeEach(async () => {
  home = await cluster.freshNamespace('moments');
  kubeconfig = await replicaKubeconfig(cluster, home);
  replicas = [];
  await cluster.apply([anEnvironment(`${home}/production`), aProject(`${home}/shop`), aFlag(`${home}/first`)]);
  await installAuthorPolicy(cluster, [home]);
  const rules = { [home]: [[['*'], ['*']]] } as const;
  alice = await createAccount(cluster, { namespace: home, name: 'alice', rules });
  bob = await createAccount(cluster, { namespace: home, name: 'bob', rules });
});

afterEach(async () => {
  await Promise.all(replicas.map((replica) => replica.stop()));
});

async function start(): Promise<Replica> {
  const replica = await startReplica({ kubeconfig, home });
  replicas.push(replica);
  await waitUntil({ what: 'the replica is ready' }, replica.isReady);
  return replica;
}

/** Starts the first replica, which leads and records. */
async function startLeader(): Promise<{ readonly leader: Replica; readonly call: Call }> {
  const leader = await start();
  const call = adminClient(leader.url);
  await waitUntil({ what: 'the first replica leads' }, leader.leads);
  await untilRecording(cluster, call, { flag: '/projects/shop/features/first', namespace: home });
  return { leader, call };
}

async function kill(replica: Replica): Promise<void> {
  replica.send('SIGKILL');
  await replica.ended;
}

const apply = (account: Account, manifest: Manifest) =>
  cluster.kubectlOrThrow(['apply', '--server-side', '--force-conflicts', '-f', '-'], {
    kubeconfig: account.kubeconfig,
    input: JSON.stringify(manifest),
  });

const text = (ms: number) => new Date(ms).toISOString();
const until = (ms: number) => waitUntil({ what: `it is ${text(ms)}`, timeoutMs: 60_000 }, () => Date.now() > ms);

interface Plan {
  readonly opens: number;
  readonly closes: number;
  readonly starts: number;
  readonly steps: readonly { readonly rollout: number; readonly for?: string }[];
}

function planned(name: string, { opens, closes, starts, steps }: Plan): Manifest {
  const strategy = { name: 'flexibleRollout', ramp: { startAt: text(starts), steps: [...steps] } };
  const window = { activeFrom: text(opens), activeUntil: text(closes) };
  const production = { enabled: true, ...window, strategies: { s: strategy } };
  return aFlag(`${home}/${name}`, { environments: { production } });
}

const isMoment = ({ type }: Stored) => /^feature-(window-(opened|closed)|ramp-step)$|^environment-freeze-/.test(type);

/** A moment in the history: what happened, when, and by whom. */
const inShort = ({ type, createdAt, createdBy, data, coalesced = false }: Stored) => ({
  what: whatOf(type, data),
  at: createdAt,
  by: createdBy,
  coalesced,
});

function whatOf(type: string, data: Stored): string {
  if (type === 'feature-ramp-step') return `step ${data.step}: ${data.rollout}`;
  return type.startsWith('environment-') ? `${type} ${data.name}` : type;
}

const momentsOf = (call: Call, name: string, count: number) => momentsWith(call, `feature=IS:${name}`, count);

async function momentsWith(call: Call, filter: string, count: number) {
  await waitUntil({ what: `${count} moments for ${filter} are recorded`, timeoutMs: 60_000 }, async () => {
    return (await recorded(call, filter)).filter(isMoment).length >= count;
  });
  return (await recorded(call, filter)).filter(isMoment).map(inShort);
}

/** The reasons of the Kubernetes Events about moments of the object, when there are that many. */
async function eventsOf(name: string, count: number, kind = 'FeatureFlag'): Promise<readonly string[]> {
  return waitUntil({ what: `${count} Events on ${name}`, timeoutMs: 60_000 }, async () => {
    const { items }: Stored = await cluster.getObject('events', home);
    const reasons = items
      .filter(({ regarding }: Stored) => regarding.kind === kind && regarding.name === name)
      .map(({ reason }: Stored) => reason)
      .filter((reason: string) => /^Feature(Window(Opened|Closed)|RampStep)$|^EnvironmentFreeze/.test(reason));
    return reasons.length >= count && reasons.toSorted();
  });
}

test('moments while no operator runs are recorded with their time and the author of the plan', {
  timeout: TIMEOUT_MS,
}, async () => {
  const { leader, call } = await startLeader();
  // The plans must be applied before their first moment, also on a busy machine.
  const zero = Math.ceil(Date.now() / 1000) * 1000 + 12_000;
  const at = (seconds: number) => zero + seconds * 1000;
  const steps = [{ rollout: 5, for: '18s' }, { rollout: 50, for: '2s' }, { rollout: 100 }];
  const plan = { opens: at(8), closes: at(40), starts: at(8), steps };
  await apply(alice, planned('gone', plan));
  await apply(alice, planned('edited', plan));
  const early = { name: 'early', from: text(at(8)), until: text(at(30)) };
  const late = { name: 'late', from: text(at(27)), until: text(at(28)) };
  await apply(alice, anEnvironment(`${home}/qa`, { freezes: [early, late] }));
  const freeze = (change: string, seconds: number) => {
    return { what: `environment-freeze-${change}`, at: text(at(seconds)), by: alice.username, coalesced: false };
  };
  const seen = [
    { what: 'feature-window-opened', at: text(at(8)), by: alice.username, coalesced: false },
    { what: 'step 1: 5', at: text(at(8)), by: alice.username, coalesced: false },
  ];
  for (const name of ['gone', 'edited']) expect(await momentsOf(call, name, 2)).toEqual(seen);
  const ofQa = 'environment=IS:qa';
  expect(await momentsWith(call, ofQa, 1)).toEqual([freeze('began early', 8)]);

  await kill(leader);
  expect(Date.now(), 'the machine is fast enough for this test').toBeLessThan(at(26));
  // No operator has seen this flag before its moments.
  const unseen = planned('unseen', { opens: at(-60), closes: at(40), starts: at(27), steps });
  await apply(alice, unseen);
  await until(at(29));
  // It must be stored before the window of the first plan closes, also on a busy machine.
  await apply(bob, planned('edited', { ...plan, closes: at(41) }));
  await until(at(42));
  // The same owner writes again and leaves the plan unchanged.
  await apply(alice, { ...unseen, metadata: { ...unseen.metadata, annotations: { team: 'one' } } });
  const again = adminClient((await start()).url);

  const step = (number: number, seconds: number, by = alice) => {
    return { what: `step ${number}: ${steps[number - 1]?.rollout}`, at: text(at(seconds)), by: by.username };
  };
  const closed = (seconds: number, by = alice) => {
    return { what: 'feature-window-closed', at: text(at(seconds)), by: by.username };
  };
  const later = <T extends object>(...moments: readonly T[]) => moments.map((one) => ({ ...one, coalesced: false }));
  expect(await momentsOf(again, 'gone', 5)).toEqual([...seen, ...later(step(2, 26), step(3, 28), closed(40))]);
  expect(await momentsOf(again, 'edited', 5)).toEqual([...seen, ...later(step(2, 26), step(3, 28), closed(41, bob))]);
  expect(await momentsOf(again, 'unseen', 2)).toEqual(later(step(1, 27), closed(40)));
  const freezes = [
    freeze('began early', 8),
    freeze('began late', 27),
    freeze('ended late', 28),
    freeze('ended early', 30),
  ];
  expect(await momentsWith(again, ofQa, 4)).toEqual(freezes);
  const reasons = (ramp: number, opened: number) => [
    ...Array.from({ length: ramp }, () => 'FeatureRampStep'),
    'FeatureWindowClosed',
    ...Array.from({ length: opened }, () => 'FeatureWindowOpened'),
  ];
  expect(await eventsOf('gone', 5)).toEqual(reasons(3, 1));
  expect(await eventsOf('edited', 5)).toEqual(reasons(3, 1));
  expect(await eventsOf('unseen', 2)).toEqual(reasons(1, 0));
  const ofFreezes = ['Began', 'Began', 'Ended', 'Ended'].map((change) => `EnvironmentFreeze${change}`);
  expect(await eventsOf('qa', 4, 'Environment')).toEqual(ofFreezes);
});

test('a leader that is killed during moments omits none, and the next one records none twice', {
  timeout: TIMEOUT_MS,
}, async () => {
  const { leader } = await startLeader();
  const other = await start();
  const call = adminClient(other.url);
  const zero = Math.ceil(Date.now() / 1000) * 1000 + 6000;
  const rising = Array.from({ length: 19 }, (_, index) => ({ rollout: index * 5 + 1, for: '1s' }));
  const steps = [...rising, { rollout: 100 }];
  const plan = { opens: zero - 1000, closes: zero + 21_000, starts: zero, steps };
  await apply(alice, planned('busy', plan));
  await untilRecorded(call, 'feature=IS:busy&type=IS:feature-ramp-step', 3);
  await kill(leader);
  expect(Date.now(), 'moments are left').toBeLessThan(zero + 15_000);
  await waitUntil({ what: 'the other one leads' }, other.leads);

  const want = [
    ['feature-window-opened', zero - 1000],
    ...steps.map(({ rollout }, index) => [`step ${index + 1}: ${rollout}`, zero + index * 1000]),
    ['feature-window-closed', zero + 21_000],
  ].map(([what, ms]) => ({ what, at: text(Number(ms)), by: alice.username, coalesced: false }));
  expect(await momentsOf(call, 'busy', want.length)).toEqual(want);
  const reasons = [...steps.map(() => 'FeatureRampStep'), 'FeatureWindowClosed', 'FeatureWindowOpened'];
  expect(await eventsOf('busy', reasons.length)).toEqual(reasons);
});
