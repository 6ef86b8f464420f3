/** The moments of a flag: when its windows open and close, and the steps of its ramps begin (ADR 56). */
import type { ScheduleReason } from '../../schema/condition.ts';
import type { FeatureFlag, FlagEnvironment, windowStates } from '../../schema/feature-flag.ts';
import type { Ramp } from '../../schema/ramp.ts';
import type { Freezing } from '../freeze/freeze-in-force.ts';
import { NO_PAUSES, type Pauses, pausesOf } from '../freeze/pauses.ts';
import { compareText } from '../identity/names.ts';
import type { FlagContext } from './flag-context.ts';
import { environmentsOf, isActive, isArchived, strategiesOf } from './flag-values.ts';
import { type PlannedStep, plannedSteps, stepTimes, wholeOf } from './ramp.ts';

export type Moment = {
  /** In ms since 1970. */
  readonly at: number;
  /** The wire name. */
  readonly environment: string;
  /**
   * Whether the moment changes what is in effect according to the spec: the flag is on before or after it, and a step
   * has another rollout.
   */
  readonly hasEffect: boolean;
} & (
  | { readonly change: Exclude<ScheduleReason, 'RampStep'> }
  | { readonly change: 'RampStep'; readonly step: RampMoment }
);

export interface RampMoment {
  /** The key of the strategy. */
  readonly key: string;
  /** The number of the step; the first is 1. */
  readonly number: number;
  readonly steps: number;
  readonly rollout: number;
}

/** Returns when the steps of a ramp begin, like `stepTimes`. */
export type TimesOf = (ramp: Ramp, place: { readonly environment: string; readonly key: string }) => readonly number[];

type EnvironmentsByName = ReadonlyMap<string, { readonly spec: Freezing }>;

/** Includes the pauses of the freezes of these environments. */
export function timesIn(environments: EnvironmentsByName): TimesOf {
  return (ramp, { environment }) => stepTimes(ramp, pausesIn(environments)(environment));
}

/** The pauses by the wire name of the environment. */
export function pausesIn(environments: EnvironmentsByName): (name: string) => Pauses {
  return (name) => pausesOf(environments.get(name)?.spec);
}

/** Times as if no freeze paused ramps. */
export const unpaused: TimesOf = (ramp) => stepTimes(ramp, NO_PAUSES);

/** All moments, past ones included, in their order. */
export function momentsOf(flag: FeatureFlag, timesOf: TimesOf): readonly Moment[] {
  return environmentsOf(flag)
    .flatMap(([name, environment]) => momentsIn(flag, { name, environment, timesOf }))
    .sort((one, other) => one.at - other.at || compareText(one.environment, other.environment));
}

interface TimedEnvironment {
  readonly name: string;
  readonly environment: FlagEnvironment;
  readonly timesOf: TimesOf;
}

function momentsIn(
  flag: FeatureFlag,
  { name: environment, environment: value, timesOf }: TimedEnvironment,
): readonly Moment[] {
  if (!hasTimes(value)) return NO_MOMENTS;
  const isOn = value.enabled === true && isActive(value) && !isArchived(flag);
  const bounds = [
    ['WindowOpens', value.activeFrom],
    ['WindowCloses', value.activeUntil],
  ] as const;
  const ofWindow = bounds.flatMap(([change, time]): Moment[] => {
    if (time === undefined) return [];
    const at = Date.parse(time);
    return [
      { at, environment, change, hasEffect: isOn && isWithinWindow(value, at) !== isWithinWindow(value, at - 1) },
    ];
  });
  const ofRamps = strategiesOf(value).flatMap(({ key, strategy: { ramp, disabled, parameters } }): Moment[] => {
    if (!ramp) return [];
    const [steps, before] = [ramp.steps?.length ?? 0, wholeOf(parameters?.rollout)];
    const planned = plannedSteps(ramp, timesOf(ramp, { environment, key }));
    return planned.map(({ at, rollout }, index) => {
      const step = { key, number: index + 1, steps, rollout };
      const hasEffect = isOn && !disabled && isWithinWindow(value, at) && changesRollout(planned, index, before);
      return { at, environment, change: 'RampStep', step, hasEffect };
    });
  });
  return [...ofWindow, ...ofRamps];
}

const NO_MOMENTS: readonly Moment[] = [];

/** Whether the environment has a window or a ramp. Most environments have none. */
function hasTimes({ activeFrom, activeUntil, strategies }: FlagEnvironment): boolean {
  if (activeFrom !== undefined || activeUntil !== undefined) return true;
  return Object.values(strategies ?? {}).some((strategy) => strategy?.ramp !== undefined);
}

/** A step without a duration is never in effect. `before` is the rollout before the first step. */
function changesRollout(planned: readonly PlannedStep[], index: number, before: number): boolean {
  const step = planned[index];
  if (!step || planned[index + 1]?.at === step.at) return false;
  return step.rollout !== (planned.findLast(({ at }) => at < step.at)?.rollout ?? before);
}

/**
 * The moments that change what is in effect. `broken` contains the environments in which the flag is off because of an
 * error, or undefined if it is off everywhere.
 */
export function effectiveMoments(
  moments: readonly Moment[],
  broken: ReadonlySet<string | undefined>,
): readonly Moment[] {
  if (broken.has(undefined)) return [];
  return moments.filter(({ hasEffect, environment }) => hasEffect && !broken.has(environment));
}

export function lastMoment(moments: readonly Moment[], now: number): Moment | undefined {
  return moments.findLast(({ at }) => at <= now);
}

export function nextMoment(moments: readonly Moment[], now: number): Moment | undefined {
  return moments.find(({ at }) => at > now);
}

type WindowState = (typeof windowStates)[number];

/** `now` is in ms since 1970. Undefined if the environment has no window. */
export function windowAt({ activeFrom, activeUntil }: FlagEnvironment, now: number): WindowState | undefined {
  if (activeFrom === undefined && activeUntil === undefined) return undefined;
  if (activeUntil !== undefined && now >= Date.parse(activeUntil)) return 'Closed';
  return activeFrom !== undefined && now < Date.parse(activeFrom) ? 'Scheduled' : 'Open';
}

/** Also true for an environment without a window. */
export function isWithinWindow(environment: FlagEnvironment, now: number): boolean {
  return (windowAt(environment, now) ?? 'Open') === 'Open';
}

/**
 * `time` is in ms since 1970. Returns the same object if the windows and ramps of the flag have the same state at that
 * time.
 */
export function contextAt(flag: FeatureFlag, flagContext: FlagContext, time: number): FlagContext {
  if (flagContext.at === undefined) return flagContext;
  const at = lastMoment(momentsOf(flag, timesIn(flagContext.everyEnvironment)), time)?.at ?? Number.NEGATIVE_INFINITY;
  return at === flagContext.at ? flagContext : { ...flagContext, at };
}
