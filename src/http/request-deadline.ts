/** Until when the writes of one request may begin. */
import type { IncomingMessage } from 'node:http';
import { AppError } from '../errors.ts';
import type { BeforeSend } from '../kube/transport.ts';
import type { Arrivals } from './arrivals.ts';

export interface RequestDeadline {
  /** Carries out one write, which awaits `beforeSend` immediately before each of its calls to the API server. */
  begin<R>(write: (beforeSend: BeforeSend) => Promise<R>): Promise<R>;
  /** An uploaded document is parsed and planned before its first write. */
  allowForUpload(): void;
}

/** Counted from when the request had arrived whole, and again from the last of its writes that was acknowledged. */
export const BEGIN_WITHIN_MS = 10_000;
/** Of an upload, for the first of its writes. */
export const BEGIN_UPLOAD_WITHIN_MS = 60_000;

export function startDeadline(request: IncomingMessage, { now, earliest }: Arrivals): RequestDeadline {
  let countsFrom = earliest();
  let withinMs = BEGIN_WITHIN_MS;
  request.once('end', () => {
    countsFrom = earliest();
  });
  const beforeSend: BeforeSend = async () => {
    await readSockets();
    if (hasGone(request)) throw new AppError('unavailable', 'The caller has hung up. Nothing more is written.');
    if (now() - countsFrom > withinMs) throw tooLate(withinMs);
  };
  return {
    async begin(write) {
      let sentAt = countsFrom;
      const answer = await write(async () => {
        await beforeSend();
        sentAt = now();
      });
      // Not from the acknowledgement: it may have waited while the process was paused.
      countsFrom = Math.max(countsFrom, sentAt);
      withinMs = BEGIN_WITHIN_MS;
      return answer;
    },
    allowForUpload() {
      withinMs = BEGIN_UPLOAD_WITHIN_MS;
    },
  };
}

/**
 * After a pause the end of a connection may still wait in the kernel. The first turn of the event loop may have begun
 * before this call; the second one reads every socket that has something to read.
 */
async function readSockets(): Promise<void> {
  for (let turns = 0; turns < 2; turns += 1) await new Promise<void>((resume) => setImmediate(resume));
}

function hasGone({ socket }: IncomingMessage): boolean {
  return socket.destroyed || !socket.readable;
}

function tooLate(withinMs: number): AppError {
  const message = `The request could not be carried out within ${withinMs / 1000} seconds. Nothing more is written. Send it again.`;
  return new AppError('unavailable', message, { retryAfterSeconds: 1 });
}
