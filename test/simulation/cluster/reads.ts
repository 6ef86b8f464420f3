/** The reads of the API server: one object, and lists at the present or a past version, in pages. */
import type { Call, Query } from '../../../src/kube/api/transport.ts';
import { type Answer, expired, notFound, ok, tooLarge } from './answers.ts';
import type { Etcd, KubeObject } from './etcd.ts';
import { keyAt, type Place, placeOf, prefixOf } from './resources.ts';

/** Throws StatusErrors. */
export function read(etcd: Etcd, { path, query = {}, accept }: Call): Answer {
  const place = placeOf(path);
  const { resource, namespace, name } = place;
  if (name === undefined) return ok(listOf(etcd, place, { query, isBare: accept?.includes('PartialObject') === true }));
  const found = etcd.get(keyAt(resource, namespace, name));
  if (found === undefined) throw notFound(resource.qualified, name);
  return ok(found);
}

interface Listing {
  readonly query: Query;
  /** Only metadata is asked for. */
  readonly isBare: boolean;
}

function listOf(etcd: Etcd, { resource, namespace }: Place, { query, isBare }: Listing): unknown {
  const { at, after } = startOf(etcd, query);
  const following = etcd
    .list(prefixOf(resource, namespace), at)
    .filter((object) => isNamed(object, query) && placeIn(object) > after);
  const matching = following.filter((object) => isLabelled(object, query));
  const limit = Number(query['limit'] ?? Number.POSITIVE_INFINITY);
  const page = matching.slice(0, limit);
  const last = page.at(-1);
  // The API server does not look whether what follows a full page has the label.
  const isMore = page.length === limit && last !== undefined && following.at(-1) !== last;
  const isSelective = query['fieldSelector'] !== undefined || query['labelSelector'] !== undefined;
  const metadata = {
    resourceVersion: `${at}`,
    ...(isMore && { continue: JSON.stringify([at, placeIn(last)]) }),
    ...(isMore && !isSelective && { remainingItemCount: matching.length - page.length }),
  };
  const items = isBare ? page.map(({ metadata: own }) => ({ metadata: own })) : page;
  return {
    kind: `${resource.kind}List`,
    apiVersion: resource.apiVersion,
    metadata,
    items: isBare && items.length === 0 ? null : items,
  };
}

function startOf(etcd: Etcd, query: Query): { readonly at: number; readonly after: string } {
  const token = query['continue'];
  const [at, after]: [number, string] =
    typeof token === 'string'
      ? JSON.parse(token)
      : [query['resourceVersionMatch'] === 'Exact' ? Number(query['resourceVersion']) : etcd.revision, ''];
  if (at < etcd.compacted) throw expired(at, etcd.compacted);
  if (at > etcd.revision) throw tooLarge(at, etcd.revision);
  return { at, after };
}

/** The API server sorts by namespace and name. */
function placeIn({ metadata: { namespace, name } }: KubeObject): string {
  return `${namespace}/${name}`;
}

export function matches(object: KubeObject, query: Query): boolean {
  return isNamed(object, query) && isLabelled(object, query);
}

function isNamed({ metadata }: KubeObject, { fieldSelector }: Query): boolean {
  return fieldSelector === undefined || fieldSelector === `metadata.name=${metadata.name}`;
}

function isLabelled({ metadata }: KubeObject, { labelSelector }: Query): boolean {
  const [label = '', value] = `${labelSelector ?? ''}`.split('=');
  return value === undefined || metadata.labels?.[label] === value;
}
