/** Keeps the status of a strategy type's definition true to its spec. */
import type { Catalog } from '../catalog/catalog.ts';
import { judgeStrategyDefinition } from '../domain/judge-strategy-definition.ts';
import { done, type Outcome } from '../runtime/outcome.ts';
import type { Ref } from '../schema/object.ts';
import type { StrategyDefinitionSpec, StrategyDefinitionStatus } from '../schema/strategy-definition.ts';
import { type Judged, report } from './status.ts';

interface Parts {
  readonly strategies: Judged<StrategyDefinitionSpec, StrategyDefinitionStatus>;
  readonly catalog: Catalog;
  /** Ms since 1970. */
  readonly now: () => number;
}

export function strategyDefinitionReconciler({ strategies, catalog, now }: Parts) {
  return async function reconcile(ref: Ref): Promise<Outcome> {
    const definition = strategies.get(ref);
    if (!definition || definition.metadata.deletionTimestamp) return done;

    const rival = catalog.strategyRival(definition);
    return report(strategies, definition, judgeStrategyDefinition({ definition, rival }, now()));
  };
}
