/** The namespace that each wire name belongs to, for kinds that may exist in several namespaces. */

import { timestampOf } from '../../model/clock.ts';
import type { Ref } from '../../model/object.ts';
import { type Named, nameOwnerOf } from '../identity/names.ts';

/** The kinds whose names are claimed: the others exist in the operator namespace only. */
export const claimedKinds = ['featureflags', 'projects', 'segments'] as const;
export type ClaimedKind = (typeof claimedKinds)[number];

export interface NameClaim {
  readonly namespace: string;
  /** RFC 3339 in UTC. Present while no object in the namespace has the name: the claim ends then. */
  readonly until?: string;
}

/** The owner of a name that the judged object wants: another object, or a namespace without one. */
export type NameConflictWith = Ref | NameClaim;

/** Set on the owner of a name: the name is not claimed, so that it can move to another namespace. */
export const RELEASE_ANNOTATION = 'vexil.dev/release-name';

export function releasesName({ metadata }: Named): boolean {
  return metadata.annotations?.[RELEASE_ANNOTATION] === 'true';
}

export interface NameUse {
  readonly claim: NameClaim | undefined;
  /** Every object that has the name, in any namespace. */
  readonly objects: readonly Named[];
}

export interface ClaimTimes {
  /** Ms since 1970. */
  readonly now: number;
  /** How long a name stays with a namespace after its last object there is gone. */
  readonly tenureMs: number;
}

/** The claim that a name should have; undefined if none. */
export function claimFor({ claim, objects }: NameUse, times: ClaimTimes): NameClaim | undefined {
  const nameOwner = nameOwnerOf(objects, claim?.namespace);
  if (nameOwner && !releasesName(nameOwner)) return { namespace: nameOwner.metadata.namespace };
  if (!claim) return undefined;
  if (nameOwner) return claimFor({ claim: undefined, objects }, times);
  if (claim.until === undefined) return { ...claim, until: timestampOf(times.now + times.tenureMs) };
  return Date.parse(claim.until) > times.now ? claim : claimFor({ claim: undefined, objects }, times);
}

export function isSameClaim(one: NameClaim | undefined, other: NameClaim | undefined): boolean {
  return one?.namespace === other?.namespace && one?.until === other?.until;
}

export interface ClaimChange {
  readonly before: NameClaim | undefined;
  readonly after: NameClaim | undefined;
}

/** Whether a change of a claim affects the verdict on one of the objects that have the name. */
export function concerns({ before, after }: ClaimChange, objects: readonly Named[]): boolean {
  return isForeign(before, objects) || isForeign(after, objects);
}

/** Whether the claim is by a namespace other than that of one of the objects. */
export function isForeign(claim: NameClaim | undefined, objects: readonly Named[]): boolean {
  return claim !== undefined && objects.some(({ metadata }) => metadata.namespace !== claim.namespace);
}
