/** The caches and the catalog of the operator, filled with manifests instead of a watch. */
import { type Catalog, createCatalog } from '../../src/catalog/catalog.ts';
import { emptyStores, type Stores } from '../../src/kinds/empty-stores.ts';
import { isRecord } from '../../src/model/json.ts';
import type { Manifest } from '../manifests/parse-manifests.ts';
import { metadataOf, refOf } from '../manifests/ref.ts';

export interface OfflineCluster {
  readonly stores: Stores;
  readonly catalog: Catalog;
  /** Stores the object with this status, as a write of the status does. */
  judged(manifest: Manifest, status: unknown): void;
}

export interface OfflineOptions {
  /** The namespace of objects that name none. */
  readonly namespace: string;
  /** Ms since 1970. */
  readonly now: number;
}

/** A later manifest of the same object replaces an earlier one. */
export function offlineCluster(manifests: readonly Manifest[], { namespace, now }: OfflineOptions): OfflineCluster {
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

interface Storing extends OfflineOptions {
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
  const { labels, annotations } = metadataOf(value);
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
