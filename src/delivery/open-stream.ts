/** One open stream, which sends its reader what it lacks, no faster than it reads. */
import type { Clock } from '../model/clock.ts';
import { KEEP_ALIVE } from '../wire/client/server-sent-events.ts';

/** The connection of a reader. */
export interface StreamConnection {
  /** False if not everything was sent; `drained` or `stalled` follows. */
  write(pieces: readonly Buffer[]): boolean;
  end(): void;
  /** Closes the connection and drops what was not sent. */
  destroy(): void;
}

/** What one reader gets. The source knows what the reader has: each call returns what follows the previous one. */
export interface StreamSource {
  readonly first: () => readonly Buffer[];
  /** Undefined if the reader lacks nothing. */
  readonly next: () => readonly Buffer[] | undefined;
  /** Called once a second, whether or not anything has changed. */
  readonly notice?: () => readonly Buffer[] | undefined;
  /** Whether what the reader lacks is still kept. */
  readonly isKept: () => boolean;
  /** Sent when the replica stops; empty if nothing is sent. */
  readonly last: readonly Buffer[];
}

export interface StreamRequest {
  readonly source: StreamSource;
  /** Whether the reader may still read; asked before each event. */
  readonly isAllowed: () => boolean;
  readonly connection: StreamConnection;
}

/** A stream as its connection uses it. */
export interface Stream {
  /** Sends the first event. */
  start(): void;
  drained(): void;
  /** The reader has taken nothing for too long. */
  stalled(): void;
  closed(): void;
}

export interface OpenStream extends Stream {
  /** Sends what has changed. */
  advance(): void;
  /** Sends a comment if nothing was sent for long. */
  keepAlive(): void;
  stop(): void;
  /** Drops the connection after an error. The reader connects again and gets everything. */
  fail(): void;
}

/**
 * `client`: the reader has disconnected. `slow`: it did not read. `token`: it may not read any more. `error`: an event
 * could not be sent.
 */
export type CloseReason = 'client' | 'slow' | 'token' | 'stopping' | 'error';

export interface StreamParts {
  readonly clock: Clock;
  /** Proxies and clients close connections that are silent; the Node SDK after 60 seconds. */
  readonly keepAliveMs: number;
  readonly onClosed: (reason: CloseReason) => void;
}

export function openStream({ source, isAllowed, connection }: StreamRequest, parts: StreamParts): OpenStream {
  const { clock, keepAliveMs, onClosed } = parts;
  let sentAt = clock.now();
  let isBlocked = false;
  let isOpen = true;

  const close = (reason: CloseReason): void => {
    if (!isOpen) return;
    isOpen = false;
    onClosed(reason);
    if (isBlocked || reason === 'error') connection.destroy();
    else connection.end();
  };
  const send = (pieces: readonly Buffer[]): void => {
    sentAt = clock.now();
    isBlocked = !connection.write(pieces);
  };
  /** A stream does not wait for a reader whose next changes are no longer kept. */
  const canSend = (): boolean => {
    if (!isAllowed()) close('token');
    else if (isBlocked && !source.isKept()) close('slow');
    return isOpen && !isBlocked;
  };
  const advance = (): void => {
    if (!canSend()) return;
    const pieces = source.next();
    if (pieces) send(pieces);
  };
  return {
    start: () => send(source.first()),
    advance,
    keepAlive() {
      if (!canSend()) return;
      const pieces = source.notice?.();
      if (pieces) send(pieces);
      else if (clock.now() - sentAt >= keepAliveMs) send([KEEP_ALIVE]);
    },
    drained() {
      isBlocked = false;
      advance();
    },
    stalled: () => close('slow'),
    closed: () => close('client'),
    stop() {
      if (isOpen && !isBlocked && source.last.length > 0) send(source.last);
      close('stopping');
    },
    fail: () => close('error'),
  };
}
