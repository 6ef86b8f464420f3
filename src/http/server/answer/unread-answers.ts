/** Answers that their callers have not read yet, which stay in memory: limited in bytes together, and in time. */
import type { ServerResponse } from 'node:http';

interface UnreadLimits {
  /** Of all unread answers together. Bytes that several answers share count once. */
  readonly maxBytes: number;
  /** A caller that takes nothing for this time is disconnected. */
  readonly stalledMs: number;
}

export interface UnreadAnswers {
  /** Ends the response with the bytes. Beyond the limit, the answers that wait for the longest time are given up. */
  end(response: ServerResponse, bytes: Buffer): void;
}

/** With TLS, Node.js does not see whether a caller has taken a part of what was written at once. */
const PIECE_BYTES = 256 * 1024;

export function createUnreadAnswers({ maxBytes, stalledMs }: UnreadLimits): UnreadAnswers {
  const unread = new Map<ServerResponse, Buffer>();
  const sharedBy = new Map<Buffer, number>();
  let total = 0;

  const forget = (response: ServerResponse): void => {
    const bytes = unread.get(response);
    if (!bytes) return;
    unread.delete(response);
    const left = (sharedBy.get(bytes) ?? 1) - 1;
    if (left > 0) {
      sharedBy.set(bytes, left);
      return;
    }
    sharedBy.delete(bytes);
    total -= bytes.length;
  };
  const remember = (response: ServerResponse, bytes: Buffer): void => {
    const others = sharedBy.get(bytes) ?? 0;
    if (others === 0) total += bytes.length;
    sharedBy.set(bytes, others + 1);
    unread.set(response, bytes);
  };

  return {
    end(response, bytes) {
      response.setHeader('Content-Length', bytes.length);
      // What the caller takes restarts the time.
      sendFrom(0, { response, bytes, onTaken: () => response.setTimeout(stalledMs) });
      // The system has taken all of it.
      if (response.destroyed || (response.writableEnded && response.socket?.writableLength === 0)) return;
      remember(response, bytes);
      response.once('close', () => forget(response));
      response.once('timeout', () => response.destroy());
      response.setTimeout(stalledMs);
      for (const oldest of unread.keys()) {
        if (total <= maxBytes || oldest === response) return;
        forget(oldest);
        oldest.destroy();
      }
    },
  };
}

interface Sending {
  readonly response: ServerResponse;
  readonly bytes: Buffer;
  readonly onTaken: () => void;
}

function sendFrom(from: number, { response, bytes, onTaken }: Sending): void {
  const until = from + PIECE_BYTES;
  if (until >= bytes.length) {
    response.end(bytes.subarray(from));
    return;
  }
  const goOn = (): void => {
    onTaken();
    sendFrom(until, { response, bytes, onTaken });
  };
  if (response.write(bytes.subarray(from, until))) goOn();
  else response.once('drain', goOn);
}

/** Those of this process. */
export const unreadAnswers = createUnreadAnswers({ maxBytes: 64 * 1024 * 1024, stalledMs: 60_000 });
