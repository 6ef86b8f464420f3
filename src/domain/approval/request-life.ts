/** The times of change requests, and which of them decisions are about. */
import { DAY_MS } from '../../model/clock.ts';
import type { ChangeApproval } from '../../schema/change-approval.ts';
import type { ChangeRequest, RequestPhase } from '../../schema/change-request.ts';

const LIFE_MS = 7 * DAY_MS;

const FINAL: ReadonlySet<RequestPhase> = new Set(['Applied', 'Rejected', 'Cancelled', 'Expired', 'Outdated']);

export function isFinal(phase: RequestPhase | undefined): boolean {
  return phase !== undefined && FINAL.has(phase);
}

/** The ends that Vexil finds. The others have an author: the change, the rejection or the withdrawal. */
const FOUND = ['Expired', 'Outdated'] as const;

export function isFoundEnd(phase: unknown): phase is (typeof FOUND)[number] {
  return FOUND.some((one) => one === phase);
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
