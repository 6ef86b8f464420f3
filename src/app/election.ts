/** Runs the work of the leader while this replica leads. */
import type { Config } from '../config/load-config.ts';
import { createLease } from '../kube/api/lease.ts';
import type { Transport } from '../kube/api/transport.ts';
import { runElection, type Term } from '../runtime/election.ts';
import { electionLog } from '../runtime/election-log.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Machine } from './machine.ts';

interface ElectParts {
  readonly config: Config;
  readonly transport: Transport;
  readonly identity: string;
  readonly logger: Logger;
  readonly machine: Machine;
  readonly lead: (term: Term) => Promise<void>;
  readonly signal: AbortSignal;
}

/** Takes part in the election until the signal aborts, and leads whenever this replica is elected. */
export async function elect(parts: ElectParts): Promise<void> {
  const { config, transport, identity, logger, machine, lead, signal } = parts;
  if (!config.leaderElection) return lead({ signal, isCurrent: () => !signal.aborted });
  const { lease: timings } = config.timings;
  const ref = { namespace: config.namespace, name: 'vexil' };
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
