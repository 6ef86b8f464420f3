/**
 * The rows of the failure table about reconciling: a dependency of a flag is deleted, or the status of the flag cannot
 * be written.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sharedCluster } from '../support/cluster.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Fault, lostAnswer, refusal, reset } from '../support/fault-proxy/faults.ts';
import { type FlagsDirectly, flagsDirectly } from '../support/fault-proxy/flags-directly.ts';
import { type BehindProxy, startBehindProxy, untilConverged } from '../support/fault-proxy/operator-behind-proxy.ts';
import { expectFired, on, requestsFor, timesFired } from '../support/fault-proxy/report.ts';
import { grantOperatorRoles } from '../support/operator-roles.ts';
import { QUICK_LEASE } from '../support/timings.ts';

const cluster = sharedCluster();
let flags: FlagsDirectly;
let operator: BehindProxy;
let name: string;
let round = 0;

beforeAll(async () => {
  const home = await cluster.freshNamespace('faults-reconcile');
  const kubeconfig = await grantOperatorRoles(cluster, home, []);
  flags = flagsDirectly(cluster.kubeconfig, home);
  for (const environment of ['development', 'production']) await flags.apply('Environment', environment, {});
  await flags.apply('Project', 'shop', {});
  operator = await startBehindProxy({ plane: cluster, kubeconfig, home, settings: QUICK_LEASE });
  await operator.ready();
});

beforeEach(() => {
  round += 1;
  name = `flag-${round}`;
});

afterEach(({ task }) => operator.endTest(task.name));
afterAll(async () => {
  await operator.stop('after the tests');
  flags.close();
});

async function applyFlag(description = 'before'): Promise<void> {
  const strategies = { all: { name: 'default' } };
  const environments = { development: { enabled: true, strategies }, production: { enabled: true, strategies } };
  await flags.apply('FeatureFlag', name, { project: 'shop', description, environments });
}

interface Verdict {
  readonly ready: string;
  readonly enabledIn: string;
  readonly reasons: readonly string[];
}

async function verdict(): Promise<Verdict | undefined> {
  const { metadata, status } = await flags.get(name);
  if (status?.observedGeneration !== metadata.generation) return undefined;
  const conditions: { type: string; status: string }[] = status.conditions;
  return {
    ready: conditions.find(({ type }) => type === 'Ready')?.status ?? '',
    enabledIn: status.enabledIn ?? '',
    reasons: (status.problems ?? []).map(({ reason }: { reason: string }) => reason),
  };
}

async function untilVerdict(want: Verdict): Promise<void> {
  await waitUntil({ what: `the status says ${JSON.stringify(want)}` }, async () => {
    return JSON.stringify(await verdict()) === JSON.stringify(want);
  });
}

const everywhere: Verdict = { ready: 'True', enabledIn: 'development,production', reasons: [] };
const served = async () => (await operator.call(`GET /projects/shop/features/${name}`)).status;

describe('a flag reports it in its status, is off, and recovers when', () => {
  test('its Project is deleted, while the watches are cut', async () => {
    await applyFlag();
    await untilVerdict(everywhere);
    operator.proxy.inject({ fault: reset, match: on('projects', 'check'), times: 2 });
    operator.proxy.drop();
    await flags.delete('projects', 'shop');
    await untilVerdict({ ready: 'False', enabledIn: '', reasons: ['ProjectNotFound'] });
    // The answer is 503 as long as a watch of any kind is cut off.
    await waitUntil({ what: 'it is not served' }, async () => (await served()) === 404);

    await flags.apply('Project', 'shop', {});
    await untilVerdict(everywhere);
    await waitUntil({ what: 'it is served' }, async () => (await served()) === 200);
    expect((await flags.get(name)).metadata.generation).toBe(1);
    expectFired(operator.proxy, reset, 2);
  });

  test('an Environment that it names is deleted, and the watch has to list again', async () => {
    await applyFlag();
    await untilVerdict(everywhere);
    const expired = refusal(410, { reason: 'Expired' });
    operator.proxy.inject({ fault: expired, match: on('environments', 'watch'), times: 1 });
    operator.proxy.drop();
    await flags.delete('environments', 'production');
    await untilVerdict({ ready: 'False', enabledIn: 'development', reasons: ['EnvironmentNotFound'] });
    // The answer is 503 as long as a watch of any kind is cut off.
    await waitUntil({ what: 'it is served' }, async () => (await served()) === 200);
    const { body } = await operator.call(`GET /projects/shop/features/${name}`);
    expect(body.environments.map((one: { name: string; enabled: boolean }) => [one.name, one.enabled])).toEqual([
      ['development', true],
    ]);

    await flags.apply('Environment', 'production', {});
    await untilVerdict(everywhere);
    expectFired(operator.proxy, expired);
  });
});

describe('a status', () => {
  const writesStatus = on('featureflags/status', 'patch');

  test.each<[string, Fault]>([
    ['whose write fails', refusal(500)],
    ['whose answer is lost', lostAnswer],
  ])('%s is written with back-off until the write succeeds; other flags do not wait', async (_, fault) => {
    operator.proxy.inject({ fault, match: (request) => writesStatus(request) && request.name === name, times: 4 });
    await applyFlag();
    const other = `other-${round}`;
    await waitUntil({ what: 'the first try has failed' }, () => timesFired(operator.proxy, fault) > 0);
    await flags.apply('FeatureFlag', other, { project: 'shop' });
    await waitUntil({ what: 'the other is judged' }, async () => (await flags.get(other)).status !== undefined);
    await untilVerdict(everywhere);
    await untilConverged(operator, flags);
    expectFired(operator.proxy, fault, fault === lostAnswer ? 1 : 4);
    const tries = requestsFor(operator.proxy.arrived, 'featureflags/status', 'patch').filter(
      (one) => one.name === name,
    );
    expect(tries.length).toBeLessThanOrEqual(6);
  });

  test('that the API server asks to delay is not tried before', async () => {
    const busy = refusal(429, { retryAfterSeconds: 3 });
    operator.proxy.inject({
      fault: busy,
      match: (request) => writesStatus(request) && request.name === name,
      times: 2,
    });
    await applyFlag();
    await waitUntil({ what: 'the first try has failed' }, () => timesFired(operator.proxy, busy) > 0);
    // A change brings the next run forward, but not to before the requested time.
    await applyFlag('after');
    await untilVerdict(everywhere);
    const tries = requestsFor(operator.proxy.arrived, 'featureflags/status', 'patch').filter(
      (one) => one.name === name,
    );
    expectFired(operator.proxy, busy, 2);
    expect(tries).toHaveLength(3);
    const failed = operator.log.filter((line) => line['msg'] === 'reconcile: failed' && line['name'] === name);
    expect(failed.map(({ inMs }) => Number(inMs) >= 3_000)).toEqual([true, true]);
  });
});

test('a leader that cannot renew its lease stops reconciling, still answers, then reconciles again', async () => {
  await applyFlag();
  await untilVerdict(everywhere);
  const away = refusal(500);
  const recover = operator.proxy.inject({ fault: away, match: on('leases', 'get', 'replace', 'create') });
  await waitUntil({ what: 'it has stopped to lead' }, async () => (await operator.metric('vexil_leader')) === 0);
  const since = operator.proxy.arrived.length;
  await applyFlag('nobody leads');
  await untilConverged(operator, flags);
  expect(await verdict()).toBeUndefined();
  expect(requestsFor(operator.proxy.arrived.slice(since), 'featureflags/status', 'patch')).toEqual([]);
  recover();
  await waitUntil({ what: 'it leads again' }, async () => (await operator.metric('vexil_leader')) === 1);
  await untilVerdict(everywhere);
  expectFired(operator.proxy, away, 3);
});
