/** The moments at which time alone changes what is in effect of a flag (ADR 56). */
import type { ScheduleReason } from '../../schema/condition.ts';
import type { FeatureFlag, FlagEnvironment } from '../../schema/feature-flag.ts';
import type { Ramp } from '../../schema/ramp.ts';
import type { Freezing } from '../freeze/freeze-in-force.ts';
import { NO_PAUSES, type Pauses, pausesOf } from '../freeze/pauses.ts';
import { compareText } from '../identity/names.ts';
import { environmentsOf, isArchived, strategiesOf } from './flag-values.ts';
import { plannedSteps, stepTimes } from './ramp.ts';

export type Moment = {
  /** In ms since 1970. */
  readonly at: number;
  /** The wire name. */
  readonly environment: string;
  /** The flag is switched on there, and the strategy is not disabled. */
  readonly isAsked: boolean;
} & (
  | { readonly change: Exclude<ScheduleReason, 'RampStep'> }
  | { readonly change: 'RampStep'; readonly step: RampMoment }
);

export interface RampMoment {
  /** The key of the strategy. */
  readonly key: string;
  /** From 1. */
  readonly number: number;
  readonly steps: number;
  readonly rollout: number;
}

/** When the steps of a ramp begin, as `stepTimes` has it. */
export type TimesOf = (ramp: Ramp, place: { readonly environment: string; readonly key: string }) => readonly number[];

type EnvironmentsByName = ReadonlyMap<string, { readonly spec: Freezing }>;

/** With the pauses of the freezes of these environments. */
export function timesIn(environments: EnvironmentsByName): TimesOf {
  return (ramp, { environment }) => stepTimes(ramp, pausesIn(environments)(environment));
}

/** By the wire name of the environment. */
export function pausesIn(environments: EnvironmentsByName): (name: string) => Pauses {
  return (name) => pausesOf(environments.get(name)?.spec);
}

/** Times as if no freeze paused ramps. */
export const unpaused: TimesOf = (ramp) => stepTimes(ramp, NO_PAUSES);

/** All of them, past ones included, in their order. */
export function momentsOf(flag: FeatureFlag, timesOf: TimesOf): readonly Moment[] {
  return environmentsOf(flag)
    .flatMap(([name, environment]) => momentsIn(flag, { name, environment, timesOf }))
    .sort((one, other) => one.at - other.at || compareText(one.environment, other.environment));
}

interface Place {
  readonly name: string;
  readonly environment: FlagEnvironment;
  readonly timesOf: TimesOf;
}

function momentsIn(flag: FeatureFlag, { name: environment, environment: value, timesOf }: Place): readonly Moment[] {
  const isOn = value.enabled === true && !isArchived(flag);
  const bounds = [
    ['WindowOpens', value.activeFrom],
    ['WindowCloses', value.activeUntil],
  ] as const;
  const ofWindow = bounds.flatMap(([change, time]): Moment[] =>
    time === undefined ? [] : [{ at: Date.parse(time), environment, change, isAsked: isOn }],
  );
  const ofRamps = strategiesOf(value).flatMap(({ key, strategy: { ramp, disabled } }): Moment[] => {
    const steps = ramp?.steps?.length ?? 0;
    return (ramp ? plannedSteps(ramp, timesOf(ramp, { environment, key })) : []).map(({ at, rollout }, index) => {
      const step = { key, number: index + 1, steps, rollout };
      return { at, environment, change: 'RampStep', step, isAsked: isOn && !disabled };
    });
  });
  return [...ofWindow, ...ofRamps];
}

export function lastMoment(moments: readonly Moment[], now: number): Moment | undefined {
  return moments.findLast(({ at }) => at <= now);
}

export function nextMoment(moments: readonly Moment[], now: number): Moment | undefined {
  return moments.find(({ at }) => at > now);
}
