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
}

/** The caches are synced. */
export function emptyStores(): EmptyStores {
  const onFault = (error: unknown) => {
    throw error;
  };
  const stores = mapKinds<Stores>(({ kind, indexes }) => createStore({ kind, indexes, onFault }));
  const sinks = mapKinds<Readonly<Record<KindName, WatchSink>>>((_definition, name) => stores[name].sink(undefined));
  for (const sink of Object.values(sinks)) {
    sink.begin(false);
    sink.swap('0');
  }
  return { stores, put: (kind, object) => sinks[kind].applied(object) };
}
