/** The loggers of reconciles. */
import { randomUUID } from 'node:crypto';
import type { Ref } from '../model/object.ts';
import type { Logger } from '../telemetry/logger.ts';

interface Run extends Ref {
  readonly kind: string;
  readonly reason: string;
}

/** The id distinguishes the log lines of one run from those of all others. */
export function reconcileLogger(logger: Logger, { kind, namespace, name, reason }: Run): Logger {
  return logger.child({ kind, namespace, name, reconcileId: randomUUID().slice(0, 8), reconcileReason: reason });
}
