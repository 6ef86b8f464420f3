/** The client of one kind: reads from the cache, writes through the API server. */
import { isDeepStrictEqual } from 'node:util';
import type { Operation } from 'fast-json-patch';
import { isClusterError } from '../../errors.ts';
import type { Clock } from '../../model/clock.ts';
import { isCut } from '../../model/depth.ts';
import type { FieldPath, FieldWithOwners, ProtectableOwner } from '../../model/field-owner.ts';
import { isRecord } from '../../model/json.ts';
import { API_VERSION, type Kind } from '../../model/kind.ts';
import type { CustomObject, Ref } from '../../model/object.ts';
import { SPEC_MANAGER, STATUS_MANAGER } from '../../schema/stamp.ts';
import { readPage } from '../api/page.ts';
import { resourcePath } from '../api/paths.ts';
import { AWAITED_TIMEOUT_MS, type Call, readCall, type Transport } from '../api/transport.ts';
import type { Reading, Store } from '../cache/store.ts';
import { lastAppliedSpec } from '../object/last-applied.ts';
import { parseObject } from '../object/parse-object.ts';
import { asRawObject } from '../object/raw-object.ts';
import { annotationOperations, type CallOptions, type ChangeOptions, changeSpec, type Edit } from './change.ts';
import { type Choose, type ClaimedFields, type ClaimOptions, claimFields, type LiveObject } from './claim-fields.ts';
import { type DeleteOptions, type DeleteParts, deleteObject } from './deletion.ts';
import { fieldsWithOwnersOf, ownersAt } from './field-owners.ts';
import type { IsProtected } from './match-protected-managers.ts';
import { type OwnedField, ownedFields } from './owned-fields.ts';
import { partOf, wantedPaths } from './part-of-spec.ts';
import { sourceChanges } from './source-change.ts';
import { refuseBeyondEtcd } from './stored-size.ts';

const PAGE_SIZE = 500;

export interface ObjectTemplate<S> {
  readonly name: string;
  readonly spec: S;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
}

export type StatusOptions = Omit<CallOptions, 'dryRun'>;

export interface Selection {
  readonly fieldSelector?: string;
  readonly signal?: AbortSignal;
}

/** `Index` names the indexes of the cache; without it, the cache cannot be read by an index. */
export interface Resource<S, T, Index extends string = never> extends Reading<S, T, Index> {
  readonly kind: Kind<S, T>;
  /** Reads the object from the API server. */
  live(ref: Ref, signal?: AbortSignal): Promise<CustomObject<S, T>>;
  /** Lists matching objects from the API server, in all watched namespaces, page by page. */
  listLive(selection: Selection): Promise<CustomObject<S, T>[]>;
  create(namespace: string, object: ObjectTemplate<S>, options?: CallOptions): Promise<CustomObject<S, T>>;
  /** Changes a spec; see `changeSpec`. */
  change(ref: Ref, edit: Edit<S, T>, options?: ChangeOptions<S, T>): Promise<CustomObject<S, T>>;
  /** The fields of protected managers in the whole spec. */
  ownedIn(object: CustomObject<S, T>): readonly OwnedField[];
  /** Every field of a spec with its owners. */
  fieldsWithOwnersOf(object: CustomObject<S, T>): readonly FieldWithOwners[];
  /** The owners of one field of the spec, sorted by name. */
  ownersAt(object: CustomObject<S, T>, path: FieldPath): readonly ProtectableOwner[];
  /** The part of the stored spec that consists of these fields, with the members that the items around them require. */
  partOf(object: CustomObject<S, T>, fields: readonly FieldWithOwners[]): unknown;
  /** Makes Vexil a co-owner of fields; see `claimFields`. */
  claimFields(ref: Ref, choose: Choose, options?: ClaimOptions<S, T>): Promise<ClaimedFields<S, T>>;
  /** Writes the whole status, computed from exactly this version; throws a conflict for another one. */
  applyStatus(object: CustomObject<S, T>, status: T, options?: StatusOptions): Promise<CustomObject<S, T>>;
  /** Writes some members of the status of exactly this version; throws a conflict for another one. */
  patchStatus(object: CustomObject<S, T>, members: Partial<T>, signal?: AbortSignal): Promise<CustomObject<S, T>>;
  /** Deletes this object, even if it was written meanwhile; see `deleteObject`. */
  delete(object: CustomObject<S, T>, options?: DeleteOptions<S, T>): Promise<void>;
}

export interface ResourceParts<S, T> {
  readonly transport: Transport;
  readonly kind: Kind<S, T>;
  readonly store: Store<S, T, never>;
  /** The watched namespaces; `undefined` stands for all. */
  readonly namespaces: readonly (string | undefined)[];
  /** Managers whose fields a change takes over only if forced. */
  readonly isProtected: IsProtected;
  readonly clock: Clock;
  readonly random: () => number;
}

/** Combines the cache of a kind with its calls. */
export function createResource<S, T, Index extends string>(
  parts: ResourceParts<S, T> & { readonly store: Store<S, T, Index> },
): Resource<S, T, Index> {
  const { kind, store, isProtected } = parts;
  const ownedBy = (object: CustomObject<S, T>, after: unknown) => ownedFields({ kind, object, after }, isProtected);
  const sourcesOf = (object: CustomObject<S, T>, after: unknown, fields: readonly OwnedField[]) =>
    sourceChanges({ kind, object, after }, fields);
  const live = (ref: Ref, signal?: AbortSignal): Promise<CustomObject<S, T>> => {
    return exchange(parts, readCall(pathOf(kind, ref), signal));
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
      return changeSpec({ ...parts, cached: store.get, live, patch, ownedBy, sourcesOf }, { ref, edit, options });
    },
    ownedIn: (object) => ownedBy(object, undefined),
    fieldsWithOwnersOf: (object) => fieldsWithOwnersOf(object, isProtected),
    partOf: ({ rawSpec }, fields) =>
      partOf(
        rawSpec,
        wantedPaths(
          kind.items ?? [],
          fields.map(({ path }) => path),
        ),
      ),
    ownersAt: (object, path) => ownersAt(object, path, isProtected),
    claimFields: (ref, choose, options = {}) => {
      const apply = (object: CustomObject<S, T>, spec: unknown) => {
        return exchange(parts, claimCall(kind, object, { spec, ...options }));
      };
      const read = (one: Ref, signal?: AbortSignal) => liveObject(parts, one, signal);
      return claimFields({ kind, isProtected, live: read, apply }, { ref, choose, options });
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

/** Stores every result in the cache (dry runs excepted), which ignores it if the watch has passed it. */
async function exchange<S, T>(
  { transport, kind, store }: ResourceParts<S, T>,
  call: Call,
): Promise<CustomObject<S, T>> {
  const answer = await transport.request(call);
  if (call.query?.['dryRun'] !== undefined) {
    const tried = parseObject(kind, unstored(answer));
    refuseBeyondEtcd(answer, store.get(tried.metadata)?.rawSpec);
    return tried;
  }
  const object = parseObject(kind, answer, store.get(asRawObject(answer).metadata));
  store.put(object);
  return object;
}

/** Reads an object with its last-applied annotation, which the cache drops. */
async function liveObject<S, T>(
  { transport, kind, store }: ResourceParts<S, T>,
  ref: Ref,
  signal: AbortSignal | undefined,
): Promise<LiveObject<S, T>> {
  const answer = await transport.request(readCall(pathOf(kind, ref), signal));
  const object = parseObject(kind, answer);
  store.put(object);
  return { object, lastApplied: lastAppliedSpec(answer) };
}

/** Adds the missing resourceVersion to the result of a dry-run create. */
function unstored(answer: unknown): unknown {
  if (!isRecord(answer) || !isRecord(answer['metadata'])) return answer;
  return { ...answer, metadata: { resourceVersion: '', ...answer['metadata'] } };
}

interface Creation<S> {
  readonly namespace: string;
  readonly object: ObjectTemplate<S>;
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
 * Writes the status by server-side apply, which has three limits: it fails with 500 if the stored object has a value of
 * another type than its schema; it keeps status fields that another manager has added; it takes many seconds for an
 * object nested thousands of levels deep. In these cases the whole status is replaced by a patch.
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
    if (object.defects.length === 0 || !isClusterError(error) || error.answer?.status !== 500) throw error;
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

/** Server-side apply of present values without force; uid and resourceVersion turn stale values into a conflict. */
function claimCall<S, T>(kind: Kind<S, T>, object: CustomObject<S, T>, { spec, ...how }: PartOfSpec): Call {
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

/**
 * Server-side apply removes fields that Vexil no longer writes; uid and resourceVersion turn a stale status into a
 * conflict.
 */
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

/** Deletes exactly this version; throws a conflict for another one. */
async function removeVersion<S, T>(
  { transport, kind, store }: ResourceParts<S, T>,
  object: CustomObject<S, T>,
  options: CallOptions,
): Promise<void> {
  const { uid, resourceVersion } = object.metadata;
  const answer = await transport.request({
    method: 'DELETE',
    path: pathOf(kind, object.metadata),
    // All options are in the body: the API server ignores the query if there is a body.
    body: {
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      preconditions: { uid, resourceVersion },
      ...(options.dryRun && { dryRun: ['All'] }),
    },
    timeoutMs: AWAITED_TIMEOUT_MS,
    signal: options.signal,
    beforeSend: options.beforeSend,
  });
  if (options.dryRun) return;
  // With a finalizer the answer is the object with a deletionTimestamp instead of a Status.
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
      const page = readPage(await parts.transport.request({ ...readCall(path, signal), query }));
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
