/** Reads the objects of one kind at past versions, as far back as etcd keeps them. */
import { ClusterError, isClusterError } from '../../errors.ts';
import type { Kind } from '../../model/kind.ts';
import { keyOf } from '../../model/object.ts';
import { type ListPage, readPage } from '../api/page.ts';
import { resourcePath } from '../api/paths.ts';
import type { Query, Transport } from '../api/transport.ts';
import { asRawObject, type RawObject } from '../object/raw-object.ts';
import { writtenAtOf } from '../object/written-at.ts';
import type { ObjectVersion, Past } from './incarnations.ts';
import { revisionOf } from './revision.ts';

export interface PastParts {
  /** Names the kind and the namespace. */
  readonly scope: string;
  readonly transport: Transport;
  readonly kind: Kind<unknown, unknown>;
  /** Absent: all namespaces. */
  readonly namespace: string | undefined;
  readonly signal: AbortSignal;
}

export interface ReadablePast extends Past {
  /** The present version. */
  now(): Promise<bigint>;
  /** False: etcd has compacted this version. */
  isReadable(version: bigint): Promise<boolean>;
  objectAt(key: string, version: bigint): Promise<RawObject>;
}

const PAGE_SIZE = 500;
const METADATA_ONLY = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';

/** Methods reject with ClusterError `gone` for a version that etcd has compacted. */
export function createPast({ scope, transport, kind, namespace, signal }: PastParts): ReadablePast {
  const read = async (path: string, query: Query, accept?: string): Promise<ListPage> =>
    readPage(await transport.request({ method: 'GET', path, query, accept, signal }));
  const all = resourcePath(kind, namespace);
  const one = (key: string, version: bigint, accept?: string): Promise<ListPage> => {
    const [place = '', name = ''] = key.split('/');
    const query = { ...exactly(version), fieldSelector: `metadata.name=${name}`, limit: 1 };
    return read(resourcePath(kind, place), query, accept);
  };

  async function identitiesAt(version: bigint): Promise<ReadonlyMap<string, ObjectVersion>> {
    const found = new Map<string, ObjectVersion>();
    let query: Query = { ...exactly(version), limit: PAGE_SIZE };
    for (;;) {
      const page = await read(all, query, METADATA_ONLY);
      for (const item of page.items) found.set(keyOf(asRawObject(item).metadata), identityOf(item));
      if (page.token === undefined) return found;
      query = { limit: PAGE_SIZE, continue: page.token };
    }
  }

  async function countAt(version: bigint): Promise<number> {
    const { items, token, remaining } = await read(all, { ...exactly(version), limit: 1 }, METADATA_ONLY);
    if (token === undefined) return items.length;
    return remaining === undefined ? (await identitiesAt(version)).size : items.length + remaining;
  }

  return {
    scope,
    identitiesAt,
    countAt,
    async now() {
      return revisionOf((await read(all, { limit: 1 }, METADATA_ONLY)).version);
    },
    async isReadable(version) {
      try {
        await read(all, { ...exactly(version), limit: 1 }, METADATA_ONLY);
        return true;
      } catch (error) {
        if (isClusterError(error, 'gone')) return false;
        throw error;
      }
    },
    async identityAt(key, version) {
      const [item] = (await one(key, version, METADATA_ONLY)).items;
      return item === undefined ? undefined : identityOf(item);
    },
    async objectAt(key, version) {
      const [item] = (await one(key, version)).items;
      if (item === undefined) throw new ClusterError('unavailable', `${key} did not exist at version ${version}`);
      return asRawObject(item);
    },
  };
}

function exactly(version: bigint): Query {
  return { resourceVersion: `${version}`, resourceVersionMatch: 'Exact' };
}

function identityOf(item: unknown): ObjectVersion {
  const raw = asRawObject(item);
  const { uid, resourceVersion } = raw.metadata;
  return { uid, version: revisionOf(resourceVersion), writtenAt: writtenAtOf(raw) };
}
