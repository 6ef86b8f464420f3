/** Where the history is kept: what recording, searching and keeping house need of it. */
import type { Entry, EntryFilter, Found, NewEntry, Page } from './entry.ts';

/** Up to where the watch of one kind in one namespace has been told. */
export interface Cursor {
  /** `resource/namespace`, or `resource/` for all namespaces. */
  readonly scope: string;
  /** The resourceVersion up to which everything is in the archive. */
  readonly version: string;
  /** Grows with each batch: whoever writes names the one that it read. */
  readonly revision: number;
  /** So often versions have begun anew, as they do when a backup of the cluster is restored: then they come again. */
  readonly era: number;
  /** When everything up to that version had been seen as it happened, in ms since 1970. */
  readonly movedAt: number;
}

/** An object that the archive knows, at the last version that was told. */
export interface KnownObject {
  readonly uid: string;
  /** namespace/name. */
  readonly key: string;
  readonly version: string;
  /** A later version with the same mark has nothing to tell. */
  readonly mark: string;
}

/** The same with its content. */
export interface State extends KnownObject {
  readonly scope: string;
  /** When that version was made, in ms since 1970, as its entry says; 0: not known. */
  readonly changedAt: number;
  /** The object as JSON, by which its next step is judged. */
  readonly object: string;
}

/** What becomes true at once, or not at all. */
export interface Batch {
  readonly scope: string;
  /** The revision of the cursor that this follows; undefined: there is none yet. */
  readonly after: number | undefined;
  readonly version: string;
  readonly era: number;
  readonly at: number;
  readonly states: readonly State[];
  /** Uids of objects that are gone. */
  readonly gone: readonly string[];
  readonly entries: readonly NewEntry[];
}

/** How the Event of an entry ended; `refused`: it cannot be made, or the API server will never take it. */
export type Publication = 'published' | 'refused';

export interface Backlog {
  /** Entries whose Events are yet to be published. */
  readonly count: number;
  /** `createdAt` of the oldest of them, in ms since 1970. */
  readonly oldest: number | undefined;
}

export interface ArchiveSize {
  /** On disk, with its indexes; of PostgreSQL the whole database. */
  readonly bytes: number;
  /** By how much it can still grow; undefined: only its server knows. */
  readonly availableBytes: number | undefined;
}

/** Rejects with AppError `unavailable` while the archive cannot be reached, is locked or is full. */
export interface Archive {
  cursors(): Promise<readonly Cursor[]>;
  /** Those of these objects that are known, by uid. */
  states(uids: readonly string[]): Promise<ReadonlyMap<string, State>>;
  /** All objects that are known in a scope. */
  knownIn(scope: string): Promise<readonly KnownObject[]>;
  /**
   * Stores a batch and moves the cursor. Rejects with AppError `conflict` and changes nothing when the cursor is not at
   * `after`: then somebody else tells. An entry whose key is there already stays as it is.
   */
  commit(batch: Batch): Promise<void>;

  /** The oldest entries, with ids above `after`, whose Events are to be published. */
  unpublished(limit: number, after?: number): Promise<readonly Entry[]>;
  settle(ids: readonly number[], how: Publication): Promise<void>;
  backlog(): Promise<Backlog>;
  /** Takes entries that were told already; gives how many were not there yet. */
  restore(entries: readonly NewEntry[]): Promise<number>;

  /**
   * Searches never hold up recording. Rejects with AppError `busy` when it takes too long or too many others run, and
   * with the reason of the signal, which aborts when the caller has gone.
   */
  search(filter: EntryFilter, page: Page, signal?: AbortSignal): Promise<Found>;
  /** All that match, the oldest first, a bounded number at a time, each as a search; what comes meanwhile is not in it. */
  stream(filter: EntryFilter, signal: AbortSignal): AsyncIterable<Entry>;
  size(): Promise<ArchiveSize>;
  /** Deletes entries from before this time (ms since 1970) that are published, at most `limit`; gives how many. */
  prune(before: number, limit: number): Promise<number>;

  close(): Promise<void>;
}
