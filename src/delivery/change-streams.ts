/** The streams of changed objects of this replica, each for what its caller may see. */
import { type Clock, pause } from '../model/clock.ts';
import { createListeners } from '../model/listeners.ts';
import type { ObjectLog } from './object-log.ts';
import { type ObjectSourceParts, objectSource } from './object-source.ts';
import type { Stream, StreamConnection } from './open-stream.ts';
import { createStreams, type ObserveStreams } from './streams.ts';

/** How many streams one caller may have on a replica: a browser needs one. */
export const MAX_STREAMS_OF_CALLER = 50;
/** A reader that takes nothing for this number of comment intervals is disconnected. */
const STALLED_INTERVALS = 1.5;
const RETRY_MS = 1_000;

export interface ChangeReader extends Pick<ObjectSourceParts, 'known' | 'readable'> {
  /** The key of the caller, the same for all its streams. */
  readonly caller: string;
  /** Whether the credentials of the caller are still valid. */
  readonly isStillCaller: () => Promise<boolean>;
}

interface ChangeStreamsParts {
  readonly clock: Clock;
  readonly log: ObjectLog;
  /** How many may be open. */
  readonly limit: number;
  readonly observe: ObserveStreams;
  readonly keepAliveMs: number;
  readonly isCutOff: () => boolean;
  readonly onFault: (error: unknown) => void;
  /** Aborts when this replica stops. */
  readonly ending: AbortSignal;
}

export interface ChangeStreams {
  readonly stalledMs: number;
  /** Throws if the caller or the replica has reached its limit of open streams. */
  open(reader: ChangeReader, connection: StreamConnection): Stream;
}

export function createChangeStreams(parts: ChangeStreamsParts): ChangeStreams {
  const { clock, log, keepAliveMs, isCutOff, onFault, ending } = parts;
  const { add: onTouched, call: wake } = createListeners(onFault);
  log.onTouched(wake);
  const streams = createStreams({
    ...parts,
    holders: { changes: { limit: MAX_STREAMS_OF_CALLER, what: 'a caller' } },
    onTouched,
  });
  const retry = () => void pause(clock, RETRY_MS, ending).then(wake, onFault);
  return {
    stalledMs: STALLED_INTERVALS * keepAliveMs,

    open({ caller, known, readable, isStillCaller }: ChangeReader, connection: StreamConnection): Stream {
      return streams.open('changes', {
        source: objectSource({ log, known, readable, isCutOff, wake, retry }),
        isAllowed: askedAgain(isStillCaller, onFault),
        connection,
        holder: caller,
      });
    },
  };
}

/** Returns the last known answer, and asks again in the background. */
function askedAgain(ask: () => Promise<boolean>, onFault: (error: unknown) => void): () => boolean {
  let found = true;
  let isAsking = false;
  return () => {
    if (!isAsking) {
      isAsking = true;
      ask()
        .then((answer) => {
          found = answer;
        }, onFault)
        .finally(() => {
          isAsking = false;
        });
    }
    return found;
  };
}
