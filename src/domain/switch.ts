/** The switch of a flag in one environment (endpoints 13 and 14). */
import { AppError } from '../errors.ts';
import type { FeatureFlag, FlagSpec } from '../schema/feature-flag.ts';
import { defectIn, type EditPlace, placeOfDefect, refuseElsewhere, withEnvironment } from './edit-place.ts';
import { effectOf } from './effect.ts';
import { isError } from './findings.ts';
import { environmentOf, isActive } from './flag-values.ts';
import { wireNameOf } from './names.ts';

/**
 * On needs a strategy that is not disabled (the specification's condition), and must take effect: where an error holds
 * the flag off, the caller gets its text instead of a success that changes nothing.
 */
export function enableIn(flag: FeatureFlag, place: EditPlace): FlagSpec {
  refuseElsewhere(flag, place);
  const { environment, surroundings } = place;
  const present = environmentOf(flag.spec, environment);
  // A strategy that cannot be read may be the one: the error that holds the flag off says so.
  if (!isActive(present) && !defectIn(flag, environment)) {
    const message = `Cannot enable "${wireNameOf(flag)}" in "${environment}": it has no strategy there that is not disabled. Add a strategy first.`;
    throw new AppError('cannot-enable', message);
  }
  const next = present.enabled ? flag.spec : withEnvironment(flag.spec, environment, { ...present, enabled: true });
  const effect = effectOf({ ...flag, spec: next }, surroundings);
  if (effect.enabledIn.has(environment)) return next;
  const why = effect.findings.find(
    (found) => isError(found) && (found.path[0] !== 'environments' || found.path[1] === environment),
  );
  const defect = defectIn(flag, environment);
  const reason = defect ? `${placeOfDefect(defect)}: ${defect.message}` : why?.message;
  throw new AppError('cannot-enable', `Cannot enable "${wireNameOf(flag)}" in "${environment}": ${reason}.`);
}

export function disableIn(flag: FeatureFlag, place: EditPlace): FlagSpec {
  refuseElsewhere(flag, place);
  const { environment } = place;
  const present = environmentOf(flag.spec, environment);
  return present.enabled ? withEnvironment(flag.spec, environment, { ...present, enabled: false }) : flag.spec;
}
