/** The cache partition of one watch: its objects, overlaid with the operator's own newer writes. */
import { type CustomObject, keyOf } from '../../model/object.ts';
import { isAbove, isAtMost } from '../../model/version.ts';
import { asRawObject, type RawMetadata } from '../object/raw-object.ts';
import type { WatchSink } from './watch.ts';

/** One object before and after a change; `before` is absent for a creation, `after` for a deletion. */
export interface Change<S, T> {
  readonly before?: CustomObject<S, T>;
  readonly after?: CustomObject<S, T>;
}

/**
 * An own write that the watch has not delivered yet.
 *
 * Later frames about the uid of a deleted object are stale. A written object is newer than every frame below its
 * version.
 */
interface Pending {
  readonly uid: string;
  readonly version: string;
  readonly isDeleted: boolean;
}

interface Listing<S, T> {
  readonly objects: Map<string, CustomObject<S, T>>;
  /** Versions of deletions inside a streamed list, so that a late frame does not undo them. */
  readonly deletions: Map<string, string>;
  /** After a restore a version may repeat with other content, so cached objects are not reused. */
  readonly isRewritten: boolean;
}

interface PartitionState<S, T> {
  /** The visible objects, by namespace/name. */
  objects: Map<string, CustomObject<S, T>>;
  readonly pending: Map<string, Pending>;
  listing: Listing<S, T>;
  /** The watch has delivered everything up to this version; absent before the first list. */
  passed: string | undefined;
  /** `known`: an earlier version, whose spec may be the same. */
  readonly parse: (raw: unknown, known: CustomObject<S, T> | undefined) => CustomObject<S, T>;
  /** Called after `objects` is updated, with real differences only. */
  readonly publish: (changes: readonly Change<S, T>[]) => void;
}

export interface Partition<S, T> {
  readonly sink: WatchSink;
  isSynced(): boolean;
  objects(): ReadonlyMap<string, CustomObject<S, T>>;
  put(object: CustomObject<S, T>): void;
  drop(key: string, uid: string, version: string): void;
}

export type PartitionParts<S, T> = Pick<PartitionState<S, T>, 'parse' | 'publish'>;

/** Creates an empty partition. */
export function createPartition<S, T>(parts: PartitionParts<S, T>): Partition<S, T> {
  const state: PartitionState<S, T> = {
    ...parts,
    objects: new Map(),
    pending: new Map(),
    listing: emptyListing(),
    passed: undefined,
  };
  return {
    sink: {
      begin(isRewritten) {
        // The list after a restore may break and begin again. Only a complete list ends that.
        state.listing = emptyListing(isRewritten || state.listing.isRewritten);
      },
      listed: (raw) => takeListed(state, raw),
      unlisted: (raw) => takeUnlisted(state, raw),
      swap: (version) => swap(state, version),
      applied: (raw) => takeApplied(state, raw),
      deleted: (raw) => takeDeleted(state, raw),
      progressed: (version) => progress(state, version),
    },
    isSynced: () => state.passed !== undefined,
    objects: () => state.objects,
    put: (object) => put(state, object),
    drop: (key, uid, version) => drop(state, key, { uid, version, isDeleted: true }),
  };
}

function emptyListing<S, T>(isRewritten = false): Listing<S, T> {
  return { objects: new Map(), deletions: new Map(), isRewritten };
}

function takeListed<S, T>(state: PartitionState<S, T>, raw: unknown): void {
  const { listing, objects, parse, passed } = state;
  const { metadata } = asRawObject(raw);
  const key = keyOf(metadata);
  const known = listing.objects.get(key)?.metadata.resourceVersion ?? listing.deletions.get(key);
  if (isAtMost(metadata.resourceVersion, known)) return;
  const cached = listing.isRewritten ? undefined : objects.get(key);
  const object = cached && isSame(cached.metadata, metadata) ? cached : parse(raw, cached);
  listing.objects.set(key, object);
  if (passed === undefined) placeEarly(state, key, object);
}

/**
 * Publishes an object of the first list when it arrives: no one relies on the cache yet, and publishing all objects at
 * the end would keep other requests waiting.
 */
function placeEarly<S, T>(state: PartitionState<S, T>, key: string, object: CustomObject<S, T>): void {
  const write = state.pending.get(key);
  const isOlder = write !== undefined && !isNewerThan(write, object.metadata);
  if (!isOlder && state.objects.get(key) !== object) place(state, key, object);
}

function takeUnlisted<S, T>({ listing }: PartitionState<S, T>, raw: unknown): void {
  const { metadata } = asRawObject(raw);
  const key = keyOf(metadata);
  if (isAtMost(metadata.resourceVersion, listing.objects.get(key)?.metadata.resourceVersion)) return;
  listing.objects.delete(key);
  listing.deletions.set(key, metadata.resourceVersion);
}

/** Replaces the objects by the list; only own writes newer than the list are kept. */
function swap<S, T>(state: PartitionState<S, T>, version: string): void {
  const before = state.objects;
  const after = state.listing.objects;
  // A list older than the watch means that the cluster was restored, so own writes since then are lost.
  const isOlder = state.passed !== undefined && isAbove(state.passed, version);
  if (isOlder || state.listing.isRewritten) state.pending.clear();
  overlayPending(state, version);
  state.objects = after;
  state.listing = emptyListing();
  state.passed = version;
  state.publish(differences(before, after));
}

function overlayPending<S, T>({ pending, objects, listing }: PartitionState<S, T>, version: string): void {
  for (const [key, write] of pending) {
    const written = objects.get(key);
    const isKept = write.isDeleted
      ? keepDeleted(listing.objects, key, { write, version })
      : isAbove(write.version, version);
    if (!isKept) pending.delete(key);
    else if (written) listing.objects.set(key, written);
  }
}

/** A list that contains the deleted object, or is older than it, was read before the deletion. */
function keepDeleted<S, T>(after: Map<string, CustomObject<S, T>>, key: string, { write, version }: Kept): boolean {
  const isKept = after.get(key)?.metadata.uid === write.uid || isAbove(write.version, version);
  if (isKept) after.delete(key);
  return isKept;
}

interface Kept {
  readonly write: Pending;
  readonly version: string;
}

function differences<S, T>(
  before: Map<string, CustomObject<S, T>>,
  after: Map<string, CustomObject<S, T>>,
): Change<S, T>[] {
  const changes: Change<S, T>[] = [];
  for (const [key, object] of before) if (!after.has(key)) changes.push({ before: object });
  for (const [key, object] of after) {
    const known = before.get(key);
    if (known !== object) changes.push(known === undefined ? { after: object } : { before: known, after: object });
  }
  return changes;
}

function takeApplied<S, T>(state: PartitionState<S, T>, raw: unknown): void {
  const { metadata } = asRawObject(raw);
  if (isAtMost(metadata.resourceVersion, state.passed)) return;
  const key = keyOf(metadata);
  const write = state.pending.get(key);
  const isNewer = write === undefined || isNewerThan(write, metadata);
  const cached = state.objects.get(key);
  // Parsed before any update: an object that cannot be parsed leaves the state unchanged.
  const object = isNewer && !(cached && isSame(cached.metadata, metadata)) ? state.parse(raw, cached) : undefined;
  state.passed = metadata.resourceVersion;
  if (isNewer) state.pending.delete(key);
  if (object) place(state, key, object);
}

function isNewerThan(write: Pending, received: KnownVersion): boolean {
  if (write.isDeleted && write.uid === received.uid) return false;
  return received.resourceVersion === write.version || !isAtMost(received.resourceVersion, write.version);
}

function takeDeleted<S, T>(state: PartitionState<S, T>, raw: unknown): void {
  const { metadata } = asRawObject(raw);
  if (isAtMost(metadata.resourceVersion, state.passed)) return;
  state.passed = metadata.resourceVersion;
  const key = keyOf(metadata);
  const write = state.pending.get(key);
  // The deletion of an earlier object of this name; the own write is newer.
  if (write && write.uid !== metadata.uid && isAtMost(metadata.resourceVersion, write.version)) return;
  state.pending.delete(key);
  place(state, key, undefined);
}

function progress<S, T>(state: PartitionState<S, T>, version: string): void {
  if (isAtMost(version, state.passed)) return;
  state.passed = version;
  for (const [key, write] of state.pending) {
    if (!write.isDeleted && isAtMost(write.version, version)) state.pending.delete(key);
  }
}

/** Ignores versions that the watch has passed: the object may have been changed or deleted since. */
function put<S, T>(state: PartitionState<S, T>, object: CustomObject<S, T>): void {
  const { uid, resourceVersion } = object.metadata;
  const key = keyOf(object.metadata);
  const write = state.pending.get(key);
  if (isAtMost(resourceVersion, state.passed) || (write && !isNewerThan(write, object.metadata))) return;
  const cached = state.objects.get(key);
  if (cached && isSame(cached.metadata, object.metadata)) return;
  state.pending.set(key, { uid, version: resourceVersion, isDeleted: false });
  place(state, key, object);
}

/** `write.version` is the last version of the object; the version of its deletion is higher and unknown. */
function drop<S, T>(state: PartitionState<S, T>, key: string, write: Pending): void {
  const cached = state.objects.get(key);
  const present = cached?.metadata ?? state.pending.get(key);
  const isOther = present !== undefined && present.uid !== write.uid;
  if (isOther) return;
  // Not cached, and the watch has passed it: the deletion was delivered already.
  if (cached === undefined && isAtMost(write.version, state.passed)) return;
  state.pending.set(key, write);
  place(state, key, undefined);
}

function place<S, T>(state: PartitionState<S, T>, key: string, after: CustomObject<S, T> | undefined): void {
  const before = state.objects.get(key);
  if (after) state.objects.set(key, after);
  else state.objects.delete(key);
  if (before || after) state.publish([{ ...(before && { before }), ...(after && { after }) }]);
}

type KnownVersion = Pick<RawMetadata, 'uid' | 'resourceVersion'>;

function isSame(left: KnownVersion, right: KnownVersion): boolean {
  return left.uid === right.uid && left.resourceVersion === right.resourceVersion;
}
