/** Answers that their callers have not read yet, which stay in memory: limited in bytes together, and in time. */
import type { ServerResponse } from 'node:http';

interface UnreadLimits {
  /** Of all unread answers together. Bytes that several answers share count once. */
  readonly maxBytes: number;
  /** A caller that takes nothing for this time is disconnected. */
  readonly stalledMs: number;
}

export interface UnreadAnswers {
  /**
   * Ends the response with the bytes, or with text that has one character, of Latin-1, for each byte. Beyond the limit,
   * the answers that wait for the longest time are given up.
   */
  end(response: ServerResponse, content: Buffer | string): void;
}

/** What is in memory for an answer. */
interface Unread {
  /** In bytes. */
  readonly length: number;
}

/** Node.js has copied a text, and no other answer shares it. */
function unreadOf(content: Buffer | string): Unread {
  return typeof content === 'string' ? { length: content.length } : content;
}

/** With TLS, Node.js does not see whether a caller has taken a part of what was written at once. */
const PIECE_BYTES = 256 * 1024;

export function createUnreadAnswers({ maxBytes, stalledMs }: UnreadLimits): UnreadAnswers {
  const unread = new Map<ServerResponse, Unread>();
  const sharedBy = new Map<Unread, number>();
  let total = 0;

  const forget = (response: ServerResponse): void => {
    const kept = unread.get(response);
    if (!kept) return;
    unread.delete(response);
    const left = (sharedBy.get(kept) ?? 1) - 1;
    if (left > 0) {
      sharedBy.set(kept, left);
      return;
    }
    sharedBy.delete(kept);
    total -= kept.length;
  };
  const remember = (response: ServerResponse, kept: Unread): void => {
    const others = sharedBy.get(kept) ?? 0;
    if (others === 0) total += kept.length;
    sharedBy.set(kept, others + 1);
    unread.set(response, kept);
  };

  return {
    end(response, content) {
      response.setHeader('Content-Length', content.length);
      // What the caller takes restarts the time.
      sendFrom(0, { response, content, onTaken: () => response.setTimeout(stalledMs) });
      // The system has taken all of it.
      if (response.destroyed || (response.writableEnded && response.socket?.writableLength === 0)) return;
      remember(response, unreadOf(content));
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
  readonly content: Buffer | string;
  readonly onTaken: () => void;
}

function sendFrom(from: number, { response, content, onTaken }: Sending): void {
  const until = from + PIECE_BYTES;
  const piece = typeof content === 'string' ? content.slice(from, until) : content.subarray(from, until);
  if (until >= content.length) {
    response.end(piece, 'latin1');
    return;
  }
  const goOn = (): void => {
    onTaken();
    sendFrom(until, { response, content, onTaken });
  };
  if (response.write(piece, 'latin1')) goOn();
  else response.once('drain', goOn);
}

/** Those of this process. */
export const unreadAnswers = createUnreadAnswers({ maxBytes: 64 * 1024 * 1024, stalledMs: 60_000 });
