/** Puts objects into the queues of their kinds. */
import type { Cached, Change } from '../catalog/cached.ts';
import { type Named, wireNameOf } from '../domain/names.ts';
import { keyOf } from '../schema/object.ts';

/** The part of a queue that takes keys. */
export interface Wakeable {
  add(key: string): void;
  addAfter(key: string, ms: number): void;
}

export interface Queues {
  readonly flags: Wakeable;
  readonly projects: Wakeable;
  readonly environments: Wakeable;
  readonly users: Wakeable;
  readonly roles: Wakeable;
  readonly tokens: Wakeable;
  readonly strategies: Wakeable;
}

/** A count may lag behind so much; a thousand changes within it are one status write. */
export const COUNTS_SETTLE_MS = 1000;

export function versions<T>({ before, after }: Change<T>): readonly T[] {
  return [before, after].filter((object): object is T & {} => object !== undefined);
}

/** The object, and all that want the same wire name: one of them may hold it now. */
export function withNamesakes<T extends Named>(cache: Cached<T>, change: Change<T>): readonly T[] {
  const names = new Set(versions(change).map(wireNameOf));
  return [...versions(change), ...[...names].flatMap((name) => cache.by('wireName', name))];
}

export function wake(queue: Wakeable, objects: Iterable<Named>): void {
  for (const { metadata } of objects) queue.add(keyOf(metadata));
}

export function wakeLater(queue: Wakeable, objects: Iterable<Named>): void {
  for (const { metadata } of objects) queue.addAfter(keyOf(metadata), COUNTS_SETTLE_MS);
}
