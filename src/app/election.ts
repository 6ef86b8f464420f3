/** Runs the work of the leader while this replica leads. */
import type { Config } from '../config/load-config.ts';
import { isClusterError } from '../errors.ts';
import { createLease } from '../kube/api/lease.ts';
import type { Ref } from '../model/object.ts';
import { type ElectionNotice, runElection, type Term } from '../runtime/election.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Platform } from './platform.ts';

/** The Lease of the leader. */
export function leaseOf({ namespace }: Pick<Config, 'namespace'>): Ref {
  return { namespace, name: 'vexil' };
}

/** Takes part in the election until the signal aborts, and leads whenever this replica is elected. */
export async function elect(
  { config, transport, identity, logger, machine }: Platform,
  lead: (term: Term) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  if (!config.leaderElection) return lead({ signal, isCurrent: () => !signal.aborted });
  const { lease: timings } = config.timings;
  const ref = leaseOf(config);
  await runElection({
    lease: createLease({ transport, ref, durationMs: timings.durationMs, now: machine.wallTime }),
    timings,
    identity,
    clock: machine.suspendAwareClock,
    random: machine.random,
    lead,
    onNotice: electionLog(logger.child({ identity })),
    signal,
  });
}

/** Logs each transition. */
function electionLog(logger: Logger) {
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
