/** The stage of a flag in its lifecycle, by the names of Unleash (docs/unleash-compatibility.md#lifecycle). */

import type { FeatureFlag } from '../../schema/feature-flag.ts';
import { creationTimeOf, isArchived } from '../flag/flag-values.ts';
import { type EnvironmentUsage, type FlagInUse, productionOf } from './flag-in-use.ts';

export const lifecycleStages = ['initial', 'pre-live', 'live', 'completed', 'archived'] as const;
export type LifecycleStage = (typeof lifecycleStages)[number];

export interface FlagLifecycle {
  readonly stage: LifecycleStage;
  /**
   * When the stage began, in ms since 1970. For `completed` and `archived`, the last write of the manager that owns the
   * field.
   */
  readonly enteredAt: number;
}

type LifecycleFlag = Pick<FlagInUse, 'flag' | 'environments' | 'enabledIn' | 'usage'>;

/** A flag that was requested in production while it was on there stays live. */
export function lifecycleOf({ flag, environments, enabledIn, usage }: LifecycleFlag): FlagLifecycle {
  if (isArchived(flag)) return { stage: 'archived', enteredAt: ownedSince(flag, 'archived') };
  if (flag.spec.stale) return { stage: 'completed', enteredAt: ownedSince(flag, 'stale') };
  const production = productionOf(environments);
  const live = usage.flatMap((one) => (production.has(one.environment) ? liveSince(one, enabledIn) : []));
  if (live.length > 0) return { stage: 'live', enteredAt: Math.min(...live) };
  if (usage.length > 0) return { stage: 'pre-live', enteredAt: Math.min(...usage.map(({ firstAt }) => firstAt)) };
  return { stage: 'initial', enteredAt: creationTimeOf(flag) };
}

/** A yes proves that the flag was on; a no counts only if the flag is on now. */
function liveSince(
  { environment, firstYesAt, firstAt }: EnvironmentUsage,
  enabledIn: ReadonlySet<string>,
): readonly number[] {
  if (firstYesAt !== undefined) return [firstYesAt];
  return enabledIn.has(environment) ? [firstAt] : [];
}

/** Objects do not store when a field was set. The last write of the field's owner is at that time or later. */
function ownedSince(flag: FeatureFlag, field: 'archived' | 'stale'): number {
  const times = flag.owners
    .filter(({ fields }) => fields.includes(`"f:${field}"`))
    .map(({ time }) => Date.parse(time ?? ''));
  return Math.max(creationTimeOf(flag), ...times.filter(Number.isFinite));
}
