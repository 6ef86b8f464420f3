/** The context of a flag at another time than now. */
import type { FeatureFlag } from '../../schema/feature-flag.ts';
import type { FlagContext } from './flag-context.ts';
import { lastMoment, momentsOf, timesIn } from './moments.ts';

/**
 * `time` is in ms since 1970. Returns the same object if the windows and ramps of the flag have the same state at that
 * time.
 */
export function contextAt(flag: FeatureFlag, flagContext: FlagContext, time: number): FlagContext {
  if (flagContext.at === undefined) return flagContext;
  const at = lastMoment(momentsOf(flag, timesIn(flagContext.everyEnvironment)), time)?.at ?? Number.NEGATIVE_INFINITY;
  return at === flagContext.at ? flagContext : { ...flagContext, at };
}
