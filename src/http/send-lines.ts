/** Sends a list of any length, an item a line, no faster than the caller reads it. */
import { once } from 'node:events';
import type { Request, Response } from 'express';

export const LINES_TYPE = 'application/x-ndjson';

/** Whoever takes nothing for so long is cut off. */
const STALLED_MS = 60_000;

/** A class, so that the server can tell it from a value. */
export class Lines {
  /** Begins to read; the signal aborts when nobody wants any more. */
  readonly read: (signal: AbortSignal) => AsyncIterable<unknown>;
  readonly stalledMs: number;

  constructor(read: (signal: AbortSignal) => AsyncIterable<unknown>, stalledMs = STALLED_MS) {
    this.read = read;
    this.stalledMs = stalledMs;
  }
}

/** Rejects when an item cannot be read: before the first one there is still another answer. */
export async function sendLines(request: Request, response: Response, lines: Lines): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  response.once('timeout', () => response.destroy());
  const items = lines.read(gone.signal)[Symbol.asyncIterator]();
  try {
    let next = await items.next();
    response.setHeader('Content-Type', LINES_TYPE);
    while (!next.done && request.method !== 'HEAD') {
      const hasRoom = response.write(`${JSON.stringify(next.value)}\n`);
      if (!hasRoom) await drained(response, lines.stalledMs, gone.signal);
      next = await items.next();
    }
    response.end();
  } catch (error) {
    if (!gone.signal.aborted) throw error;
  } finally {
    await items.return?.();
  }
}

/** The time begins anew whenever the caller takes something; how long the next item takes to be read does not count. */
async function drained(response: Response, stalledMs: number, gone: AbortSignal): Promise<void> {
  response.setTimeout(stalledMs);
  await once(response, 'drain', { signal: gone });
  response.setTimeout(0);
}
