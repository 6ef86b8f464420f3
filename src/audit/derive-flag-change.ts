/** A flag before and after a step, with what is told of every step of it. */
import { projectIdOf } from '../domain/flag-values.ts';
import { compareText, wireNameOf } from '../domain/names.ts';
import type { FeatureFlag } from '../schema/feature-flag.ts';
import type { Shapes } from './derive-shapes.ts';
import { nowhere, type Place } from './derive-told.ts';

export interface FlagChange {
  readonly shapes: Shapes;
  /** Absent: the flag is new. */
  readonly before?: FeatureFlag;
  readonly after: FeatureFlag;
  /** In no environment, with the tags that the flag has then. */
  readonly place: Place;
}

export function placeOfFlag({ tag }: Shapes, flag: FeatureFlag): Place {
  const tags = (flag.spec.tags ?? []).map(tag);
  return { ...nowhere, project: projectIdOf(flag), featureName: wireNameOf(flag), tags };
}

/** Those that the flag names or has named. */
export function environmentNamesOf({ before, after }: FlagChange): readonly string[] {
  const names = [before, after].flatMap((flag) => Object.keys(flag?.spec.environments ?? {}));
  return [...new Set(names)].sort(compareText);
}
