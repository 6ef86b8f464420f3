/** Writes in the status of flags on which day they were last seen, at most once a day and at a bounded rate. */

import { type Clock, DAY_MS, pause, timestampOf } from '../../model/clock.ts';
import { type CustomObject, keyOf, type Ref } from '../../model/object.ts';
import type { Logger } from '../../telemetry/logger.ts';

interface Seen {
  readonly lastSeenAt?: string | undefined;
}

export interface LastSeenAtParts<S, T extends Seen> {
  readonly flags: {
    all(): Iterable<CustomObject<S, T>>;
    get(ref: Ref): CustomObject<S, T> | undefined;
    patchStatus(object: CustomObject<S, T>, members: Partial<T>, signal?: AbortSignal): Promise<unknown>;
  };
  /** Ms since 1970; 0: never. */
  readonly lastSeen: (uid: string) => number;
  /** Whether this replica still leads. */
  readonly isCurrent: () => boolean;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Each write is a watch event for every replica. */
const PAUSE_MS = 200;

/** Returns a function that writes the statuses that are a day outdated, one after the other. */
export function createLastSeenAt<S, T extends Seen>(
  parts: LastSeenAtParts<S, T>,
): (signal: AbortSignal) => Promise<void> {
  const { flags, lastSeen, isCurrent, clock, logger } = parts;

  async function write(object: CustomObject<S, T>, at: number, signal: AbortSignal): Promise<void> {
    try {
      const lastSeenAt = timestampOf(at);
      await flags.patchStatus(object, { lastSeenAt } as Partial<T>, signal);
    } catch (error) {
      logger.debug({ object: keyOf(object.metadata), error }, 'last use: cannot update status.lastSeenAt');
    }
  }

  return async (signal) => {
    const outdated = [...flags.all()].filter((flag) => isOutdated(flag, lastSeen(flag.metadata.uid)));
    for (const { metadata } of outdated) {
      const flag = flags.get(metadata);
      if (signal.aborted || !isCurrent()) return;
      if (flag === undefined || flag.metadata.deletionTimestamp || !isOutdated(flag, lastSeen(flag.metadata.uid)))
        continue;
      await write(flag, lastSeen(flag.metadata.uid), signal);
      await pause(clock, PAUSE_MS, signal);
    }
  };
}

/** The first evaluation is written at once, then one of each day (UTC). */
function isOutdated({ status }: CustomObject<unknown, Seen>, at: number): boolean {
  const written = Date.parse(status?.lastSeenAt ?? '');
  return at > 0 && (Number.isNaN(written) || Math.floor(at / DAY_MS) > Math.floor(written / DAY_MS));
}
