/** Who holds a wire name among the objects of a kind. */
import { holderOf, type Named, wireNameOf } from '../domain/names.ts';
import { keyOf, type Ref } from '../schema/object.ts';
import type { Cached } from './cached.ts';

export function holder<T extends Named>(cache: Cached<T>, wireName: string): T | undefined {
  return eldest(cache, 'wireName', wireName);
}

/** The oldest object under a key of an index. */
export function eldest<T extends Named>(cache: Cached<T>, index: string, key: string): T | undefined {
  return holderOf(cache.by(index, key));
}

/** The older object that holds the wire name of this one, if there is one. */
export function rivalOf<T extends Named>(cache: Cached<T>, object: T): Ref | undefined {
  return unlessItself(object, holder(cache, wireNameOf(object)));
}

/** Where the holder is; undefined: it is the object itself, or nobody. */
export function unlessItself(object: Named, found: Named | undefined): Ref | undefined {
  return found && keyOf(found.metadata) !== keyOf(object.metadata) ? found.metadata : undefined;
}

export function holders<T extends Named>(cache: Cached<T>): T[] {
  return [...cache.all()].filter((object) => !rivalOf(cache, object));
}
