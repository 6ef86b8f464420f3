/** What happens to strategy types. */
import type { StrategyDefinition } from '../schema/strategy-definition.ts';
import type { Telling } from './derive-kind.ts';
import type { Shapes } from './derive-shapes.ts';
import { isSameBut, nowhere, tell } from './derive-told.ts';
import type { JsonObject, Told } from './entry.ts';

export const strategyTypeLifecycle = {
  created: 'strategy-created',
  updated: 'strategy-updated',
  deleted: 'strategy-deleted',
} as const;

export function strategyTypeTelling({ strategyType }: Shapes): Telling<StrategyDefinition> {
  return {
    types: () => strategyTypeLifecycle,
    place: () => nowhere,
    shape: strategyType,
    changed: (before, after) => {
      const [old, next] = [strategyType(before), strategyType(after)];
      const isOther = !isSameBut('deprecated', old, next);
      return [
        ...(isOther ? [tell(strategyTypeLifecycle.updated, nowhere, { data: next, preData: old })] : []),
        ...tellDeprecation(old, next),
      ];
    },
  };
}

/** No other column of an entry says which type it is. */
function tellDeprecation(old: JsonObject, { name = null, deprecated }: JsonObject): readonly Told[] {
  if (old['deprecated'] === deprecated) return [];
  return [tell(deprecated ? 'strategy-deprecated' : 'strategy-reactivated', nowhere, { data: { name } })];
}
