/** The audit archive: the interface for recording, publishing, search and retention. */
import type { Entry, EntryFilter, Found, NewEntry, Page } from '../../domain/history/entry.ts';
import type { ChainLine } from '../../domain/history/verify-chain.ts';
import type { ExportStore } from './chain/export-store.ts';
import type { HeadStore } from './chain/head-store.ts';
import type { RetentionEdge } from './chain/retention-link.ts';
import type { FoundVersions, LastVersion, VersionPlace, VersionScope, WantedVersions } from './versions/versions.ts';
import type { LogStore } from './witnesses/logged-writes.ts';

/** The position up to which the watch of one kind in one namespace is recorded. */
export interface Cursor {
  /** `resource/namespace`, or `resource/` for all namespaces. */
  readonly scope: string;
  /** The resourceVersion up to which everything is in the archive. */
  readonly version: string;
  /** Increases with each batch; a writer must name the revision that it read (compare-and-set). */
  readonly revision: number;
  /** Number of restored cluster backups: each one resets the resourceVersions, which then repeat. */
  readonly era: number;
  /** The time up to which all changes were seen live, in ms since 1970. */
  readonly movedAt: number;
}

/** An object in the archive, at its last recorded version. */
export interface KnownObject {
  readonly uid: string;
  /** namespace/name. */
  readonly key: string;
  readonly version: string;
  /** See `fingerprintOf`: a later version with the same fingerprint has no change to record. */
  readonly fingerprint: string;
}

/** A known object with its content. */
export interface ObjectState extends KnownObject {
  readonly scope: string;
  /** When that version was written according to its entry, in ms since 1970; 0: unknown. */
  readonly changedAt: number;
  /** The object as JSON; the next version is compared with it. */
  readonly object: string;
}

/** What decided about flags from some time on. All times are in ms since 1970. */
export interface NewVersion {
  readonly uid: string;
  /** The plural of the kind. */
  readonly resource: string;
  /** The object as JSON, as in its state; of a deleted object the last known version. */
  readonly object: string;
  readonly generation: number;
  readonly isDeleted: boolean;
  /** The version was not in force before this time. */
  readonly earliestAt: number;
  /** The version, or a later one, was in force from this time on. */
  readonly fromAt: number;
  /** Versions between the previous one and this one may be missing. */
  readonly several: boolean;
}

/** The content of one transaction. */
export interface Batch {
  readonly scope: string;
  /** The revision of the cursor that this batch follows; undefined: no cursor exists. */
  readonly after: number | undefined;
  readonly version: string;
  readonly era: number;
  readonly at: number;
  readonly states: readonly ObjectState[];
  /** Uids of deleted objects. */
  readonly gone: readonly string[];
  readonly entries: readonly NewEntry[];
  /** The versions of objects that decide, each object's in their order. */
  readonly versions?: readonly NewVersion[];
  /** With this batch the versions of the scope are complete since this time. Absent: they are as complete as before. */
  readonly completeSince?: number | undefined;
}

/** The outcome of one batch. */
export interface Linked {
  readonly links: number;
  readonly isMore: boolean;
}

/** The outcome of publishing an Event; `refused`: it cannot be built, or the API server rejects it permanently. */
export type PublicationOutcome = 'published' | 'refused';

export interface Backlog {
  /** Entries whose Events are not published yet. */
  readonly count: number;
  /** `createdAt` of the oldest of them, in ms since 1970. */
  readonly oldest: number | undefined;
}

export interface ArchiveSize {
  /** Size on disk with indexes; for PostgreSQL the size of the whole database. */
  readonly bytes: number;
  /** Free space; undefined: only the database server knows. */
  readonly availableBytes: number | undefined;
}

/** All methods reject with Refusal `unavailable` while the archive is unreachable, locked or full. */
export interface Archive {
  cursors(): Promise<readonly Cursor[]>;
  /** The states of the known objects among these, by uid. */
  states(uids: readonly string[]): Promise<ReadonlyMap<string, ObjectState>>;
  /** All known objects of a scope. */
  knownIn(scope: string): Promise<readonly KnownObject[]>;
  /**
   * Stores a batch and moves the cursor. Rejects with Refusal `conflict` and changes nothing if the cursor is not at
   * `after`: another replica is recording. An entry whose key exists already is not replaced.
   */
  commit(batch: Batch): Promise<void>;

  /**
   * The oldest entries with ids above `after` whose Events are not published yet. Those that name nobody only if they
   * are from before `unnamedBefore`; undefined: all of them.
   */
  unpublished(limit: number, after?: number, unnamedBefore?: number): Promise<readonly Entry[]>;
  settle(ids: readonly number[], how: PublicationOutcome): Promise<void>;
  backlog(): Promise<Backlog>;
  /** Stores entries whose Events are published already; returns how many were missing. */
  restore(entries: readonly NewEntry[]): Promise<number>;

  /**
   * Searches never block recording. Rejects with Refusal `busy` if the search takes too long or too many others run,
   * and with the reason of the signal, which aborts when the client disconnects.
   */
  search(filter: EntryFilter, page: Page, signal?: AbortSignal): Promise<Found>;
  /** Yields all matching entries that exist at the start, the oldest first, in pages; each page is one search. */
  stream(filter: EntryFilter, signal: AbortSignal): AsyncIterable<Entry>;
  size(): Promise<ArchiveSize>;
  /** What was in force at a time. */
  versionsAt(wanted: WantedVersions, signal?: AbortSignal): Promise<FoundVersions>;
  /** The scopes whose versions are complete up to the cursor. */
  versionScopes(): Promise<readonly VersionScope[]>;
  /** The versions that are in force in a scope according to the last batch, by uid. */
  lastVersionsIn(place: VersionPlace): Promise<ReadonlyMap<string, LastVersion>>;
  /**
   * Deletes at most `limit` versions that were superseded before this time. From then on, earlier times are before the
   * recording of versions.
   */
  pruneVersions(before: number, limit: number): Promise<number>;
  /** Deletes at most `limit` entries older than `before` (ms since 1970) that are published; returns how many. */
  prune(before: number, limit: number): Promise<number>;
  /**
   * Adds a link to the chain for rows that have none, the oldest first, a batch at a time. Rejects with Refusal
   * `conflict` and changes nothing if another replica has added links meanwhile.
   */
  link(): Promise<Linked>;
  /**
   * States in the chain what is about to be pruned, and drops links of which nothing is left. False: nothing is.
   */
  linkRetention(edge: RetentionEdge): Promise<boolean>;
  /** Yields the chain with its signed heads and the rows that it commits, in pages. */
  chain(signal: AbortSignal): AsyncIterable<ChainLine>;
  /** The signed heads of the chain. */
  readonly heads: HeadStore;
  /** The export of the chain. */
  readonly exports: ExportStore;

  /** What the audit log of the API server says. */
  readonly log: LogStore;

  close(): Promise<void>;
}
