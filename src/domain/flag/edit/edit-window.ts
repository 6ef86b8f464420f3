/** Sets the window of a flag in an environment. */
import type { FeatureFlag, FlagEnvironment, FlagSpec } from '../../../schema/feature-flag.ts';
import { environmentOf } from '../flag-values.ts';
import { type EditPlace, refuseElsewhere, withEnvironment } from './edit-place.ts';

export type FlagWindow = Pick<FlagEnvironment, 'activeFrom' | 'activeUntil'>;

/** Replaces both ends. Another spelling of the same time is no change. */
export function setWindow(flag: FeatureFlag, place: EditPlace, wanted: FlagWindow): FlagSpec {
  refuseElsewhere(flag, place);
  const { environment } = place;
  const present = environmentOf(flag.spec, environment);
  const next = withWindow(present, wanted);
  return next === present ? flag.spec : withEnvironment(flag.spec, environment, next);
}

/** The same object if nothing changes. */
export function withWindow(present: FlagEnvironment, wanted: FlagWindow): FlagEnvironment {
  const { activeFrom, activeUntil, ...rest } = present;
  const [from, until] = [sameOr(activeFrom, wanted.activeFrom), sameOr(activeUntil, wanted.activeUntil)];
  if (from === activeFrom && until === activeUntil) return present;
  return {
    ...rest,
    ...(from !== undefined && { activeFrom: from }),
    ...(until !== undefined && { activeUntil: until }),
  };
}

function sameOr(present: string | undefined, wanted: string | undefined): string | undefined {
  if (present === undefined || wanted === undefined) return wanted;
  return Date.parse(present) === Date.parse(wanted) ? present : wanted;
}
