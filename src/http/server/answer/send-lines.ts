/** Streams a list as JSON lines. */
import { StreamedBody } from './send-pieces.ts';

export const LINES_TYPE = 'application/x-ndjson';

/** `items` starts to read; the signal aborts when the caller disconnects. */
export function linesOf(
  items: (signal: AbortSignal) => AsyncIterable<unknown>,
  options: Partial<Pick<StreamedBody, 'ended' | 'stalledMs'>> = {},
): StreamedBody {
  async function* read(signal: AbortSignal) {
    for await (const item of items(signal)) yield `${JSON.stringify(item)}\n`;
  }
  return new StreamedBody({ type: LINES_TYPE, read, ...options });
}
