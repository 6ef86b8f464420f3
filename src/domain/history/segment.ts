/** Segments of the exported history: their names, and what their first lines say. */
import { hash } from 'node:crypto';
import type { ChainPlace } from './chain.ts';

const FORMAT = 'vexil.dev/history-segment/v1';
const DIGITS = 15;

/** The first line of a segment. Its other lines are those of `GET /history/chain`: signed heads, then links. */
export interface SegmentHeader {
  readonly line: 'segment';
  readonly format: typeof FORMAT;
  /** The numbers of the first and the last link. */
  readonly from: number;
  readonly to: number;
  /** The link before the first one. */
  readonly link: string;
  /** The name of the segment that was written before; null: this is the first one. */
  readonly previous: string | null;
}

export interface NewHistorySegment {
  /** Where the segment begins: after this link. */
  readonly after: ChainPlace;
  readonly to: number;
  readonly previous: string | null;
  /** As JSON. */
  readonly lines: readonly string[];
}

export interface HistorySegment {
  readonly name: string;
  readonly text: string;
}

/** The name has the digest of the text, so no other text can take its place unseen. */
export function segmentOf({ after, to, previous, lines }: NewHistorySegment): HistorySegment {
  const from = after.n + 1;
  const header: SegmentHeader = { line: 'segment', format: FORMAT, from, to, link: after.link, previous };
  const text = [JSON.stringify(header), ...lines].map((line) => `${line}\n`).join('');
  return { name: `history-${padded(from)}-${padded(to)}-${hash('sha256', text)}.ndjson`, text };
}

export interface SegmentName {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly digest: string;
}

/** Undefined for a file that is no segment. */
export function segmentNameIn(name: string): SegmentName | undefined {
  const [, from, to, digest] = /^history-(\d{15})-(\d{15})-([0-9a-f]{64})\.ndjson$/.exec(name) ?? [];
  if (from === undefined || to === undefined || digest === undefined) return undefined;
  return { name, from: Number(from), to: Number(to), digest };
}

/** Whether the first line of a segment belongs to its name. */
export function isHeaderOf({ from, to }: SegmentName, header: Readonly<Record<string, unknown>>): boolean {
  const isKnown = header['line'] === 'segment' && header['format'] === FORMAT && typeof header['link'] === 'string';
  return isKnown && header['from'] === from && header['to'] === to;
}

function padded(n: number): string {
  return String(n).padStart(DIGITS, '0');
}
