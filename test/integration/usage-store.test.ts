/** The store of the reports of SDKs, in both databases: sums are exact, whatever happens between two flushes. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openDatabase } from '../../src/audit/archive/open-archive.ts';
import { createUsage, type Usage } from '../../src/usage/store.ts';
import { databases } from '../support/archive/databases.ts';
import type { RunningDatabase } from '../support/archive/running-database.ts';
import { fakeClock } from '../support/fake-clock.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Noon of a day. */
const NOW = Date.parse('2026-05-10T12:30:00Z');

describe.each(Object.entries(databases))('usage in %s', (_, start) => {
  let server: RunningDatabase;
  let url: string;
  let now: number;
  const opened: { close(): Promise<void> }[] = [];
  const failures: unknown[] = [];

  beforeAll(async () => {
    server = await start();
  });
  beforeEach(async () => {
    url = await server.freshUrl();
    now = NOW;
    return async () => {
      await Promise.all(opened.splice(0).map((one) => one.close()));
      expect(failures.splice(0)).toEqual([]);
    };
  });
  afterAll(() => server?.stop());

  /** Opens the store of a replica. */
  function open(writer = 'one'): Usage {
    const database = openDatabase(url, { notice: () => undefined });
    opened.push(database);
    return createUsage({
      database,
      retention: { hourlyMs: 48 * HOUR, dailyMs: 400 * DAY },
      flushMs: 10_000,
      writer,
      clock: fakeClock(),
      now: () => now,
      random: () => 0,
      observe: {
        flushed: () => undefined,
        dropped: (evaluations) => failures.push(evaluations),
        failed: (action, error) => failures.push([action, error]),
      },
    });
  }

  function aCount(changes: object = {}) {
    return {
      ...{ flagUid: 'uid-1', environment: 'production', appName: 'shop', yes: 3, no: 1 },
      ...{ at: now, arrivedAt: now, variants: new Map([['red', 2]]), ...changes },
    };
  }

  test('hours and days add up over flushes, together with variants', async () => {
    const usage = open();
    usage.count(aCount());
    usage.count(aCount({ at: now - 2 * HOUR }));
    await usage.flush();
    usage.count(aCount({ yes: 0, variants: new Map([['blue', 1]]) }));
    usage.count(aCount({ flagUid: 'uid-2' }));
    await usage.flush();
    const hours = await usage.countsOf('uid-1', { grain: 'hour', since: 0 });
    const place = { environment: 'production', appName: 'shop' };
    expect(hours).toEqual([
      { ...place, at: NOW - 2.5 * HOUR, yes: 3, no: 1, variants: { red: 2 } },
      { ...place, at: NOW - 0.5 * HOUR, yes: 3, no: 2, variants: { red: 2, blue: 1 } },
    ]);
    const days = await usage.countsOf('uid-1', { grain: 'day', since: 0 });
    expect(days).toEqual([{ ...place, at: NOW - 12.5 * HOUR, yes: 6, no: 3, variants: { red: 4, blue: 1 } }]);
    expect(await usage.countsOf('uid-1', { grain: 'hour', since: NOW - HOUR })).toHaveLength(1);
    expect(await usage.countsOf('uid-3', { grain: 'day', since: 0 })).toEqual([]);
  });

  test('two replicas that flush at once lose nothing, and each reads what the other has stored', async () => {
    const [one, two] = [open('one'), open('two')];
    const uids = Array.from({ length: 40 }, (_one, number) => `uid-${number}`);
    for (let round = 0; round < 4; round += 1) {
      // The replicas count in opposite orders: what one counts first, the other one counts last.
      for (const flagUid of uids) one.count(aCount({ flagUid }));
      for (const flagUid of uids.toReversed()) two.count(aCount({ flagUid }));
      await Promise.all([one.flush(), two.flush()]);
    }
    const summary = await one.summaryOf(uids, 0);
    const days = uids.map((uid) => summary.get(uid)?.flatMap((place) => place.days));
    expect(days).toEqual(uids.map(() => [{ at: NOW - 12.5 * HOUR, yes: 24, no: 8 }]));
    expect(await one.countsOf('uid-7', { grain: 'hour', since: 0 })).toMatchObject([{ variants: { red: 16 } }]);
    one.count(aCount({ flagUid: 'only-one' }));
    await one.flush();
    expect(two.lastSeen('only-one')).toEqual(new Map());
    await two.refresh();
    expect(two.lastSeen('only-one')).toEqual(new Map([['production', NOW]]));
    expect(two.lastHour('only-one')).toEqual(new Map([['production', { yes: 3, no: 1 }]]));
  });

  test('a flag is last seen through the edge of the newest report, of any application and on any replica', async () => {
    const [one, two] = [open('one'), open('two')];
    const via = (instanceId: string) => ({ via: { appName: 'vexil-edge', instanceId } });
    one.count(aCount(via('east')));
    one.count(aCount({ ...via('north'), arrivedAt: NOW - 1 }));
    one.count(aCount({ ...via('west'), appName: 'till', arrivedAt: NOW - 2 }));
    one.count(aCount({ flagUid: 'uid-2', ...via('east') }));
    expect(one.lastEdges('uid-1')).toEqual(new Map([['production', via('east').via]]));
    await one.flush();
    await two.refresh();
    expect(two.lastEdges('uid-1')).toEqual(new Map([['production', via('east').via]]));
    two.count(aCount({ ...via('late'), arrivedAt: NOW - 1 }));
    two.count(aCount({ flagUid: 'uid-2', arrivedAt: NOW + 1 }));
    await two.flush();
    await one.refresh();
    expect(one.lastEdges('uid-1')).toEqual(new Map([['production', via('east').via]]));
    expect(one.lastEdges('uid-2')).toEqual(new Map());
    one.count(aCount({ ...via('west'), arrivedAt: NOW + 1 }));
    await one.flush();
    await two.refresh();
    expect(two.lastEdges('uid-1')).toEqual(new Map([['production', via('west').via]]));
  });

  test('a batch that was written although the answer was lost is not added again', async () => {
    const usage = open();
    usage.count(aCount());
    await usage.flush();
    // A process with the same name that starts again writes its first batch again.
    const again = open();
    again.count(aCount());
    await again.flush();
    expect(await usage.countsOf('uid-1', { grain: 'day', since: 0 })).toMatchObject([{ yes: 3, no: 1 }]);
  });

  test('the summary of flags has when each answer was first and last given, and by which applications', async () => {
    const usage = open();
    for (const age of [40 * DAY, 39 * DAY]) {
      usage.count(aCount({ yes: 1, no: 0, arrivedAt: NOW - age, at: NOW - age, appName: 'old' }));
      await usage.flush();
    }
    usage.count(aCount({ yes: 0, no: 5 }));
    usage.count(aCount({ yes: 0, no: 7, environment: 'development' }));
    await usage.flush();
    const since = NOW - 30 * DAY;
    const summary = await usage.summaryOf(['uid-1', 'uid-2'], since);
    const never = { firstYesAt: undefined, lastYesAt: undefined };
    const today = { firstNoAt: NOW, lastNoAt: NOW, appNames: ['shop'] };
    expect([...summary]).toEqual([
      [
        'uid-1',
        [
          {
            ...{ environment: 'development', firstAt: NOW, lastAt: NOW, ...never, ...today },
            days: [{ at: NOW - 12.5 * HOUR, yes: 0, no: 7 }],
          },
          {
            ...{ environment: 'production', firstAt: NOW - 40 * DAY, lastAt: NOW, ...today },
            ...{ firstYesAt: NOW - 40 * DAY, lastYesAt: NOW - 39 * DAY },
            days: [{ at: NOW - 12.5 * HOUR, yes: 0, no: 5 }],
          },
        ],
      ],
    ]);
    const asking = await usage.applicationsOf(['uid-1'], since);
    expect(asking.get('uid-1')?.map(({ environment, appName }) => `${environment} ${appName}`)).toEqual([
      'development shop',
      'production shop',
    ]);
  });

  test('applications are listed with their SDKs, instances and flags, and can be forgotten', async () => {
    const usage = open();
    const sdk = { environment: 'production', appName: 'shop', sdkVersion: 'node:6', strategies: ['default', 'x'] };
    usage.addSdk({ ...sdk, instanceId: 'a' });
    usage.addSdk({ ...sdk, instanceId: 'b', strategies: undefined });
    usage.addSdk({ ...sdk, appName: 'Web', sdkVersion: 'js:3', instanceId: undefined, strategies: undefined });
    usage.count(aCount());
    await usage.flush();
    usage.addSdk({ ...sdk, instanceId: 'b', strategies: undefined });
    await usage.flush();
    const query = { query: undefined, offset: 0, limit: 10, sort: { by: 'appName', order: 'asc' } } as const;
    const shop = {
      ...{ appName: 'shop', strategies: ['default', 'x'], firstAt: NOW, lastAt: NOW },
      environments: [{ environment: 'production', instanceCount: 2, sdkVersions: ['node:6'], lastAt: NOW }],
      usage: [{ environment: 'production', flagUids: ['uid-1'] }],
      edges: [],
    };
    const { applications, total } = await usage.applications(query);
    expect([applications.map(({ appName }) => appName), total]).toEqual([['Web', 'shop'], 2]);
    expect(applications[1]).toEqual(shop);
    expect(await usage.application('shop')).toEqual(shop);
    const names = async (changes: object) =>
      (await usage.applications({ ...query, ...changes })).applications.map(({ appName }) => appName);
    expect(await names({ query: 'WE' })).toEqual(['Web']);
    expect(await names({ offset: 1, sort: { by: 'appName', order: 'desc' } })).toEqual(['Web']);
    expect(await names({ flagUids: new Set(['uid-1']) })).toEqual(['shop']);
    expect(await usage.instances('shop', 'production')).toMatchObject([{ instanceId: 'a' }, { instanceId: 'b' }]);
    expect(await usage.sdkVersions()).toEqual([
      { sdkVersion: 'js:3', appNames: ['Web'] },
      { sdkVersion: 'node:6', appNames: ['shop'] },
    ]);
    usage.addSdk({ ...sdk, instanceId: 'c' });
    await usage.forget('shop');
    await usage.flush();
    expect(await names({})).toEqual(['Web']);
    expect(await usage.application('shop')).toBeUndefined();
    expect(await usage.instances('shop', 'production')).toEqual([]);
  });

  test('an application has the ten edges of the last day that its reports came through last', async () => {
    const usage = open();
    const sdk = { environment: 'production', appName: 'shop', sdkVersion: '', strategies: undefined };
    const report = async (edge: number) => {
      const via = [{ appName: 'vexil-edge', instanceId: `edge-${edge}` }];
      usage.addSdk({ ...sdk, instanceId: 'a', via });
      await usage.flush();
    };
    const edges = async () => (await usage.application('shop'))?.edges.map(({ instanceId }) => instanceId);
    for (let edge = 0; edge < 12; edge += 1) {
      now += 1;
      await report(edge);
    }
    expect(await edges()).toEqual([11, 10, 9, 8, 7, 6, 5, 4, 3, 2].map((edge) => `edge-${edge}`));
    now += DAY;
    await report(0);
    const place = { appName: 'vexil-edge', instanceId: 'edge-0', environment: 'production' };
    expect((await usage.application('shop'))?.edges.slice(0, 1)).toEqual([{ ...place, lastAt: now }]);
    now += 1;
    await usage.prune();
    expect(await edges()).toEqual(['edge-0']);
    await usage.forget('shop');
    usage.addSdk({ ...sdk, instanceId: 'a' });
    await usage.flush();
    expect(await edges()).toEqual([]);
  });

  test('names that no live flag has are kept for a day', async () => {
    const usage = open();
    const name = { name: 'typo', environment: 'production', appName: 'shop', archivedUid: '' };
    usage.addName(name);
    usage.addName({ ...name, name: 'gone', archivedUid: 'uid-9' });
    await usage.flush();
    const place = { environment: 'production', appName: 'shop', lastAt: NOW };
    expect(await usage.unknownFlags()).toEqual([
      { ...place, name: 'gone', archivedUid: 'uid-9' },
      { ...place, name: 'typo', archivedUid: undefined },
    ]);
    now += DAY + 1;
    expect(await usage.unknownFlags()).toEqual([]);
  });

  test('pruning keeps hours, days and instances for their time', async () => {
    const usage = open();
    for (const age of [0, 49 * HOUR, 401 * DAY]) usage.count(aCount({ at: NOW - age, arrivedAt: NOW - age }));
    usage.addSdk({ environment: 'e', appName: 'shop', sdkVersion: '', instanceId: 'a', strategies: undefined });
    await usage.flush();
    await usage.prune();
    const left = async (grain: 'hour' | 'day') => (await usage.countsOf('uid-1', { grain, since: 0 })).length;
    expect([await left('hour'), await left('day')]).toEqual([1, 2]);
    expect(await usage.instances('shop', 'e')).toHaveLength(1);
    now += 401 * DAY;
    await usage.prune();
    now -= 401 * DAY;
    expect([await left('hour'), await left('day')]).toEqual([0, 0]);
    expect(await usage.instances('shop', 'e')).toEqual([]);
    expect(await usage.application('shop')).toBeUndefined();
  });
});
