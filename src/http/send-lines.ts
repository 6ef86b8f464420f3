/** A list of any length as JSON, an item a line. */
import { Pieces } from './send-pieces.ts';

export const LINES_TYPE = 'application/x-ndjson';

/** `items` begins to read; the signal aborts when nobody wants any more. */
export function linesOf(items: (signal: AbortSignal) => AsyncIterable<unknown>, stalledMs?: number): Pieces {
  async function* read(signal: AbortSignal) {
    for await (const item of items(signal)) yield `${JSON.stringify(item)}\n`;
  }
  return new Pieces({ type: LINES_TYPE, read, ...(stalledMs !== undefined && { stalledMs }) });
}
