/** The caches and the catalog of the operator, filled with manifests instead of a watch. */
import { type Catalog, createCatalog } from '../../src/catalog/catalog.ts';
import { type IndexOf, mapKinds } from '../../src/kinds/registry.ts';
import { createStore, type Store } from '../../src/kube/cache/store.ts';
import type { WatchSink } from '../../src/kube/cache/watch.ts';
import { isRecord } from '../../src/model/json.ts';
import type { KindName, SpecOf, StatusOf } from '../../src/schema/kinds.ts';
import type { Manifest } from '../manifests/parse-manifests.ts';
import { refOf } from '../manifests/ref.ts';

export type Stores = { readonly [N in KindName]: Store<SpecOf<N>, StatusOf<N>, IndexOf<N>> };

export interface OfflineCluster {
  readonly stores: Stores;
  readonly catalog: Catalog;
  /** Stores the object with this status, as a write of the status does. */
  judged(manifest: Manifest, status: unknown): void;
}

interface Options {
  /** The namespace of objects that name none. */
  readonly namespace: string;
  /** Ms since 1970. */
  readonly now: number;
}

/** A later manifest of the same object replaces an earlier one. */
export function offlineCluster(manifests: readonly Manifest[], { namespace, now }: Options): OfflineCluster {
  const { stores, put: store } = emptyStores();
  let version = 0;
  const put = (manifest: Manifest, status?: unknown): void => {
    version += 1;
    store(manifest.kind, asStored(manifest, { namespace, now, version, status }));
  };
  for (const manifest of manifests) put(manifest);
  const home = manifests.find(({ kind }) => kind === 'environments');
  const catalog = createCatalog(stores, () => now, { home: home ? refOf(home, namespace).namespace : namespace });
  return { stores, catalog, judged: put };
}

/** Caches that are synced. `put` takes an object as a watch does, `fill` a list, whose versions are in any order. */
export function emptyStores() {
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
  return { stores, fill, put: (kind: KindName, object: unknown): void => sinks[kind].applied(object) };
}

interface Storing extends Options {
  readonly version: number;
  readonly status: unknown;
}

/**
 * Adds what the API server adds. All objects have the same age. The status in the file is ignored, because it is from
 * another time.
 */
function asStored(manifest: Manifest, { namespace, now, version, status }: Storing): unknown {
  const { value, kind } = manifest;
  const ref = refOf(manifest, namespace);
  const { labels, annotations } = isRecord(value['metadata']) ? value['metadata'] : {};
  return {
    ...value,
    metadata: {
      ...(isRecord(labels) && { labels }),
      ...(isRecord(annotations) && { annotations }),
      ...ref,
      uid: `${kind}/${ref.namespace}/${ref.name}`,
      resourceVersion: String(version),
      generation: 1,
      creationTimestamp: new Date(now).toISOString(),
    },
    status,
  };
}
