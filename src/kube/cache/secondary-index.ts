/** A secondary index over the cached objects. */
import { type CustomObject, keyOf } from '../../model/object.ts';
import type { Change } from './partition.ts';

/** Computes the index keys of an object. Must be a pure function of the object. */
export type IndexKeys<S, T> = (object: CustomObject<S, T>) => readonly string[];

export interface SecondaryIndex<S, T> {
  update(change: Change<S, T>): void;
  /** Returns the same array until an object with this key changes. */
  get(key: string): readonly CustomObject<S, T>[];
}

/** Most keys have one object, which needs no map. */
type ObjectsOfKey<S, T> = readonly [CustomObject<S, T>] | Many<S, T>;

interface Many<S, T> {
  readonly members: Map<string, CustomObject<S, T>>;
  /** Built on demand, so that filling a bucket one by one stays linear. */
  view: readonly CustomObject<S, T>[] | undefined;
}

const EMPTY: readonly never[] = [];

/** Creates an index; an object whose keys cannot be computed is not indexed, and the error goes to `onFault`. */
export function createSecondaryIndex<S, T>(
  keys: IndexKeys<S, T>,
  onFault: (error: unknown) => void,
): SecondaryIndex<S, T> {
  const secondaryIndex = new Map<string, ObjectsOfKey<S, T>>();

  function keysFor(object: CustomObject<S, T> | undefined): readonly string[] {
    try {
      return object === undefined ? EMPTY : keys(object);
    } catch (error) {
      onFault(error);
      return EMPTY;
    }
  }

  function leave(key: string, member: string): void {
    const bucket = secondaryIndex.get(key);
    if (bucket === undefined) return;
    if (!('members' in bucket)) {
      if (keyOf(bucket[0].metadata) === member) secondaryIndex.delete(key);
      return;
    }
    bucket.members.delete(member);
    bucket.view = undefined;
    if (bucket.members.size === 0) secondaryIndex.delete(key);
  }

  function enter(key: string, member: string, object: CustomObject<S, T>): void {
    const bucket = secondaryIndex.get(key);
    if (bucket !== undefined && 'members' in bucket) {
      bucket.members.set(member, object);
      bucket.view = undefined;
      return;
    }
    const other = bucket?.find(({ metadata }) => keyOf(metadata) !== member);
    secondaryIndex.set(key, other === undefined ? [object] : manyOf(other, object));
  }

  return {
    update({ before, after }) {
      const kept = new Set(keysFor(after));
      const left = keysFor(before).filter((key) => !kept.has(key));
      if (before) for (const key of left) leave(key, keyOf(before.metadata));
      if (after) for (const key of kept) enter(key, keyOf(after.metadata), after);
    },
    get(key) {
      const bucket = secondaryIndex.get(key);
      if (bucket === undefined) return EMPTY;
      if (!('members' in bucket)) return bucket;
      bucket.view ??= [...bucket.members.values()];
      return bucket.view;
    },
  };
}

function manyOf<S, T>(...objects: readonly CustomObject<S, T>[]): Many<S, T> {
  return { members: new Map(objects.map((object) => [keyOf(object.metadata), object])), view: undefined };
}
