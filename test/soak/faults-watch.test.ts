/** The rows of the failure table about reading: a watch or a list fails, and the cache converges. */
import { isDeepStrictEqual } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sharedCluster } from '../support/cluster.ts';
import { abilitiesOf } from '../support/control-plane/abilities.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import {
  byteByByte,
  delay,
  type Fault,
  pagesOf,
  refusal,
  refused,
  reset,
  stall,
  wrongContent,
} from '../support/fault-proxy/faults.ts';
import { type FlagsDirectly, flagsDirectly } from '../support/fault-proxy/flags-directly.ts';
import {
  type BehindProxy,
  readFlags,
  startBehindProxy,
  untilConverged,
} from '../support/fault-proxy/operator-behind-proxy.ts';
import { expectFired, on, requestsFor, timesFired } from '../support/fault-proxy/report.ts';
import type { FaultProxy, Rule } from '../support/fault-proxy/start-fault-proxy.ts';
import {
  cutAfterEvent,
  cutMidFrame,
  endAfterEvent,
  errorFrame,
  halfOpen,
  oldAgain,
  twice,
} from '../support/fault-proxy/watch-faults.ts';
import { holdLease } from '../support/held-lease.ts';
import { grantOperatorRoles } from '../support/operator-roles.ts';

const cluster = sharedCluster();
let home: string;
let kubeconfig: string;
let flags: FlagsDirectly;
let operator: BehindProxy | undefined;
let round = 0;

beforeAll(async () => {
  home = await cluster.freshNamespace('faults-watch');
  kubeconfig = await grantOperatorRoles(cluster, home, []);
  // Only the cache must read here: a leader also watches for the history.
  await holdLease(cluster, home);
  flags = flagsDirectly(cluster.kubeconfig, home);
  await flags.apply('Environment', 'production', {});
  await flags.apply('Project', 'shop', {});
});

beforeEach(async () => {
  round += 1;
  for (const name of ['kept', 'busy', 'doomed']) {
    await flags.apply('FeatureFlag', name, { project: 'shop', description: `before ${round}` });
  }
});

afterEach(async ({ task }) => {
  await operator?.stop(task.name);
  operator = undefined;
});

afterAll(() => flags.close());

async function start(arrange?: (proxy: FaultProxy) => void): Promise<BehindProxy> {
  operator = await startBehindProxy({ plane: cluster, kubeconfig, home, ...(arrange && { arrange }) });
  return operator;
}

/** Changes, creates and deletes objects as other clients do. */
async function changeTheWorld(): Promise<void> {
  await flags.patch('busy', { description: `during ${round}` });
  await flags.apply('FeatureFlag', `born-${round}`, { project: 'shop', description: `born ${round}` });
  await flags.patch('doomed', { description: `doomed ${round}` });
  await flags.delete('featureflags', 'doomed');
  await flags.patch('busy', { description: `after ${round}` });
}

const LISTS = ['list', 'watch-list'] as const;

/** The number of plain lists: an operator first requests a streamed list, once. */
const unstreamed = (await abilitiesOf(cluster)).streamsLists ? 0 : 1;
/** The number of lists of the flags, including failed ones. */
const lists = ({ proxy }: BehindProxy) => requestsFor(proxy.arrived, 'featureflags', ...LISTS).length - unstreamed;
const watchesFlags = on('featureflags', 'watch');
const listsFlags = on('featureflags', ...LISTS);
const readsFlags = on('featureflags', ...LISTS, 'check', 'watch');

/** The kinds that these tests need, with their plurals. */
const READ_KINDS = { FeatureFlag: 'featureflags', Project: 'projects', Environment: 'environments' };

/** The waits in ms that the operator logged before requests of a kind, in order. */
function waits({ log }: BehindProxy, ofKind: string): number[] {
  const notices = log.filter(({ kind }) => kind === ofKind).map(({ notice }) => notice as { waitMs?: number });
  return notices.flatMap((notice) => notice?.waitMs ?? []);
}

function isWatching({ log }: BehindProxy, ofKind: string): boolean {
  const phase = unstreamed === 1 ? 'watching' : 'stream-list';
  const opened = { kind: ofKind, notice: { type: 'opened', phase } };
  return log.some(({ kind, notice }) => isDeepStrictEqual({ kind, notice }, opened));
}

interface Row extends Rule {
  /** The highest number of lists of flags, including the first one. */
  readonly lists: number;
}

const row = (fault: Fault, lists: number, rule: Partial<Rule> = {}): Row => {
  return { fault, lists, match: watchesFlags, times: 1, ...rule };
};

describe('a watch that runs', () => {
  test.each<[string, Row]>([
    ['is cut in the middle of a frame', row(cutMidFrame(100), 1, { times: 2 })],
    ['repeats every event', row(twice, 1)],
    ['repeats old events after newer ones', row(oldAgain, 1)],
    ['is answered 410', row(refusal(410, { reason: 'Expired' }), 2)],
    ['says 410 in an ERROR frame', row(errorFrame(410, 'Expired'), 2)],
    ['says 500 in an ERROR frame', row(errorFrame(500, 'InternalError'), 1, { times: 2 })],
    ['is answered 429', row(refusal(429, { retryAfterSeconds: 1 }), 1)],
    ['is answered 500', row(refusal(500), 1, { times: 2 })],
    ['is answered by a page that is no JSON', row(wrongContent, 1, { times: 2 })],
    ['is reset', row(reset, 1, { times: 2 })],
    ['comes late', row(delay(500), 1)],
    ['comes byte by byte', row(byteByByte, 1)],
  ])('%s: the cache converges, reads continue, no relist storm', async (_, rule) => {
    const app = await start();
    await app.ready();
    app.proxy.inject(rule);
    // The open watch is not affected by the rule; the next one is.
    app.proxy.drop();
    let turns = 0;
    await waitUntil({ what: 'a watch meets the fault' }, async () => {
      await readFlags(app.call);
      turns += 1;
      await flags.patch('busy', { description: `${round} at turn ${turns}` });
      return timesFired(app.proxy, rule.fault) >= (rule.times ?? 1);
    });
    await changeTheWorld();
    await untilConverged(app, flags);
    expectFired(app.proxy, rule.fault, rule.times);
    expect(lists(app)).toBeLessThanOrEqual(rule.lists);
  });

  test.each([
    ['is cut', cutAfterEvent],
    ['is ended by the server', endAfterEvent],
  ])('%s after every event: each change still appears soon, and the requests stay few', async (_, fault) => {
    const app = await start();
    await app.ready();
    app.proxy.inject({ fault, match: watchesFlags });
    const before = app.proxy.arrived.length;
    const waitsBefore = waits(app, 'FeatureFlag').length;
    app.proxy.drop();
    for (let turn = 1; timesFired(app.proxy, fault) < 10; turn += 1) {
      const description = `${round}, turn ${turn}`;
      await flags.patch('busy', { description });
      // A status write of the operator is an event too, so up to three connections come before the change.
      await waitUntil({ what: 'the change shows' }, async () => {
        const { features } = (await readFlags(app.call)).body;
        return features.some((flag: { description: string }) => flag.description === description);
      });
    }
    expectFired(app.proxy, fault, 10);
    const fired = timesFired(app.proxy, fault);
    const since = app.proxy.arrived.slice(before);
    const connections = requestsFor(since, 'featureflags', 'watch').length;
    // Each connection but the last has brought an event, and each came after a wait.
    expect(connections).toBeLessThanOrEqual(fired + 1);
    expect(waits(app, 'FeatureFlag').length - waitsBefore).toBeGreaterThanOrEqual(connections - 1);
    expect(requestsFor(since, 'featureflags', 'check').length).toBeLessThanOrEqual(connections);
    expect(lists(app)).toBe(1);
  });

  test('is half-open: its age grows while reads continue, then the cache converges', async () => {
    const app = await start();
    await app.ready();
    app.proxy.inject(row(halfOpen, 1));
    app.proxy.drop();
    await waitUntil({ what: 'the watch is back' }, () => app.proxy.reached.some(watchesFlags));
    await changeTheWorld();
    await waitUntil({ what: 'the watch is half-open' }, () => timesFired(app.proxy, halfOpen) > 0);
    const age = () => app.metric(`vexil_watch_age_seconds{kind="FeatureFlag",namespace="${home}"}`);
    const aged = await waitUntil({ what: 'its age shows' }, async () => {
      const { body } = await readFlags(app.call);
      expect(body.features.map(({ name }: { name: string }) => name)).toContain('doomed');
      const seconds = await age();
      return seconds > 2 && seconds;
    });
    app.proxy.drop();
    await untilConverged(app, flags);
    expect(await age()).toBeLessThan(aged);
    expect(lists(app)).toBe(1);
  });
});

describe('a first list', () => {
  test.each<[string, Row]>([
    ['is cut in the middle of a frame', row(cutMidFrame(100), 3, { times: 2 })],
    ['is answered 410', row(refusal(410, { reason: 'Expired' }), 3, { times: 2 })],
    ['is answered by a page that is no JSON', row(wrongContent, 3, { times: 2 })],
    ['is reset', row(reset, 5, { times: 4 })],
    ['comes byte by byte', row(byteByByte, 1)],
  ])('%s: the cache converges without a relist storm', async (_, rule) => {
    const app = await start((proxy) => proxy.inject({ ...rule, match: listsFlags }));
    await app.ready();
    await changeTheWorld();
    await untilConverged(app, flags);
    expectFired(app.proxy, rule.fault, rule.times);
    expect(lists(app)).toBeLessThanOrEqual(rule.lists);
  });

  test('whose continue token has expired begins again, and objects that were deleted meanwhile are gone', async () => {
    const expired = refusal(410, { reason: 'Expired' });
    const continued = (request: Parameters<Rule['match']>[0]) => listsFlags(request) && request.query.has('continue');
    const unstreamable = refusal(400, { reason: 'BadRequest' });
    const app = await start((proxy) => {
      proxy.inject({ fault: unstreamable, match: on('featureflags', 'watch-list') });
      proxy.inject({ fault: expired, match: continued, times: 1 });
      proxy.inject({ fault: pagesOf(1), match: on('featureflags', 'list') });
    });
    await waitUntil({ what: 'the token has expired' }, () => timesFired(app.proxy, expired) > 0);
    await changeTheWorld();
    await app.ready();
    await untilConverged(app, flags);
    expectFired(app.proxy, pagesOf(1), 4);
    const begun = requestsFor(app.proxy.arrived, 'featureflags', 'list').filter(({ query }) => !query.has('continue'));
    expect(begun.length).toBe(2);
    expect(requestsFor(app.proxy.arrived, 'featureflags', 'watch-list').length).toBe(1);
  });
});

describe('the API server', () => {
  test('answers 500 for a while: each try has its wait, reads continue, the cache converges', async () => {
    const app = await start();
    await app.ready();
    // A watch that is dropped before its answer begins is requested again at once, because its connection may have been
    // stale.
    await waitUntil({ what: 'all kinds are watched' }, () =>
      Object.keys(READ_KINDS).every((kind) => isWatching(app, kind)),
    );
    const since = app.proxy.arrived.length;
    const before = Object.keys(READ_KINDS).map((kind) => waits(app, kind).length);
    const recover = app.proxy.inject({ fault: refusal(500), match: () => true });
    app.proxy.drop();
    await changeTheWorld();
    const checks = (plural: string) => requestsFor(app.proxy.arrived.slice(since), plural, 'check').length;
    await waitUntil({ what: 'a few tries of each kind have failed' }, async () => {
      await readFlags(app.call);
      return Object.values(READ_KINDS).every((plural) => checks(plural) >= 4);
    });
    recover();
    await untilConverged(app, flags);
    for (const [index, [kind, plural]] of Object.entries(READ_KINDS).entries()) {
      await waitUntil({ what: `${plural} are watched again` }, () =>
        app.proxy.reached.slice(since).some(on(plural, 'watch')),
      );
      const tries = requestsFor(app.proxy.arrived.slice(since), plural, ...LISTS, 'check', 'watch');
      // Only the watch after the successful check follows without a wait.
      expect(tries.length - 1).toBe(waits(app, kind).length - (before[index] ?? 0));
    }
    expect(lists(app)).toBe(1);
  });

  test('asks for a second of delay with 429: no request of that kind is sent before', async () => {
    const busy = refusal(429, { reason: 'TooManyRequests', retryAfterSeconds: 1 });
    const app = await start((proxy) => proxy.inject({ fault: busy, match: readsFlags, times: 3 }));
    await app.ready();
    await changeTheWorld();
    await untilConverged(app, flags);
    expectFired(app.proxy, busy, 3);
    expect(lists(app)).toBe(4);
    expect(waits(app, 'FeatureFlag').map((waitMs) => waitMs >= 1_000)).toEqual([true, true, true]);
  });

  test('refuses connections for a while: reads continue, the cache converges, nothing is listed again', async () => {
    const app = await start();
    await app.ready();
    await app.proxy.close();
    await changeTheWorld();
    const failures = `vexil_watch_failures_total{kind="FeatureFlag",namespace="${home}",reason="failed"}`;
    await waitUntil({ what: 'a few tries have failed' }, async () => {
      await readFlags(app.call);
      return (await app.metric(failures)) >= 4;
    });
    await app.proxy.open();
    await untilConverged(app, flags);
    expectFired(app.proxy, refused);
    expect(lists(app)).toBe(1);
    expect(waits(app, 'FeatureFlag').length).toBeGreaterThanOrEqual(4);
  });

  test('lets calls of a reconnect hang: cached objects are served, the cache converges afterwards', async () => {
    const app = await start();
    await app.ready();
    app.proxy.inject({ fault: stall, match: readsFlags, times: 1 });
    app.proxy.drop();
    await changeTheWorld();
    await waitUntil({ what: 'a call hangs' }, () => timesFired(app.proxy, stall) > 0);
    const { body } = await readFlags(app.call);
    expect(body.features.map(({ name }: { name: string }) => name)).toContain('doomed');
    app.proxy.release();
    await untilConverged(app, flags);
    expect(lists(app)).toBe(1);
  });
});
