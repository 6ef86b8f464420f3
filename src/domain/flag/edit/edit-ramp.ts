/** Starts, pauses, resumes, skips and aborts the ramp of a strategy: edits of its start and its pause only. */

import { Refusal } from '../../../errors.ts';
import { timeText } from '../../../model/clock.ts';
import { invalid } from '../../../model/invalid-input.ts';
import type { FeatureFlag, FlagSpec } from '../../../schema/feature-flag.ts';
import type { Ramp } from '../../../schema/ramp.ts';
import type { Pauses } from '../../freeze/pauses.ts';
import { pausesIn } from '../moments.ts';
import { type MomentOfRamp, offsetsOf, type RampState, rampAt } from '../ramp.ts';
import { changeStrategy, type PlaceOfOne, strategyIn } from './edit-strategies.ts';

export const rampActions = ['start', 'pause', 'resume', 'skip', 'abort'] as const;

export interface RampChange {
  readonly action: (typeof rampActions)[number];
  /** For `skip`, the step to go to; the first is 1. */
  readonly step?: number | undefined;
  /** Ms since 1970. */
  readonly now: number;
}

/** Throws `invalid-operation` if the action is not possible in the state of the ramp. */
export function changeRamp(flag: FeatureFlag, place: PlaceOfOne, change: RampChange): FlagSpec {
  const { strategy } = strategyIn(flag, place);
  const { ramp } = strategy;
  if (!ramp || (ramp.steps ?? []).length === 0) throw impossible('The strategy has no ramp with steps');
  const pauses = pausesIn(place.flagContext.everyEnvironment)(place.environment);
  const next = edits[change.action](ramp, { ...change, pauses });
  const disabled = change.action === 'abort' ? { disabled: true } : {};
  return changeStrategy(flag, place, { ...strategy, ...disabled, ramp: next });
}

interface Editing extends RampChange {
  readonly pauses: Pauses;
}

type RampEdit = (ramp: Ramp, change: Editing) => Ramp;

const edits: Readonly<Record<RampChange['action'], RampEdit>> = {
  start({ pausedAt: _, ...ramp }, { now, pauses }) {
    requireState(ramp, { at: now, pauses, states: ['Waiting', 'Scheduled'], advice: 'Skip to step 1 to begin again' });
    return { ...ramp, startAt: timeText(now) };
  },
  pause(ramp, { now, pauses }) {
    if (rampAt(ramp, { at: now, pauses }).state === 'Paused') return ramp;
    requireState(ramp, { at: now, pauses, states: ['Scheduled', 'Running'], advice: 'There is nothing to pause' });
    return { ...ramp, pausedAt: timeText(now) };
  },
  /** The steps continue where they were: the start moves by the length of the pause. */
  resume(ramp, { now, pauses }) {
    const { pausedAt, ...resumed } = ramp;
    if (pausedAt === undefined) return ramp;
    const isCompleted = rampAt(ramp, { at: now, pauses }).state === 'Completed';
    if (resumed.startAt === undefined || isCompleted || Date.parse(pausedAt) >= now) return resumed;
    const [startAt, paused] = [Date.parse(resumed.startAt), Date.parse(pausedAt)];
    if (paused < startAt) {
      return { ...resumed, startAt: timeText(pauses.countOn(now, pauses.countBetween(paused, startAt))) };
    }
    const counted = pauses.countBetween(startAt, paused);
    const { step } = rampAt(ramp, { at: paused, pauses });
    // A step that had not begun waits for the end of a freeze, as before the pause.
    const isAtStep = offsetsOf(ramp)[step - 1] === counted;
    const start = isAtStep ? startOf({ at: now, offset: counted, pauses }) : pauses.countBack(now, counted);
    return { ...resumed, startAt: timeText(start) };
  },
  skip(ramp, { now, pauses, step = 0 }) {
    const offset = offsetsOf(ramp)[step - 1];
    if (offset === undefined) {
      const complaint = `must be a step of the ramp, from 1 to ${(ramp.steps ?? []).length}.`;
      throw invalid([{ part: 'body', keys: ['step'], complaint, value: `${step}` }]);
    }
    // A paused ramp stays paused, at that step.
    const at = Math.min(now, ramp.pausedAt === undefined ? now : Date.parse(ramp.pausedAt));
    return { ...ramp, startAt: timeText(startOf({ at, offset, pauses })) };
  },
  abort: (ramp, { now }) => (ramp.pausedAt === undefined ? { ...ramp, pausedAt: timeText(now) } : ramp),
};

interface Begun {
  /** Ms since 1970. */
  readonly at: number;
  /** The offset of the step, in ms. */
  readonly offset: number;
  readonly pauses: Pauses;
}

/**
 * The latest start with which a step has begun at that time: a step that is due within a freeze would wait for its end.
 */
function startOf({ at, offset, pauses }: Begun): number {
  const start = pauses.countBack(at, offset);
  return pauses.countOn(start, offset) <= at ? start : pauses.countBack(at, offset + 1);
}

interface RampRequirement extends MomentOfRamp {
  readonly states: readonly RampState[];
  readonly advice: string;
}

function requireState(ramp: Ramp, { states, advice, ...moment }: RampRequirement): void {
  const { state } = rampAt(ramp, moment);
  if (!states.includes(state)) throw impossible(`The ramp is ${state}`, advice);
}

function impossible(what: string, advice = 'Add the steps first'): Refusal {
  return new Refusal('invalid-operation', `${what}. ${advice}.`);
}
