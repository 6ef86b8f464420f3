/** What the catalog needs of the cache of a kind. */
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

export interface Cached<T> {
  get(ref: Ref): T | undefined;
  /** The same array for as long as nothing in it changes. */
  by(index: string, key: string): readonly T[];
  all(): Iterable<T>;
  /** Gives back how to stop it. */
  subscribe(listener: (change: Change<T>) => void): () => void;
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

/** False where only the status or metadata of one object changed, which changes nothing for any other. */
export function changedInSubstance({ before, after }: Change<{ readonly metadata: ObjectMetadata }>): boolean {
  return before?.metadata.uid !== after?.metadata.uid || before?.metadata.generation !== after?.metadata.generation;
}

/** The same for objects whose id is in their status: until it has one, an object is not there for others. */
export function changedOrNumbered(change: Change<Numbered>): boolean {
  return changedInSubstance(change) || change.before?.status?.id !== change.after?.status?.id;
}
