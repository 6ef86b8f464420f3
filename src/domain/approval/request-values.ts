/** The values of change requests and of decisions on them. */
import { DAY_MS } from '../../model/clock.ts';
import type { Ref } from '../../model/object.ts';
import type { ChangeApproval } from '../../schema/change-approval.ts';
import type { ChangeRequest, RequestPhase } from '../../schema/change-request.ts';
import type { FeatureFlag } from '../../schema/feature-flag.ts';
import { type Decisive, decisiveOf } from './decisive.ts';

const LIFE_MS = 7 * DAY_MS;

const FINAL: ReadonlySet<RequestPhase> = new Set(['Applied', 'Rejected', 'Cancelled', 'Expired', 'Outdated']);

export function isFinal(phase: RequestPhase | undefined): boolean {
  return phase !== undefined && FINAL.has(phase);
}

export function environmentsOfRequest({
  environments,
}: Pick<ChangeRequest['spec'], 'environments'>): readonly string[] {
  return Object.keys(environments ?? {});
}

/** The object that the request would change. */
export function targetRefOf({ metadata, spec }: ChangeRequest): Ref {
  // A request whose spec cannot be read names none.
  return { namespace: metadata.namespace, name: spec.target?.name ?? '' };
}

/** What the change asks for. */
export function wantedBy({ spec }: Pick<ChangeRequest, 'spec'>): Decisive {
  return decisiveOf(spec, environmentsOfRequest(spec));
}

/** A request with what it is about. */
export interface RequestWithFlag {
  readonly request: ChangeRequest;
  readonly flag: FeatureFlag | undefined;
  /** The values of the flag now that the request would change. */
  readonly present: Decisive | undefined;
  readonly decisions: readonly ChangeApproval[];
}

/** In ms since 1970. */
export function endOfRequest({ metadata, spec }: ChangeRequest): number {
  if (spec.expiresAt !== undefined) return Date.parse(spec.expiresAt);
  const applyAt = spec.applyAt === undefined ? 0 : Date.parse(spec.applyAt);
  return Math.max(Date.parse(metadata.creationTimestamp), applyAt) + LIFE_MS;
}

/** Whether the change may be made by now, in ms since 1970. */
export function isDue({ spec }: ChangeRequest, now: number): boolean {
  return spec.applyAt === undefined || Date.parse(spec.applyAt) <= now;
}

/** Whether the decision is about this request, with all of these environments. */
export function isAbout(
  { spec, defects }: ChangeApproval,
  { metadata }: ChangeRequest,
  guarded: readonly string[],
): boolean {
  if (defects.length > 0 || spec.request.name !== metadata.name || spec.request.uid !== metadata.uid) return false;
  return guarded.every((name) => spec.environments?.includes(name));
}
