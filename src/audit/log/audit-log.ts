/** The audit log of the API server as a source of the history: its file, if there is one, and what it was sent. */
import type { Clock } from '../../model/clock.ts';
import { createListeners } from '../../model/listeners.ts';
import type { Archive } from '../archive/archive.ts';
import { createLogFile, type LogFile } from './follow-file.ts';
import { createIntake, type Intake, type IntakeOutcome } from './intake.ts';

export interface AuditLogParts {
  readonly archive: Pick<Archive, 'cursors' | 'log'>;
  /** Undefined: the log is only sent. */
  readonly file: string | undefined;
  readonly clock: Clock;
  readonly backoff: (failures: number) => number;
  /** Ms since 1970. */
  readonly now: () => number;
  readonly count: (outcome: IntakeOutcome, events: number) => void;
  /** Receives what a listener throws. */
  readonly onFault: (error: unknown) => void;
}

export interface AuditLog extends Pick<Intake, 'take'> {
  /** Follows the file until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
  /** Resolves when what is in the file now is in the archive, or the file cannot be read. */
  caughtUp(signal: AbortSignal): Promise<void>;
  /** Has this called after each batch with new writes. */
  readonly onTaken: (listener: () => void) => void;
  /** Why the file cannot be read; undefined: it can, or there is none. */
  readonly failure: unknown;
}

/** Entries that were recorded shortly before the operator read the file first can still get their authors. */
const BEFORE_CURSOR_MS = 60 * 60_000;

export function createAuditLog(parts: AuditLogParts): AuditLog {
  const { archive, file: path, clock, backoff, now, count, onFault } = parts;
  const { add: onTaken, call: taken } = createListeners(onFault);
  const intake = createIntake({ store: archive.log, now, count, onTaken: taken });
  const since = async () => {
    const cursors = await archive.cursors();
    return Math.min(now(), ...cursors.map(({ movedAt }) => movedAt)) - BEFORE_CURSOR_MS;
  };
  const { positions } = archive.log;
  const file: LogFile | undefined =
    path === undefined ? undefined : createLogFile({ path, intake, positions, since, clock, backoff });
  return {
    take: intake.take,
    run: async (signal) => file?.run(signal),
    caughtUp: async (signal) => file?.caughtUp(signal),
    onTaken,
    get failure() {
      return file?.failure;
    },
  };
}
