/** Connects the triggers of all kinds with their queues. */
import { type Cached, type NameClaims, noClaims } from '../catalog/cached.ts';
import type { CustomObject } from '../model/object.ts';
import type { KindName, ObjectOf } from '../schema/kinds.ts';
import { type Enqueue, type Enqueueable, enqueueTo } from './enqueue.ts';
import { definitions, type IndexedCaches, mapKinds } from './registry.ts';

export type Queues = Readonly<Record<KindName, Enqueueable>>;

export interface EnqueueParts {
  readonly queues: Queues;
  readonly claims?: NameClaims;
  readonly countDelayMs: number;
}

export interface Triggers {
  /** Enqueues every object. */
  all(): Promise<void>;
  stop(): void;
}

/**
 * Enqueues the objects that a change concerns.
 *
 * A change of the status alone enqueues its object too, so that a status that was tampered with is corrected.
 */
export function enqueueOnChanges(
  caches: IndexedCaches,
  { queues, claims = noClaims, countDelayMs }: EnqueueParts,
): Triggers {
  const enqueues = mapKinds<Readonly<Record<KindName, Enqueue>>>((_, name) => enqueueTo(queues[name], countDelayMs));
  const subscriptions = definitions.flatMap(([name, { triggers }]) =>
    triggers({
      own: caches[name] as Cached<CustomObject<unknown, unknown>, string>,
      caches,
      claims,
      enqueue: enqueues[name],
    }),
  );
  return {
    async all() {
      await Promise.all(definitions.map(([name]) => enqueueAll(enqueues[name], [...caches[name].all()])));
    },
    stop() {
      for (const stop of subscriptions) stop();
    },
  };
}

async function enqueueAll({ now, inTurns }: Enqueue, objects: readonly ObjectOf<KindName>[]): Promise<void> {
  now(objects.filter(isUnobserved));
  await inTurns(objects);
}

/** The spec was changed while no replica led, and a user may wait for the status. */
function isUnobserved({ metadata, status }: ObjectOf<KindName>): boolean {
  return status?.observedGeneration !== undefined && status.observedGeneration !== metadata.generation;
}
