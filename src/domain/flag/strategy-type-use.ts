/** Whether flags still use a strategy type. */
import { Refusal } from '../../errors.ts';
import type { FeatureFlag } from '../../schema/feature-flag.ts';
import type { StrategyDefinition } from '../../schema/strategy-definition.ts';
import { compareText, wireNameOf } from '../identity/names.ts';
import { isArchived } from './flag-values.ts';

const MAX_NAMED = 5;

/**
 * Unleash deletes a type that flags still use. Here those flags would go off at once, in every environment in which
 * they have such a strategy, which a user who deletes a type does not expect. An archived flag is off already, and its return
 * from the archive switches it off everywhere.
 */
export function refuseInUse(definition: StrategyDefinition, flags: readonly FeatureFlag[]): void {
  const names = flags
    .filter((flag) => !isArchived(flag))
    .map(wireNameOf)
    .sort(compareText);
  if (names.length === 0) return;
  const count = names.length === 1 ? '1 flag uses' : `${names.length} flags use`;
  const more = names.length > MAX_NAMED ? ', …' : '';
  const message = `The strategy type "${wireNameOf(definition)}" cannot be deleted: ${count} it (${names.slice(0, MAX_NAMED).join(', ')}${more}), and would go off where such a strategy is. Remove these strategies first, or deprecate the type.`;
  throw new Refusal('in-use', message);
}
