/** The changes to which triggers subscribe. */
import { type CacheChange, type Cached, type ClaimsOfKind, changedInSubstance } from '../catalog/cached.ts';
import { type TargetKind, targetRefOf } from '../domain/approval/target.ts';
import { type Named, wireNameOf } from '../domain/identity/names.ts';
import { concerns } from '../domain/name-claims/name-claims.ts';
import type { ChangeRequest } from '../schema/change-request.ts';
import type { Enqueue } from './enqueue.ts';

export function versions<T>({ before, after }: CacheChange<T>): readonly T[] {
  return [before, after].filter((object): object is T & {} => object !== undefined);
}

/** The object, and all others that want the same wire name: one of them may own it now. */
export function withNamesakes<T extends Named>(cache: Cached<T>, change: CacheChange<T>): readonly T[] {
  return [...versions(change), ...findBy(cache, 'wireName', wireNamesOf(versions(change)))];
}

export function wireNamesOf(objects: readonly Named[]): ReadonlySet<string> {
  return new Set(objects.map(wireNameOf));
}

/** The objects under any of the keys of an index. */
export function findBy<T, Index extends string>(
  cache: Cached<T, Index>,
  index: Index,
  keys: Iterable<string>,
): readonly T[] {
  return [...keys].flatMap((key) => cache.by(index, key));
}

/**
 * Calls with an object and its namesakes when the object was created or deleted or has another spec; `isRelevant`
 * replaces this condition.
 */
export function onChange<T extends Named>(
  cache: Cached<T>,
  listener: (objects: readonly T[]) => void,
  isRelevant: (change: CacheChange<T>) => boolean = changedInSubstance,
): () => void {
  return cache.subscribe((change) => {
    if (isRelevant(change)) listener(withNamesakes(cache, change));
  });
}

/**
 * Subscribes a kind whose status counts other objects to its own changes. A change of the status alone enqueues the
 * object later: otherwise, a count that keeps changing would be written as fast as possible.
 */
export function onOwnChange<T extends Named>(own: Cached<T>, enqueue: Enqueue): () => void {
  return own.subscribe((change) => {
    if (changedInSubstance(change)) enqueue.now(withNamesakes(own, change));
    else enqueue.later(versions(change));
  });
}

/** Calls with all objects of a name when the name belongs to a different namespace than before. */
export function onClaim<T extends Named>(
  claims: ClaimsOfKind,
  cache: Cached<T>,
  listener: (namesakes: readonly T[]) => void,
): () => void {
  return claims.onClaim((name, change) => {
    const namesakes = cache.by('wireName', name);
    if (concerns(change, namesakes)) listener(namesakes);
  });
}

/** The objects of the kind that the changed request is about. */
export function targetsOf<T>(
  kind: TargetKind,
  change: CacheChange<ChangeRequest>,
  own: Pick<Cached<T>, 'get'>,
): readonly T[] {
  const requests = versions(change).filter(({ spec }) => spec.target?.kind === kind);
  return requests.flatMap((request) => own.get(targetRefOf(request)) ?? []);
}
