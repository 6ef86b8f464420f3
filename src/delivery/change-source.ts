/** The events that a stream sends to an SDK: all flags, then each change. */

import { concat } from '../model/bytes.ts';
import { memo } from '../model/memo.ts';
import { goodAtComment } from '../wire/client/for-edges.ts';
import { BACK_TO_POLLING, serverSentEvent } from '../wire/client/server-sent-events.ts';
import type { Events, Feed } from './feeds.ts';
import type { StreamSource } from './open-stream.ts';

interface ChangeSourceParts {
  readonly feed: Feed;
  /** The id of the reader's state; undefined if it has none. */
  readonly known: string | undefined;
  readonly hydrated: () => void;
  /** When the flags were last known to be good, in ms since 1970, for a reader that is told of it. */
  readonly goodAt?: (() => number | undefined) | undefined;
}

export function changeSource({ feed, known, hydrated, goodAt }: ChangeSourceParts): StreamSource {
  /** The number of the last change that the reader has. */
  let at = 0;
  let saidGoodAt: number | undefined;
  const framed = (name: string, events: Events | undefined): readonly Buffer[] => {
    if (!events) hydrated();
    const sent = events ?? feed.hydration();
    at = sent.head;
    return frameOf(sent, name);
  };
  return {
    first() {
      const number = known === undefined ? undefined : feed.numberOf(known);
      return framed('unleash-connected', number === undefined ? undefined : feed.since(number));
    },
    next() {
      const events = feed.since(at);
      if (!events?.isEmpty) return framed('unleash-updated', events);
      at = events.head;
      return undefined;
    },
    notice() {
      const time = goodAt?.();
      if (time === undefined || time === saidGoodAt) return undefined;
      saidGoodAt = time;
      return [goodAtComment(time)];
    },
    isKept: () => feed.keeps(at),
    last: [BACK_TO_POLLING],
  };
}

/**
 * The size up to which pieces are joined: one write is cheaper than three, but large answers are not copied for each
 * query.
 */
const MAX_COPIED_BYTES = 64 * 1024;

/** Returns the same bytes for all readers that get the same events. */
const frameOf = memo((events: Events, name: string): readonly Buffer[] => {
  const pieces = serverSentEvent({ id: events.id, name, data: events.pieces });
  const isSmall = pieces.reduce((sum, { length }) => sum + length, 0) <= MAX_COPIED_BYTES;
  return isSmall ? [concat(pieces)] : pieces;
});
