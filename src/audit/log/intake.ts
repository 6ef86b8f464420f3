/** Takes events of the audit log of the API server into the archive. */
import { collectInTurns, nextTurn } from '../../runtime/turns.ts';
import type { LogPosition, LogStore } from '../archive/witnesses/logged-writes.ts';
import { readAuditEvent } from './read-event.ts';

/** What became of an event. */
export type IntakeOutcome = 'taken' | 'repeated' | 'other' | 'unreadable';

export interface IntakeParts {
  readonly store: Pick<LogStore, 'add'>;
  /** Ms since 1970. */
  readonly now: () => number;
  readonly count: (outcome: IntakeOutcome, events: number) => void;
  /** Called after writes were stored. */
  readonly onTaken: () => void;
}

export interface Intake {
  /**
   * Stores the writes among the events that were answered since a time, and how far their file is read. A repeated call
   * changes nothing. Rejects as `LogStore.add` does.
   */
  take(events: readonly unknown[], where?: { readonly position: LogPosition; readonly since: number }): Promise<void>;
}

export function createIntake({ store, now, count, onTaken }: IntakeParts): Intake {
  return {
    async take(events, where) {
      // Each event may have an object of a megabyte.
      const read = await collectInTurns(Iterator.from(events).map(readAuditEvent), nextTurn);
      const writes = read
        .flatMap((event) => (event.is === 'write' ? event.writes : []))
        .filter(({ completedAt }) => where === undefined || completedAt >= where.since);
      const added = writes.length > 0 || where !== undefined ? await store.add(writes, now(), where?.position) : 0;
      count('taken', added);
      count('repeated', writes.length - added);
      for (const outcome of ['other', 'unreadable'] as const) {
        count(outcome, read.filter(({ is }) => is === outcome).length);
      }
      if (added > 0) onTaken();
    },
  };
}
