/** A flag before and after a step, with the fields that all its audit events share. */
import { projectIdOf } from '../../domain/flag/flag-values.ts';
import { compareText, wireNameOf } from '../../domain/identity/names.ts';
import type { FeatureFlag } from '../../schema/feature-flag.ts';
import { nowhere, type Place } from './audit-event.ts';
import type { Shapes } from './shapes.ts';

export interface FlagChange {
  readonly shapes: Shapes;
  /** Absent: the flag is new. */
  readonly before?: FeatureFlag;
  readonly after: FeatureFlag;
  /** The place without an environment, with the tags of the flag at that time. */
  readonly place: Place;
}

export function placeOfFlag({ tag }: Shapes, flag: FeatureFlag): Place {
  return { ...namesOfFlag(flag), tags: (flag.spec.tags ?? []).map(tag) };
}

export function namesOfFlag(flag: FeatureFlag): Place {
  return { ...nowhere, project: projectIdOf(flag), featureName: wireNameOf(flag) };
}

/** The environments that the flag names before or after the step. */
export function environmentNamesOf({ before, after }: FlagChange): readonly string[] {
  const names = [before, after].flatMap((flag) => Object.keys(flag?.spec.environments ?? {}));
  return [...new Set(names)].sort(compareText);
}
