/** The audit events of freezes that a change of a flag bypassed, from the stamp of the change. */
import type { AuditEvent } from '../../domain/history/entry.ts';
import { stampedAuthorOf } from '../../domain/identity/author.ts';
import { bypassIn } from '../../schema/freeze.ts';
import { auditEvent } from './audit-event.ts';
import type { FlagChange } from './flag-change.ts';

export function diffBypasses({ place, before, after: { metadata } }: FlagChange): readonly AuditEvent[] {
  const isStamped = stampedAuthorOf(metadata) !== undefined;
  const bypass = bypassIn(metadata.annotations);
  if (!isStamped || !bypass || before?.metadata.generation === metadata.generation) return [];
  const { freezes, reason } = bypass;
  return freezes.map(({ environment, name, until }) => {
    const data = { name, until, reason };
    return auditEvent('feature-freeze-bypassed', { ...place, environment }, { subject: name, data });
  });
}
