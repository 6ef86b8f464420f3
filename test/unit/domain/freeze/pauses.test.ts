/** Ramps in an environment whose freezes pause them: no step begins in a freeze, and its time does not count. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { changeRamp, type RampChange } from '../../../../src/domain/flag/edit/edit-ramp.ts';
import { environmentOf } from '../../../../src/domain/flag/flag-values.ts';
import { rampAt, rolloutAt, stepTimes } from '../../../../src/domain/flag/ramp.ts';
import { freezeAt } from '../../../../src/domain/freeze/freeze-in-force.ts';
import { NO_PAUSES, pausesOf } from '../../../../src/domain/freeze/pauses.ts';
import { type Freeze, weekdays } from '../../../../src/schema/freeze.ts';
import type { Ramp } from '../../../../src/schema/ramp.ts';
import { dependents } from '../dependents.ts';
import { environmentObject, flagObject } from '../objects.ts';

const HOUR_MS = 3_600_000;
const START = Date.parse('2026-03-27T12:00:00Z');
const text = (ms: number) => new Date(ms).toISOString();
const hours = (count: number) => START + count * HOUR_MS;

const nights: Freeze = {
  name: 'nights',
  days: ['Fri', 'Sat'],
  from: '18:00',
  until: '08:00',
  timeZone: 'Europe/Berlin',
  firstDay: '2026-03-27',
  ramps: 'Pause',
};
const ramp: Ramp = {
  startAt: text(START),
  steps: [{ rollout: 5, for: '3h' }, { rollout: 25, for: '4h' }, { rollout: 100 }],
};
const timesOf = (...freezes: Freeze[]) => stepTimes(ramp, pausesOf({ freezes })).map(text);

test('the time of a freeze does not count, also if the clocks change during it', () => {
  expect(timesOf(nights)).toEqual([
    '2026-03-27T12:00:00.000Z',
    '2026-03-27T15:00:00.000Z',
    // Two hours are left at 17:00 UTC, when the night begins. It ends at 7:00 UTC.
    '2026-03-28T09:00:00.000Z',
  ]);
  const { steps = [] } = ramp;
  const later = { startAt: text(hours(24)), steps: steps ?? [] };
  // Two hours are left at 17:00 UTC again. The clocks go forward in the night, so it ends at 6:00 UTC.
  expect(stepTimes(later, pausesOf({ freezes: [nights] })).map(text)[2]).toBe('2026-03-29T08:00:00.000Z');
});

test('a step that is due when a freeze begins waits for its end, and so does a start during one', () => {
  const freeze: Freeze = { name: 'once', from: text(hours(3)), until: text(hours(10)), ramps: 'Pause' };
  expect(timesOf(freeze)).toEqual([text(START), text(hours(10)), text(hours(14))]);
  expect(timesOf({ ...freeze, from: text(hours(-1)) })[0]).toBe(text(hours(10)));
});

test('freezes that let ramps continue delay nothing', () => {
  expect(pausesOf({ freezes: [{ ...nights, ramps: 'Continue' }] })).toBe(NO_PAUSES);
  expect(pausesOf(undefined)).toBe(NO_PAUSES);
});

test('a ramp that freezes would pause forever continues after four years', () => {
  const always: Freeze = { name: 'always', days: [...weekdays], from: '00:00', until: '24:00', ramps: 'Pause' };
  const [first = 0] = stepTimes(ramp, pausesOf({ freezes: [always] }));
  expect(first).toBeGreaterThan(Date.parse('2030-01-01T00:00:00Z'));
});

const clock = (minutes: number) =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
const anyFreezes = fc
  .array(
    fc.oneof(
      fc
        .record({
          days: fc.uniqueArray(fc.constantFrom(...weekdays), { minLength: 1, maxLength: 4 }),
          begins: fc.integer({ min: 0, max: 1200 }),
          lasts: fc.integer({ min: 1, max: 239 }),
        })
        .map(({ days, begins, lasts }) => ({
          days,
          firstDay: '2026-04-06',
          from: clock(begins),
          until: clock(begins + lasts),
          timeZone: 'Europe/Berlin',
        })),
      fc
        .record({ begins: fc.integer({ min: -500, max: 2000 }), lasts: fc.integer({ min: 1, max: 500 }) })
        .map(({ begins, lasts }) => ({ from: text(hours(begins)), until: text(hours(begins + lasts)) })),
    ),
    { minLength: 1, maxLength: 5 },
  )
  .map((some) => some.map((one, index): Freeze => ({ ...one, name: `f${index}`, ramps: 'Pause' })));
const anyTime = fc.integer({ min: -1_000_000, max: 5_000_000 }).map((seconds) => START + seconds * 1000);
const anyCount = fc.integer({ min: 0, max: 3_000_000 }).map((seconds) => seconds * 1000);

function changed(one: Ramp, freezes: readonly Freeze[], change: RampChange): Ramp {
  const everyEnvironment = new Map([['production', environmentObject('home/production', { freezes: [...freezes] })]]);
  const place = { environment: 'production', strategyId: 's', flagContext: { ...dependents(), everyEnvironment } };
  const flag = flagObject('home/f', {
    environments: { production: { strategies: { s: { name: 'flexibleRollout', ramp: one } } } },
  });
  const next = environmentOf(changeRamp(flag, place, change), 'production').strategies?.['s']?.ramp;
  if (!next) throw new Error('there is no ramp');
  return next;
}

describe('around a freeze', () => {
  const freeze: Freeze = { name: 'once', from: text(hours(5)), until: text(hours(10)), ramps: 'Pause' };
  const stepAt = (one: Ramp, hour: number) =>
    rampAt(one, { at: hours(hour), pauses: pausesOf({ freezes: [freeze] }) }).step;

  test.each([1, 2, 3])('a ramp that was paused during it is at step %i after a skip, when it has ended', (step) => {
    const skipped = changed({ ...ramp, pausedAt: text(hours(7)) }, [freeze], { action: 'skip', step, now: hours(12) });
    expect([stepAt(skipped, 12), skipped.pausedAt]).toEqual([step, text(hours(7))]);
  });

  test.each([1, 2, 3])('a skip during it, by a caller who may bypass it, goes to step %i at once', (step) => {
    const skipped = changed(ramp, [freeze], { action: 'skip', step, now: hours(7) });
    expect([7, 10].map((hour) => stepAt(skipped, hour))).toEqual([step, step]);
  });

  test('a ramp that was paused at the beginning of a step keeps the step when it resumes during it', () => {
    const resumed = changed({ ...ramp, pausedAt: text(hours(3)) }, [freeze], { action: 'resume', now: hours(7) });
    expect([7, 10, 13, 15].map((hour) => stepAt(resumed, hour))).toEqual([2, 2, 2, 3]);
  });

  test('a ramp that was paused at its start keeps the first step when it resumes during it', () => {
    const resumed = changed({ ...ramp, pausedAt: text(START) }, [freeze], { action: 'resume', now: hours(7) });
    expect([7, 10, 12.9, 13].map((hour) => stepAt(resumed, hour))).toEqual([1, 1, 1, 2]);
  });

  test('a ramp that is started during it begins when it ends', () => {
    const { startAt: _, ...waiting } = ramp;
    const begun = changed(waiting, [freeze], { action: 'start', now: hours(7) });
    expect([7, 9.9, 10].map((hour) => stepAt(begun, hour))).toEqual([0, 0, 1]);
  });
});

const anyRamp = fc
  .record({
    start: anyTime,
    lengths: fc.array(fc.integer({ min: 1, max: 99_999 }), { maxLength: 8 }),
    pausedAt: fc.option(anyTime, { nil: undefined }),
  })
  .map(({ start, lengths, pausedAt }): Ramp => {
    const some = [...lengths.map((seconds) => ({ for: `${seconds}s` })), {}];
    const numbered = some.map((one, index) => ({ rollout: (index + 1) * 10, ...one }));
    return { startAt: text(start), steps: numbered, ...(pausedAt !== undefined && { pausedAt: text(pausedAt) }) };
  });
const stepOf = (one: Ramp, freezes: readonly Freeze[], at: number) =>
  rampAt(one, { at, pauses: pausesOf({ freezes }) }).step;

test('a weekly freeze delays no step that began before its first day, so that a new freeze reverts nothing', () => {
  fc.assert(
    fc.property(anyFreezes, anyRamp, fc.tuple(anyTime, anyTime), (some, one, [today, other]) => {
      const firstDay = text(today).slice(0, 10);
      const before = Math.min(other, Date.parse(`${firstDay}T00:00:00Z`) - 2 * HOUR_MS - 1);
      const weekly = some.filter(({ days }) => days).map((freeze) => ({ ...freeze, firstDay }));
      expect(stepOf(one, weekly, before)).toBe(stepOf(one, [], before));
    }),
  );
});

describe('any freezes', () => {
  test('a ramp never goes back, and changes only at its moments', () => {
    fc.assert(
      fc.property(anyFreezes, anyRamp, anyTime, (freezes, one, now) => {
        const pauses = pausesOf({ freezes });
        const { next } = rampAt(one, { at: now, pauses });
        const until = next?.at ?? now + 10_000_000_000;
        expect(stepOf(one, freezes, until - 1)).toBe(stepOf(one, freezes, now));
        if (!next) return;
        expect(stepOf(one, freezes, until)).toBeGreaterThan(stepOf(one, freezes, now));
        expect(freezeAt({ freezes }, until), 'no step begins in a freeze').toBeUndefined();
      }),
    );
  });

  test('a skip is at the beginning of its step, and keeps a pause', () => {
    fc.assert(
      fc.property(anyFreezes, anyRamp, fc.tuple(anyTime, fc.nat(8)), (freezes, one, [now, index]) => {
        fc.pre(index < (one.steps ?? []).length && (one.pausedAt === undefined || Date.parse(one.pausedAt) <= now));
        const skipped = changed(one, freezes, { action: 'skip', step: index + 1, now });
        expect(stepOf(skipped, freezes, now)).toBe(index + 1);
        expect(skipped.pausedAt).toBe(one.pausedAt);
      }),
    );
  });

  test('a ramp that is resumed keeps its step, or begins the one that waited for the end of a freeze', () => {
    fc.assert(
      fc.property(anyFreezes, anyRamp, anyCount, (freezes, one, waits) => {
        fc.pre(one.pausedAt !== undefined);
        const pausedAt = Date.parse(one.pausedAt ?? '');
        const now = pausedAt + waits;
        const resumed = changed(one, freezes, { action: 'resume', now });
        const wasDue = stepOf({ ...one, pausedAt: undefined }, freezes, pausesOf({ freezes }).countOn(pausedAt, 0));
        expect([stepOf(one, freezes, pausedAt), wasDue]).toContain(stepOf(resumed, freezes, now));
      }),
    );
  });

  test('counting forward ends outside every freeze, and counting back returns to the start', () => {
    fc.assert(
      fc.property(anyFreezes, anyTime, anyCount, (freezes, from, ms) => {
        const pauses = pausesOf({ freezes });
        const at = pauses.countOn(from, ms);
        expect(pauses.countBetween(from, at)).toBe(ms);
        expect(freezeAt({ freezes }, at)).toBeUndefined();
        expect(pauses.countBetween(pauses.countBack(at, ms), at)).toBe(ms);
      }),
    );
  });

  test('a ramp that is paused and resumed continues where it was', () => {
    fc.assert(
      fc.property(anyFreezes, anyTime, anyCount, anyCount, (freezes, pausedAt, waits, counts) => {
        const now = pausedAt + waits;
        const pauses = pausesOf({ freezes });
        const resumed = changed({ ...ramp, pausedAt: text(pausedAt) }, freezes, { action: 'resume', now });
        const rollout = (one: Ramp | undefined, at: number) => rolloutAt({ ramp: one, parameters: {} }, { at, pauses });
        expect(rollout(resumed, pauses.countOn(now, counts))).toBe(rollout(ramp, pauses.countOn(pausedAt, counts)));
      }),
    );
  });
});
