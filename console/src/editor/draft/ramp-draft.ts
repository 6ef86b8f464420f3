/** The draft of the ramp of a strategy. */
import type { Schemas } from '../../api.generated.ts';
import { type Keyed, newKey } from './keyed.ts';
import { draftOfTime, type TimeDraft, timeOf, timeProblem } from './time-draft.ts';

type StrategyRamp = NonNullable<Schemas['Strategy']['ramp']>;

export interface RampStepDraft extends Keyed {
  readonly percent: string;
  /** Not sent for the last step, which has no end. */
  readonly duration: string;
}

export interface RampDraft {
  /** Empty if the ramp waits for somebody to start it. */
  readonly start: TimeDraft;
  readonly steps: readonly RampStepDraft[];
  /** Buttons on the page of the flag change it, not the form. */
  readonly pausedAt: string | undefined;
}

/** The type of the strategies that can have a ramp. */
export const RAMP_TYPE = 'flexibleRollout';
export const MAX_RAMP_STEPS = 20;

const DAY = '24h';

export function draftOfRamp({ startAt, steps, pausedAt }: StrategyRamp): RampDraft {
  return {
    start: draftOfTime(startAt),
    steps: (steps ?? []).map(({ rollout, for: duration = '' }) => newStep(`${rollout}`, duration)),
    pausedAt,
  };
}

/** Returns a ramp that waits until somebody starts it. */
export function newRamp(): RampDraft {
  return draftOfRamp({ steps: [{ rollout: 10, for: DAY }, { rollout: 50, for: DAY }, { rollout: 100 }] });
}

export function newStep(percent = '100', duration = ''): RampStepDraft {
  return { key: newKey(), percent, duration };
}

export function rampOf({ start, steps, pausedAt }: RampDraft): StrategyRamp {
  const startAt = timeOf(start);
  return {
    ...(startAt !== undefined && { startAt }),
    ...(steps.length > 0 && { steps: steps.map(stepOf) }),
    ...(pausedAt !== undefined && { pausedAt }),
  };
}

function stepOf({ percent, duration }: RampStepDraft, index: number, { length }: { readonly length: number }) {
  const rollout = Number(percent);
  return index === length - 1 ? { rollout } : { rollout, for: duration.trim() };
}

const DURATION = /^(?=\d)(\d{1,5}h)?(\d{1,5}m)?(\d{1,5}s)?$/;
const PERCENT = /^(\d{1,2}|100)$/;

/** Returns why the draft cannot be sent; undefined if it can. */
export function rampProblem({ start, steps }: RampDraft): string | undefined {
  for (const [index, { percent, duration }] of steps.entries()) {
    const step = `Step ${index + 1} of the ramp`;
    if (!PERCENT.test(percent.trim())) return `${step} needs a percentage from 0 to 100.`;
    if (index < steps.length - 1 && !DURATION.test(duration.trim())) {
      return `${step} needs a duration in hours, minutes and seconds, such as 24h or 1h30m.`;
    }
  }
  return timeProblem(start);
}
