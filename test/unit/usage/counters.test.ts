/** Counters in memory: sums are exact below the limit, and the loss above it is known. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Count, createCounters } from '../../../src/usage/counters.ts';
import { countsRows, seenRows } from '../../../src/usage/rows.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOON = Date.parse('2026-05-10T12:00:00Z');

const counts = fc.array(
  fc.record({
    flagUid: fc.constantFrom('u1', 'u2', 'u3'),
    environment: fc.constantFrom('development', 'production'),
    appName: fc.constantFrom('a', 'b', 'c'),
    at: fc.integer({ min: NOON - 3 * DAY, max: NOON }),
    arrivedAt: fc.integer({ min: NOON - 3 * DAY, max: NOON }),
    yes: fc.nat(1_000),
    no: fc.nat(1_000),
    variants: fc
      .uniqueArray(fc.tuple(fc.constantFrom('red', 'blue'), fc.integer({ min: 1, max: 1_000 })), {
        selector: ([name]) => name,
      })
      .map((some) => new Map(some)),
  }),
  { maxLength: 60 },
);

function count(changes: Partial<Count> = {}): Count {
  const place = { flagUid: 'u1', environment: 'production', appName: 'shop' };
  return { ...place, at: NOON, arrivedAt: NOON, yes: 1, no: 0, variants: new Map(), ...changes };
}

const noLoss = (evaluations: number) => {
  throw new Error(`${evaluations} evaluations are lost`);
};
const sum = (rows: readonly { readonly yes: number; readonly no: number }[]) =>
  rows.reduce((total, { yes, no }) => total + yes + no, 0);

describe('the rows of counters', () => {
  test('have the sums of the reports, by hour and by day, each key once and in order', () => {
    fc.assert(
      fc.property(counts, (all) => {
        const counters = createCounters({ maxKeys: 1_000, maxKeysPerHour: 1_000, onDropped: noLoss });
        for (const one of all) counters.add(one);
        const rows = countsRows(counters.take());
        for (const grain of [0, 1]) {
          const ofGrain = rows.filter((row) => row.grain === grain);
          expect(sum(ofGrain.filter(({ variant }) => variant === ''))).toBe(sum(all));
          const variants = all.flatMap((one) => [...one.variants.values()]).reduce((total, value) => total + value, 0);
          expect(sum(ofGrain.filter(({ variant }) => variant !== ''))).toBe(variants);
          expect(ofGrain.every(({ at }) => at % (grain === 0 ? HOUR : DAY) === 0)).toBe(true);
        }
        const keys = rows.map((row) =>
          [row.uid, row.grain, String(row.at).padStart(15, '0'), row.environment, row.app, row.variant].join('\n'),
        );
        expect(keys).toEqual([...new Set(keys)].sort());
        expect(counters.size).toBe(0);
      }),
    );
  });

  test('have when each answer was first and last given', () => {
    fc.assert(
      fc.property(counts, (all) => {
        const counters = createCounters({ maxKeys: 1_000, maxKeysPerHour: 1_000, onDropped: noLoss });
        for (const one of all) counters.add(one);
        for (const row of seenRows(counters.take())) {
          const same = all.filter(
            (one) => one.flagUid === row.uid && one.environment === row.environment && one.appName === row.app,
          );
          const times = (some: readonly Count[]) => some.map(({ arrivedAt }) => arrivedAt);
          const [yes, no] = [same.filter((one) => one.yes > 0), same.filter((one) => one.no > 0)];
          expect([row.first_at, row.last_at]).toEqual([Math.min(...times(same)), Math.max(...times(same))]);
          expect([row.last_yes_at, row.last_no_at]).toEqual([Math.max(0, ...times(yes)), Math.max(0, ...times(no))]);
          const firsts = [yes, no].map((some) => Math.min(Number.MAX_SAFE_INTEGER, ...times(some)));
          expect([row.first_yes_at, row.first_no_at]).toEqual(firsts);
        }
      }),
    );
  });
});

describe('above the limit', () => {
  test('other applications are counted together, and nothing is lost', () => {
    const counters = createCounters({ maxKeys: 3, maxKeysPerHour: 1_000, onDropped: noLoss });
    counters.add(count({ appName: 'other' }));
    for (const appName of ['a', 'b', 'c', 'd', 'e']) counters.add(count({ appName }));
    const taken = counters.take();
    expect(taken.map(({ appName, yes }) => [appName, yes])).toEqual([
      ['other', 4],
      ['a', 1],
      ['b', 1],
    ]);
  });

  test('applications are counted together if too many came within an hour, over all flushes', () => {
    const counters = createCounters({ maxKeys: 100, maxKeysPerHour: 2, onDropped: noLoss });
    const names = () => counters.take().map(({ appName, yes }) => [appName, yes]);
    for (const appName of ['a', 'b', 'c', 'd']) counters.add(count({ appName }));
    expect(names()).toEqual([
      ['a', 1],
      ['b', 1],
      ['other', 2],
    ]);
    for (const appName of ['e', 'a']) counters.add(count({ appName }));
    expect(names()).toEqual([
      ['other', 1],
      ['a', 1],
    ]);
    counters.add(count({ appName: 'e', arrivedAt: NOON + HOUR }));
    expect(names()).toEqual([['e', 1]]);
  });

  test('the oldest hour is dropped for a newer one, and the number of its evaluations is known', () => {
    const lost: number[] = [];
    const counters = createCounters({
      maxKeys: 2,
      maxKeysPerHour: 1_000,
      onDropped: (evaluations) => lost.push(evaluations),
    });
    counters.add(count({ at: NOON - HOUR, yes: 5, no: 2 }));
    counters.add(count({ at: NOON - 2 * HOUR, yes: 7, variants: new Map([['red', 7]]) }));
    counters.add(count({ yes: 1 }));
    expect(lost).toEqual([7]);
    expect(counters.size).toBe(2);
    expect(counters.take().map(({ yes }) => yes)).toEqual([5, 1]);
  });

  test('the present hour is never dropped: later evaluations are lost instead', () => {
    const lost: number[] = [];
    const counters = createCounters({
      maxKeys: 2,
      maxKeysPerHour: 1_000,
      onDropped: (evaluations) => lost.push(evaluations),
    });
    for (const flagUid of ['u1', 'u2', 'u3', 'u1']) counters.add(count({ flagUid }));
    expect(lost).toEqual([1]);
    expect(counters.take().map(({ flagUid, yes }) => [flagUid, yes])).toEqual([
      ['u1', 2],
      ['u2', 1],
    ]);
  });

  test('variants are counted together, and at most a hundred for each counter', () => {
    const counters = createCounters({ maxKeys: 10_000, maxKeysPerHour: 1_000, onDropped: noLoss });
    for (let index = 0; index < 150; index += 1) counters.add(count({ variants: new Map([[`v${index}`, 1]]) }));
    const [taken] = counters.take();
    expect([taken?.variants.size, taken?.variants.get('other')]).toEqual([101, 50]);
  });

  test('the size never exceeds the limit by more than one counter with its variants', () => {
    fc.assert(
      fc.property(counts, fc.integer({ min: 1, max: 20 }), (all, maxKeys) => {
        let lost = 0;
        const counters = createCounters({
          maxKeys,
          maxKeysPerHour: 1_000,
          onDropped: (evaluations) => {
            lost += evaluations;
          },
        });
        for (const one of all) {
          counters.add(one);
          expect(counters.size).toBeLessThanOrEqual(maxKeys + 3);
        }
        expect(sum(counters.take()) + lost).toBe(sum(all));
      }),
    );
  });
});
