/** Splits a JSON document into its frame and batches of the rows of its lists, without parsing it. */
import { BLANK, COMMA, endOfText, QUOTE } from './count-values.ts';

/** Where something is in the document: the index of its first byte, and that after its last one. */
type Span = readonly [from: number, to: number];

/** Some rows of a list, which are bytes between brackets or commas. */
export interface RowBatch {
  /** The name of the list, as JSON. */
  readonly name: Span;
  /** The index of the first row in the list. */
  readonly start: number;
  readonly rows: Span;
}

export interface SplitJson {
  /** The parts of the document around the rows: together, the document with empty lists. */
  readonly frame: readonly Span[];
  readonly batches: readonly RowBatch[];
}

/** The list in which the scan is, with its rows that are in no batch yet. */
interface List {
  readonly name: Span;
  count: number;
  start: number;
  from: number;
}

interface Scan {
  readonly bytes: Uint8Array;
  readonly rowsAtATime: number;
  readonly frame: Span[];
  readonly batches: RowBatch[];
  depth: number;
  /** The last text that is directly in the document. */
  name: Span;
  list: List | undefined;
  /** Where the part of the frame begins that has not ended yet. */
  frameFrom: number;
}

const BRACE = 0x7b;
const BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;
const CLOSING_BRACE = 0x7d;
/** The depth after a bracket that closes another kind of bracket. */
const MISMATCH = -1;

/**
 * Undefined if the document is no object, or its brackets do not match. If the frame and all batches are valid JSON and
 * no batch but the first one of a list is empty, then so is the document. `rowsAtATime` is at least 2.
 */
export function splitJson(bytes: Uint8Array, rowsAtATime: number): SplitJson | undefined {
  if (bytes.find((byte) => byte > BLANK) !== BRACE) return undefined;
  const frame: Span[] = [];
  const batches: RowBatch[] = [];
  const scan: Scan = { bytes, rowsAtATime, frame, batches, depth: 0, name: [0, 0], list: undefined, frameFrom: 0 };
  for (let at = 0; at < bytes.length && scan.depth >= 0; at += 1) at = step(scan, at);
  if (scan.depth !== 0) return undefined;
  frame.push([scan.frameFrom, bytes.length]);
  return { frame, batches };
}

/** Returns the index of the last byte that it has taken. */
function step(scan: Scan, at: number): number {
  switch (scan.bytes[at]) {
    case QUOTE:
      return takeText(scan, at);
    case BRACE:
    case BRACKET:
      open(scan, at);
      break;
    case COMMA:
      endRow(scan, at);
      break;
    case CLOSING_BRACE:
    case CLOSING_BRACKET:
      close(scan, at);
  }
  return at;
}

function takeText(scan: Scan, at: number): number {
  const end = endOfText(scan.bytes, at);
  if (scan.depth === 1) scan.name = [at, end + 1];
  return end;
}

function open(scan: Scan, at: number): void {
  scan.depth += 1;
  if (scan.depth !== 2 || scan.bytes[at] !== BRACKET) return;
  scan.list = { name: scan.name, count: 0, start: 0, from: at + 1 };
  scan.frame.push([scan.frameFrom, at + 1]);
}

function endRow({ list, depth, rowsAtATime, batches }: Scan, at: number): void {
  if (!list || depth !== 2) return;
  list.count += 1;
  if (list.count < list.start + rowsAtATime) return;
  batches.push({ name: list.name, start: list.start, rows: [list.from, at] });
  [list.start, list.from] = [list.count, at + 1];
}

function close(scan: Scan, at: number): void {
  const { list, depth } = scan;
  scan.depth -= 1;
  if (!list || depth !== 2) return;
  scan.batches.push({ name: list.name, start: list.start, rows: [list.from, at] });
  scan.list = undefined;
  scan.frameFrom = at;
  if (scan.bytes[at] !== CLOSING_BRACKET) scan.depth = MISMATCH;
}
