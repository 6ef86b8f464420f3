/** What a page is about: a flag, in an environment, or at a past time. */
import type { PastTime } from '../past/past-time.ts';

export interface FeaturePlace {
  readonly projectId: string;
  readonly featureName: string;
  /** Absent: as it is now. */
  readonly past?: PastTime;
}

/** A flag in an environment. */
export interface EnvironmentPlace extends FeaturePlace {
  readonly environment: string;
}

/** A flag at a past time, which can be put back. */
export interface RestorePlace extends FeaturePlace {
  readonly past: PastTime;
}
