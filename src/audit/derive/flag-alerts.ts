/** The audit events of alerts that changed a flag, from what the flag records of them (ADR 58). */
import type { AuditEvent } from '../../domain/history/entry.ts';
import { alertActionsIn } from '../../schema/alert-action.ts';
import { auditEvent } from './audit-event.ts';
import type { FlagChange } from './flag-change.ts';

/** Returns the events of alerts that acted in the generations of this step. */
export function diffAlerts({ place, before, after }: FlagChange): readonly AuditEvent[] {
  const { generation, annotations } = after.metadata;
  const since = before?.metadata.generation ?? generation;
  return alertActionsIn(annotations)
    .filter((one) => one.generation > since && one.generation <= generation)
    .map((one) => {
      const { did: action, environment, alert, link, fingerprint, startsAt } = one;
      const data = { alert, link, action, fingerprint, startsAt };
      return auditEvent('feature-alert-action', { ...place, environment }, { subject: `${one.generation}`, data });
    });
}
