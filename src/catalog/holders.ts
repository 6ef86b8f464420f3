/** The object of a kind that owns a wire name. */

import { compareAge, type Named, nameOwnerOf, wireNameOf } from '../domain/identity/names.ts';
import type { NameClaim, NameConflictWith } from '../domain/name-claims/name-claims.ts';
import { keyOf, type Ref } from '../model/object.ts';
import type { Cached, ClaimedCache } from './cached.ts';

type AnyCache<T> = Cached<T> | ClaimedCache<T>;

export function nameOwner<T extends Named>(cache: AnyCache<T>, wireName: string): T | undefined {
  return nameOwnerOf(cache.by('wireName', wireName), cache.claims?.claimOf(wireName)?.namespace);
}

/** The oldest object under a key of an index. */
export function oldest<T extends Named, Index extends string>(
  cache: Cached<T, Index>,
  index: Index,
  key: string,
): T | undefined {
  return nameOwnerOf(cache.by(index, key));
}

/** The other object that owns the wire name of this one, if there is one; for kinds without claims to names. */
export function conflictingOwnerOf<T extends Named>(cache: Cached<T>, object: T): Ref | undefined {
  return unlessItself(object, nameOwner(cache, wireNameOf(object)));
}

/**
 * The owner of the wire name of this object: another object, or a namespace alone. Undefined if the object itself owns
 * it.
 */
export function nameConflictWithOf<T extends Named>(cache: AnyCache<T>, object: T): NameConflictWith | undefined {
  return unlessItself(object, nameOwner(cache, wireNameOf(object))) ?? claimAgainst(cache, object);
}

/** The claim to the object's name by a namespace other than the object's. */
function claimAgainst<T extends Named>({ claims }: AnyCache<T>, object: T): NameClaim | undefined {
  const claim = claims?.claimOf(wireNameOf(object));
  return claim && claim.namespace !== object.metadata.namespace ? claim : undefined;
}

/** The places of the other objects with the same name, which wait to own it; the oldest first. */
export function duplicatesOf<T extends Named>(cache: AnyCache<T>, object: T): readonly Ref[] {
  const others = cache.by('wireName', wireNameOf(object));
  if (others.length < 2 || nameConflictWithOf(cache, object)) return [];
  return others
    .filter((other) => keyOf(other.metadata) !== keyOf(object.metadata))
    .sort(compareAge)
    .map(({ metadata }) => metadata);
}

/** The object that owns the name when this one is deleted. */
export function heirOf<T extends Named>(cache: AnyCache<T>, object: T): T | undefined {
  const others = cache.by('wireName', wireNameOf(object)).filter((other) => unlessItself(object, other));
  return nameOwnerOf(others, cache.claims?.claimOf(wireNameOf(object))?.namespace);
}

/** The place of the owner; undefined if it is the object itself, or there is none. */
export function unlessItself(object: Named, found: Named | undefined): Ref | undefined {
  return found && keyOf(found.metadata) !== keyOf(object.metadata) ? found.metadata : undefined;
}

export function nameOwners<T extends Named>(cache: AnyCache<T>): T[] {
  return [...cache.all()].filter((object) => !nameConflictWithOf(cache, object));
}
