/** Logs the transitions of elections. */
import { isClusterError } from '../errors.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { ElectionNotice } from './election.ts';

/** Logs each transition. */
export function electionLog(logger: Logger) {
  return (notice: ElectionNotice): void => {
    switch (notice.type) {
      case 'leading':
        logger.info({}, 'leader election: leading');
        return;
      case 'following':
        logger.info({ holder: notice.holder }, 'leader election: following');
        return;
      case 'lost':
        logger.info({}, 'leader election: lost');
        return;
      case 'released':
        logger.info({}, 'leader election: released');
        return;
      default:
        logFailure(logger, notice.error);
    }
  };
}

/** Losing to another candidate is expected, so it is logged at debug. */
function logFailure(logger: Logger, error: unknown): void {
  if (isClusterError(error, 'conflict', 'name-taken')) {
    logger.debug({ error }, 'leader election: lease held by another candidate');
  } else logger.warn({ error }, 'leader election: cannot read or write lease');
}
