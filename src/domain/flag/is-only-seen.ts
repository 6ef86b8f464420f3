/** Recognises a change of a flag that contains nothing but the times at which it was last seen. */
import { isDeepStrictEqual } from 'node:util';
import type { FeatureFlag } from '../../schema/feature-flag.ts';

interface FlagVersions {
  readonly before?: FeatureFlag | undefined;
  readonly after?: FeatureFlag | undefined;
}

/** Such a change cannot make a right status wrong, so the flag need not be reconciled. */
export function isOnlySeen({ before, after }: FlagVersions): boolean {
  if (before === undefined || after === undefined) return false;
  if (before.status?.lastSeenAt === after.status?.lastSeenAt) return false;
  return isDeepStrictEqual(withoutSeen(before), withoutSeen(after));
}

/** The generation stands for the spec. */
function withoutSeen({ metadata, status, defects }: FeatureFlag) {
  const { resourceVersion: _, ...rest } = metadata;
  return { metadata: rest, status: { ...status, lastSeenAt: undefined }, defects };
}
