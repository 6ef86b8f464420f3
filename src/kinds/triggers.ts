/** Connects the triggers of all kinds with their queues. */
import { type CacheChange, type Cached, type NameClaims, noClaims } from '../catalog/cached.ts';
import { type AnyObject, keyOf } from '../model/object.ts';
import type { KindName, ObjectOf } from '../schema/kinds.ts';
import { type Enqueue, type Enqueueable, enqueueTo } from './enqueue.ts';
import { definitions, type IndexedCaches, mapKinds } from './registry.ts';
import { versions } from './subscriptions.ts';

export type Queues = Readonly<Record<KindName, Enqueueable>>;

export interface EnqueueParts {
  readonly queues: Queues;
  readonly claims?: NameClaims;
  readonly countDelayMs: number;
}

export interface Triggers {
  /** Enqueues every object. */
  all(reason: string): Promise<void>;
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
  let reason = '';
  const setReason = (text: string) => {
    reason = text;
  };
  const noted = mapKinds<IndexedCaches>(({ kind }, name) =>
    withReasons(caches[name] as Cached<AnyObject, never>, kind.kind, setReason),
  );
  const enqueues = mapKinds<Readonly<Record<KindName, Enqueue>>>((_, name) =>
    enqueueTo(queues[name], countDelayMs, () => reason),
  );
  const subscriptions = definitions.flatMap(([name, { triggers }]) =>
    triggers({
      own: noted[name] as Cached<AnyObject, string>,
      caches: noted,
      claims: claimsWithReasons(claims, setReason),
      enqueue: enqueues[name],
    }),
  );
  return {
    async all(why) {
      setReason(why);
      await Promise.all(definitions.map(([name]) => enqueueAll(enqueues[name], [...caches[name].all()])));
    },
    stop() {
      for (const stop of subscriptions) stop();
    },
  };
}

/** Listeners enqueue before they return, so each key gets the change that concerns it as its reason. */
function withReasons<T extends AnyObject>(
  { get, by, all, subscribe }: Cached<T, never>,
  kind: string,
  setReason: (reason: string) => void,
): Cached<T, never> {
  const noting = (listener: (change: CacheChange<T>) => void) => (change: CacheChange<T>) => {
    const [object] = versions(change);
    const what = change.before ? (change.after ? 'updated' : 'deleted') : 'created';
    if (object) setReason(`${kind} ${keyOf(object.metadata)} ${what}`);
    listener(change);
  };
  return { get, by, all, subscribe: (listener) => subscribe(noting(listener)) };
}

function claimsWithReasons(claims: NameClaims, setReason: (reason: string) => void): NameClaims {
  return {
    of: (kind) => ({
      claimOf: (name) => claims.of(kind).claimOf(name),
      onClaim: (listener) =>
        claims.of(kind).onClaim((name, change) => {
          setReason(`claim to ${name} of ${kind} changed`);
          listener(name, change);
        }),
    }),
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
