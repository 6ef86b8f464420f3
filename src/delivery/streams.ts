/** All open streams of this replica. */
import { Refusal } from '../errors.ts';
import type { Clock } from '../model/clock.ts';
import { type CloseReason, type OpenStream, openStream, type Stream, type StreamRequest } from './open-stream.ts';
import { createRounds } from './rounds.ts';

export interface ObserveStreams {
  readonly opened: () => void;
  readonly closed: (reason: CloseReason) => void;
  readonly hydrated: () => void;
}

export interface StreamsParts {
  readonly clock: Clock;
  /** How many may be open. */
  readonly limit: number;
  readonly keepAliveMs: number;
  readonly onTouched: (listener: () => void) => void;
  readonly observe: ObserveStreams;
  readonly onFault: (error: unknown) => void;
  /** Aborts when this replica stops. */
  readonly ending: AbortSignal;
}

export type Streams = ReturnType<typeof createStreams>;

const RETRY_AFTER_SECONDS = 60;

export function createStreams(parts: StreamsParts) {
  const { limit, observe, ending } = parts;
  const open = new Set<OpenStream>();
  const rounds = createRounds({ ...parts, members: open });
  parts.onTouched(() => rounds.request((stream) => stream.advance()));
  rounds.repeat((stream) => stream.keepAlive());
  ending.addEventListener('abort', () => {
    for (const stream of [...open]) stream.stop();
  });
  return {
    isBelowLimit: () => open.size < limit,

    /** Throws when as many are open as may be. */
    open(request: StreamRequest): Stream {
      if (ending.aborted) throw new Refusal('unavailable', 'This replica is stopping. Try again.');
      if (open.size >= limit) throw tooMany(limit);
      const stream = openStream(request, {
        ...parts,
        hydrated: observe.hydrated,
        onClosed(reason) {
          open.delete(stream);
          observe.closed(reason);
        },
      });
      open.add(stream);
      observe.opened();
      return stream;
    },
  };
}

function tooMany(limit: number): Refusal {
  const message = `${limit} streams are open, which is the limit of this replica. Poll, or try again later.`;
  return new Refusal('too-many-streams', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}
