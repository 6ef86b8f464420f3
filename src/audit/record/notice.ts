/** The notices of the audit history for log, metrics and health. */

import type { Entry, NewEntry } from '../../domain/history/entry.ts';
import type { SignedHead } from '../../domain/history/signed-head.ts';
import type { Replayed } from '../../kube/replay/replay.ts';

/** Numbers of entries. */
export interface Attributed {
  /** Their authors were not known before. */
  readonly named: number;
  readonly confirmed: number;
}

export interface LogReplayed {
  readonly writes: number;
  /** Changes that the log does not have: several of one object are one entry. */
  readonly missing: number;
}

export type HistoryNotice =
  | { readonly type: 'recorded'; readonly entries: readonly NewEntry[] }
  /** The archive does not answer; changes are buffered. */
  | { readonly type: 'archive-failed'; readonly error: unknown }
  | { readonly type: 'archive-recovered' }
  /** A bug in a derivation: the entry of this object's change has no content. */
  | { readonly type: 'step-not-derived'; readonly resource: string; readonly key: string; readonly error: unknown }
  | { readonly type: 'watch-failed'; readonly scope: string; readonly error: unknown }
  /** A watch could not resume, and the missed versions were read from earlier revisions of etcd. */
  | ({ readonly type: 'replayed'; readonly scope: string } & Replayed)
  /** Changes since then (ms since 1970) cannot be recorded one by one: only their total per object is known. */
  | { readonly type: 'gap'; readonly scope: string; readonly since: number }
  /** The cluster was restored from a backup; the differences were recorded. */
  | { readonly type: 'cluster-restored'; readonly scope: string }
  /** Another replica has recorded the same changes; recording resumes from the archive. */
  | { readonly type: 'overtaken' }
  /** The API server does not accept Events; they are queued. */
  | { readonly type: 'events-failed'; readonly error: unknown }
  | { readonly type: 'events-recovered' }
  /** The Event cannot be built, or the API server rejects it permanently; its entry stays in the archive. */
  | { readonly type: 'event-refused'; readonly entry: Entry; readonly error: unknown }
  /** The archive was empty and was filled with this number of entries from Events. */
  | { readonly type: 'restored'; readonly entries: number }
  /** The operator may not read Events of this namespace, so its entries were not restored. */
  | { readonly type: 'restore-refused'; readonly namespace: string; readonly error: unknown }
  /** An operator without versions has written the archive: so many were made from its states, up to now. */
  | { readonly type: 'versions-made'; readonly scope: string; readonly versions: number }
  /** The audit log of the API server names or confirms the authors of this many entries, or contradicts them. */
  | ({ readonly type: 'attributed' } & Attributed)
  /** The entry names another author than the audit log of the API server. */
  | { readonly type: 'contradicted'; readonly entry: number; readonly says: string; readonly logged: string }
  /** What the log said about this many writes was dropped: they have no entry. */
  | { readonly type: 'unmatched'; readonly writes: number }
  | { readonly type: 'log-failed'; readonly error: unknown }
  | { readonly type: 'log-recovered' }
  /** A watch could not resume, and the missed changes were read from the audit log of the API server. */
  | ({ readonly type: 'log-replayed'; readonly scope: string } & LogReplayed)
  /** So many rows were linked in one go: those of an earlier version, or after an absence. */
  | { readonly type: 'linked'; readonly links: number }
  | { readonly type: 'linking-failed'; readonly error: unknown }
  | { readonly type: 'head-signed'; readonly head: SignedHead }
  /** The head of the chain cannot be signed, or its Event cannot be published; `isFirst`: of failures in a row. */
  | { readonly type: 'signing-failed'; readonly error: unknown; readonly isFirst: boolean }
  | { readonly type: 'signing-recovered' }
  /**
   * A segment was written; undefined: there was nothing left to write. `lost`: links and rows that retention has
   * deleted before they were exported.
   */
  | { readonly type: 'exported'; readonly segment: string | undefined; readonly lost: number }
  | { readonly type: 'export-failed'; readonly error: unknown; readonly isFirst: boolean }
  | { readonly type: 'export-recovered' }
  | { readonly type: 'pruned'; readonly entries: number; readonly versions: number }
  | { readonly type: 'pruning-failed'; readonly error: unknown };

export type Notify = (notice: HistoryNotice) => void;
