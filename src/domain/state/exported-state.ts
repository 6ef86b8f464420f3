/** The content of an export of the state, before it is serialised. */
import type { Environment } from '../../schema/environment.ts';
import type { FeatureFlag } from '../../schema/feature-flag.ts';
import type { Project } from '../../schema/project.ts';
import type { Segment } from '../../schema/segment.ts';
import type { FlagContext } from '../flag/flag-context.ts';
import type { SegmentIds } from '../flag/strategy-segments.ts';
import type { StrategyType } from '../strategy-type/strategy-types.ts';

export interface FlagOfState {
  readonly flag: FeatureFlag;
  readonly flagContext: FlagContext;
}

/** The exported objects, each list in its order; a section that is not wanted is an empty list. */
export interface State {
  readonly flags: readonly FlagOfState[];
  readonly strategyTypes: readonly StrategyType[];
  readonly projects: readonly Project[];
  readonly environments: readonly Environment[];
  readonly segments: readonly Segment[];
  /** The ids of the segments in the document. */
  readonly segmentIds: SegmentIds;
  readonly withTags: boolean;
  /** The environment whose properties are written in the flags themselves; undefined if there is none. */
  readonly inline: string | undefined;
  /** The environment whose configuration is exported; undefined: all. */
  readonly only?: string | undefined;
}
