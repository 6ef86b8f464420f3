/** What the catalog needs of the cache of a kind. */
import type { ClaimChange, ClaimedKind, NameClaim } from '../domain/name-claims.ts';
import type { Numbered } from '../domain/numbered.ts';
import type { ApiToken } from '../schema/api-token.ts';
import type { Environment } from '../schema/environment.ts';
import type { FeatureFlag } from '../schema/feature-flag.ts';
import type { FlagRole } from '../schema/flag-role.ts';
import type { FlagUser } from '../schema/flag-user.ts';
import type { ObjectMetadata, Ref } from '../schema/object.ts';
import type { Project } from '../schema/project.ts';
import type { StrategyDefinition } from '../schema/strategy-definition.ts';

export interface Change<T> {
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

export interface Cached<T> {
  get(ref: Ref): T | undefined;
  /** The same array for as long as nothing in it changes. */
  by(index: string, key: string): readonly T[];
  all(): Iterable<T>;
  /** Gives back how to stop it. */
  subscribe(listener: (change: Change<T>) => void): () => void;
  /** Names are not claimed: the oldest object holds one. */
  readonly claims?: undefined;
}

/** The cache of a kind whose names belong to namespaces. */
export interface ClaimedCache<T> extends Omit<Cached<T>, 'claims'> {
  readonly claims: ClaimsOfKind;
}

export interface Caches {
  readonly flags: Cached<FeatureFlag>;
  readonly projects: Cached<Project>;
  readonly environments: Cached<Environment>;
  readonly users: Cached<FlagUser>;
  readonly roles: Cached<FlagRole>;
  readonly tokens: Cached<ApiToken>;
  readonly strategies: Cached<StrategyDefinition>;
}

/** Where one namespace is watched, no name can be in another. */
export const noClaims: NameClaims = { of: () => ({ claimOf: () => undefined, onClaim: () => () => undefined }) };

/** The same cache, with the claims to the names in it. */
export function withClaims<T>({ get, by, all, subscribe }: Cached<T>, claims: ClaimsOfKind): ClaimedCache<T> {
  return { get, by, all, subscribe, claims };
}

/** False where only the status or metadata of one object changed, which changes nothing for any other. */
export function changedInSubstance({ before, after }: Change<{ readonly metadata: ObjectMetadata }>): boolean {
  return before?.metadata.uid !== after?.metadata.uid || before?.metadata.generation !== after?.metadata.generation;
}

/** The same for objects whose id is in their status: until it has one, an object is not there for others. */
export function changedOrNumbered(change: Change<Numbered>): boolean {
  return changedInSubstance(change) || change.before?.status?.id !== change.after?.status?.id;
}
