/** What the history lives through, for log and metrics. */
import type { Replayed } from '../kube/replay.ts';
import type { Entry, NewEntry } from './entry.ts';

export type HistoryNotice =
  | { readonly type: 'told'; readonly entries: readonly NewEntry[] }
  /** What was told waits, as the archive does not answer. */
  | { readonly type: 'archive-failed'; readonly error: unknown }
  | { readonly type: 'archive-recovered' }
  /** A mistake of ours: the entry of what happened to this object has no content. */
  | { readonly type: 'step-not-derived'; readonly resource: string; readonly key: string; readonly error: unknown }
  | { readonly type: 'watch-failed'; readonly scope: string; readonly error: unknown }
  /** A watch was refused, and what it had missed was read from the past: so many versions of objects. */
  | ({ readonly type: 'replayed'; readonly scope: string } & Replayed)
  /** Single changes since then (ms since 1970) cannot be recorded one by one any more: only their sum is known. */
  | { readonly type: 'gap'; readonly scope: string; readonly since: number }
  /** The cluster tells an older history than it did: what differs now is told, and all goes on from there. */
  | { readonly type: 'rewound'; readonly scope: string }
  /** Somebody else has told what was about to be told: all goes on from where the archive is. */
  | { readonly type: 'overtaken' }
  /** Events wait, as the API server does not take them. */
  | { readonly type: 'events-failed'; readonly error: unknown }
  | { readonly type: 'events-recovered' }
  /** This Event cannot be made, or the API server will never take it; its entry stays in the archive. */
  | { readonly type: 'event-refused'; readonly entry: Entry; readonly error: unknown }
  /** The archive knew nothing, and has so many entries from the Events of the cluster. */
  | { readonly type: 'restored'; readonly entries: number }
  /** Events of this namespace may not be read, so nothing came from there. */
  | { readonly type: 'restore-refused'; readonly namespace: string; readonly error: unknown }
  | { readonly type: 'pruned'; readonly entries: number }
  | { readonly type: 'pruning-failed'; readonly error: unknown };

export type Notify = (notice: HistoryNotice) => void;
