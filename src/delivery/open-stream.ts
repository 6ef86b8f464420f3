/** One open stream: its reader gets the changes that it lacks, no faster than it reads. */
import { memo } from '../catalog/memo.ts';
import type { Clock } from '../model/clock.ts';
import { BACK_TO_POLLING, KEEP_ALIVE, serverSentEvent } from '../wire/client/server-sent-events.ts';
import type { Events, Feed } from './feeds.ts';

/** The connection of a reader. */
export interface StreamConnection {
  /** False: not everything is sent; `drained` or `stalled` follows. */
  write(pieces: readonly Buffer[]): boolean;
  end(): void;
  /** Drops what is not sent. */
  destroy(): void;
}

export interface StreamRequest {
  readonly feed: Feed;
  /** The id of what the reader has; undefined: nothing. */
  readonly known: string | undefined;
  /** Whether the reader may still read; asked before each event. */
  readonly isAllowed: () => boolean;
  readonly connection: StreamConnection;
}

/** As its connection sees it. */
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
}

/** `client`: the reader has gone. `slow`: it did not read. `token`: it may not read any more. */
export type CloseReason = 'client' | 'slow' | 'token' | 'stopping';

export interface StreamParts {
  readonly clock: Clock;
  /** Proxies and clients close connections that are silent; the Node SDK after 60 seconds. */
  readonly keepAliveMs: number;
  readonly hydrated: () => void;
  readonly onClosed: (reason: CloseReason) => void;
}

export function openStream({ feed, known, isAllowed, connection }: StreamRequest, parts: StreamParts): OpenStream {
  const { clock, keepAliveMs, hydrated, onClosed } = parts;
  /** The number of the last change that the reader has. */
  let at = 0;
  let sentAt = clock.now();
  let isBlocked = false;
  let isOpen = true;

  const close = (reason: CloseReason): void => {
    if (!isOpen) return;
    isOpen = false;
    onClosed(reason);
    if (isBlocked) connection.destroy();
    else connection.end();
  };
  const send = (pieces: readonly Buffer[]): void => {
    sentAt = clock.now();
    isBlocked = !connection.write(pieces);
  };
  const sendEvents = (name: string, events: Events | undefined): void => {
    if (!events) hydrated();
    const sent = events ?? feed.hydration();
    at = sent.head;
    send(frameOf(sent, name));
  };
  /** A reader whose next changes are not kept any more is not waited for. */
  const canSend = (): boolean => {
    if (!isAllowed()) close('token');
    else if (isBlocked && !feed.keeps(at)) close('slow');
    return isOpen && !isBlocked;
  };
  const advance = (): void => {
    if (!canSend()) return;
    const events = feed.since(at);
    if (events?.isEmpty) at = events.head;
    else sendEvents('unleash-updated', events);
  };
  return {
    start() {
      const number = known === undefined ? undefined : feed.numberOf(known);
      sendEvents('unleash-connected', number === undefined ? undefined : feed.since(number));
    },
    advance,
    keepAlive() {
      if (canSend() && clock.now() - sentAt >= keepAliveMs) send([KEEP_ALIVE]);
    },
    drained() {
      isBlocked = false;
      advance();
    },
    stalled: () => close('slow'),
    closed: () => close('client'),
    stop() {
      if (isOpen && !isBlocked) send([BACK_TO_POLLING]);
      close('stopping');
    },
  };
}

/** One write is cheaper than three; a copy of many flags for each way to ask for them is not. */
const MAX_COPIED_BYTES = 64 * 1024;

/** The same bytes for all readers that get the same events. */
const frameOf = memo((events: Events, name: string): readonly Buffer[] => {
  const pieces = serverSentEvent({ id: events.id, name, data: events.pieces });
  const isSmall = pieces.reduce((sum, { length }) => sum + length, 0) <= MAX_COPIED_BYTES;
  return isSmall ? [Buffer.concat(pieces)] : pieces;
});
