/** One index over the cached objects. */
import { type CustomObject, keyOf } from '../schema/object.ts';
import type { Change } from './scope.ts';

/** The keys under which an object is found. It must depend on the object alone. */
export type IndexKeys<S, T> = (object: CustomObject<S, T>) => readonly string[];

export interface Buckets<S, T> {
  update(change: Change<S, T>): void;
  /** The same array as long as no object of this bucket changes. */
  get(key: string): readonly CustomObject<S, T>[];
}

interface Bucket<S, T> {
  readonly members: Map<string, CustomObject<S, T>>;
  /** Made when asked for, so that filling a bucket one by one stays linear. */
  view: readonly CustomObject<S, T>[] | undefined;
}

const NOTHING: readonly never[] = [];

/** Makes an index; keys that cannot be computed count as none, and the fault is told. */
export function createBuckets<S, T>(keys: IndexKeys<S, T>, onFault: (error: unknown) => void): Buckets<S, T> {
  const buckets = new Map<string, Bucket<S, T>>();

  function keysFor(object: CustomObject<S, T> | undefined): readonly string[] {
    try {
      return object === undefined ? NOTHING : keys(object);
    } catch (error) {
      onFault(error);
      return NOTHING;
    }
  }

  function leave(key: string, member: string): void {
    const bucket = buckets.get(key);
    if (bucket === undefined) return;
    bucket.members.delete(member);
    bucket.view = undefined;
    if (bucket.members.size === 0) buckets.delete(key);
  }

  function enter(key: string, member: string, object: CustomObject<S, T>): void {
    const bucket = buckets.get(key) ?? { members: new Map(), view: undefined };
    buckets.set(key, bucket);
    bucket.members.set(member, object);
    bucket.view = undefined;
  }

  return {
    update({ before, after }) {
      const kept = new Set(keysFor(after));
      const left = keysFor(before).filter((key) => !kept.has(key));
      if (before) for (const key of left) leave(key, keyOf(before.metadata));
      if (after) for (const key of kept) enter(key, keyOf(after.metadata), after);
    },
    get(key) {
      const bucket = buckets.get(key);
      if (bucket === undefined) return NOTHING;
      bucket.view ??= [...bucket.members.values()];
      return bucket.view;
    },
  };
}
