/** The audit events of the windows and ramps of a flag: what time alone changed since its status was last judged (ADR 56). */
import { type Moment, momentsOf, type TimesOf, unpaused } from '../../domain/flag/moments.ts';
import { strategyIdOf } from '../../domain/flag/strategy-id.ts';
import type { AuditEvent } from '../../domain/history/entry.ts';
import { wireNameOf } from '../../domain/identity/names.ts';
import { latestOf } from '../../kube/cache/written-at.ts';
import type { FeatureFlag } from '../../schema/feature-flag.ts';
import { auditEvent } from './audit-event.ts';
import type { FlagChange } from './flag-change.ts';

/** Times in ms since 1970. */
interface Span {
  /** Exclusive. */
  readonly since: number;
  /** Inclusive. */
  readonly until: number;
}

/**
 * Up to the write of another spec, the moments of the spec before it; from then on up to what the status says, those of the
 * spec after it. What was recorded before has the same key, and is not recorded again.
 */
export function diffMoments(change: FlagChange): readonly AuditEvent[] {
  const { before, after } = change;
  const ofAfter = isJudged(after)
    ? eventsIn(change, 'after', { since: recordedUpTo(change), until: reachedIn(after) })
    : [];
  if (!before) return ofAfter;
  // Of several edits it is not known which of them ended the plan.
  const isOneEdit = after.metadata.generation === before.metadata.generation + 1;
  if (!isOneEdit || !isJudged(before)) return ofAfter;
  return [...eventsIn(change, 'before', { since: reachedIn(before), until: writtenAtOf(after) }), ...ofAfter];
}

/** Earlier moments of the spec after the change are recorded, or were before it was written. */
function recordedUpTo({ before, after }: FlagChange): number {
  if (before?.metadata.generation !== after.metadata.generation) return writtenAtOf(after);
  // A later write that leaves the spec alone may have renewed the time of its owner.
  return isJudged(before) ? reachedIn(before) : writtenAtOf(before);
}

/** The status is about the present spec. */
function isJudged({ metadata, status }: FeatureFlag): boolean {
  return status?.observedGeneration === metadata.generation;
}

function reachedIn({ status }: FeatureFlag): number {
  return latestOf([status?.changedByTimeAt ?? '']) ?? Number.NEGATIVE_INFINITY;
}

/** When the spec was written, in whole seconds. */
function writtenAtOf({ metadata, owners }: FeatureFlag): number {
  return latestOf([metadata.creationTimestamp, ...owners.map(({ time = '' }) => time)]) ?? Number.POSITIVE_INFINITY;
}

function eventsIn(change: FlagChange, plan: 'before' | 'after', { since, until }: Span): readonly AuditEvent[] {
  const flag = change[plan];
  if (!flag) return [];
  return momentsOf(flag, timesOf(flag))
    .filter(({ at, isAsked }) => isAsked && at > since && at <= until)
    .map((moment) => ({ ...eventOf(change, flag, moment), moment: { at: moment.at, plan } }));
}

/** Freezes of the environment may move the steps: then the status says when they begin. */
function timesOf({ status }: FeatureFlag): TimesOf {
  return (ramp, place) => {
    const { stepsAt } = status?.environments?.[place.environment]?.ramps?.[place.key] ?? {};
    return stepsAt ? stepsAt.map((time) => Date.parse(time)) : unpaused(ramp, place);
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
