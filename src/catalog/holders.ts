/** Who holds a wire name among the objects of a kind. */
import type { NameClaim, NameRival } from '../domain/name-claims.ts';
import { compareAge, holderOf, type Named, wireNameOf } from '../domain/names.ts';
import { keyOf, type Ref } from '../schema/object.ts';
import type { Cached, ClaimedCache } from './cached.ts';

type AnyCache<T> = Cached<T> | ClaimedCache<T>;

export function holder<T extends Named>(cache: AnyCache<T>, wireName: string): T | undefined {
  return holderOf(cache.by('wireName', wireName), cache.claims?.claimOf(wireName)?.namespace);
}

/** The oldest object under a key of an index. */
export function eldest<T extends Named>(cache: Cached<T>, index: string, key: string): T | undefined {
  return holderOf(cache.by(index, key));
}

/** The other object that holds the wire name of this one, if there is one; for kinds whose names nobody claims. */
export function rivalOf<T extends Named>(cache: Cached<T>, object: T): Ref | undefined {
  return unlessItself(object, holder(cache, wireNameOf(object)));
}

/** Who has the wire name of this object: another object, or a namespace alone. Undefined: the object itself. */
export function nameRivalOf<T extends Named>(cache: AnyCache<T>, object: T): NameRival | undefined {
  return unlessItself(object, holder(cache, wireNameOf(object))) ?? claimAgainst(cache, object);
}

/** The claim of another namespace than the object's to its name. */
function claimAgainst<T extends Named>({ claims }: AnyCache<T>, object: T): NameClaim | undefined {
  const claim = claims?.claimOf(wireNameOf(object));
  return claim && claim.namespace !== object.metadata.namespace ? claim : undefined;
}

/** Where the other objects with its name are, which wait to hold it; the oldest first. */
export function duplicatesOf<T extends Named>(cache: AnyCache<T>, object: T): readonly Ref[] {
  const others = cache.by('wireName', wireNameOf(object));
  if (others.length < 2 || nameRivalOf(cache, object)) return [];
  return others
    .filter((other) => keyOf(other.metadata) !== keyOf(object.metadata))
    .sort(compareAge)
    .map(({ metadata }) => metadata);
}

/** Where the holder is; undefined: it is the object itself, or nobody. */
export function unlessItself(object: Named, found: Named | undefined): Ref | undefined {
  return found && keyOf(found.metadata) !== keyOf(object.metadata) ? found.metadata : undefined;
}

export function holders<T extends Named>(cache: AnyCache<T>): T[] {
  return [...cache.all()].filter((object) => !nameRivalOf(cache, object));
}
