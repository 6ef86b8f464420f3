/** The data about the use of flags that are kept in memory. */
import { expect, test } from 'vitest';
import { createKnownUsage } from '../../../src/usage/known-usage.ts';
import type { FlagUsage, UnknownFlag } from '../../../src/usage/usage.ts';
import { fakeClock } from '../../support/fake-clock.ts';

const NOW = 1_000_000;
const never = { firstYesAt: undefined, lastYesAt: undefined, firstNoAt: undefined, lastNoAt: undefined };
const inProduction = (firstAt: number, lastAt: number): FlagUsage => {
  return { environment: 'production', firstAt, lastAt, ...never, firstYesAt: firstAt, appNames: ['shop'], days: [] };
};

function setUp() {
  const world = {
    summaries: new Map([['a', [inProduction(10, 20)]]]) as ReadonlyMap<string, readonly FlagUsage[]>,
    seen: new Map<string, number>(),
    unknown: [] as UnknownFlag[],
    asked: [] as (readonly string[])[],
    isAway: false,
  };
  const known = createKnownUsage({
    reader: {
      summaryOf: async (uids) => {
        world.asked.push(uids);
        if (world.isAway) throw new Error('away');
        return world.summaries;
      },
      lastSeen: (uid) => (uid === 'a' ? world.seen : new Map()),
      unknownFlags: async () => world.unknown,
    },
    flagUids: () => ['a', 'b', ...Array.from({ length: 1500 }, (_, number) => `more-${number}`)],
    refreshMs: 1000,
    clock: fakeClock(),
    now: () => NOW,
    onFailure: () => undefined,
  });
  return { world, known };
}

test('nothing is known before the first read; then each flag, read a thousand at a time', async () => {
  const { world, known } = setUp();
  expect([known.isRead(), known.measured(), known.of('a')]).toEqual([false, undefined, []]);
  await known.refresh();
  expect(world.asked.map(({ length }) => length)).toEqual([1000, 502]);
  expect([known.isRead(), known.measured()]).toEqual([true, { since: 10, until: 20 }]);
  expect([known.of('a'), known.of('b')]).toEqual([[inProduction(10, 20)], []]);
});

test('what memory has seen since is newer than the database, and may have another place', async () => {
  const { world, known } = setUp();
  await known.refresh();
  expect(known.of('a')).toBe(known.of('a'));
  world.seen.set('production', 30).set('development', 40);
  expect(known.of('a')).toEqual([
    inProduction(10, 30),
    { environment: 'development', firstAt: 40, lastAt: 40, ...never, appNames: [] },
  ]);
});

test('reports about a flag in the archive are those of its uid', async () => {
  const { world, known } = setUp();
  const report = { name: 'stowed', archivedUid: 'b', environment: 'production', appName: 'web', lastAt: 7 };
  world.unknown = [report, { ...report, appName: 'shop', lastAt: 9 }, { ...report, name: 'x', archivedUid: undefined }];
  await known.refresh();
  expect(known.of('b')).toEqual([
    { environment: 'production', firstAt: 9, lastAt: 9, ...never, appNames: ['shop', 'web'] },
  ]);
  expect(known.unknown()).toHaveLength(3);
});

test('a database that cannot be read keeps the known data', async () => {
  const { world, known } = setUp();
  await known.refresh();
  world.isAway = true;
  await expect(known.refresh()).rejects.toThrow('away');
  expect(known.of('a')).toEqual([inProduction(10, 20)]);
});
