/** The audit events of strategy types. */

import type { AuditEvent } from '../../domain/history/entry.ts';
import type { JsonObject } from '../../model/json.ts';
import type { StrategyDefinition } from '../../schema/strategy-definition.ts';
import { auditEvent, isSameBut, nowhere } from './audit-event.ts';
import type { EventMapping } from './kind.ts';
import type { Shapes } from './shapes.ts';

const strategyTypeLifecycle = {
  created: 'strategy-created',
  updated: 'strategy-updated',
  deleted: 'strategy-deleted',
} as const;

export function strategyTypeMapping({ strategyType }: Shapes): EventMapping<StrategyDefinition> {
  return {
    types: () => strategyTypeLifecycle,
    place: () => nowhere,
    shape: strategyType,
    changed: (before, after) => {
      const [old, next] = [strategyType(before), strategyType(after)];
      const isOther = !isSameBut('deprecated', old, next);
      return [
        ...(isOther ? [auditEvent(strategyTypeLifecycle.updated, nowhere, { data: next, preData: old })] : []),
        ...diffDeprecation(old, next),
      ];
    },
  };
}

/** No other column of an entry names the type. */
function diffDeprecation(old: JsonObject, { name = null, deprecated }: JsonObject): readonly AuditEvent[] {
  if (old['deprecated'] === deprecated) return [];
  return [auditEvent(deprecated ? 'strategy-deprecated' : 'strategy-reactivated', nowhere, { data: { name } })];
}
