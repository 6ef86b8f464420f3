/** Whether flags still use a strategy type. */
import { Refusal } from '../../errors.ts';
import type { FeatureFlag } from '../../schema/feature-flag.ts';
import type { StrategyDefinition } from '../../schema/strategy-definition.ts';
import { wireNameOf } from '../identity/names.ts';
import { describeUsers } from './users.ts';

/**
 * Refuses the deletion of a type that flags still use, which Unleash allows. In Vexil, those flags would go off at
 * once, in every environment in which they have such a strategy, and a user who deletes a type does not expect that. An
 * archived flag is off already, and its return from the archive switches it off everywhere.
 */
export function refuseInUse(definition: StrategyDefinition, flags: readonly FeatureFlag[]): void {
  const users = describeUsers(flags);
  if (users === undefined) return;
  const message = `The strategy type "${wireNameOf(definition)}" cannot be deleted: ${users}, and would go off where such a strategy is. Remove these strategies first, or deprecate the type.`;
  throw new Refusal('in-use', message);
}
