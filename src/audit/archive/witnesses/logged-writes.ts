/** Writes that the audit log of the API server reports, and the interface of the archive for them. */
import type { Entry } from '../../../domain/history/entry.ts';
import type { Witness } from '../../../domain/history/witness.ts';

/** One write of one object. All times are ms since 1970. */
export interface LoggedWrite {
  /** The id of the audit event, and the uid of the object if the request was about several. */
  readonly id: string;
  /** The plural of the kind. */
  readonly resource: string;
  readonly namespace: string;
  readonly uid: string;
  /** The resourceVersion that the write made; null: it was a deletion. */
  readonly revision: number | null;
  readonly generation: number | null;
  /** When the request reached the API server: the write was not in force before. */
  readonly receivedAt: number;
  /** When the API server answered: the write was in force by then. */
  readonly completedAt: number;
  readonly username: string;
  readonly impersonatedBy: string | null;
  readonly ip: string | null;
  readonly userAgent: string | null;
  readonly fieldManager: string | null;
  /** The object after the write as JSON; null: the log does not have it, or it is too large. */
  readonly object: string | null;
}

/** A write without its object. */
export type WriteFacts = Omit<LoggedWrite, 'object'>;

/** How far a file of the log is read. */
export interface LogPosition {
  readonly file: string;
  /** In bytes. */
  readonly position: number;
}

/** A write with an entry that it caused. */
export interface WitnessedEntry {
  readonly write: WriteFacts;
  readonly entry: Pick<
    Entry,
    'id' | 'type' | 'createdAt' | 'createdBy' | 'createdByUserId' | 'channel' | 'fieldManager'
  > & {
    /** The present witness of the entry, and when that write was answered. */
    readonly witness: { readonly completedAt: number; readonly confirms: boolean } | undefined;
  };
}

/** A witness to store. */
export interface NewWitness extends Witness {
  readonly entry: WitnessedEntry['entry'];
  readonly logged: string;
  readonly receivedAt: number;
  readonly completedAt: number;
}

export interface WitnessBatch {
  /** One for each entry at most. */
  readonly witnesses: readonly NewWitness[];
  /** The ids of writes that are done with. */
  readonly settled: readonly string[];
}

/** A part of the log: the writes of a kind in a namespace after one version. */
export interface LoggedRange {
  readonly resource: string;
  /** Undefined: all namespaces. */
  readonly namespace: string | undefined;
  /** Exclusive. */
  readonly from: number;
  readonly until: number;
}

/** Methods reject as those of the archive do. */
export interface LogStore {
  /**
   * Stores writes that are not known yet, and how far the file is read, in one transaction. Returns how many writes
   * were new. Rejects with Refusal `busy` while too many wait for their entries.
   */
  add(writes: readonly LoggedWrite[], at: number, position?: LogPosition): Promise<number>;
  positions(): Promise<ReadonlyMap<string, number>>;
  /** Writes whose entries are in the archive. */
  witnessed(limit: number): Promise<readonly WitnessedEntry[]>;
  /**
   * Stores witnesses. Of two for one entry, the write that was answered first counts, because the other one found the
   * object as it was; or the one that confirms the entry, if it arrived before the other one was answered.
   */
  settle(batch: WitnessBatch): Promise<void>;
  /** Forgets writes that arrived before this time and have no entry; returns how many. */
  forget(before: number): Promise<number>;
  /** The writes of a range, and all deletions of its kind, in the order in which they were received. */
  range(range: LoggedRange): Promise<readonly WriteFacts[]>;
  /** The objects after these writes, by id. */
  objects(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** The number of entries in a time that a write made and that no write in the log has confirmed. */
  unconfirmed(from: number, until: number): Promise<number>;
}
