/** The audit events of environments, including those of their freezes. */

import { environmentSettingsOf } from '../../domain/approval/settings.ts';
import { freezeMoments } from '../../domain/freeze/freeze-moments.ts';
import type { AuditEvent } from '../../domain/history/entry.ts';
import { wireNameOf } from '../../domain/identity/names.ts';
import { DAY_MS } from '../../model/clock.ts';
import type { Environment } from '../../schema/environment.ts';
import { auditEvent, nowhere, type Place } from './audit-event.ts';
import type { EventMapping } from './kind.ts';
import { plannedSpans } from './planned-spans.ts';
import type { Shapes } from './shapes.ts';
import { diffSettingsGrants } from './used-grants.ts';

const environmentLifecycle = {
  created: 'environment-created',
  updated: 'environment-updated',
  deleted: 'environment-deleted',
} as const;

export function environmentMapping(shapes: Shapes): EventMapping<Environment> {
  const shape = shapes.environment;
  return {
    types: () => environmentLifecycle,
    place: placeOf,
    shape,
    alsoNew: (after) => diffFreezes(undefined, after),
    changed: (before, after) => [
      ...diffFreezes(before, after),
      auditEvent('environment-updated', placeOf(after), { data: shape(after), preData: shape(before) }),
      ...diffSettingsGrants(before, after, { values: environmentSettingsOf(after.spec), place: placeOf(after) }),
    ],
  };
}

function placeOf(environment: Environment): Place {
  return { ...nowhere, environment: wireNameOf(environment) };
}

/** Weekly freezes are not recorded for the part of a time without a leader that exceeds this limit. */
const MAX_SPAN_MS = 90 * DAY_MS;

const types = { began: 'environment-freeze-began', ended: 'environment-freeze-ended' } as const;

function diffFreezes(before: Environment | undefined, after: Environment): readonly AuditEvent[] {
  return plannedSpans({ before, after }).flatMap(({ plan, since, until }) => {
    const planned = plan === 'before' ? before : after;
    const span = { from: Math.max(since, until - MAX_SPAN_MS), until };
    if (!planned || !(span.from < until)) return [];
    return freezeMoments(planned.spec, span).map(({ at, change, freeze }) => {
      const { name, reason = null } = freeze;
      const data = { at: new Date(at).toISOString(), name, reason };
      return { ...auditEvent(types[change], placeOf(after), { subject: name, data }), moment: { at, plan } };
    });
  });
}
