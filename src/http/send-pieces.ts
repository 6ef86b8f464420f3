/** Sends a text of any length in pieces, no faster than the caller reads it. */
import { once } from 'node:events';
import type { Request, Response } from 'express';

/** Whoever takes nothing for so long is cut off. */
const STALLED_MS = 60_000;

interface PiecesParts {
  /** The content type. */
  readonly type: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Begins to read; the signal aborts when nobody wants any more. */
  readonly read: (signal: AbortSignal) => AsyncIterable<string>;
  readonly stalledMs?: number;
}

/** A class, so that the server can tell it from a value. */
export class Pieces {
  readonly type: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly read: (signal: AbortSignal) => AsyncIterable<string>;
  readonly stalledMs: number;

  constructor({ type, headers = {}, read, stalledMs = STALLED_MS }: PiecesParts) {
    this.type = type;
    this.headers = headers;
    this.read = read;
    this.stalledMs = stalledMs;
  }
}

/** Rejects when a piece cannot be read: before the first one there is still another answer. */
export async function sendPieces(request: Request, response: Response, pieces: Pieces): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  response.once('timeout', () => response.destroy());
  const read = pieces.read(gone.signal)[Symbol.asyncIterator]();
  try {
    let next = await read.next();
    response.setHeader('Content-Type', pieces.type);
    for (const [name, value] of Object.entries(pieces.headers)) response.setHeader(name, value);
    while (!next.done && request.method !== 'HEAD') {
      const hasRoom = response.write(next.value);
      if (!hasRoom) await drained(response, pieces.stalledMs, gone.signal);
      next = await read.next();
    }
    response.end();
  } catch (error) {
    if (!gone.signal.aborted) throw error;
  } finally {
    await read.return?.();
  }
}

/** The time begins anew whenever the caller takes something; how long the next piece takes to be read does not count. */
async function drained(response: Response, stalledMs: number, gone: AbortSignal): Promise<void> {
  response.setTimeout(stalledMs);
  await once(response, 'drain', { signal: gone });
  response.setTimeout(0);
}
