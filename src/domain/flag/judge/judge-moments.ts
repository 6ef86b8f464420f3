/** The part of the status of a flag that follows from windows and ramps. */
import { isDeepStrictEqual } from 'node:util';
import { timeTextOf } from '../../../model/clock.ts';
import type { EnvironmentEffect, FlagEnvironment, FlagStatus } from '../../../schema/feature-flag.ts';
import type { Ramp } from '../../../schema/ramp.ts';
import { NO_PAUSES, type Pauses } from '../../freeze/pauses.ts';
import type { FurtherCondition } from '../../judgement/findings.ts';
import { strategiesOf } from '../flag-values.ts';
import { effectiveMoments, lastMoment, type Moment, nextMoment, windowAt } from '../moments.ts';
import { type MomentOfRamp, rampAt, rolloutAt, stepTimes, wholeOf } from '../ramp.ts';

export interface JudgedMoments {
  readonly status: Pick<FlagStatus, 'nextChangeAt' | 'changedByTimeAt'>;
  readonly conditions: readonly FurtherCondition[];
  /** When the status may change, in ms since 1970. */
  readonly nextAt: number | undefined;
}

export interface Planned {
  readonly moments: readonly Moment[];
  /** The environments in which the flag is off because of an error; contains undefined if it is off everywhere. */
  readonly broken: ReadonlySet<string | undefined>;
}

/** `at` is the time for which the effect of the flag holds. */
export function judgeMoments({ moments, broken }: Planned, at: number): JudgedMoments {
  // An error that goes must not bring back the moments that passed meanwhile.
  const last = lastMoment(effectiveMoments(moments, NO_ERRORS), at);
  const next = nextMoment(effectiveMoments(moments, broken), at);
  const [changedByTimeAt, nextChangeAt] = [timeTextOf(last?.at), timeTextOf(next?.at)];
  return {
    status: {
      ...(nextChangeAt !== undefined && { nextChangeAt }),
      ...(changedByTimeAt !== undefined && { changedByTimeAt }),
    },
    conditions: next && nextChangeAt !== undefined ? [scheduled(next, nextChangeAt)] : [],
    nextAt: nextMoment(moments, at)?.at,
  };
}

const NO_ERRORS: Planned['broken'] = new Set();

type EnvironmentMoments = Pick<EnvironmentEffect, 'window' | 'nextChangeAt' | 'ramps'>;

/** As `judgeMoments`, for one environment. */
export function judgeMomentsIn(
  name: string,
  environment: FlagEnvironment,
  { moments, broken, at, pauses }: MomentOfRamp & Planned,
): EnvironmentMoments {
  const here = effectiveMoments(moments, broken).filter((moment) => moment.environment === name);
  const window = windowAt(environment, at);
  const nextChangeAt = timeTextOf(nextMoment(here, at)?.at);
  const ramps = rampsIn(environment, { at, pauses });
  return {
    ...(window !== undefined && { window }),
    ...(nextChangeAt !== undefined && { nextChangeAt }),
    ...(ramps.length > 0 && { ramps: Object.fromEntries(ramps) }),
  };
}

function rampsIn(environment: FlagEnvironment, moment: MomentOfRamp) {
  return strategiesOf(environment).flatMap(({ key, strategy }) => {
    if (!strategy.ramp) return [];
    const { state, next } = rampAt(strategy.ramp, moment);
    const nextChangeAt = timeTextOf(next?.at);
    const rollout = wholeOf(rolloutAt(strategy, moment));
    const stepsAt = moved(strategy.ramp, moment.pauses);
    return [[key, { state, rollout, ...(nextChangeAt !== undefined && { nextChangeAt }), ...stepsAt }] as const];
  });
}

/**
 * The steps that freezes move. The history is derived from statuses alone, so it needs the times that the spec of the
 * flag does not contain.
 */
function moved(ramp: Ramp, pauses: Pauses): { readonly stepsAt?: string[] } {
  const times = stepTimes(ramp, pauses);
  if (isDeepStrictEqual(times, stepTimes(ramp, NO_PAUSES))) return {};
  return { stepsAt: times.flatMap((at) => timeTextOf(at) ?? []) };
}

const PHRASES = { WindowOpens: 'the window opens', WindowCloses: 'the window closes' } as const;

function scheduled(next: Moment, time: string): FurtherCondition {
  const what = next.change === 'RampStep' ? `a ramp goes to ${next.step.rollout} %` : PHRASES[next.change];
  const message = `${time}: ${what} in "${next.environment}"`;
  return { type: 'Scheduled', status: 'True', reason: next.change, message };
}
