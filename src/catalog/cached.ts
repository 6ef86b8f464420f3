/** The parts of a cache of a kind that the catalog needs. */

import type { WithIntegerId } from '../domain/identity/integer-id.ts';
import type { ClaimChange, ClaimedKind, NameClaim } from '../domain/name-claims/name-claims.ts';
import type { ObjectMetadata, Ref } from '../model/object.ts';
import type { KindName, ObjectOf } from '../schema/kinds.ts';

export interface CacheChange<T> {
  readonly before?: T | undefined;
  readonly after?: T | undefined;
}

/** The claims to the names of one kind. */
export interface ClaimsOfKind {
  claimOf(wireName: string): NameClaim | undefined;
  /** Calls the listener after each change of a claim. Returns a function that stops that. */
  onClaim(listener: (wireName: string, change: ClaimChange) => void): () => void;
}

/** The claims to names of all kinds that may live in several namespaces. */
export interface NameClaims {
  of(kind: ClaimedKind): ClaimsOfKind;
}

/** Every kind has the index `wireName`; `Index` names all indexes that are used. */
export interface Cached<T, Index extends string = 'wireName'> {
  get(ref: Ref): T | undefined;
  /**
   * Returns the same array until something in it changes. A property, so that a cache must have all indexes of its
   * type.
   */
  readonly by: (index: Index, key: string) => readonly T[];
  all(): Iterable<T>;
  /** Returns a function that stops the subscription. */
  subscribe(listener: (change: CacheChange<T>) => void): () => void;
  /** Names are not claimed: the oldest object holds one. */
  readonly claims?: undefined;
}

/** The cache of a kind whose names belong to namespaces. */
export interface ClaimedCache<T, Index extends string = 'wireName'> extends Omit<Cached<T, Index>, 'claims'> {
  readonly claims: ClaimsOfKind;
}

export type Caches = { readonly [N in KindName]: Cached<ObjectOf<N>> };

/** If one namespace is watched, no name can be in another. */
export const noClaims: NameClaims = { of: () => ({ claimOf: () => undefined, onClaim: () => () => undefined }) };

/** The same cache, with the claims to the names in it. */
export function withClaims<T, Index extends string>(
  { get, by, all, subscribe }: Cached<T, Index>,
  claims: ClaimsOfKind,
): ClaimedCache<T, Index> {
  return { get, by, all, subscribe, claims };
}

/** False if only the status or metadata of one object changed, which affects no other object. */
export function changedInSubstance({ before, after }: CacheChange<{ readonly metadata: ObjectMetadata }>): boolean {
  return before?.metadata.uid !== after?.metadata.uid || before?.metadata.generation !== after?.metadata.generation;
}

/**
 * As `changedInSubstance`, for objects whose id is in their status: others cannot use an object before it has an id.
 */
export function changedOrGotId(change: CacheChange<WithIntegerId>): boolean {
  return changedInSubstance(change) || change.before?.status?.id !== change.after?.status?.id;
}
