/** Connects the triggers of all kinds with their queues. */
import { type Cached, type NameClaims, noClaims } from '../catalog/cached.ts';
import type { CustomObject } from '../model/object.ts';
import type { KindName } from '../schema/kinds.ts';
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
  for (const [name] of definitions) enqueueTo(queues[name]).now(caches[name].all());
  return () => {
    for (const stop of subscriptions) stop();
  };
}
