/** Caches of all kinds that no watch fills. */
import { createStore, type Store } from '../kube/cache/store.ts';
import type { WatchSink } from '../kube/cache/watch.ts';
import type { KindName, SpecOf, StatusOf } from '../schema/kinds.ts';
import { type IndexOf, mapKinds } from './registry.ts';

export type Stores = { readonly [N in KindName]: Store<SpecOf<N>, StatusOf<N>, IndexOf<N>> };

export interface EmptyStores {
  readonly stores: Stores;
  /** Puts an object into its cache as a watch does. */
  put(kind: KindName, object: unknown): void;
  /** Puts all objects of a kind into its cache as a list does: their versions are in any order. */
  fill(kind: KindName, objects: readonly unknown[]): void;
}

/** The caches are synced. */
export function emptyStores(): EmptyStores {
  const onFault = (error: unknown) => {
    throw error;
  };
  const stores = mapKinds<Stores>(({ kind, indexes }) => createStore({ kind, indexes, onFault }));
  const sinks = mapKinds<Readonly<Record<KindName, WatchSink>>>((_definition, name) => stores[name].sink(undefined));
  const fill = (kind: KindName, objects: readonly unknown[]): void => {
    const sink = sinks[kind];
    sink.begin(false);
    for (const object of objects) sink.listed(object);
    sink.swap('0');
  };
  mapKinds((_definition, name) => fill(name, []));
  return { stores, fill, put: (kind, object) => sinks[kind].applied(object) };
}
