/** StrategyDefinition: reconciles its status with its spec. */
import { strategyTypeMapping } from '../audit/derive/strategy-type.ts';
import { changedInSubstance } from '../catalog/cached.ts';
import { judgeStrategyDefinition } from '../domain/strategy-type/judge-strategy-definition.ts';
import {
  type StrategyDefinitionSpec,
  type StrategyDefinitionStatus,
  strategyDefinition,
} from '../schema/strategy-definition.ts';
import type { KindDefinition } from './definition.ts';
import { wireNameKeys } from './indexes.ts';
import { versions, withNamesakes } from './subscriptions.ts';

const indexes = { wireName: wireNameKeys };

export const strategyTypeDefinition: KindDefinition<
  StrategyDefinitionSpec,
  StrategyDefinitionStatus,
  keyof typeof indexes
> = {
  kind: strategyDefinition,
  indexes,
  concurrency: 4,

  triggers({ own, enqueue }) {
    return [
      own.subscribe((change) => {
        enqueue.now(changedInSubstance(change) ? withNamesakes(own, change) : versions(change));
      }),
    ];
  },

  judge({ catalog, now }) {
    return (definition) => {
      const conflictingOwner = catalog.strategyConflictWith(definition);
      return judgeStrategyDefinition({ definition, conflictingOwner }, now());
    };
  },

  auditMapping: strategyTypeMapping,
};
