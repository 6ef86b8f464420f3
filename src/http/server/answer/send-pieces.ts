/** Streams a text with backpressure. */
import { once } from 'node:events';
import type { Request, Response } from 'express';

/** A caller that reads nothing for this time is disconnected. */
const STALLED_MS = 60_000;

interface StreamedBodyParts {
  /** The content type. */
  readonly type: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Starts to read; the signal aborts when the caller disconnects. */
  readonly read: (signal: AbortSignal) => AsyncIterable<string>;
  readonly stalledMs?: number;
  /**
   * Resolves when the reported work has ended, whether or not the caller is still connected; absent if there is none.
   */
  readonly ended?: Promise<unknown>;
}

/** A class, so that the server can distinguish it from a value. */
export class StreamedBody {
  readonly type: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly read: (signal: AbortSignal) => AsyncIterable<string>;
  readonly stalledMs: number;
  readonly ended: Promise<unknown>;

  constructor({ type, headers = {}, read, stalledMs = STALLED_MS, ended = Promise.resolve() }: StreamedBodyParts) {
    this.type = type;
    this.headers = headers;
    this.read = read;
    this.stalledMs = stalledMs;
    this.ended = ended;
  }
}

/**
 * Rejects if a piece cannot be read; before the first piece, an error can still be answered. Reads nothing if the
 * caller has disconnected before.
 */
export async function sendStreamedBody(
  request: Request,
  response: Response,
  streamedBody: StreamedBody,
): Promise<void> {
  // Such a response emits `close` no more, and never `drain`.
  if (response.destroyed) return;
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  response.once('timeout', () => response.destroy());
  const read = streamedBody.read(gone.signal)[Symbol.asyncIterator]();
  try {
    let next = await read.next();
    response.setHeader('Content-Type', streamedBody.type);
    for (const [name, value] of Object.entries(streamedBody.headers)) response.setHeader(name, value);
    while (!next.done && request.method !== 'HEAD') {
      const isBuffered = response.write(next.value);
      if (!isBuffered) await drained(response, streamedBody.stalledMs, gone.signal);
      next = await read.next();
    }
    response.end();
  } catch (error) {
    if (!gone.signal.aborted) throw error;
  } finally {
    await read.return?.();
  }
}

/** Each read by the caller restarts the timeout. The time to produce a piece does not count. */
async function drained(response: Response, stalledMs: number, gone: AbortSignal): Promise<void> {
  response.setTimeout(stalledMs);
  await once(response, 'drain', { signal: gone });
  response.setTimeout(0);
}

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
