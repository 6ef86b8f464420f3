/** What is known of the objects that one watch covers: its own view, with our newer writes over it. */
import { type CustomObject, keyOf } from '../schema/object.ts';
import { asRawObject, type RawMetadata } from './raw-object.ts';
import { isAbove, isAtMost } from './version.ts';
import type { WatchSink } from './watch.ts';

/** One object before and after; one of them is absent when it came or went. */
export interface Change<S, T> {
  readonly before?: CustomObject<S, T>;
  readonly after?: CustomObject<S, T>;
}

/**
 * An own write that the watch has not told yet.
 *
 * A deleted object is dead by its uid: nothing that is told of it later can be news. A written one is newer than
 * every frame below its version.
 */
interface Pending {
  readonly uid: string;
  readonly version: string;
  readonly isDeleted: boolean;
}

interface Listing<S, T> {
  readonly objects: Map<string, CustomObject<S, T>>;
  /** Versions of deletions told inside a streamed list, so that a late frame does not undo them. */
  readonly deletions: Map<string, string>;
  /** After a restored backup a version may come again with other content, so nothing is reused. */
  readonly isRewritten: boolean;
}

interface ScopeState<S, T> {
  /** By namespace/name: what readers see. */
  objects: Map<string, CustomObject<S, T>>;
  readonly pending: Map<string, Pending>;
  listing: Listing<S, T>;
  /** The watch has told everything up to here; absent before the first list. */
  passed: string | undefined;
  readonly parse: (raw: unknown) => CustomObject<S, T>;
  /** Called after `objects` is as it shall be, with real differences only. */
  readonly publish: (changes: readonly Change<S, T>[]) => void;
}

export interface Scope<S, T> {
  readonly sink: WatchSink;
  isSynced(): boolean;
  objects(): ReadonlyMap<string, CustomObject<S, T>>;
  put(object: CustomObject<S, T>): void;
  drop(key: string, uid: string, version: string): void;
}

export type ScopeParts<S, T> = Pick<ScopeState<S, T>, 'parse' | 'publish'>;

/** Makes a scope that knows nothing yet. */
export function createScope<S, T>(parts: ScopeParts<S, T>): Scope<S, T> {
  const state: ScopeState<S, T> = {
    ...parts,
    objects: new Map(),
    pending: new Map(),
    listing: emptyListing(),
    passed: undefined,
  };
  return {
    sink: {
      begin(isRewritten) {
        state.listing = emptyListing(isRewritten);
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

function takeListed<S, T>({ listing, objects, parse }: ScopeState<S, T>, raw: unknown): void {
  const { metadata } = asRawObject(raw);
  const key = keyOf(metadata);
  const known = listing.objects.get(key)?.metadata.resourceVersion ?? listing.deletions.get(key);
  if (isAtMost(metadata.resourceVersion, known)) return;
  const cached = listing.isRewritten ? undefined : objects.get(key);
  listing.objects.set(key, cached && isSame(cached.metadata, metadata) ? cached : parse(raw));
}

function takeUnlisted<S, T>({ listing }: ScopeState<S, T>, raw: unknown): void {
  const { metadata } = asRawObject(raw);
  const key = keyOf(metadata);
  if (isAtMost(metadata.resourceVersion, listing.objects.get(key)?.metadata.resourceVersion)) return;
  listing.objects.delete(key);
  listing.deletions.set(key, metadata.resourceVersion);
}

/** The list becomes the truth at once; only own writes that it cannot know yet stay over it. */
function swap<S, T>(state: ScopeState<S, T>, version: string): void {
  const before = state.objects;
  const after = state.listing.objects;
  // A list older than what was told: the cluster came back from a backup, so what we wrote since is not there.
  const isOlder = state.passed !== undefined && isAbove(state.passed, version);
  if (isOlder || state.listing.isRewritten) state.pending.clear();
  layPendingOver(state, version);
  state.objects = after;
  state.listing = emptyListing();
  state.passed = version;
  state.publish(differences(before, after));
}

function layPendingOver<S, T>({ pending, objects, listing }: ScopeState<S, T>, version: string): void {
  for (const [key, write] of pending) {
    const written = objects.get(key);
    const isKept = write.isDeleted
      ? keepDeleted(listing.objects, key, { write, version })
      : isAbove(write.version, version);
    if (!isKept) pending.delete(key);
    else if (written) listing.objects.set(key, written);
  }
}

/** A list that still shows what we deleted was made before that, and so was one older than what we deleted. */
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

function takeApplied<S, T>(state: ScopeState<S, T>, raw: unknown): void {
  const { metadata } = asRawObject(raw);
  if (isAtMost(metadata.resourceVersion, state.passed)) return;
  const key = keyOf(metadata);
  const write = state.pending.get(key);
  const isNews = write === undefined || isNewsOver(write, metadata);
  const cached = state.objects.get(key);
  // Parsed before anything moves: an object that cannot be parsed leaves all as it was.
  const object = isNews && !(cached && isSame(cached.metadata, metadata)) ? state.parse(raw) : undefined;
  state.passed = metadata.resourceVersion;
  if (isNews) state.pending.delete(key);
  if (object) place(state, key, object);
}

function isNewsOver(write: Pending, told: RawMetadata): boolean {
  if (write.isDeleted && write.uid === told.uid) return false;
  return told.resourceVersion === write.version || !isAtMost(told.resourceVersion, write.version);
}

function takeDeleted<S, T>(state: ScopeState<S, T>, raw: unknown): void {
  const { metadata } = asRawObject(raw);
  if (isAtMost(metadata.resourceVersion, state.passed)) return;
  state.passed = metadata.resourceVersion;
  const key = keyOf(metadata);
  const write = state.pending.get(key);
  // The end of an earlier object of this name, while ours is newer.
  if (write && write.uid !== metadata.uid && isAtMost(metadata.resourceVersion, write.version)) return;
  state.pending.delete(key);
  place(state, key, undefined);
}

function progress<S, T>(state: ScopeState<S, T>, version: string): void {
  if (isAtMost(version, state.passed)) return;
  state.passed = version;
  for (const [key, write] of state.pending) {
    if (!write.isDeleted && isAtMost(write.version, version)) state.pending.delete(key);
  }
}

/** What the watch has passed already it knows better: the object may be changed again or deleted since. */
function put<S, T>(state: ScopeState<S, T>, object: CustomObject<S, T>): void {
  const { uid, resourceVersion } = object.metadata;
  const key = keyOf(object.metadata);
  const write = state.pending.get(key);
  if (isAtMost(resourceVersion, state.passed) || (write && !isNewsOver(write, object.metadata))) return;
  const cached = state.objects.get(key);
  if (cached && isSame(cached.metadata, object.metadata)) return;
  state.pending.set(key, { uid, version: resourceVersion, isDeleted: false });
  place(state, key, object);
}

/** `write.version` is the last one the object had; the version of its deletion is above, and never told to us. */
function drop<S, T>(state: ScopeState<S, T>, key: string, write: Pending): void {
  const cached = state.objects.get(key);
  const present = cached?.metadata ?? state.pending.get(key);
  const isOther = present !== undefined && present.uid !== write.uid;
  if (isOther) return;
  // Not in the cache, and the watch is past it: it has told the deletion already.
  if (cached === undefined && isAtMost(write.version, state.passed)) return;
  state.pending.set(key, write);
  place(state, key, undefined);
}

function place<S, T>(state: ScopeState<S, T>, key: string, after: CustomObject<S, T> | undefined): void {
  const before = state.objects.get(key);
  if (after) state.objects.set(key, after);
  else state.objects.delete(key);
  if (before || after) state.publish([{ ...(before && { before }), ...(after && { after }) }]);
}

type Version = Pick<RawMetadata, 'uid' | 'resourceVersion'>;

function isSame(left: Version, right: Version): boolean {
  return left.uid === right.uid && left.resourceVersion === right.resourceVersion;
}
