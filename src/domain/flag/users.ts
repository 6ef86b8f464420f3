/** Names the flags that use something, for refusals. */
import type { FeatureFlag } from '../../schema/feature-flag.ts';
import { compareText, wireNameOf } from '../identity/names.ts';
import { isArchived } from './flag-values.ts';

const MAX_NAMED = 5;

/** For example `2 flags use it (a, b)`; undefined if no flag uses it, except archived ones. */
export function describeUsers(flags: readonly FeatureFlag[]): string | undefined {
  const names = flags
    .filter((flag) => !isArchived(flag))
    .map(wireNameOf)
    .sort(compareText);
  if (names.length === 0) return undefined;
  const count = names.length === 1 ? '1 flag uses' : `${names.length} flags use`;
  const more = names.length > MAX_NAMED ? ', …' : '';
  return `${count} it (${names.slice(0, MAX_NAMED).join(', ')}${more})`;
}
