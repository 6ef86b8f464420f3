/** Reads the objects of one kind as they were at versions of the past, as far back as etcd has them. */
import { AppError, isAppError } from '../errors.ts';
import type { Kind } from '../schema/kind.ts';
import { keyOf } from '../schema/object.ts';
import type { Identity, Past } from './lives.ts';
import { type Page, readPage } from './page.ts';
import { resourcePath } from './paths.ts';
import { asRawObject, type RawObject } from './raw-object.ts';
import type { Query, Transport } from './transport.ts';
import { writtenAtOf } from './written-at.ts';

export interface PastParts {
  readonly transport: Transport;
  readonly kind: Kind<unknown, unknown>;
  /** Absent: all namespaces. */
  readonly namespace: string | undefined;
  readonly signal: AbortSignal;
}

export interface ReadablePast extends Past {
  /** The present version. */
  now(): Promise<bigint>;
  /** False: etcd has forgotten this version. */
  isReadable(version: bigint): Promise<boolean>;
  objectAt(key: string, version: bigint): Promise<RawObject>;
}

const PAGE_SIZE = 500;
const METADATA_ALONE = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';

/** Rejects with AppError `gone` for a version that etcd has forgotten. */
export function createPast({ transport, kind, namespace, signal }: PastParts): ReadablePast {
  const read = async (path: string, query: Query, accept?: string): Promise<Page> =>
    readPage(await transport.request({ method: 'GET', path, query, accept, signal }));
  const all = resourcePath(kind, namespace);
  const one = (key: string, version: bigint, accept?: string): Promise<Page> => {
    const [place = '', name = ''] = key.split('/');
    const query = { ...exactly(version), fieldSelector: `metadata.name=${name}`, limit: 1 };
    return read(resourcePath(kind, place), query, accept);
  };

  async function identitiesAt(version: bigint): Promise<ReadonlyMap<string, Identity>> {
    const found = new Map<string, Identity>();
    let query: Query = { ...exactly(version), limit: PAGE_SIZE };
    for (;;) {
      const page = await read(all, query, METADATA_ALONE);
      for (const item of page.items) found.set(keyOf(asRawObject(item).metadata), identityOf(item));
      if (page.token === undefined) return found;
      query = { limit: PAGE_SIZE, continue: page.token };
    }
  }

  async function countAt(version: bigint): Promise<number> {
    const { items, token, remaining } = await read(all, { ...exactly(version), limit: 1 }, METADATA_ALONE);
    if (token === undefined) return items.length;
    return remaining === undefined ? (await identitiesAt(version)).size : items.length + remaining;
  }

  return {
    identitiesAt,
    countAt,
    async now() {
      return revisionOf((await read(all, { limit: 1 }, METADATA_ALONE)).version);
    },
    async isReadable(version) {
      try {
        await read(all, { ...exactly(version), limit: 1 }, METADATA_ALONE);
        return true;
      } catch (error) {
        if (isAppError(error, 'gone')) return false;
        throw error;
      }
    },
    async identityAt(key, version) {
      const [item] = (await one(key, version, METADATA_ALONE)).items;
      return item === undefined ? undefined : identityOf(item);
    },
    async objectAt(key, version) {
      const [item] = (await one(key, version)).items;
      if (item === undefined) throw new AppError('unavailable', `${key} was not there at version ${version}`);
      return asRawObject(item);
    },
  };
}

/** Versions count the writes of etcd, so that the one before can be asked for. */
export function revisionOf(version: string): bigint {
  if (/^[0-9]+$/.test(version)) return BigInt(version);
  throw new AppError('invalid', `The resourceVersion ${JSON.stringify(version)} is not a decimal number`);
}

function exactly(version: bigint): Query {
  return { resourceVersion: `${version}`, resourceVersionMatch: 'Exact' };
}

function identityOf(item: unknown): Identity {
  const raw = asRawObject(item);
  const { uid, resourceVersion } = raw.metadata;
  return { uid, version: revisionOf(resourceVersion), writtenAt: writtenAtOf(raw) };
}
