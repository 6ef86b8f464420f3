/** The rollout of a ramp and the state of a window, at any time. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { changeRamp, type RampChange } from '../../../../src/domain/flag/edit/edit-ramp.ts';
import { environmentOf } from '../../../../src/domain/flag/flag-values.ts';
import { momentsOf, nextMoment, unpaused, windowAt } from '../../../../src/domain/flag/moments.ts';
import { rampAt, rolloutAt } from '../../../../src/domain/flag/ramp.ts';
import { NO_PAUSES } from '../../../../src/domain/freeze/pauses.ts';
import { type Ramp, ramp as rampSchema } from '../../../../src/schema/ramp.ts';
import { dependents } from '../dependents.ts';
import { flagObject } from '../objects.ts';

const START = Date.parse('2026-03-01T00:00:00Z');
const HOUR_MS = 3_600_000;
const at = (hours: number) => START + hours * HOUR_MS;
const unpausedAt = (now: number) => ({ at: now, pauses: NO_PAUSES });
const text = (ms: number) => new Date(ms).toISOString();

const steps = [{ rollout: 5, for: '24h' }, { rollout: 25, for: '47h59m60s' }, { rollout: 100 }];
const started: Ramp = { startAt: text(START), steps };

const rollouts = (ramp: Ramp, hours: readonly number[]) =>
  hours.map((one) => rolloutAt({ ramp, parameters: { rollout: 1 } }, unpausedAt(at(one))));

describe('a ramp', () => {
  test.each<[string, Ramp, readonly unknown[]]>([
    ['goes from step to step', started, [1, 5, 5, 25, 25, 100]],
    ['without a start stays at the parameter', { steps }, [1, 1, 1, 1, 1, 1]],
    ['without steps stays at the parameter', { startAt: text(START), steps: [] }, [1, 1, 1, 1, 1, 1]],
    ['stays where it was paused', { ...started, pausedAt: text(at(30)) }, [1, 5, 5, 25, 25, 25]],
    ['paused before its start does not begin', { ...started, pausedAt: text(at(-1)) }, [1, 1, 1, 1, 1, 1]],
  ])('%s', (_, ramp, want) => {
    expect(rollouts(ramp, [-0.001, 0, 23.999, 24, 71.999, 72])).toEqual(want);
  });

  test.each<[string, Ramp, number, string, number]>([
    ['no start', { steps }, 0, 'Waiting', 0],
    ['no steps', { startAt: text(START) }, 0, 'Waiting', 0],
    ['before the start', started, -1, 'Scheduled', 0],
    ['in the middle', started, 30, 'Running', 2],
    ['in the middle, paused', { ...started, pausedAt: text(at(30)) }, 31, 'Paused', 2],
    ['at the last step', started, 72, 'Completed', 3],
    ['at the last step, paused later', { ...started, pausedAt: text(at(80)) }, 90, 'Completed', 3],
  ])('%s', (_, ramp, hours, state, step) => {
    expect(rampAt(ramp, unpausedAt(at(hours)))).toMatchObject({ state, step });
  });
});

const seconds = fc.integer({ min: 0, max: 99_999 });
const anyRamp = fc
  .record({
    start: fc.integer({ min: -200_000, max: 200_000 }),
    lengths: fc.array(seconds, { maxLength: 19 }),
    rollouts: fc.array(fc.integer({ min: 0, max: 100 }), { minLength: 20, maxLength: 20 }),
    pause: fc.option(fc.integer({ min: -200_000, max: 2_000_000 }), { nil: undefined }),
  })
  .map(({ start, lengths, rollouts: values, pause }): Ramp => {
    const sorted = values.slice(0, lengths.length + 1).sort((one, other) => one - other);
    const timed = sorted.map((rollout, index) =>
      index < lengths.length ? { rollout, for: `${lengths[index]}s` } : { rollout },
    );
    return {
      startAt: text(START + start * 1000),
      steps: timed,
      ...(pause !== undefined && { pausedAt: text(START + pause * 1000) }),
    };
  });
const anyTime = fc.integer({ min: -300_000, max: 2_500_000 }).map((offset) => START + offset * 1000);

const flagOf = (ramp: Ramp) =>
  flagObject('home/f', {
    environments: { production: { enabled: true, strategies: { s: { name: 'flexibleRollout', ramp } } } },
  });
const rampOf = (flag: ReturnType<typeof flagOf>) => {
  const ramp = environmentOf(flag.spec, 'production').strategies?.['s']?.ramp;
  if (!ramp) throw new Error('there is no ramp');
  return ramp;
};
const place = { environment: 'production', strategyId: 's', flagContext: dependents() };
const changed = (ramp: Ramp, change: RampChange): Ramp =>
  rampOf(flagObject('home/f', changeRamp(flagOf(ramp), place, change)));
const valueAt = (ramp: Ramp, now: number) => rolloutAt({ ramp, parameters: { rollout: 0 } }, unpausedAt(now));

describe('any ramp at any time', () => {
  test('fits the schema', () => {
    fc.assert(fc.property(anyRamp, (ramp) => rampSchema.safeParse(ramp).success));
  });

  test('never goes back while its steps rise', () => {
    fc.assert(
      fc.property(anyRamp, anyTime, anyTime, (ramp, one, other) => {
        const [early, late] = [valueAt(ramp, Math.min(one, other)), valueAt(ramp, Math.max(one, other))];
        expect(late).toBeGreaterThanOrEqual(early as number);
      }),
    );
  });

  test('changes only at its moments, so that nothing is missed between two of them', () => {
    fc.assert(
      fc.property(anyRamp, anyTime, (ramp, now) => {
        const next = nextMoment(momentsOf(flagOf(ramp), unpaused), now);
        const until = next?.at ?? now + 10_000_000_000;
        expect(valueAt(ramp, until - 1)).toBe(valueAt(ramp, now));
        if (next?.change === 'RampStep') expect(valueAt(ramp, until)).toBeGreaterThanOrEqual(next.step.rollout);
      }),
    );
  });

  test('continues after a pause as if there had been none', () => {
    const pauses = fc.tuple(anyTime, fc.integer({ min: 0, max: 1_000_000 }));
    fc.assert(
      fc.property(anyRamp, pauses, anyTime, ({ pausedAt: _, ...ramp }, [pausedAt, forSeconds], later) => {
        fc.pre(rampAt(ramp, unpausedAt(pausedAt)).state !== 'Completed' && later >= pausedAt);
        const paused = changed(ramp, { action: 'pause', now: pausedAt });
        const resumed = changed(paused, { action: 'resume', now: pausedAt + forSeconds * 1000 });
        expect(valueAt(paused, later)).toBe(valueAt(ramp, pausedAt));
        expect(valueAt(resumed, later + forSeconds * 1000)).toBe(valueAt(ramp, later));
      }),
    );
  });

  test('is at the beginning of a step after a skip, and stays paused', () => {
    fc.assert(
      fc.property(anyRamp, anyTime, fc.integer({ min: 1, max: 20 }), (ramp, now, step) => {
        fc.pre(step <= (ramp.steps ?? []).length && (ramp.pausedAt === undefined || Date.parse(ramp.pausedAt) <= now));
        const skipped = changed(ramp, { action: 'skip', step, now });
        const same = (ramp.steps ?? []).findLastIndex(
          (_, index) => index < step || (ramp.steps ?? []).slice(step - 1, index).every((one) => one.for === '0s'),
        );
        expect(valueAt(skipped, now)).toBe(ramp.steps?.[Math.max(same, step - 1)]?.rollout);
        expect(skipped.pausedAt).toBe(ramp.pausedAt);
      }),
    );
  });
});

describe('actions', () => {
  test('start begins the first step now, and ends an old pause', () => {
    const next = changed({ steps, pausedAt: text(at(-5)) }, { action: 'start', now: START });
    expect(next).toEqual(started);
  });

  test('abort disables the strategy, pauses its ramp and switches the flag off if no other strategy is left', () => {
    const spec = changeRamp(flagOf(started), place, { action: 'abort', now: at(30) });
    expect(spec.environments?.['production']).toEqual({
      enabled: false,
      strategies: { s: { name: 'flexibleRollout', disabled: true, ramp: { ...started, pausedAt: text(at(30)) } } },
    });
  });

  test.each<[string, Ramp, RampChange, string | RegExp]>([
    ['start twice', started, { action: 'start', now: at(1) }, 'The ramp is Running. Skip to step 1 to begin again.'],
    ['pause at the end', started, { action: 'pause', now: at(72) }, /^The ramp is Completed/],
    ['skip beyond the end', started, { action: 'skip', step: 4, now: at(1) }, /from 1 to 3/],
    [
      'start without steps',
      {},
      { action: 'start', now: at(1) },
      'The strategy has no ramp with steps. Add the steps first.',
    ],
  ])('%s is refused', (_, ramp, change, want) => {
    expect(() => changed(ramp, change)).toThrow(want);
  });
});

test.each([
  [{}, undefined, undefined, undefined],
  [{ activeFrom: text(START) }, 'Scheduled', 'Open', 'Open'],
  [{ activeUntil: text(START) }, 'Open', 'Closed', 'Closed'],
  [{ activeFrom: text(START), activeUntil: text(at(1)) }, 'Scheduled', 'Open', 'Closed'],
])('the window %o', (environment, ...want) => {
  expect([START - 1, START, at(1)].map((now) => windowAt(environment, now))).toEqual(want);
});
