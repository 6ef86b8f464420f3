/** Whether a flag is on for every context in an environment. */
import type { FeatureFlag } from '../../schema/feature-flag.ts';
import type { Strategy } from '../../schema/strategy.ts';
import { dependenciesOf } from '../flag/dependencies.ts';
import { environmentOf, strategiesOf, variantsIn } from '../flag/flag-values.ts';

/** The parameter that limits the share of users, by strategy type. Other types choose users in other ways. */
const shares: Readonly<Record<string, string | undefined>> = {
  default: undefined,
  flexibleRollout: 'rollout',
  gradualRolloutUserId: 'percentage',
  gradualRolloutSessionId: 'percentage',
  gradualRolloutRandom: 'percentage',
};

/** One strategy is enough. A parent, a window or a ramp may decide otherwise, and so may a part that cannot be read. */
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
  if (disabled || ramp || !Object.hasOwn(shares, name)) return false;
  const isLimited = (constraints ?? []).length > 0 || (segments ?? []).length > 0 || (variants ?? []).length > 0;
  const share = shares[name];
  return !isLimited && (share === undefined || isWhole(parameters?.[share]));
}

/** Numbers and text mean the same; an absent value is not a known share. */
function isWhole(share: unknown): boolean {
  return /^100([.]0+)?$/.test(`${share}`);
}

/** With two variants, the flag gives different values although it is on for everyone. */
export function hasChoice(flag: FeatureFlag, environment: string): boolean {
  return variantsIn(flag, environment).length > 1;
}
