/** What to put back: a flag at a past time. */
import { endpoint, PATHS } from '../editor/flag-paths.ts';
import type { FeaturePlace } from '../feature/place.ts';
import type { PastTime } from './past-time.ts';

export const RESTORE_ENDPOINT = endpoint('POST', PATHS.restore);

export interface RestorePlace extends FeaturePlace {
  readonly past: PastTime;
}
