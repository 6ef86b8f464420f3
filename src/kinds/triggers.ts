/** Connects the triggers of all kinds with their queues. */
import { type Cached, type NameClaims, noClaims } from '../catalog/cached.ts';
import type { CustomObject } from '../model/object.ts';
import type { KindName, ObjectOf } from '../schema/kinds.ts';
import { type Enqueueable, enqueueTo } from './enqueue.ts';
import { definitions, type IndexedCaches } from './registry.ts';

export type Queues = Readonly<Record<KindName, Enqueueable>>;

/**
 * Enqueues every object now, and later those that a change concerns. Returns how to stop that.
 *
 * A change of the status alone enqueues its object too, so that a status that was tampered with is corrected.
 */
export function enqueueOnChanges(caches: IndexedCaches, queues: Queues, claims: NameClaims = noClaims): () => void {
  const subscriptions = definitions.flatMap(([name, { triggers }]) =>
    triggers({
      own: caches[name] as Cached<CustomObject<unknown, unknown>, string>,
      caches,
      claims,
      enqueue: enqueueTo(queues[name]),
    }),
  );
  for (const [name] of definitions) {
    const objects: readonly ObjectOf<KindName>[] = [...caches[name].all()];
    const enqueue = enqueueTo(queues[name]);
    enqueue.now(objects);
    enqueue.now(objects.filter(isUnobserved));
  }
  return () => {
    for (const stop of subscriptions) stop();
  };
}

/** Somebody changed it while no replica led, and may wait for its status. */
function isUnobserved({ metadata, status }: ObjectOf<KindName>): boolean {
  return status?.observedGeneration !== undefined && status.observedGeneration !== metadata.generation;
}
