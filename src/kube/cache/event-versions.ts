/** Reads the present versions of Events, so that a search of the past can skip them. */
import { isClusterError } from '../../errors.ts';
import { eventsPath } from '../api/events.ts';
import { type ListPage, metadataPages } from '../api/page.ts';
import type { Transport } from '../api/transport.ts';
import { asRawObject } from '../object/raw-object.ts';
import { revisionOf } from './revision.ts';

interface EventVersionsParts {
  readonly transport: Transport;
  /** Undefined: all namespaces. */
  readonly namespace: string | undefined;
  readonly signal: AbortSignal;
  /** The present version of the cluster. */
  readonly now: () => Promise<bigint>;
}

/** A limit for clusters with very many Events. */
const MAX_EVENTS = 20_000;

/** Returns none if the operator may not list Events, or if they are in an etcd of their own. */
export async function readEventVersions(parts: EventVersionsParts): Promise<readonly bigint[]> {
  try {
    return await versionsOf(parts);
  } catch (error) {
    if (isClusterError(error, 'missing-permission', 'gone')) return [];
    throw error;
  }
}

async function versionsOf({ transport, namespace, signal, now }: EventVersionsParts): Promise<readonly bigint[]> {
  const earliest = await now();
  const versions: bigint[] = [];
  for await (const page of metadataPages(transport, { path: eventsPath(namespace), signal })) {
    // Many clusters keep Events in an etcd of their own, whose versions mean nothing here.
    if (versions.length === 0 && !isBetween(page, earliest, await now())) return [];
    for (const item of page.items) versions.push(revisionOf(asRawObject(item).metadata.resourceVersion));
    if (versions.length >= MAX_EVENTS) break;
  }
  return versions;
}

function isBetween(page: ListPage, earliest: bigint, latest: bigint): boolean {
  const version = revisionOf(page.version);
  return version >= earliest && version <= latest;
}
