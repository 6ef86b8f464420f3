/** The cache of one kind. */
import type { Kind } from '../../model/kind.ts';
import { createListeners } from '../../model/listeners.ts';
import { type CustomObject, keyOf, type Ref } from '../../model/object.ts';
import { parseObject } from '../object/parse-object.ts';
import { type Change, createPartition, type Partition } from './partition.ts';
import { createSecondaryIndex, type IndexKeys, type SecondaryIndex } from './secondary-index.ts';
import type { WatchSink } from './watch.ts';

export interface StoreParts<S, T, Index extends string> {
  readonly kind: Kind<S, T>;
  readonly indexes: Readonly<Record<Index, IndexKeys<S, T>>>;
  /** Receives errors that a listener or an index function throws; they affect neither the cache nor other listeners. */
  readonly onFault: (error: unknown) => void;
}

/** The read-only interface of a cache; `Index` names the indexes that readers may use. */
export interface Reading<S, T, Index extends string> {
  get(ref: Ref): CustomObject<S, T> | undefined;
  /**
   * Objects with this key in the index, unordered; the same array until one of them changes. A property, because
   * TypeScript compares methods loosely: a cache that lacks an index must not pass for one that has it.
   */
  readonly by: (index: Index, key: string) => readonly CustomObject<S, T>[];
  all(): Iterable<CustomObject<S, T>>;
  readonly size: number;
  /** Calls the listener after each change, when all indexes are updated. Returns the function that unsubscribes. */
  subscribe(listener: (change: Change<S, T>) => void): () => void;
  /** True after every partition had its first list. */
  readonly synced: boolean;
  /** Resolves when `synced` is true; rejects with the signal's reason if that comes first. */
  whenSynced(signal?: AbortSignal): Promise<void>;
}

export interface Store<S, T, Index extends string> extends Reading<S, T, Index> {
  /** The sink for the watch of a namespace, or of all namespaces (`undefined`). */
  sink(namespace: string | undefined): WatchSink;
  /** Stores the result of an own write, unless the watch has delivered a newer version. */
  put(object: CustomObject<S, T>): void;
  /** Removes an object after an own deletion; `resourceVersion` is its last version. */
  drop(ref: Ref, uid: string, resourceVersion: string): void;
}

/** Creates an empty cache; it covers the namespaces whose sinks were requested. */
export function createStore<S, T, Index extends string>({
  kind,
  indexes,
  onFault,
}: StoreParts<S, T, Index>): Store<S, T, Index> {
  const partitions = new Map<string | undefined, Partition<S, T>>();
  const secondaryIndex = new Map(
    Object.entries<IndexKeys<S, T>>(indexes).map(([name, keys]) => [name, createSecondaryIndex(keys, onFault)]),
  );
  const listeners = createListeners<[change: Change<S, T>]>(onFault);
  const waiting = new Set<() => void>();

  const isSynced = (): boolean =>
    partitions.size > 0 && [...partitions.values()].every((partition) => partition.isSynced());
  const partitionOf = (namespace: string): Partition<S, T> | undefined =>
    partitions.get(namespace) ?? partitions.get(undefined);

  function publish(changes: readonly Change<S, T>[]): void {
    for (const bucket of secondaryIndex.values()) changes.forEach(bucket.update);
    for (const change of changes) listeners.call(change);
    if (waiting.size > 0 && isSynced()) for (const resolve of [...waiting]) resolve();
  }

  return {
    get: (ref) => partitionOf(ref.namespace)?.objects().get(keyOf(ref)),
    by: (index, key) => indexNamed(secondaryIndex, index).get(key),
    *all() {
      for (const partition of partitions.values()) yield* partition.objects().values();
    },
    get size() {
      return [...partitions.values()].reduce((sum, partition) => sum + partition.objects().size, 0);
    },
    subscribe: listeners.add,
    get synced() {
      return isSynced();
    },
    whenSynced: (signal) => (isSynced() ? Promise.resolve() : untilResolved(waiting, signal)),
    sink(namespace) {
      const known = partitions.get(namespace);
      if (known) return known.sink;
      const partition = createPartition<S, T>({ parse: (raw, known) => parseObject(kind, raw, known), publish });
      partitions.set(namespace, partition);
      return partition.sink;
    },
    put: (object) => partitionOf(object.metadata.namespace)?.put(object),
    drop: (ref, uid, version) => partitionOf(ref.namespace)?.drop(keyOf(ref), uid, version),
  };
}

function indexNamed<S, T>(
  secondaryIndex: ReadonlyMap<string, SecondaryIndex<S, T>>,
  index: string,
): SecondaryIndex<S, T> {
  const named = secondaryIndex.get(index);
  if (named === undefined) throw new Error(`The store has no index ${index}`);
  return named;
}

function untilResolved(waiting: Set<() => void>, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (end: () => void): void => {
      waiting.delete(finish);
      signal?.removeEventListener('abort', abort);
      end();
    };
    const finish = (): void => settle(resolve);
    const abort = (): void => settle(() => reject(signal?.reason));
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    waiting.add(finish);
    signal?.addEventListener('abort', abort, { once: true });
  });
}
