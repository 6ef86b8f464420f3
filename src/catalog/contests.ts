/** The names that more than one flag has, or that belong to a namespace other than that of the flag. */
import { wireNameOf } from '../domain/identity/names.ts';
import { isForeign } from '../domain/name-claims/name-claims.ts';
import type { FeatureFlag } from '../schema/feature-flag.ts';
import type { ClaimedCache } from './cached.ts';

export interface Contests {
  /** Whether the flag with this name may not own it. Names that are not contested are those of their only flag. */
  has(wireName: string): boolean;
  /** Increases whenever the owner of a name may have changed although the flag with that name did not. */
  changes(): number;
}

/** Follows the changes of flags and claims from now on; the contests among the flags that exist are found at once. */
export function watchContests(flags: ClaimedCache<FeatureFlag>): Contests {
  const contested = new Set<string>();
  let changes = 0;

  function judge(wireName: string): void {
    const objects = flags.by('wireName', wireName);
    const isContested = objects.length > 1 || isForeign(flags.claims.claimOf(wireName), objects);
    if (isContested || contested.has(wireName)) changes += 1;
    if (isContested) contested.add(wireName);
    else contested.delete(wireName);
  }

  for (const flag of flags.all()) judge(wireNameOf(flag));
  flags.claims.onClaim(judge);
  flags.subscribe(({ before, after }) => {
    if (before) judge(wireNameOf(before));
    if (after && (!before || wireNameOf(after) !== wireNameOf(before))) judge(wireNameOf(after));
  });
  return { has: (wireName) => contested.has(wireName), changes: () => changes };
}
