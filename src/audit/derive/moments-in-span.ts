/**
 * The moments of a plan that passed in a span of it. A caller who starts a ramp or skips to a step writes the time of a
 * replica; the API server states the time of the write by its own clock, in whole seconds.
 */
import { environmentOf, strategiesOf } from '../../domain/flag/flag-values.ts';
import type { Moment } from '../../domain/flag/moments.ts';
import { WITHIN_SECOND_MS } from '../../kube/object/written-at.ts';
import type { FeatureFlag } from '../../schema/feature-flag.ts';
import type { FlagChange } from './flag-change.ts';
import type { PlannedSpan } from './planned-spans.ts';

/** The largest difference between the two clocks (docs/rollouts.md#limits). */
const MAX_SKEW_MS = 60_000;

interface SpanWithMoments {
  readonly span: PlannedSpan;
  /** All moments of the plan, in their order. */
  readonly moments: readonly Moment[];
}

/**
 * The moments that passed in the span. If the span begins with the write of the plan, they include the steps that the
 * write began, and exclude those that it continued.
 */
export function momentsInSpan({ before, after }: FlagChange, { span, moments }: SpanWithMoments): readonly Moment[] {
  const { since, until, plan, isSinceWrite } = span;
  const passed = moments.filter(({ at }) => at <= until);
  const inSpan = passed.filter((one) => one.at > since && !(plan === 'before' && isAfterPause(after, one)));
  // The status of the version before the write describes the spec before the write.
  if (!isSinceWrite || !before?.status) return inSpan;
  const { status } = before;
  const atWrite = stepsAtWrite(passed, since);
  const begun = atWrite.filter((step) => rolloutIn(status, step) !== step.step.rollout);
  return [...begun, ...inSpan.filter((one) => !atWrite.some((step) => step === one))];
}

type RampStepMoment = Extract<Moment, { readonly change: 'RampStep' }>;

/**
 * For each ramp, the step that was in effect after the write or began soon after it, if it began at about that time.
 */
function stepsAtWrite(moments: readonly Moment[], writtenAt: number): readonly RampStepMoment[] {
  const near = moments.filter(({ at }) => Math.abs(at - writtenAt) <= MAX_SKEW_MS);
  const steps = near.filter((one) => one.change === 'RampStep');
  const ramps = Map.groupBy(steps, ({ environment, step }) => `${environment} ${step.key}`);
  return [...ramps.values()].flatMap((ofRamp) => {
    const present = ofRamp.findLast(({ at }) => at <= writtenAt + WITHIN_SECOND_MS);
    return present ?? ofRamp[0] ?? [];
  });
}

function rolloutIn(status: FeatureFlag['status'], { environment, step }: RampStepMoment): number | undefined {
  return status?.environments?.[environment]?.ramps?.[step.key]?.rollout;
}

/** The pause that the write set has the time of the replica's clock, like the step. */
function isAfterPause({ spec }: FeatureFlag, moment: Moment): boolean {
  if (moment.change !== 'RampStep') return false;
  const { key } = moment.step;
  const found = strategiesOf(environmentOf(spec, moment.environment)).find((one) => one.key === key);
  const { pausedAt } = found?.strategy.ramp ?? {};
  return pausedAt !== undefined && moment.at > Date.parse(pausedAt);
}
