/** Logs the transitions of elections. */
import { isClusterError } from '../errors.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { ElectionNotice } from './election.ts';

const MESSAGES = {
  leading: 'leader election: leading',
  following: 'leader election: following',
  lost: 'leader election: lost',
  released: 'leader election: released',
} as const;

/** Logs each transition. */
export function electionLog(logger: Logger) {
  return (notice: ElectionNotice): void => {
    if (notice.type === 'failed') logFailure(logger, notice.error);
    else {
      const { type, ...facts } = notice;
      logger.info(facts, MESSAGES[type]);
    }
  };
}

/** Losing to another candidate is expected, so it is logged at debug. */
function logFailure(logger: Logger, error: unknown): void {
  if (isClusterError(error, 'conflict', 'name-taken')) {
    logger.debug({ error }, 'leader election: lease held by another candidate');
  } else logger.warn({ error }, 'leader election: cannot read or write lease');
}
