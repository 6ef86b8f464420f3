/** Which namespace each wire name belongs to, for the kinds that may live in several namespaces. */
import type { Ref } from '../schema/object.ts';
import { timestampOf } from './findings.ts';
import { holderOf, type Named } from './names.ts';

/** The kinds whose names are claimed: the others live in one namespace only. */
export const claimedKinds = ['featureflags', 'projects'] as const;
export type ClaimedKind = (typeof claimedKinds)[number];

export interface NameClaim {
  readonly namespace: string;
  /** RFC 3339 in UTC. Present while no object in the namespace has the name: the claim ends then. */
  readonly until?: string;
}

/** Who has a name instead of the object that is judged: another object, or a namespace alone. */
export type NameRival = Ref | NameClaim;

/** On an object that holds its name: the name is not claimed, so that it can move to another namespace. */
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
  /** How long a name stays with a namespace in which no object has it any more. */
  readonly tenureMs: number;
}

/** What the claim of a name has to be; undefined: none. */
export function claimFor({ claim, objects }: NameUse, times: ClaimTimes): NameClaim | undefined {
  const holder = holderOf(objects, claim?.namespace);
  if (holder && !releasesName(holder)) return { namespace: holder.metadata.namespace };
  if (!claim) return undefined;
  if (holder) return claimFor({ claim: undefined, objects }, times);
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

/** Whether a claim that changes says something new to one of the objects that have the name. */
export function concerns({ before, after }: ClaimChange, objects: readonly Named[]): boolean {
  const isForeign = (claim: NameClaim | undefined) =>
    claim !== undefined && objects.some(({ metadata }) => metadata.namespace !== claim.namespace);
  return isForeign(before) || isForeign(after);
}
