/** The work of the leader during its term. */
import type { History } from '../audit/history.ts';
import type { Config } from '../config/load-config.ts';
import { mapKinds } from '../kinds/registry.ts';
import { enqueueOnChanges, type Queues } from '../kinds/triggers.ts';
import type { Term } from '../runtime/election.ts';
import { followClock } from '../runtime/follow-clock.ts';
import { type ControllersParts, controllersOf } from './controllers.ts';
import type { WiredClaims } from './name-claims.ts';
import type { WiredSinks } from './sinks.ts';
import type { WiredUsage } from './usage.ts';
import { sweepUsage } from './usage-sweep.ts';

export interface LeaderParts extends ControllersParts {
  readonly config: Pick<Config, 'timings' | 'changeRequestRetentionMs'>;
  readonly names: WiredClaims;
  readonly history: History;
  readonly usage: Pick<WiredUsage, 'lead'>;
  readonly sinks: WiredSinks;
}

/** The leader reconciles, starting with every object, and records the history. */
export function createLeader(parts: LeaderParts) {
  const { config, cluster, catalog, metrics, names, history, usage, sinks, usageConditions } = parts;
  const { clock } = parts.machine;
  const sweep = { flags: cluster.caches.flags, usageConditions, clock };
  let current: Term | undefined;
  metrics.measure('vexil_leader', '1 while this replica reconciles.', () => [
    { labels: {}, value: Number(current?.isCurrent() ?? false) },
  ]);

  return async function lead(term: Term): Promise<void> {
    const leading = controllersOf(parts, term);
    current = term;
    const queues = mapKinds<Queues>((_, name) => leading[name].queue);
    const triggers = enqueueOnChanges(cluster.caches, {
      ...{ queues, claims: names.claims },
      countDelayMs: config.timings.countDelayMs,
    });
    await Promise.all([
      triggers.all('start of the leader'),
      history.run(term.signal),
      followClock({ clock, now: catalog.now, signal: term.signal }, () => triggers.all('clock set forward')),
      names.lead(term, cluster.caches),
      sweepUsage({ ...sweep, queue: queues.flags, everyMs: config.timings.usageRefreshMs }, term.signal),
      usage.lead(term),
      sinks.lead(term),
      ...Object.values(leading).map((controller) => controller.run(term.signal)),
    ]);
    triggers.stop();
  };
}
