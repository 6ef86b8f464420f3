/** The audit events of approved changes that were written, from the grants in the status of the flag. */
import { grantFor } from '../../domain/approval/grants-of-flag.ts';
import type { AuditEvent } from '../../domain/history/entry.ts';
import { auditEvent } from './audit-event.ts';
import type { FlagChange } from './flag-change.ts';

/** A write of the spec leaves the status as it is, so the new version still has the grant that the write used. */
export function diffGrants({ before, after, place }: FlagChange): readonly AuditEvent[] {
  if (!before || before.metadata.generation === after.metadata.generation) return [];
  const granted = { ...after, metadata: { ...after.metadata, generation: after.metadata.generation - 1 } };
  const used = (after.status?.grants ?? []).flatMap((grant) =>
    Object.keys(grant.environments)
      .filter((environment) => grantFor(granted, after.spec, environment)?.uid === grant.uid)
      .map((environment) => ({ environment, grant })),
  );
  return used.map(({ environment, grant: { request, author, approvedBy } }) => {
    const data = { request, author, approvedBy: approvedBy.join(', ') };
    return auditEvent('change-request-applied', { ...place, environment }, { subject: request, data });
  });
}
