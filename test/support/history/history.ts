/** What a run showed from outside: the operations, the reads, the versions that the API server had. */
import type { Fields } from './fields.ts';
import { lifeEntryPoints } from './life.ts';

/** The ways to write a flag. */
export const entryPoints = ['patch', 'put', 'switch', 'merge', 'apply', 'replace', ...lifeEntryPoints] as const;
export type EntryPoint = (typeof entryPoints)[number];

export type Outcome =
  | { readonly type: 'acknowledged' }
  /** The server says that nothing was written. */
  | { readonly type: 'refused'; readonly status: number; readonly reason: string }
  /** No answer, or one that leaves it open: it may have been written, or be written still. */
  | { readonly type: 'unknown'; readonly reason: string };

/** One try to write, with the times of its caller; all times are milliseconds of one monotonic clock. */
export interface Operation {
  readonly id: number;
  readonly writer: string;
  readonly entryPoint: EntryPoint;
  readonly flag: string;
  readonly writes: Fields;
  readonly dryRun: boolean;
  /** The replica that took it; absent when it went to the API server itself. */
  readonly replica?: string;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly outcome: Outcome;
  /** What the flag must have looked like in the version that was replaced: because of If-Match, or of what is done. */
  readonly expected?: Fields;
  /** The resourceVersion that was to be replaced, where the caller named one. */
  readonly over?: string;
  /** What the answer showed of the flag. */
  readonly answered?: Fields;
  /** The resourceVersion in the answer. */
  readonly version?: string;
}

/** What a replica showed. */
export interface Read {
  readonly replica: string;
  readonly flag: string;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly fields: Fields;
}

/** One version of a flag, as a watch of its own reported it; that it does not exist is a version too. */
export interface Version {
  readonly flag: string;
  /** Of the object; absent where there was none. */
  readonly uid?: string;
  readonly version: string;
  readonly fields: Fields;
  /** When the watch reported it: it existed before. */
  readonly seenAt: number;
}

/** What someone shows when all is over. */
export interface FinalView {
  readonly who: string;
  readonly flag: string;
  readonly fields: Fields;
}

export interface History {
  readonly operations: readonly Operation[];
  readonly reads: readonly Read[];
  /** In the order of the API server; the first of each flag is from before the first operation. */
  readonly versions: readonly Version[];
  readonly finalViews: readonly FinalView[];
}
