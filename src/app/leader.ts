/** The work of the leader during its term. */
import type { History } from '../audit/history.ts';
import { mapKinds } from '../kinds/registry.ts';
import { enqueueOnChanges, type Queues } from '../kinds/triggers.ts';
import type { Term } from '../runtime/election.ts';
import { followClock } from '../runtime/follow-clock.ts';
import { type ControllersParts, controllersOf } from './controllers.ts';
import { leadNameClaims } from './lead-name-claims.ts';
import type { Platform } from './platform.ts';
import type { WiredSinks } from './sinks.ts';
import type { WiredUsage } from './usage.ts';
import { sweepUsage } from './usage-sweep.ts';

export interface LeaderParts extends ControllersParts {
  readonly history: History;
  readonly usage: Pick<WiredUsage, 'lead'>;
  readonly sinks: WiredSinks;
}

/** The leader reconciles, starting with every object, and records the history. */
export function createLeader(platform: Platform, parts: LeaderParts): (term: Term) => Promise<void> {
  const { config, cluster, catalog, metrics, names, machine } = platform;
  const { history, usage, sinks, usageConditions } = parts;
  const { clock } = machine;
  const sweep = { flags: cluster.caches.flags, usageConditions, clock };
  let current: Term | undefined;
  metrics.measure('vexil_leader', '1 while this replica reconciles.', () => [
    { labels: {}, value: Number(current?.isCurrent() ?? false) },
  ]);

  return async (term) => {
    const leading = controllersOf(platform, parts, term);
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
      leadNameClaims(platform, term),
      sweepUsage({ ...sweep, queue: queues.flags, everyMs: config.timings.usageRefreshMs }, term.signal),
      usage.lead(term),
      sinks.lead(term),
      ...Object.values(leading).map((controller) => controller.run(term.signal)),
    ]);
    triggers.stop();
  };
}
