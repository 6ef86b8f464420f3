/** Who holds a wire name among the objects of a kind. */
import { holderOf, wireNameOf } from '../domain/names.ts';
import type { CustomObject, Ref } from '../schema/object.ts';
import type { Cached } from './cached.ts';

type Named = CustomObject<{ readonly name?: string | undefined }, unknown>;

export function holder<T extends Named>(cache: Cached<T>, wireName: string): T | undefined {
  return holderOf(cache.by('wireName', wireName));
}

/** The older object that holds the wire name of this one, if there is one. */
export function rivalOf<T extends Named>(cache: Cached<T>, object: T): Ref | undefined {
  const { namespace, name } = object.metadata;
  const found = holder(cache, wireNameOf(object))?.metadata;
  return found && (found.namespace !== namespace || found.name !== name) ? found : undefined;
}

export function holders<T extends Named>(cache: Cached<T>): T[] {
  return [...cache.all()].filter((object) => !rivalOf(cache, object));
}
