/** The part of the users that the strategies of an environment choose. */
import type { FeatureFlag, FlagEnvironment } from '../../schema/feature-flag.ts';
import type { Strategy } from '../../schema/strategy.ts';
import { dependenciesOf } from './dependencies.ts';
import { environmentOf, strategiesOf, variantsIn } from './flag-values.ts';
import { type MomentOfRamp, strategyAt, wholeOf } from './ramp.ts';

export interface Share {
  /** The percentage of all users: that of the widest strategy without conditions. */
  readonly percent: number;
  /** Whether another strategy chooses users by their properties, so that more users may have the flag. */
  readonly targeted: boolean;
}

/** The parameter with the percentage; of other types, no percentage is known. */
const PERCENTAGES: ReadonlyMap<string, string> = new Map([
  ['flexibleRollout', 'rollout'],
  ['gradualRolloutUserId', 'percentage'],
  ['gradualRolloutSessionId', 'percentage'],
  ['gradualRolloutRandom', 'percentage'],
]);
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
  const percentage = PERCENTAGES.get(name);
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

/**
 * Whether the flag is on for every context. One strategy is enough. A parent, a window or a ramp may decide otherwise,
 * and so may a part that cannot be read.
 */
export function isOnForEveryone(flag: FeatureFlag, environment: string): boolean {
  const present = environmentOf(flag.spec, environment);
  const decidesAlone = dependenciesOf(flag).length === 0 && flag.defects.length === 0;
  const isPlanned = present.activeFrom !== undefined || present.activeUntil !== undefined;
  return (
    decidesAlone &&
    !isPlanned &&
    present.enabled === true &&
    strategiesOf(present).some(({ strategy }) => admitsAll(strategy))
  );
}

function admitsAll({ name, disabled, constraints, segments, parameters, variants, ramp }: Strategy): boolean {
  const isLimited = [constraints, segments, variants].some((list) => (list ?? []).length > 0);
  if (disabled || ramp || isLimited) return false;
  const percentage = PERCENTAGES.get(name);
  return name === 'default' || (percentage !== undefined && isWhole(parameters?.[percentage]));
}

/** Numbers and text mean the same; an absent value is not a known share. */
function isWhole(share: unknown): boolean {
  return /^100([.]0+)?$/.test(`${share}`);
}

/** With two variants, the flag gives different values although it is on for everyone. */
export function hasChoice(flag: FeatureFlag, environment: string): boolean {
  return variantsIn(flag, environment).length > 1;
}
