/** Logs the transitions of elections. */
import { isClusterError } from '../errors.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { ElectionNotice } from './election.ts';

/** Says in the log what the elections live through. */
export function electionLog(logger: Logger) {
  return (notice: ElectionNotice): void => {
    if (notice.type === 'failed') logFailure(logger, notice.error);
    else logger.info({ ...notice }, 'leader election');
  };
}

/** That another candidate was faster is how an election ends. */
function logFailure(logger: Logger, error: unknown): void {
  if (isClusterError(error, 'conflict', 'name-taken')) {
    logger.debug({ error }, 'another candidate has written the lease');
  } else logger.warn({ error }, 'the lease could not be read or written');
}
