/** The observations of a run: the operations, the reads, the versions that the API server had. */
import type { Fields } from './fields.ts';
import { lifeEntryPoints } from './life.ts';

/** The ways to write a flag. */
export const entryPoints = ['patch', 'put', 'switch', 'merge', 'apply', 'replace', ...lifeEntryPoints] as const;
export type EntryPoint = (typeof entryPoints)[number];

export type Outcome =
  | { readonly type: 'acknowledged' }
  /** The server answers that nothing was written. */
  | { readonly type: 'refused'; readonly status: number; readonly reason: string }
  /** No answer, or an answer that leaves it open: the value may have been written, or may still be written. */
  | { readonly type: 'unknown'; readonly reason: string };

/** One attempt to write, with the times of its caller. All times are milliseconds of one monotonic clock. */
export interface Operation {
  readonly id: number;
  readonly writer: string;
  readonly entryPoint: EntryPoint;
  readonly flag: string;
  readonly writes: Fields;
  readonly dryRun: boolean;
  /** The replica that received it. If absent, it was sent to the API server. */
  readonly replica?: string;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly outcome: Outcome;
  /** Fields that the replaced version must have had, because of If-Match or of the operation. */
  readonly expected?: Fields;
  /** The resourceVersion to be replaced, if the caller named one. */
  readonly over?: string;
  /** The fields of the flag in the answer. */
  readonly answered?: Fields;
  /** The resourceVersion in the answer. */
  readonly version?: string;
}

/** An answer of a replica to a read. */
export interface Read {
  readonly replica: string;
  readonly flag: string;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly fields: Fields;
}

/** One version of a flag, as a separate watch reported it. The absence of the flag is a version too. */
export interface Version {
  readonly flag: string;
  /** The uid of the object; absent if there was none. */
  readonly uid?: string;
  readonly version: string;
  readonly fields: Fields;
  /** The time at which the watch reported it. The version existed before that. */
  readonly seenAt: number;
}

/** The state of a flag after the run, as one observer shows it. */
export interface FinalView {
  readonly who: string;
  readonly flag: string;
  readonly fields: Fields;
}

export interface History {
  readonly operations: readonly Operation[];
  readonly reads: readonly Read[];
  /** The versions in the order of the API server. The first one of each flag is from before the first operation. */
  readonly versions: readonly Version[];
  readonly finalViews: readonly FinalView[];
}
