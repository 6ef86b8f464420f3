/** The moments that a status plans: what is in effect changes at each of them, and at no other time. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { effectOf } from '../../../../src/domain/flag/effect.ts';
import { judgeFlag } from '../../../../src/domain/flag/judge/judge-flag.ts';
import { effectiveMoments, isWithinWindow, momentsOf, unpaused } from '../../../../src/domain/flag/moments.ts';
import { rolloutAt, wholeOf } from '../../../../src/domain/flag/ramp.ts';
import { NO_PAUSES } from '../../../../src/domain/freeze/pauses.ts';
import type { FlagEnvironment } from '../../../../src/schema/feature-flag.ts';
import { dependents } from '../dependents.ts';
import { flagObject } from '../objects.ts';

const START = Date.parse('2026-03-01T00:00:00Z');
const HOUR_MS = 3_600_000;
const text = (hours: number) => new Date(START + hours * HOUR_MS).toISOString();
const flagOf = (production: FlagEnvironment) => flagObject('home/f', { environments: { production } });

const hour = fc.option(fc.integer({ min: -20, max: 40 }), { nil: undefined });
const anyEnvironment = fc
  .record({
    enabled: fc.boolean(),
    disabled: fc.boolean(),
    from: hour,
    until: hour,
    start: hour,
    pause: hour,
    lengths: fc.array(fc.integer({ min: 0, max: 6 }), { maxLength: 5 }),
    rollouts: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 6, maxLength: 6 }),
  })
  .filter(({ from, until }) => from === undefined || until === undefined || from < until)
  .map(({ enabled, disabled, from, until, start, pause, lengths, rollouts }): FlagEnvironment => {
    const steps = rollouts.slice(0, lengths.length + 1).map((rollout, index) => {
      return index < lengths.length ? { rollout, for: `${lengths[index]}h` } : { rollout };
    });
    const ramp = {
      steps,
      ...(start !== undefined && { startAt: text(start) }),
      ...(pause !== undefined && { pausedAt: text(pause) }),
    };
    return {
      enabled,
      ...(from !== undefined && { activeFrom: text(from) }),
      ...(until !== undefined && { activeUntil: text(until) }),
      strategies: { s: { name: 'flexibleRollout', parameters: { rollout: 1 }, disabled, ramp } },
    };
  });

/** The rollout of the flag at that time; undefined if it is off. */
function inEffect(environment: FlagEnvironment, at: number): number | undefined {
  const strategy = environment.strategies?.['s'];
  if (!environment.enabled || !strategy || strategy.disabled || !isWithinWindow(environment, at)) return undefined;
  return wholeOf(rolloutAt(strategy, { at, pauses: NO_PAUSES }));
}

test('any window with any ramp changes what is in effect at its effective moments, and at no other time', () => {
  fc.assert(
    fc.property(anyEnvironment, (environment) => {
      const times = Array.from({ length: 120 }, (_, index) => START + (index - 30) * HOUR_MS);
      const changes = times.filter((at) => inEffect(environment, at) !== inEffect(environment, at - 1));
      const moments = effectiveMoments(momentsOf(flagOf(environment), unpaused), new Set());
      expect([...new Set(moments.map(({ at }) => at))]).toEqual(changes);
    }),
    { numRuns: 500 },
  );
});

test('the status has where the switch is on, also outside the window', () => {
  const flag = flagOf({ enabled: true, activeFrom: text(5), strategies: { s: { name: 'default' } } });
  const flagContext = { ...dependents(), at: START };
  const { status } = judgeFlag({ flag, flagContext, effect: effectOf(flag, flagContext) }, START);
  expect([status.askedIn, status.enabledIn]).toEqual(['production', undefined]);
});

describe('the status plans', () => {
  const ramp = { startAt: text(2), steps: [{ rollout: 5, for: '1h' }, { rollout: 50 }] };
  const strategies = { s: { name: 'flexibleRollout', ramp } };
  const judged = (production: FlagEnvironment) => {
    const flag = flagOf({ enabled: true, ...production });
    const flagContext = { ...dependents(), at: START };
    const { status } = judgeFlag({ flag, flagContext, effect: effectOf(flag, flagContext) }, START);
    const { nextChangeAt } = status;
    const scheduled = status.conditions?.find(({ type }) => type === 'Scheduled')?.message;
    return [nextChangeAt, status.environments?.['production']?.nextChangeAt, scheduled];
  };
  const nothing = [undefined, undefined, undefined];
  const at = (hours: number, what: string) => [text(hours), text(hours), `${text(hours)}: ${what} in "production"`];

  test.each<[string, FlagEnvironment, readonly unknown[]]>([
    ['the next step', { strategies }, at(2, 'a ramp goes to 5 %')],
    ['no step after the window has closed', { strategies, activeUntil: text(-1) }, nothing],
    ['the opening alone where the step is before it', { strategies, activeFrom: text(5) }, at(5, 'the window opens')],
    ['nothing of a flag that is switched off', { strategies, enabled: false }, nothing],
    ['nothing where an error keeps the flag off', { strategies: { s: { name: 'unknown', ramp } } }, nothing],
    ['nothing where no strategy is enabled', { strategies: {}, activeFrom: text(5) }, nothing],
  ])('%s', (_, environment, want) => {
    expect(judged(environment)).toEqual(want);
  });
});
