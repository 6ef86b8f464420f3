/** Reports: what is counted for which flag, and which parts of a body are read. */
import { describe, expect, test } from 'vitest';
import type { FeatureFlag } from '../../../src/schema/feature-flag.ts';
import type { Count } from '../../../src/usage/counters.ts';
import { createReports } from '../../../src/usage/reports.ts';
import { flagsOf, flagsOfBulk, sdkOf, sdksOfBulk } from '../../../src/wire/client/reported-usage.ts';
import { collectGarbage } from '../../support/collect-garbage.ts';

const NOW = Date.parse('2026-05-10T12:00:00Z');
const noHeaders = { appName: undefined, sdkVersion: undefined, connectionId: undefined, instanceId: undefined };

function aFlagOf(project: string, archived = false): FeatureFlag {
  const metadata = { uid: `uid-${project}`, name: 'x', namespace: 'n', resourceVersion: '1', generation: 1 };
  const strategies = { all: { name: 'default', variants: [{ name: 'striped' }] } };
  const spec = { project, archived, variants: [{ name: 'red' }], environments: { production: { strategies } } };
  return {
    metadata: { ...metadata, creationTimestamp: '' },
    spec,
    rawSpec: spec,
    status: undefined,
    defects: [],
    owners: [],
  };
}

function recording() {
  const counted: Count[] = [];
  const names: string[] = [];
  const flags: Readonly<Record<string, FeatureFlag>> = {
    shopping: aFlagOf('shop'),
    paying: aFlagOf('pay'),
    old: aFlagOf('shop', true),
  };
  const reports = createReports({
    catalog: { flag: (name) => (Object.hasOwn(flags, name) ? flags[name] : undefined) },
    usage: {
      count: (count) => counted.push(count),
      addSdk: () => undefined,
      addName: ({ name, archivedUid }) => names.push(`${name}:${archivedUid}`),
    },
    now: () => NOW,
  });
  const report = (projects: readonly string[] | undefined, name: string, changes: object = {}) => {
    const one = { name, appName: 'a', yes: 1, no: 0, variants: new Map(), at: undefined, ...changes };
    reports.evaluations({ environment: 'production', projects }, [one]);
  };
  return { counted, names, report };
}

describe('a report counts', () => {
  test('flags of the projects of its token, and of every project for a token for all', () => {
    const { counted, report } = recording();
    report(['shop'], 'shopping');
    report(['shop'], 'paying');
    report(undefined, 'paying');
    expect(counted.map(({ flagUid }) => flagUid)).toEqual(['uid-shop', 'uid-pay']);
  });

  test('no flag that is archived or does not exist: their names are kept apart', () => {
    const { counted, names, report } = recording();
    report(undefined, 'old');
    report(undefined, 'typo');
    report(undefined, 'constructor');
    expect([counted, names]).toEqual([[], ['old:uid-shop', 'typo:', 'constructor:']]);
  });

  test('variants that the flag has, and all other names together', () => {
    const { counted, report } = recording();
    const variants = new Map(['red', 'striped', 'disabled', 'x', 'y'].map((name) => [name, 1]));
    report(undefined, 'shopping', { variants });
    expect([...(counted[0]?.variants ?? [])]).toEqual([
      ['red', 1],
      ['striped', 1],
      ['disabled', 1],
      ['other', 2],
    ]);
  });

  test('nothing where nothing was evaluated', () => {
    const { counted, report } = recording();
    report(undefined, 'shopping', { yes: 0 });
    expect(counted).toEqual([]);
  });

  test.each([
    ['an hour ago', NOW - 3_600_000, NOW - 3_600_000],
    ['years ago', 0, NOW],
    ['in the future', NOW + 3_600_000, NOW],
  ])('in the hour in which it ended, if the clock of the SDK can be right: %s', (_, at, want) => {
    const { counted, report } = recording();
    report(undefined, 'shopping', { at });
    expect(counted.map((one) => [one.at, one.arrivedAt])).toEqual([[want, NOW]]);
  });
});

describe('a body', () => {
  test('has counts by flag, at the end of its bucket', () => {
    const toggles = { one: { yes: 2, no: 1, variants: { red: 2, blue: 0 } }, two: { yes: 1e15 } };
    const flags = flagsOf({ appName: 'shop', bucket: { stop: '2026-05-10T11:00:13.377491976Z', toggles } });
    const at = Date.parse('2026-05-10T11:00:13.377Z');
    expect(flags).toEqual([
      { name: 'one', appName: 'shop', at, yes: 2, no: 1, variants: new Map([['red', 2]]) },
      { name: 'two', appName: 'shop', at, yes: 1_000_000_000, no: 0, variants: new Map() },
    ]);
  });

  test('of Unleash Edge has entries and applications, and those of the environment count', () => {
    const entry = { featureName: 'one', appName: 'shop', timestamp: NOW, yes: 1, no: 0 };
    const body = {
      metrics: [{ ...entry, environment: 'production' }, { ...entry, environment: 'development' }, null, 7],
      applications: [{ appName: 'shop', environment: 'production', instanceId: 'i' }, { appName: 'else' }],
    };
    const flags = flagsOfBulk(body, 'production', noHeaders);
    expect(flags).toEqual([{ name: 'one', appName: 'shop', at: NOW, yes: 1, no: 0, variants: new Map() }]);
    expect(sdksOfBulk(body, 'production')).toMatchObject([{ appName: 'shop', instanceId: 'i' }]);
  });

  test('of an edge names it in headers, and in entries the edges that sent them to it', () => {
    const entry = { featureName: 'one', appName: 'shop', environment: 'production', yes: 1 };
    const [hub, site] = ['hub', 'site'].map((instanceId) => ({ appName: 'vexil-edge', instanceId }));
    const body = {
      metrics: [entry, { ...entry, connectVia: [site] }, { ...entry, connectVia: [null, { appName: 1 }] }],
    };
    const via = flagsOfBulk(body, 'production', { ...noHeaders, ...hub }).map((one) => one.via);
    expect(via).toEqual([hub, site, hub]);
  });

  test('has the data of the SDK that headers lack, cut to what can be stored and shown', () => {
    const headers = { ...noHeaders, sdkVersion: 'node:6', connectionId: 'c-1' };
    expect(sdkOf({ appName: 'a\u0000\u001b[2Jb', instanceId: 'i', strategies: ['default', 7, ''] }, headers)).toEqual({
      ...{ appName: 'a  [2Jb', sdkVersion: 'node:6', instanceId: 'c-1', strategies: ['default'] },
    });
    expect(sdkOf({ appName: 'x'.repeat(500), instanceId: 'i' }, noHeaders)).toEqual({
      ...{ appName: 'x'.repeat(100), sdkVersion: '', instanceId: 'i', strategies: undefined },
    });
  });

  test('keeps nothing of a long name but its beginning', () => {
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    const sent = (index: number) => JSON.parse(JSON.stringify({ appName: `${index}${'x'.repeat(1_000_000)}` }));
    const sdks = Array.from({ length: 50 }, (_, index) => sdkOf(sent(index), noHeaders));
    collectGarbage();
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(5_000_000);
    expect(sdks.at(-1)?.appName).toBe(`49${'x'.repeat(98)}`);
  });
});
