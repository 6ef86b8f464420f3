/** The cache of one kind. */
import type { Kind } from '../schema/kind.ts';
import { type CustomObject, keyOf, type Ref } from '../schema/object.ts';
import { type Buckets, createBuckets, type IndexKeys } from './buckets.ts';
import { parseObject } from './parse-object.ts';
import { type Change, createScope, type Scope } from './scope.ts';
import type { WatchSink } from './watch.ts';

export type { Change } from './scope.ts';

export interface StoreParts<S, T> {
  readonly kind: Kind<S, T>;
  readonly indexes: Readonly<Record<string, IndexKeys<S, T>>>;
  /** Told what a listener or an index function threw: such a mistake harms neither the cache nor the others. */
  readonly onFault: (error: unknown) => void;
}

/** What readers may do. */
export interface Reading<S, T> {
  get(ref: Ref): CustomObject<S, T> | undefined;
  /** All objects under a key of an index, in no order; the same array as long as none of them changes. */
  by(index: string, key: string): readonly CustomObject<S, T>[];
  all(): Iterable<CustomObject<S, T>>;
  readonly size: number;
  /** Calls the listener after each change, once all indexes are true to it. Gives back how to stop that. */
  subscribe(listener: (change: Change<S, T>) => void): () => void;
  /** True once every scope had its first list. */
  readonly synced: boolean;
  /** Ends when `synced` is true; throws the signal's reason if that comes first. */
  whenSynced(signal?: AbortSignal): Promise<void>;
}

export interface Store<S, T> extends Reading<S, T> {
  /** The way in for the one watch of a namespace, or of all (`undefined`). */
  sink(namespace: string | undefined): WatchSink;
  /** Takes the answer to an own call, unless the watch knows better already. */
  put(object: CustomObject<S, T>): void;
  /** Takes the answer to an own deletion; `resourceVersion` is the last one the object had. */
  drop(ref: Ref, uid: string, resourceVersion: string): void;
}

/** Makes an empty cache; it covers the namespaces for which a sink is taken. */
export function createStore<S, T>({ kind, indexes, onFault }: StoreParts<S, T>): Store<S, T> {
  const scopes = new Map<string | undefined, Scope<S, T>>();
  const buckets = new Map(Object.entries(indexes).map(([name, keys]) => [name, createBuckets(keys, onFault)]));
  const listeners = createListeners<S, T>(onFault);
  const waiting = new Set<() => void>();

  const isSynced = (): boolean => scopes.size > 0 && [...scopes.values()].every((scope) => scope.isSynced());
  const scopeOf = (namespace: string): Scope<S, T> | undefined => scopes.get(namespace) ?? scopes.get(undefined);

  function publish(changes: readonly Change<S, T>[]): void {
    for (const bucket of buckets.values()) changes.forEach(bucket.update);
    changes.forEach(listeners.tell);
    if (waiting.size > 0 && isSynced()) for (const wake of [...waiting]) wake();
  }

  return {
    get: (ref) => scopeOf(ref.namespace)?.objects().get(keyOf(ref)),
    by: (index, key) => bucketsNamed(buckets, index).get(key),
    *all() {
      for (const scope of scopes.values()) yield* scope.objects().values();
    },
    get size() {
      return [...scopes.values()].reduce((sum, scope) => sum + scope.objects().size, 0);
    },
    subscribe: listeners.add,
    get synced() {
      return isSynced();
    },
    whenSynced: (signal) => (isSynced() ? Promise.resolve() : untilWoken(waiting, signal)),
    sink(namespace) {
      const known = scopes.get(namespace);
      if (known) return known.sink;
      const scope = createScope<S, T>({ parse: (raw) => parseObject(kind, raw), publish });
      scopes.set(namespace, scope);
      return scope.sink;
    },
    put: (object) => scopeOf(object.metadata.namespace)?.put(object),
    drop: (ref, uid, version) => scopeOf(ref.namespace)?.drop(keyOf(ref), uid, version),
  };
}

function bucketsNamed<S, T>(buckets: ReadonlyMap<string, Buckets<S, T>>, index: string): Buckets<S, T> {
  const named = buckets.get(index);
  if (named === undefined) throw new Error(`The store has no index ${index}`);
  return named;
}

function createListeners<S, T>(onFault: (error: unknown) => void) {
  const listeners = new Set<{ readonly hear: (change: Change<S, T>) => void }>();
  return {
    add(hear: (change: Change<S, T>) => void): () => void {
      // Wrapped, so that one function subscribed twice is two subscriptions.
      const listener = { hear };
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    tell(change: Change<S, T>): void {
      for (const { hear } of listeners) {
        try {
          hear(change);
        } catch (error) {
          onFault(error);
        }
      }
    },
  };
}

function untilWoken(waiting: Set<() => void>, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (end: () => void): void => {
      waiting.delete(wake);
      signal?.removeEventListener('abort', abort);
      end();
    };
    const wake = (): void => settle(resolve);
    const abort = (): void => settle(() => reject(signal?.reason));
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    waiting.add(wake);
    signal?.addEventListener('abort', abort, { once: true });
  });
}
