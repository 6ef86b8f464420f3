/** All open streams of this replica. */
import { Refusal } from '../errors.ts';
import type { Clock } from '../model/clock.ts';
import { type CloseReason, type OpenStream, openStream, type Stream, type StreamRequest } from './open-stream.ts';
import { createRounds, type Round } from './rounds.ts';

export interface ObserveStreams {
  readonly opened: () => void;
  readonly closed: (reason: CloseReason) => void;
  /** All streams have been sent what had changed. */
  readonly advanced: (round: Round) => void;
}

export interface StreamsParts {
  readonly clock: Clock;
  /** The maximum number of open streams. */
  readonly limit: number;
  /** The limits of streams for one holder; absent: no limit. */
  readonly holders: Readonly<Partial<Record<StreamOf, HolderLimit>>>;
  readonly keepAliveMs: number;
  readonly onTouched: (listener: () => void) => void;
  readonly observe: ObserveStreams;
  readonly onFault: (error: unknown) => void;
  /** Aborts when this replica stops. */
  readonly ending: AbortSignal;
}

interface HolderLimit {
  readonly limit: number;
  readonly what: 'a caller' | 'an address' | 'a token';
}

/** `notices`: streams that any page can open, with a token that everyone may know. */
type StreamOf = 'changes' | 'notices';

interface Opening extends StreamRequest {
  /** The holder of the stream, for the limit of holders; undefined if that limit does not apply. */
  readonly holder?: string | undefined;
}

const RETRY_AFTER_SECONDS = 60;
/** The share is limited, so that pages cannot take the streams of servers. */
const SHARE_OF_NOTICES = 0.5;

export interface Streams {
  /** Whether this holder may open one more stream. */
  isBelowLimit(of: StreamOf, holder?: string): boolean;
  /** Throws if the limit of open streams is reached. */
  open(of: StreamOf, opening: Opening): Stream;
}

export function createStreams(parts: StreamsParts): Streams {
  const { limit, holders, observe, ending } = parts;
  const open = new Set<OpenStream>();
  const notices = new Set<OpenStream>();
  const counts = new Map<string, number>();
  const rounds = createRounds({
    ...parts,
    members: open,
    onFaulty: (stream) => stream.fail(),
    onRound: observe.advanced,
  });
  const limitOfNotices = Math.ceil(limit * SHARE_OF_NOTICES);
  parts.onTouched(() => rounds.request((stream) => stream.advance()));
  rounds.repeat((stream) => stream.keepAlive());
  ending.addEventListener('abort', () => {
    for (const stream of [...open]) alone(stream, () => stream.stop());
  });
  /** A stream that throws is closed, and keeps neither the others from their events nor the process from running. */
  const alone = (stream: OpenStream, act: () => void) => {
    try {
      act();
    } catch (error) {
      parts.onFault(error);
      stream.fail();
    }
  };
  const isBelowLimit = (of: StreamOf) => open.size < limit && (of === 'changes' || notices.size < limitOfNotices);
  const mayHold = (holder: string | undefined, limitOf: HolderLimit | undefined) =>
    holder === undefined || limitOf === undefined || (counts.get(holder) ?? 0) < limitOf.limit;
  const count = (holder: string | undefined, change: 1 | -1) => {
    if (holder === undefined) return;
    const next = (counts.get(holder) ?? 0) + change;
    if (next > 0) counts.set(holder, next);
    else counts.delete(holder);
  };
  const refuseTooMany = (of: StreamOf, holder: string | undefined) => {
    const limitOf = of === 'changes' ? limit : limitOfNotices;
    if (!isBelowLimit(of)) throw tooMany(`${limitOf} streams are open`, 'this replica');
    const ofHolder = holders[of];
    if (ofHolder && !mayHold(holder, ofHolder))
      throw tooMany(`You have ${ofHolder.limit} streams open on this replica`, ofHolder.what);
  };
  return {
    isBelowLimit: (of: StreamOf, holder?: string) => isBelowLimit(of) && mayHold(holder, holders[of]),

    open(of: StreamOf, { holder, ...request }: Opening): Stream {
      if (ending.aborted) throw new Refusal('unavailable', 'This replica is stopping. Try again.');
      refuseTooMany(of, holder);
      const stream = openStream(request, {
        ...parts,
        onClosed(reason) {
          open.delete(stream);
          notices.delete(stream);
          count(holder, -1);
          observe.closed(reason);
        },
      });
      open.add(stream);
      if (of === 'notices') notices.add(stream);
      count(holder, 1);
      observe.opened();
      return { ...stream, drained: () => alone(stream, stream.drained) };
    },
  };
}

function tooMany(found: string, limitOf: string): Refusal {
  const message = `${found}, which is the limit of ${limitOf}. Poll, or try again later.`;
  return new Refusal('too-many-streams', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}
