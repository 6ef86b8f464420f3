/** The writes of the API server: create, update, patch, apply, delete. */
import { isDeepStrictEqual } from 'node:util';
import type { Operation } from 'fast-json-patch';
import type { Call, Query } from '../../../src/kube/api/transport.ts';
import { type Answer, alreadyExists, conflict, created, deleted, notFound, ok, StatusError } from './answers.ts';
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

type Named = Place & { readonly namespace: string; readonly name: string };

/** Throws StatusErrors. */
export function write(parts: WriteParts, call: Call): Answer {
  const place = placeOf(call.path);
  const body = JSON.parse(JSON.stringify(call.body ?? {}));
  if (call.method === 'POST') return create(parts, place, { body, query: call.query ?? {} });
  const { name, namespace } = place;
  if (name === undefined || namespace === undefined) throw new Error(`The model does not take ${call.method} of lists`);
  const named = { ...place, name, namespace };
  if (call.method === 'DELETE') return remove(parts, named, body);
  return ok(update(parts, named, { ...call, body }));
}

interface Sent {
  readonly body: KubeObject;
  readonly query: Query;
}

function create(parts: WriteParts, { resource, namespace = '' }: Place, { body, query }: Sent): Answer {
  const { etcd, now } = parts;
  const { name, resourceVersion } = body.metadata as Partial<Metadata>;
  if (resourceVersion) throw new StatusError(500, '', 'resourceVersion should not be set on objects to be created');
  const key = keyAt(resource, namespace, `${name}`);
  if (etcd.get(key)) throw alreadyExists(resource.qualified, `${name}`);
  const object = newObject(parts, { resource, namespace, body });
  const managedFields = afterUpdate(undefined, object, writerOf(query, now(), undefined));
  const complete = { ...object, metadata: { ...object.metadata, managedFields } };
  if (query['dryRun']) return created(complete);
  return created(etcd.write(key, complete).after);
}

interface NewObject {
  readonly resource: Served;
  readonly namespace: string;
  readonly body: KubeObject;
}

function newObject({ now, newUid }: WriteParts, { resource, namespace, body }: NewObject): KubeObject {
  const { status: _, ...sent } = body;
  return {
    ...(resource.isCustom ? sent : body),
    ...{ apiVersion: resource.apiVersion, kind: resource.kind },
    metadata: {
      ...body.metadata,
      ...{ namespace, uid: newUid(), creationTimestamp: timeOf(now()) },
      ...(resource.isCustom && { generation: 1 }),
    },
  };
}

/** An object that is applied and does not exist is created, unless it was meant to be a certain one. */
function createByApply(
  parts: WriteParts,
  { resource, namespace, name, subresource }: Named,
  call: Call,
): KubeObject | undefined {
  const body = call.body as KubeObject;
  if (subresource !== undefined) throw notFound(resource.qualified, name);
  if (body.metadata.uid) throw conflict(resource.qualified, name);
  const object = newObject(parts, { resource, namespace, body });
  const writer = { ...writerOf(call.query ?? {}, parts.now(), undefined), operation: 'Apply' } as const;
  const managedFields = afterApply(undefined, object, { applied: appliedFields(fieldsOf(object)), writer });
  return parts.etcd.write(keyAt(resource, namespace, name), {
    ...object,
    metadata: { ...object.metadata, managedFields },
  }).after;
}

function remove({ etcd }: WriteParts, { resource, namespace, name }: Named, body: unknown): Answer {
  const key = keyAt(resource, namespace, name);
  const live = etcd.get(key);
  if (live === undefined) throw notFound(resource.qualified, name);
  const { preconditions, dryRun } = body as { preconditions?: Partial<Metadata>; dryRun?: readonly string[] };
  const { uid = live.metadata.uid, resourceVersion = live.metadata.resourceVersion } = preconditions ?? {};
  if (uid !== live.metadata.uid || resourceVersion !== live.metadata.resourceVersion)
    throw conflict(resource.qualified, name);
  if (dryRun === undefined) etcd.write(key, undefined);
  return deleted(live, resource.plural);
}

function update(parts: WriteParts, place: Named, call: Call): KubeObject | undefined {
  const { etcd, now } = parts;
  const { resource, namespace, name, subresource } = place;
  const key = keyAt(resource, namespace, name);
  const live = etcd.get(key);
  const isApply = call.contentType === 'application/apply-patch+yaml';
  if (live === undefined && isApply) return createByApply(parts, place, call);
  if (live === undefined) throw notFound(resource.qualified, name);
  const wanted = wantedOf(live, call, place);
  refuseOther(live, wanted, resource);
  const writer = {
    ...writerOf(call.query ?? {}, now(), subresource),
    operation: isApply ? 'Apply' : 'Update',
  } as const;
  const next = nextOf(live, wanted, place);
  const managedFields = isApply
    ? afterApply(live, next, { applied: appliedFields(fieldsOf(partOf(call.body as KubeObject, place))), writer })
    : afterUpdate(live, next, writer);
  const complete = { ...next, metadata: { ...next.metadata, managedFields } };
  if (isSame(live, complete)) return live;
  if (call.query?.['dryRun']) return complete;
  return etcd.write(key, complete).after;
}

function wantedOf(live: KubeObject, { method, contentType, body, query }: Call, place: Named): KubeObject {
  if (method === 'PUT') return body as KubeObject;
  if (contentType === 'application/json-patch+json') return jsonPatched(live, body as readonly Operation[]);
  if (contentType === 'application/merge-patch+json') return merged(live, body) as KubeObject;
  const how = {
    manager: `${query?.['fieldManager']}`,
    isForced: query?.['force'] === true,
    subresource: place.subresource,
  };
  return applied(live, partOf(body as KubeObject, place), how);
}

/** What a write to the object, or to its status, may set. */
function partOf(object: KubeObject, { resource, subresource }: Named): KubeObject {
  const { status, ...rest } = object;
  if (!resource.isCustom) return object;
  if (subresource === undefined) return rest as KubeObject;
  const { apiVersion, kind, metadata } = object;
  return { apiVersion, kind, metadata, status };
}

function refuseOther({ metadata }: KubeObject, wanted: KubeObject, { qualified }: Served): void {
  const { uid = metadata.uid, resourceVersion = metadata.resourceVersion } = wanted.metadata as Partial<Metadata>;
  if (uid !== metadata.uid || (resourceVersion !== '' && resourceVersion !== metadata.resourceVersion))
    throw conflict(qualified, metadata.name);
}

/** The server keeps what a write may not set. */
function nextOf(live: KubeObject, wanted: KubeObject, { resource, subresource }: Named): KubeObject {
  const { uid, creationTimestamp, resourceVersion, generation, managedFields, namespace, name } = live.metadata;
  const kept = { name, namespace, uid, creationTimestamp, resourceVersion, ...(managedFields && { managedFields }) };
  if (subresource === 'status') return { ...live, status: wanted['status'] };
  const { status: _, ...rest } = wanted;
  const isChanged = !isDeepStrictEqual(rest['spec'], live['spec']);
  return {
    ...(resource.isCustom ? rest : wanted),
    ...(resource.isCustom && live['status'] !== undefined && { status: live['status'] }),
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
