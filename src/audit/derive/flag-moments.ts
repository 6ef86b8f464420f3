/**
 * The audit events of the windows and ramps of a flag: the changes by time alone since its status was last judged (ADR
 * 56).
 */
import { brokenByStatus } from '../../domain/flag/effect.ts';
import { effectiveMoments, type Moment, momentsOf, type TimesOf, unpaused } from '../../domain/flag/moments.ts';
import { strategyIdOf } from '../../domain/flag/strategy-id.ts';
import type { AuditEvent } from '../../domain/history/entry.ts';
import { wireNameOf } from '../../domain/identity/names.ts';
import type { FeatureFlag } from '../../schema/feature-flag.ts';
import { auditEvent } from './audit-event.ts';
import type { FlagChange } from './flag-change.ts';
import { momentsInSpan } from './moments-in-span.ts';
import { plannedSpans } from './planned-spans.ts';

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
