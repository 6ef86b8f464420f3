/** The writes of the API server: create, update, patch, apply, delete. */
import { isDeepStrictEqual } from 'node:util';
import type { Operation } from 'fast-json-patch';
import type { Call, Query } from '../../../src/kube/api/transport.ts';
import { type Answer, alreadyExists, conflict, created, deleted, notFound, ok } from './answers.ts';
import type { Etcd, KubeObject, Metadata } from './etcd.ts';
import { afterApply, afterUpdate, appliedFields, fieldsOf, type Writer } from './managed-fields.ts';
import { applied, jsonPatched, merged } from './patches.ts';
import { keyAt, type Place, placeOf, type Served } from './resources.ts';

export interface WriteParts {
  readonly etcd: Etcd;
  /** Ms since 1970. */
  readonly now: () => number;
  readonly newUid: () => string;
}

type Named = Place & { readonly name: string };

/** Throws StatusErrors. */
export function write(parts: WriteParts, call: Call): Answer {
  const place = placeOf(call.path);
  const query = call.query ?? {};
  if (query['dryRun']) throw new Error('The model has no dry runs');
  const body = JSON.parse(JSON.stringify(call.body ?? {}));
  if (call.method === 'POST') return create(parts, place, { body, query });
  const { name } = place;
  if (name === undefined) throw new Error(`The model does not take ${call.method} of lists`);
  const named = { ...place, name };
  if (call.method === 'DELETE') return remove(parts, named, body);
  // A Lease is the only object that is replaced, and the API server creates one that does not exist.
  const isNew = call.method === 'PUT' && parts.etcd.get(keyAt(place.resource, place.namespace, name)) === undefined;
  return isNew ? create(parts, place, { body, query }) : ok(update(parts, named, { ...call, body }));
}

interface Sent {
  readonly body: KubeObject;
  readonly query: Query;
}

function create({ etcd, now, newUid }: WriteParts, { resource, namespace }: Place, { body, query }: Sent): Answer {
  const { name } = body.metadata;
  const key = keyAt(resource, namespace, name);
  if (etcd.get(key)) throw alreadyExists(resource.qualified, name);
  const { status: _, ...sent } = body;
  const time = timeOf(now());
  const object: KubeObject = {
    ...{ ...resource.defaults, ...sent },
    ...{ apiVersion: resource.apiVersion, kind: resource.kind },
    metadata: {
      ...{ ...body.metadata, namespace, uid: newUid(), creationTimestamp: time },
      ...(resource.isCustom && { generation: 1 }),
    },
  };
  const managedFields = afterUpdate(undefined, object, writerOf(query, now(), undefined));
  const complete = resource.isCustom ? { ...object, metadata: { ...object.metadata, managedFields } } : object;
  return created(etcd.write(key, complete).after);
}

function remove({ etcd }: WriteParts, { resource, namespace, name }: Named, body: unknown): Answer {
  const key = keyAt(resource, namespace, name);
  const live = etcd.get(key);
  if (live === undefined) throw notFound(resource.qualified, name);
  const { preconditions, dryRun } = body as { preconditions?: Partial<Metadata>; dryRun?: unknown };
  if (dryRun) throw new Error('The model has no dry runs');
  const { uid = live.metadata.uid, resourceVersion = live.metadata.resourceVersion } = preconditions ?? {};
  if (uid !== live.metadata.uid || resourceVersion !== live.metadata.resourceVersion)
    throw conflict(resource.qualified, name);
  etcd.write(key, undefined);
  return deleted(live, resource.plural);
}

function update({ etcd, now }: WriteParts, place: Named, call: Call): KubeObject | undefined {
  const { resource, namespace, name, subresource } = place;
  const key = keyAt(resource, namespace, name);
  const live = etcd.get(key);
  if (live === undefined) throw notFound(resource.qualified, name);
  const writer: Writer = { ...writerOf(call.query ?? {}, now(), subresource), operation: operationOf(call) };
  const wanted = wantedOf(live, call, writer);
  refuseOther(live, wanted, resource);
  const next = nextOf(live, wanted, place);
  const complete = resource.isCustom ? owned(live, next, { call, writer }) : next;
  return isSame(live, complete) ? live : etcd.write(key, complete).after;
}

function operationOf({ contentType, path }: Call): Writer['operation'] {
  if (contentType !== 'application/apply-patch+yaml') return 'Update';
  if (!path.endsWith('/status')) throw new Error('The model applies nothing but statuses');
  return 'Apply';
}

function wantedOf(live: KubeObject, { method, contentType, body }: Call, writer: Writer): KubeObject {
  if (method === 'PUT') return body as KubeObject;
  if (writer.operation === 'Apply') return applied(live, statusIn(body), writer);
  if (contentType === 'application/json-patch+json') return jsonPatched(live, body as readonly Operation[]);
  return merged(live, body) as KubeObject;
}

function statusIn(body: unknown): KubeObject {
  const { apiVersion, kind, metadata, status } = body as KubeObject;
  return { apiVersion, kind, metadata, status };
}

interface Written {
  readonly call: Call;
  readonly writer: Writer;
}

function owned(live: KubeObject, next: KubeObject, { call, writer }: Written): KubeObject {
  const managedFields =
    writer.operation === 'Apply'
      ? afterApply(live, next, { applied: appliedFields(fieldsOf(statusIn(call.body))), writer })
      : afterUpdate(live, next, writer);
  return { ...next, metadata: { ...next.metadata, managedFields } };
}

function refuseOther({ metadata }: KubeObject, wanted: KubeObject, { qualified }: Served): void {
  const { uid = metadata.uid, resourceVersion = metadata.resourceVersion } = wanted.metadata as Partial<Metadata>;
  if (uid !== metadata.uid || (resourceVersion !== '' && resourceVersion !== metadata.resourceVersion))
    throw conflict(qualified, metadata.name);
}

/** The server keeps what a write may not set. */
function nextOf(live: KubeObject, wanted: KubeObject, { subresource }: Named): KubeObject {
  if (subresource === 'status') return { ...live, status: wanted['status'] };
  const { uid, creationTimestamp, resourceVersion, generation, managedFields, namespace, name } = live.metadata;
  const kept = { name, namespace, uid, creationTimestamp, resourceVersion, ...(managedFields && { managedFields }) };
  const { status: _, ...rest } = wanted;
  const isChanged = !isDeepStrictEqual(rest['spec'], live['spec']);
  return {
    ...rest,
    ...(live['status'] !== undefined && { status: live['status'] }),
    ...{ apiVersion: live.apiVersion, kind: live.kind },
    metadata: {
      ...withoutEmpty(wanted.metadata),
      ...kept,
      ...(generation !== undefined && { generation: isChanged ? generation + 1 : generation }),
    },
  };
}

/** The API server stores no empty maps in metadata. */
function withoutEmpty({ labels = {}, annotations = {}, ...others }: Metadata): Metadata {
  const isEmpty = (map: object) => Object.keys(map).length === 0;
  return { ...others, ...(!isEmpty(labels) && { labels }), ...(!isEmpty(annotations) && { annotations }) };
}

/** A write that changes nothing but times of ownership is not stored. */
function isSame(live: KubeObject, next: KubeObject): boolean {
  return isDeepStrictEqual(withoutTimes(live), withoutTimes(next));
}

function withoutTimes(object: KubeObject): unknown {
  const managedFields = object.metadata.managedFields?.map(({ time: _, ...entry }) => JSON.stringify(entry)).sort();
  return { ...object, metadata: { ...object.metadata, managedFields } };
}

function writerOf(query: Query, now: number, subresource: 'status' | undefined): Writer {
  return { manager: `${query['fieldManager'] ?? 'vexil'}`, operation: 'Update', subresource, time: timeOf(now) };
}

/** Times in metadata are whole seconds. */
function timeOf(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
