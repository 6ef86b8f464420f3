/** What the catalog needs of the cache of a kind. */

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
  /** Calls the listener after each change of a claim. Gives back how to stop that. */
  onClaim(listener: (wireName: string, change: ClaimChange) => void): () => void;
}

/** The claims to names of all kinds that may live in several namespaces. */
export interface NameClaims {
  of(kind: ClaimedKind): ClaimsOfKind;
}

/** Every kind has the index `wireName`; `Index` names all those that are asked. */
export interface Cached<T, Index extends string = 'wireName'> {
  get(ref: Ref): T | undefined;
  /**
   * The same array for as long as nothing in it changes. A property, so that a cache must have all indexes of its type.
   */
  readonly by: (index: Index, key: string) => readonly T[];
  all(): Iterable<T>;
  /** Gives back how to stop it. */
  subscribe(listener: (change: CacheChange<T>) => void): () => void;
  /** Names are not claimed: the oldest object holds one. */
  readonly claims?: undefined;
}

/** The cache of a kind whose names belong to namespaces. */
export interface ClaimedCache<T, Index extends string = 'wireName'> extends Omit<Cached<T, Index>, 'claims'> {
  readonly claims: ClaimsOfKind;
}

export type Caches = { readonly [N in KindName]: Cached<ObjectOf<N>> };

/** Where one namespace is watched, no name can be in another. */
export const noClaims: NameClaims = { of: () => ({ claimOf: () => undefined, onClaim: () => () => undefined }) };

/** The same cache, with the claims to the names in it. */
export function withClaims<T, Index extends string>(
  { get, by, all, subscribe }: Cached<T, Index>,
  claims: ClaimsOfKind,
): ClaimedCache<T, Index> {
  return { get, by, all, subscribe, claims };
}

/** False where only the status or metadata of one object changed, which changes nothing for any other. */
export function changedInSubstance({ before, after }: CacheChange<{ readonly metadata: ObjectMetadata }>): boolean {
  return before?.metadata.uid !== after?.metadata.uid || before?.metadata.generation !== after?.metadata.generation;
}

/** The same for objects whose id is in their status: until it has one, an object is not there for others. */
export function changedOrGotId(change: CacheChange<WithIntegerId>): boolean {
  return changedInSubstance(change) || change.before?.status?.id !== change.after?.status?.id;
}
