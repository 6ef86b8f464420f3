/** Which flag a page shows. */
import type { PastTime } from '../past/past-time.ts';

export interface FeaturePlace {
  readonly projectId: string;
  readonly featureName: string;
  /** Absent: as it is now. */
  readonly past?: PastTime;
}
