/** One kind in the cluster: reading through the cache, writing through calls. */
import { isDeepStrictEqual } from 'node:util';
import type { Operation } from 'fast-json-patch';
import { isCut } from '../schema/depth.ts';
import { API_VERSION, type Kind } from '../schema/kind.ts';
import type { CustomObject, Ref } from '../schema/object.ts';
import { SPEC_MANAGER, STATUS_MANAGER } from '../schema/stamp.ts';
import { annotationOperations, type ChangeOptions, changeSpec, type Edit } from './change.ts';
import { type Choose, type CoOwned, type CoOwnOptions, coOwn, type LiveObject } from './co-own.ts';
import { type DeleteOptions, type DeleteParts, deleteObject } from './deletion.ts';
import { refusalOf } from './errors.ts';
import { type HeldField, heldFields } from './held-fields.ts';
import { lastAppliedSpec } from './last-applied.ts';
import { type Leaf, leavesOf } from './leaves.ts';
import { readPage } from './page.ts';
import { parseObject } from './parse-object.ts';
import { resourcePath } from './paths.ts';
import type { Clock } from './pause.ts';
import type { IsProtected } from './protection.ts';
import { isRecord } from './raw-object.ts';
import type { Reading, Store } from './store.ts';
import type { BeforeSend, Call, Transport } from './transport.ts';

const PAGE_SIZE = 500;

export interface NewObject<S> {
  readonly name: string;
  readonly spec: S;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
}

export interface CallOptions {
  readonly dryRun?: boolean;
  readonly signal?: AbortSignal;
  readonly beforeSend?: BeforeSend | undefined;
}

export type StatusOptions = Omit<CallOptions, 'dryRun'>;

export interface Selection {
  readonly fieldSelector?: string;
  readonly signal?: AbortSignal;
}

export interface Resource<S, T> extends Reading<S, T> {
  readonly kind: Kind<S, T>;
  /** Asks the API server itself. */
  live(ref: Ref, signal?: AbortSignal): Promise<CustomObject<S, T>>;
  /** Asks the API server for what fits, in all watched namespaces, a page at a time. */
  listLive(selection: Selection): Promise<CustomObject<S, T>[]>;
  create(namespace: string, object: NewObject<S>, options?: CallOptions): Promise<CustomObject<S, T>>;
  /** Changes a spec: see `changeSpec`. */
  change(ref: Ref, edit: Edit<S, T>, options?: ChangeOptions<S, T>): Promise<CustomObject<S, T>>;
  /** What would be taken from protected owners if the whole spec went. */
  heldIn(object: CustomObject<S, T>): readonly HeldField[];
  /** Every field of a spec, with who holds it. */
  leavesOf(object: CustomObject<S, T>): readonly Leaf[];
  /** Holds fields beside those who hold them, and changes none: see `coOwn`. */
  coOwn(ref: Ref, choose: Choose, options?: CoOwnOptions<S, T>): Promise<CoOwned<S, T>>;
  /** Writes the status computed from exactly this version of the object; a newer one refuses it as a conflict. */
  applyStatus(object: CustomObject<S, T>, status: T, options?: StatusOptions): Promise<CustomObject<S, T>>;
  /** Writes these members of the status of exactly this version, and leaves the others; a newer one refuses it as a conflict. */
  patchStatus(object: CustomObject<S, T>, members: Partial<T>, signal?: AbortSignal): Promise<CustomObject<S, T>>;
  /** Deletes this object, whatever was written to it meanwhile: see `deleteObject`. */
  delete(object: CustomObject<S, T>, options?: DeleteOptions<S, T>): Promise<void>;
}

export interface ResourceParts<S, T> {
  readonly transport: Transport;
  readonly kind: Kind<S, T>;
  readonly store: Store<S, T>;
  /** The watched namespaces; `undefined` stands for all. */
  readonly namespaces: readonly (string | undefined)[];
  /** Whose fields a change may not take unasked. */
  readonly isProtected: IsProtected;
  readonly clock: Clock;
  readonly random: () => number;
}

/** Joins the cache of a kind with the calls that read or write it. */
export function createResource<S, T>(parts: ResourceParts<S, T>): Resource<S, T> {
  const { kind, store, isProtected } = parts;
  const heldBy = (object: CustomObject<S, T>, after: unknown) => heldFields({ kind, object, after }, isProtected);
  const live = (ref: Ref, signal?: AbortSignal): Promise<CustomObject<S, T>> => {
    return exchange(parts, { method: 'GET', path: pathOf(kind, ref), signal });
  };
  const patch = (ref: Ref, body: readonly Operation[], options: ChangeOptions<S, T>): Promise<CustomObject<S, T>> => {
    return exchange(parts, {
      method: 'PATCH',
      path: pathOf(kind, ref),
      query: { fieldManager: SPEC_MANAGER, ...dryRunQuery(options) },
      contentType: 'application/json-patch+json',
      body,
      signal: options.signal,
      beforeSend: options.beforeSend,
    });
  };
  return {
    kind,
    get: store.get,
    by: store.by,
    all: store.all,
    subscribe: store.subscribe,
    whenSynced: store.whenSynced,
    get size() {
      return store.size;
    },
    get synced() {
      return store.synced;
    },
    live,
    listLive: (selection) => listLive(parts, selection),
    create: (namespace, object, options = {}) => exchange(parts, createCall(kind, { namespace, object, options })),
    change: (ref, edit, options = {}) => {
      return changeSpec({ ...parts, cached: store.get, live, patch, heldBy }, { ref, edit, options });
    },
    heldIn: (object) => heldBy(object, undefined),
    leavesOf: (object) => leavesOf(object, isProtected),
    coOwn: (ref, choose, options = {}) => {
      const apply = (object: CustomObject<S, T>, spec: unknown) => {
        return exchange(parts, coOwnCall(kind, object, { spec, ...options }));
      };
      const read = (one: Ref, signal?: AbortSignal) => liveObject(parts, one, signal);
      return coOwn({ kind, isProtected, live: read, apply }, { ref, choose, options });
    },
    applyStatus: (object, status, options = {}) => writeStatus(parts, object, { ...options, status }),
    patchStatus: (object, members, signal) => exchange(parts, { ...membersPatch(kind, object, members), signal }),
    delete: (found, options = {}) => {
      const annotate: DeleteParts<S, T>['annotate'] = ({ metadata }, { annotations, ...how }) =>
        patch(metadata, annotationOperations(metadata, annotations), how);
      const remove = (object: CustomObject<S, T>, how: CallOptions) => removeVersion(parts, object, how);
      return deleteObject({ remove, annotate, live }, found, options);
    },
  };
}

/** Every answer of a real call goes into the cache, which takes it unless the watch is past it. */
async function exchange<S, T>(
  { transport, kind, store }: ResourceParts<S, T>,
  call: Call,
): Promise<CustomObject<S, T>> {
  const answer = await transport.request(call);
  if (call.query?.['dryRun'] !== undefined) return parseObject(kind, unstored(answer));
  const object = parseObject(kind, answer);
  store.put(object);
  return object;
}

/** With what the cache does not keep. */
async function liveObject<S, T>(
  { transport, kind, store }: ResourceParts<S, T>,
  ref: Ref,
  signal: AbortSignal | undefined,
): Promise<LiveObject<S, T>> {
  const answer = await transport.request({ method: 'GET', path: pathOf(kind, ref), signal });
  const object = parseObject(kind, answer);
  store.put(object);
  return { object, lastApplied: lastAppliedSpec(answer) };
}

/** What a dry run would have created has no version. */
function unstored(answer: unknown): unknown {
  if (!isRecord(answer) || !isRecord(answer['metadata'])) return answer;
  return { ...answer, metadata: { resourceVersion: '', ...answer['metadata'] } };
}

interface Creation<S> {
  readonly namespace: string;
  readonly object: NewObject<S>;
  readonly options: CallOptions;
}

function createCall<S, T>(kind: Kind<S, T>, { namespace, object, options }: Creation<S>): Call {
  const { spec, ...metadata } = object;
  return {
    method: 'POST',
    path: resourcePath(kind, namespace),
    query: { fieldManager: SPEC_MANAGER, ...dryRunQuery(options) },
    body: { apiVersion: API_VERSION, kind: kind.kind, metadata: { ...metadata, namespace }, spec },
    signal: options.signal,
    beforeSend: options.beforeSend,
  };
}

interface NewStatus<T> extends StatusOptions {
  readonly status: T;
}

/**
 * Server-side apply, with three limits. It reads the whole object by its schema, and fails with 500 on one that has a value
 * of another type. It leaves what another manager has added, which in a status nobody may. Of an object that is nested some
 * thousand levels deep it takes many seconds. In these cases the status is patched as a whole.
 */
async function writeStatus<S, T>(
  parts: ResourceParts<S, T>,
  object: CustomObject<S, T>,
  { status, ...options }: NewStatus<T>,
): Promise<CustomObject<S, T>> {
  if (isCut(object.rawSpec)) return exchange(parts, { ...statusPatch(parts.kind, object, status), ...options });
  let patched = object;
  try {
    patched = await exchange(parts, { ...statusCall(parts.kind, object, status), ...options });
    if (isDeepStrictEqual(patched.status, status)) return patched;
  } catch (error) {
    if (object.defects.length === 0 || refusalOf(error)?.status !== 500) throw error;
  }
  return exchange(parts, { ...statusPatch(parts.kind, patched, status), ...options });
}

function statusPatch<S, T>(kind: Kind<S, T>, { metadata }: CustomObject<S, T>, status: T): Call {
  return {
    method: 'PATCH',
    path: `${pathOf(kind, metadata)}/status`,
    query: { fieldManager: STATUS_MANAGER },
    contentType: 'application/json-patch+json',
    body: [
      { op: 'replace', path: '/metadata/resourceVersion', value: metadata.resourceVersion },
      { op: 'add', path: '/status', value: status },
    ],
  };
}

function membersPatch<S, T>(kind: Kind<S, T>, { metadata }: CustomObject<S, T>, members: Partial<T>): Call {
  const { uid, resourceVersion } = metadata;
  return {
    method: 'PATCH',
    path: `${pathOf(kind, metadata)}/status`,
    query: { fieldManager: STATUS_MANAGER },
    contentType: 'application/merge-patch+json',
    body: { metadata: { uid, resourceVersion }, status: members },
  };
}

interface PartOfSpec extends CallOptions {
  readonly spec: unknown;
}

/** Server-side apply without force of what is there already: uid and version make a part that is outdated a conflict. */
function coOwnCall<S, T>(kind: Kind<S, T>, object: CustomObject<S, T>, { spec, ...how }: PartOfSpec): Call {
  const { namespace, name, uid, resourceVersion } = object.metadata;
  return {
    method: 'PATCH',
    path: pathOf(kind, object.metadata),
    query: { fieldManager: SPEC_MANAGER, ...dryRunQuery(how) },
    contentType: 'application/apply-patch+yaml',
    body: { apiVersion: API_VERSION, kind: kind.kind, metadata: { namespace, name, uid, resourceVersion }, spec },
    signal: how.signal,
    beforeSend: how.beforeSend,
  };
}

/** Server-side apply, so that a field we no longer write goes away; uid and version make a stale status a conflict. */
function statusCall<S, T>(kind: Kind<S, T>, object: CustomObject<S, T>, status: T): Call {
  const { namespace, name, uid, resourceVersion } = object.metadata;
  return {
    method: 'PATCH',
    path: `${pathOf(kind, object.metadata)}/status`,
    query: { fieldManager: STATUS_MANAGER, force: true },
    contentType: 'application/apply-patch+yaml',
    body: { apiVersion: API_VERSION, kind: kind.kind, metadata: { namespace, name, uid, resourceVersion }, status },
  };
}

/** The version that was looked at, or a conflict. */
async function removeVersion<S, T>(
  { transport, kind, store }: ResourceParts<S, T>,
  object: CustomObject<S, T>,
  options: CallOptions,
): Promise<void> {
  const { uid, resourceVersion } = object.metadata;
  const answer = await transport.request({
    method: 'DELETE',
    path: pathOf(kind, object.metadata),
    // All options in the body: with one, the API server does not read the query.
    body: {
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      preconditions: { uid, resourceVersion },
      ...(options.dryRun && { dryRun: ['All'] }),
    },
    signal: options.signal,
    beforeSend: options.beforeSend,
  });
  if (options.dryRun) return;
  // A finalizer keeps the object: then the answer is the object, being deleted, not a Status.
  if (isRecord(answer) && answer['kind'] === kind.kind) store.put(parseObject(kind, answer));
  else store.drop(object.metadata, uid, resourceVersion);
}

async function listLive<S, T>(
  parts: ResourceParts<S, T>,
  { signal, ...selectors }: Selection,
): Promise<CustomObject<S, T>[]> {
  const found: CustomObject<S, T>[] = [];
  for (const namespace of parts.namespaces) {
    const path = resourcePath(parts.kind, namespace);
    let token: string | undefined;
    do {
      const query = { ...selectors, limit: PAGE_SIZE, continue: token };
      const page = readPage(await parts.transport.request({ method: 'GET', path, query, signal }));
      found.push(...page.items.map((item) => parseObject(parts.kind, item)));
      token = page.token;
    } while (token !== undefined);
  }
  for (const object of found) parts.store.put(object);
  return found;
}

function pathOf(kind: Kind<unknown, unknown>, ref: Ref): string {
  return resourcePath(kind, ref.namespace, ref.name);
}

function dryRunQuery({ dryRun }: CallOptions): { dryRun?: string } {
  return dryRun ? { dryRun: 'All' } : {};
}
