/** The rollout of a strategy with a ramp, as a function of the time. */
import type { rampStates } from '../../schema/feature-flag.ts';
import type { Ramp } from '../../schema/ramp.ts';
import type { Strategy } from '../../schema/strategy.ts';
import { NO_PAUSES, type Pauses } from '../freeze/pauses.ts';

/** A step of a ramp that has a start, with the time at which it begins, in ms since 1970. */
export interface PlannedStep {
  readonly at: number;
  readonly rollout: number;
}

const UNITS_MS = { h: 3_600_000, m: 60_000, s: 1_000 } as const;

/** The text has hours, minutes and seconds, for example `1h30m`. */
function durationMs(text: string): number {
  return [...text.matchAll(/(\d+)([hms])/g)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * UNITS_MS[unit as keyof typeof UNITS_MS],
    0,
  );
}

/** The time from the start to the beginning of each step. */
export function offsetsOf({ steps }: Ramp): readonly number[] {
  let offset = 0;
  return (steps ?? []).map((step) => {
    const begins = offset;
    offset += durationMs(step.for ?? '');
    return begins;
  });
}

/** When each step begins, including steps after a pause of the ramp. Empty if the ramp has no start. */
export function stepTimes(ramp: Ramp, pauses: Pauses): readonly number[] {
  if (ramp.startAt === undefined) return [];
  const start = Date.parse(ramp.startAt);
  return offsetsOf(ramp).map((offset) => pauses.countOn(start, offset));
}

/**
 * The steps that begin before the ramp is paused. Empty if the ramp has no start. `times` is a result of `stepTimes`.
 */
export function plannedSteps(ramp: Ramp, times = stepTimes(ramp, NO_PAUSES)): readonly PlannedStep[] {
  return (ramp.steps ?? []).flatMap(({ rollout }, index) => {
    const at = times[index];
    return at === undefined || at > pauseOf(ramp) ? [] : [{ at, rollout }];
  });
}

/** A time in ms since 1970, with the pauses of the environment. */
export interface MomentOfRamp {
  readonly at: number;
  readonly pauses: Pauses;
}

/** Before the first step, the rollout is that of the parameter. */
export function rolloutAt(
  { ramp, parameters }: Pick<Strategy, 'ramp' | 'parameters'>,
  { at: now, pauses }: MomentOfRamp,
): unknown {
  const step = ramp && plannedSteps(ramp, stepTimes(ramp, pauses)).findLast(({ at }) => at <= now);
  return step ? step.rollout : parameters?.rollout;
}

/** A stored percentage may be text, or have decimals. */
export function wholeOf(rollout: unknown): number {
  return Math.floor(Number(rollout)) || 0;
}

/** The strategy, with the rollout at that time among its parameters. */
export function strategyAt(strategy: Strategy, moment: MomentOfRamp): Strategy {
  if (!strategy.ramp) return strategy;
  const rollout = rolloutAt(strategy, moment);
  if (rollout === strategy.parameters?.rollout) return strategy;
  // The rollout of a step is a number.
  return { ...strategy, parameters: { ...strategy.parameters, rollout: rollout as number } };
}

export type RampState = (typeof rampStates)[number];

export interface RampEffect {
  readonly state: RampState;
  /** The number of the present step; 0 if the first one has not begun. */
  readonly step: number;
  /** Undefined if no step follows, or none before the ramp is resumed. */
  readonly next: PlannedStep | undefined;
}

export function rampAt(ramp: Ramp, { at: now, pauses }: MomentOfRamp): RampEffect {
  const planned = plannedSteps(ramp, stepTimes(ramp, pauses));
  const next = planned.find(({ at }) => at > now);
  const step = planned.filter(({ at }) => at <= now).length;
  return { state: stateOf(ramp, { planned, next, now }), step, next };
}

interface Progress {
  readonly planned: readonly PlannedStep[];
  readonly next: PlannedStep | undefined;
  readonly now: number;
}

function stateOf(ramp: Ramp, { planned, next, now }: Progress): RampState {
  const count = (ramp.steps ?? []).length;
  if (ramp.startAt === undefined || count === 0) return 'Waiting';
  if (!next && planned.length === count) return 'Completed';
  if (!next) return 'Paused';
  return planned.some(({ at }) => at <= now) ? 'Running' : 'Scheduled';
}

function pauseOf({ pausedAt }: Ramp): number {
  return pausedAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(pausedAt);
}
