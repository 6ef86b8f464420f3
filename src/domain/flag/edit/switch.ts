/**
 * Switching on needs an enabled strategy, and must take effect within the window of the environment: if an error keeps
 * the flag off, the caller gets its text instead of a success that changes nothing.
 */
import { Refusal } from '../../../errors.ts';
import type { FeatureFlag, FlagSpec } from '../../../schema/feature-flag.ts';
import { wireNameOf } from '../../identity/names.ts';
import { placeOfDefect } from '../../judgement/defects.ts';
import { isError } from '../../judgement/findings.ts';
import { effectOf } from '../effect.ts';
import { environmentOf, isActive } from '../flag-values.ts';
import { defectIn, type EditPlace, refuseElsewhere, withEnvironment } from './edit-place.ts';

/**
 * On needs an enabled strategy, and must take effect within the window of the environment: where an error holds
 * the flag off, the caller gets its text instead of a success that changes nothing.
 */
export function enableIn(flag: FeatureFlag, place: EditPlace): FlagSpec {
  refuseElsewhere(flag, place);
  const { environment, flagContext } = place;
  const present = environmentOf(flag.spec, environment);
  // A strategy that cannot be read may be the enabled one: then the error that keeps the flag off is reported.
  if (!isActive(present) && !defectIn(flag, environment)) {
    const message = `Cannot enable "${wireNameOf(flag)}" in "${environment}": it has no enabled strategy there. Add a strategy first.`;
    throw new Refusal('cannot-enable', message);
  }
  const next = present.enabled ? flag.spec : withEnvironment(flag.spec, environment, { ...present, enabled: true });
  const effect = effectOf({ ...flag, spec: next }, flagContext);
  if (effect.enabledIn.has(environment) || effect.outsideWindowIn.has(environment)) return next;
  const why = effect.findings.find(
    (found) => isError(found) && (found.path[0] !== 'environments' || found.path[1] === environment),
  );
  const defect = defectIn(flag, environment);
  const reason = defect ? `${placeOfDefect(defect)}: ${defect.message}` : why?.message;
  throw new Refusal('cannot-enable', `Cannot enable "${wireNameOf(flag)}" in "${environment}": ${reason}.`);
}

export function disableIn(flag: FeatureFlag, place: EditPlace): FlagSpec {
  refuseElsewhere(flag, place);
  const { environment } = place;
  const present = environmentOf(flag.spec, environment);
  return present.enabled ? withEnvironment(flag.spec, environment, { ...present, enabled: false }) : flag.spec;
}
