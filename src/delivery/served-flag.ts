/** A flag as SDKs read it in one environment, and which queries it answers. */
import { projectIdOf } from '../domain/flag/flag-values.ts';
import { wireNameOf } from '../domain/identity/names.ts';
import type { FeatureFlag } from '../schema/feature-flag.ts';
import type { SnapshotQuery } from '../wire/client/document.ts';

export interface FlagPlace {
  readonly name: string;
  readonly project: string;
  readonly tags: readonly string[];
}

export interface ServedFlag extends FlagPlace {
  readonly bytes: Buffer;
}

export function placeOf(flag: FeatureFlag): FlagPlace {
  return { name: wireNameOf(flag), project: projectIdOf(flag), tags: flag.spec.tags ?? [] };
}

export function isAskedFor({ name, project, tags }: FlagPlace, query: SnapshotQuery): boolean {
  const hasTag = query.tags === undefined || tags.some((tag) => query.tags?.includes(tag));
  return hasTag && query.projects?.includes(project) !== false && name.startsWith(query.namePrefix ?? '');
}
