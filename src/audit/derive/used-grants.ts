/** The audit events of approved changes that were written, from the grants in the status of the changed object. */
import { grantForFlag, grantForSegment, grantForSettings } from '../../domain/approval/grants.ts';
import type { Values } from '../../domain/approval/values.ts';
import type { AuditEvent } from '../../domain/history/entry.ts';
import type { ObjectMetadata } from '../../model/object.ts';
import type { FlagGrant, SegmentGrant, SettingsGrant } from '../../schema/approvals.ts';
import type { Environment } from '../../schema/environment.ts';
import type { Project } from '../../schema/project.ts';
import type { Segment } from '../../schema/segment.ts';
import { auditEvent, type Place } from './audit-event.ts';
import type { FlagChange } from './flag-change.ts';

type Used = readonly [environment: string, grant: FlagGrant | SegmentGrant | SettingsGrant];

export function diffFlagGrants({ before, after, place }: FlagChange): readonly AuditEvent[] {
  if (!before || before.metadata.generation === after.metadata.generation) return [];
  const granted = asGranted(after);
  const used = (after.status?.grants ?? []).flatMap((grant) =>
    Object.keys(grant.environments)
      .filter((environment) => grantForFlag(granted, after.spec, environment)?.uid === grant.uid)
      .map((environment): Used => [environment, grant]),
  );
  return used.map((one) => applied(place, one));
}

export function diffSegmentGrants(before: Segment, after: Segment, place: Place): readonly AuditEvent[] {
  if (before.metadata.generation === after.metadata.generation) return [];
  const granted = { ...asGranted(after), spec: before.spec };
  return usedOf(after.status?.grants, (name) => grantForSegment(granted, after.spec, name)).map((one) =>
    applied(place, one),
  );
}

/** `values`: the settings of the new version. */
export function diffSettingsGrants<O extends Project | Environment>(
  before: O,
  after: O,
  { values, place }: { readonly values: Values; readonly place: Place },
): readonly AuditEvent[] {
  if (before.metadata.generation === after.metadata.generation) return [];
  const granted = asGranted(after);
  return usedOf(after.status?.grants, (name) => grantForSettings(granted, values, name)).map((one) =>
    applied(place, one),
  );
}

/** Each environment with the grant that the write used there. */
function usedOf<G extends SegmentGrant | SettingsGrant>(
  grants: readonly G[] | undefined,
  grantFor: (environment: string) => G | undefined,
): readonly Used[] {
  return (grants ?? []).flatMap((grant) =>
    grant.environments
      .filter((environment) => grantFor(environment)?.uid === grant.uid)
      .map((environment): Used => [environment, grant]),
  );
}

/** A write of the spec leaves the status as it is, so the new version still has the grant that the write used. */
function asGranted<T extends { readonly metadata: ObjectMetadata }>(after: T): T {
  return { ...after, metadata: { ...after.metadata, generation: after.metadata.generation - 1 } };
}

function applied(place: Place, [environment, { request, author, approvedBy }]: Used): AuditEvent {
  const data = { request, author, approvedBy: approvedBy.join(', ') };
  return auditEvent('change-request-applied', { ...place, environment }, { subject: request, data });
}
