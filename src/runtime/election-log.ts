/** What elections live through, for people. */
import type { Logger } from '../telemetry/logger.ts';
import type { ElectionNotice } from './election.ts';

/** Says in the log what the elections live through. */
export function electionLog(logger: Logger) {
  return (notice: ElectionNotice): void => {
    if (notice.type === 'failed') logger.warn({ error: notice.error }, 'the lease could not be read or written');
    else logger.info({ ...notice }, 'leader election');
  };
}
