/** What the leader does for as long as its term lasts. */
import type { History } from '../audit/history.ts';
import { wakeOnChanges } from '../reconcilers/wake.ts';
import type { Term } from '../runtime/election.ts';
import { type Controllers, type ControllersParts, cacheNames, controllersOf } from './controllers.ts';
import type { WiredClaims } from './name-claims.ts';

export interface LeaderParts extends ControllersParts {
  readonly names: WiredClaims;
  readonly history: History;
}

/** It reconciles, starting with every object, and tells the history. */
export function createLeader(parts: LeaderParts) {
  const { cluster, metrics, names, history } = parts;
  let controllers: Controllers | undefined;
  metrics.measure('vexil_leader', '1 while this replica reconciles.', () => [
    { labels: {}, value: controllers === undefined ? 0 : 1 },
  ]);
  metrics.measure('vexil_queue_depth', 'Objects that wait for a free worker, by kind.', () =>
    cacheNames.map((name) => ({
      labels: { kind: cluster.caches[name].kind.kind },
      value: controllers?.[name].queue.length ?? 0,
    })),
  );

  return async function lead(term: Term): Promise<void> {
    const leading = controllersOf(parts, term);
    controllers = leading;
    const queues = {
      flags: leading.flags.queue,
      projects: leading.projects.queue,
      environments: leading.environments.queue,
      users: leading.users.queue,
      roles: leading.roles.queue,
      tokens: leading.tokens.queue,
      strategies: leading.strategies.queue,
    };
    const sleep = wakeOnChanges(cluster.caches, queues, names.claims);
    await Promise.all([
      history.run(term.signal),
      names.lead(term, cluster.caches),
      ...cacheNames.map((name) => leading[name].run(term.signal)),
    ]);
    sleep();
    controllers = undefined;
  };
}
