/** The interface of the export of the chain as segments. */
import type { ChainPlace } from '../../../domain/history/chain.ts';

/** How far the chain is exported to one target. */
export interface ExportCursor {
  /** The last link that is exported. */
  readonly n: number;
  readonly link: string;
  /** The last link of the segment that is being written: after a failure, the same segment is written. */
  readonly planned: number;
  /** Heads up to this link are exported. */
  readonly heads: number;
  /** The name of the last segment; null: there is none. */
  readonly segment: string | null;
  /** When it was written, in ms since 1970; 0: never. */
  readonly movedAt: number;
}

export interface ExportState {
  readonly cursor: ExportCursor;
  /** Where the chain ends. */
  readonly last: number;
}

/** What a segment is made from. */
export interface ExportedLines {
  /** The link before the first one. It is later than the cursor if retention has dropped links. */
  readonly after: ChainPlace;
  readonly last: ChainPlace;
  /** As JSON: signed heads, then links. */
  readonly lines: readonly string[];
  /** Links that retention has dropped, and rows that it has deleted, before they were exported. */
  readonly lost: number;
  /** The last head among the lines, or that of the cursor. */
  readonly heads: number;
}

export interface ExportLimits {
  readonly links: number;
  readonly characters: number;
}

/** The methods reject as those of the archive do. */
export interface ExportStore {
  state(target: string): Promise<ExportState>;
  /** The lines after the cursor up to its planned end, or up to the limits if nothing is planned. */
  lines(cursor: ExportCursor, limits: ExportLimits, signal: AbortSignal): Promise<ExportedLines>;
  /** Rejects with Refusal `conflict` if another replica has moved the cursor. */
  move(target: string, from: ExportCursor, to: ExportCursor): Promise<void>;
}
