/** Sends server-sent events for as long as the caller reads them. */
import type { Request, Response } from 'express';
import type { Stream, StreamConnection } from '../../../delivery/open-stream.ts';
import { ownTurn } from '../../../runtime/turns.ts';
import { contextOf } from '../request-context.ts';

export const EVENTS_TYPE = 'text/event-stream';

/** A class, so that the server can distinguish it from a value. */
export class EventStream {
  /** Throws if the stream is refused; nothing is sent before `start`. */
  readonly open: (connection: StreamConnection) => Stream;
  /** A caller that takes nothing for this time is disconnected. */
  readonly stalledMs: number;

  constructor(open: EventStream['open'], stalledMs: number) {
    this.open = open;
    this.stalledMs = stalledMs;
  }
}

/** The first event may have many megabytes, of which the system takes some at once: each stream has a turn for it. */
export async function sendEventStream(
  request: Request,
  response: Response,
  { open, stalledMs }: EventStream,
): Promise<void> {
  if (request.method === 'HEAD') {
    setHeaders(response).end();
    return;
  }
  await ownTurn();
  // A connection that closed while the answer was prepared closes no second time, and its stream would stay counted.
  if (response.destroyed) return;
  const stream = open(connectionOf(response, stalledMs));
  contextOf(request).beganAt = performance.now();
  response.on('drain', () => {
    response.setTimeout(0);
    stream.drained();
  });
  response.on('timeout', stream.stalled);
  response.once('close', stream.closed);
  stream.start();
}

/** nginx buffers an answer unless that header forbids it. */
function setHeaders(response: Response): Response {
  return response.setHeader('Content-Type', `${EVENTS_TYPE}; charset=utf-8`).setHeader('X-Accel-Buffering', 'no');
}

function connectionOf(response: Response, stalledMs: number): StreamConnection {
  return {
    write(pieces) {
      // Not before: if the first event throws, the answer is an error in JSON.
      if (!response.headersSent) setHeaders(response);
      const written = pieces.map((piece) => response.write(piece));
      const isSent = written.at(-1) === true;
      // Each read by the caller restarts the timeout.
      if (!isSent) response.setTimeout(stalledMs);
      return isSent;
    },
    end: () => void response.end(),
    destroy: () => void response.destroy(),
  };
}
