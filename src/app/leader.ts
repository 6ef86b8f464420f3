/** The work of the leader during its term. */
import type { History } from '../audit/history.ts';
import type { Config } from '../config/load-config.ts';
import { mapKinds } from '../kinds/registry.ts';
import { enqueueOnChanges, type Queues } from '../kinds/triggers.ts';
import type { Term } from '../runtime/election.ts';
import { type ControllersParts, controllersOf } from './controllers.ts';
import type { WiredClaims } from './name-claims.ts';

export interface LeaderParts extends ControllersParts {
  readonly config: Pick<Config, 'timings'>;
  readonly names: WiredClaims;
  readonly history: History;
}

/** It reconciles, starting with every object, and records the history. */
export function createLeader(parts: LeaderParts) {
  const { config, cluster, metrics, names, history } = parts;
  let current: Term | undefined;
  metrics.measure('vexil_leader', '1 while this replica reconciles.', () => [
    { labels: {}, value: Number(current?.isCurrent() ?? false) },
  ]);

  return async function lead(term: Term): Promise<void> {
    const leading = controllersOf(parts, term);
    current = term;
    const queues = mapKinds<Queues>((_, name) => leading[name].queue);
    const unsubscribe = enqueueOnChanges(cluster.caches, {
      ...{ queues, claims: names.claims },
      countDelayMs: config.timings.countDelayMs,
    });
    await Promise.all([
      history.run(term.signal),
      names.lead(term, cluster.caches),
      ...Object.values(leading).map((controller) => controller.run(term.signal)),
    ]);
    unsubscribe();
  };
}
