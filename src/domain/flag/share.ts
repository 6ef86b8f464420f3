/** The part of the users that the strategies of an environment choose. */
import type { FlagEnvironment } from '../../schema/feature-flag.ts';
import type { Strategy } from '../../schema/strategy.ts';
import { strategiesOf } from './flag-values.ts';
import { type MomentOfRamp, strategyAt, wholeOf } from './ramp.ts';

export interface Share {
  /** The percentage of all users: that of the widest strategy without conditions. */
  readonly percent: number;
  /** Whether another strategy chooses users by their properties, so that more users may have the flag. */
  readonly targeted: boolean;
}

/** The parameter with the percentage; of other types, no percentage is known. */
const PERCENTAGES: Readonly<Record<string, string>> = {
  flexibleRollout: 'rollout',
  gradualRolloutUserId: 'percentage',
  gradualRolloutSessionId: 'percentage',
  gradualRolloutRandom: 'percentage',
};
const EVERYONE = 100;

/** Users that several strategies choose cannot be counted: the share is the largest one, not a sum. */
export function shareOf(environment: FlagEnvironment, moment: MomentOfRamp): Share {
  const parts = strategiesOf(environment)
    .filter(({ strategy }) => !strategy.disabled)
    .map(({ strategy }) => partOf(strategyAt(strategy, moment)));
  const percent = Math.max(0, ...parts.filter((part) => !part.isConditional).map((part) => part.percent));
  const targeted = percent < EVERYONE && parts.some((part) => part.isConditional && part.percent > 0);
  return { percent, targeted };
}

function partOf({ name, parameters, constraints, segments }: Strategy) {
  const hasConditions = (constraints ?? []).length > 0 || (segments ?? []).length > 0;
  const percentage = PERCENTAGES[name];
  if (percentage !== undefined) {
    return { percent: Math.min(EVERYONE, wholeOf(parameters?.[percentage])), isConditional: hasConditions };
  }
  return { percent: EVERYONE, isConditional: hasConditions || name !== 'default' };
}

export const shareSizes = ['everyone', 'part', 'none'] as const;
export type ShareSize = (typeof shareSizes)[number];

/** For how many users a switch that is on has effect. */
export function sizeOf({ share, inEffect }: { readonly share: Share; readonly inEffect: boolean }): ShareSize {
  if (!inEffect || (share.percent === 0 && !share.targeted)) return 'none';
  return share.percent === EVERYONE ? 'everyone' : 'part';
}
