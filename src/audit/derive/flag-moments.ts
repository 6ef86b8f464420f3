/** The audit events of the windows and ramps of a flag: what time alone changed since its status was last judged (ADR 56). */
import { type Moment, momentsOf, type TimesOf, unpaused } from '../../domain/flag/moments.ts';
import { strategyIdOf } from '../../domain/flag/strategy-id.ts';
import type { AuditEvent } from '../../domain/history/entry.ts';
import { wireNameOf } from '../../domain/identity/names.ts';
import type { FeatureFlag } from '../../schema/feature-flag.ts';
import { auditEvent } from './audit-event.ts';
import type { FlagChange } from './flag-change.ts';
import { type PlannedSpan, plannedSpans } from './planned-spans.ts';

/** Those of the plan before an edit with its author, then those of the plan after it. */
export function diffMoments(change: FlagChange): readonly AuditEvent[] {
  return plannedSpans(change).flatMap((span) => eventsIn(change, span));
}

function eventsIn(change: FlagChange, { plan, since, until }: PlannedSpan): readonly AuditEvent[] {
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
