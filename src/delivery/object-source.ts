/** The events of a stream of changed objects: each change that its reader may see. */
import { bytesOf, concat } from '../model/bytes.ts';
import { serverSentEvent } from '../wire/client/server-sent-events.ts';
import type { ObjectChange, ObjectLog } from './object-log.ts';
import type { StreamSource } from './open-stream.ts';

export interface ObjectSourceParts {
  readonly log: ObjectLog;
  /** The id of the last event that the reader has; undefined if it connects for the first time. */
  readonly known: string | undefined;
  /** The changes that the reader may see. Rejects if that is not certain. */
  readonly readable: (changes: readonly ObjectChange[]) => Promise<readonly ObjectChange[]>;
  /** Whether the replica has lost the API server: then changes come later. */
  readonly isCutOff: () => boolean;
  /** Requests a call of `next` soon. */
  readonly wake: () => void;
  /** Requests a call of `next` after a while. */
  readonly retry: () => void;
}

interface Prepared {
  readonly head: number;
  readonly pieces: readonly Buffer[];
}

/**
 * What the reader may see is known only later: `next` starts the check, and a later call of `next` returns the result.
 */
export function objectSource({ log, known, readable, isCutOff, wake, retry }: ObjectSourceParts): StreamSource {
  let at = log.head();
  let prepared: Prepared | undefined;
  let isPreparing = false;
  let wasCutOff = false;

  const event = (name: string, number: number, data: object): readonly Buffer[] =>
    serverSentEvent({ id: log.idOf(number), name, data: [bytesOf(JSON.stringify(data))] });
  const resync = (): Prepared => ({ head: log.head(), pieces: event('resync', log.head(), {}) });
  const prepare = async (): Promise<Prepared> => {
    const head = log.head();
    const changes = log.since(at);
    if (!changes) return resync();
    const seen = await readable(changes);
    const pieces = seen.flatMap(({ number, kind, project, name, resourceVersion, isDeleted }) =>
      event('change', number, { kind, project, name, resourceVersion, deleted: isDeleted }),
    );
    return { head, pieces: pieces.length > 0 ? [concat(pieces)] : [] };
  };
  const begin = (): void => {
    if (isPreparing || at === log.head()) return;
    isPreparing = true;
    prepare()
      .then((ready) => {
        prepared = ready;
        isPreparing = false;
        wake();
      })
      .catch(() => {
        isPreparing = false;
        retry();
      });
  };
  return {
    first() {
      const number = known === undefined ? undefined : log.numberOf(known);
      if (known === undefined) return event('connected', at, {});
      if (number === undefined || !log.keeps(number)) return resync().pieces;
      at = number;
      wake();
      return event('connected', at, {});
    },
    next() {
      const ready = prepared;
      prepared = undefined;
      if (ready) at = ready.head;
      begin();
      return ready && ready.pieces.length > 0 ? ready.pieces : undefined;
    },
    notice() {
      if (isCutOff() === wasCutOff) return undefined;
      wasCutOff = !wasCutOff;
      return event('api-server', at, { connected: !wasCutOff });
    },
    isKept: () => log.keeps(at),
    last: [],
  };
}
