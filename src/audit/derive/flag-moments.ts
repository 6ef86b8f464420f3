/**
 * The audit events of the windows and ramps of a flag: the changes by time alone since its status was last judged (ADR
 * 56).
 */
import { brokenByStatus } from '../../domain/flag/effect.ts';
import { environmentOf, strategiesOf } from '../../domain/flag/flag-values.ts';
import { effectiveMoments, type Moment, momentsOf, type TimesOf, unpaused } from '../../domain/flag/moments.ts';
import { strategyIdOf } from '../../domain/flag/strategy-id.ts';
import type { AuditEvent } from '../../domain/history/entry.ts';
import { wireNameOf } from '../../domain/identity/names.ts';
import { WITHIN_SECOND_MS } from '../../kube/object/written-at.ts';
import type { FeatureFlag } from '../../schema/feature-flag.ts';
import { auditEvent } from './audit-event.ts';
import type { FlagChange } from './flag-change.ts';
import { type PlannedSpan, plannedSpans } from './planned-spans.ts';

/**
 * Returns the events of the plan before an edit, then those of the plan after it that the earlier plan did not have.
 */
export function diffMoments(change: FlagChange): readonly AuditEvent[] {
  const known = new Set<string>();
  return plannedSpans(change).flatMap((span) => {
    const { plan } = span;
    const flag = change[plan];
    if (!flag) return [];
    const moments = effectiveMoments(momentsOf(flag, timesOf(flag)), brokenByStatus(flag));
    const added = momentsInSpan(change, { span, moments }).filter((moment) => !known.has(textOf(moment)));
    for (const moment of added) known.add(textOf(moment));
    return added.map((moment) => ({ ...eventOf(change, flag, moment), moment: { at: moment.at, plan } }));
  });
}

function textOf(moment: Moment): string {
  const { at, environment, change } = moment;
  return JSON.stringify([
    at,
    environment,
    change,
    moment.change === 'RampStep' && [moment.step.key, moment.step.number],
  ]);
}

/**
 * Freezes of the environment may move the steps: then the status contains the times at which they begin. The status of
 * an earlier spec does not contain the times of the present steps.
 */
function timesOf({ metadata, status }: FeatureFlag): TimesOf {
  const isJudged = status?.observedGeneration === metadata.generation;
  return (ramp, place) => {
    const { stepsAt } = status?.environments?.[place.environment]?.ramps?.[place.key] ?? {};
    if (!stepsAt) return unpaused(ramp, place);
    return isJudged ? stepsAt.map((time) => Date.parse(time)) : [];
  };
}

const types = { WindowOpens: 'feature-window-opened', WindowCloses: 'feature-window-closed' } as const;

function eventOf({ place }: FlagChange, flag: FeatureFlag, moment: Moment): AuditEvent {
  const { at, environment } = moment;
  const here = { ...place, environment };
  const time = new Date(at).toISOString();
  if (moment.change !== 'RampStep') return auditEvent(types[moment.change], here, { data: { at: time } });
  const { key, number, steps, rollout } = moment.step;
  const strategyId = strategyIdOf({ flag: wireNameOf(flag), environment, key });
  const data = { at: time, strategyId, step: number, steps, rollout };
  return auditEvent('feature-ramp-step', here, { subject: `${key} ${number}`, data });
}

/**
 * A caller who starts a ramp or skips to a step writes the time of a replica; the API server states the time of the
 * write by its own clock, in whole seconds. This is the largest difference between the two (docs/rollouts.md#limits).
 */
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
function momentsInSpan({ before, after }: FlagChange, { span, moments }: SpanWithMoments): readonly Moment[] {
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
