/** The switch of a flag in one environment (endpoints 13 and 14). */
import { AppError } from '../errors.ts';
import type { FeatureFlag, FlagSpec } from '../schema/feature-flag.ts';
import { effectOf } from './effect.ts';
import { isError } from './findings.ts';
import { isArchived, strategiesOf } from './flag-values.ts';
import { wireNameOf } from './names.ts';
import type { Surroundings } from './surroundings.ts';

export interface SwitchPlace {
  readonly environment: string;
  readonly surroundings: Surroundings;
}

/**
 * On needs a strategy that is not disabled (the specification's condition), and must take effect: where an error holds
 * the flag off, the caller gets its text instead of a success that changes nothing.
 */
export function enableIn(flag: FeatureFlag, place: SwitchPlace): FlagSpec {
  refuseElsewhere(flag, place);
  const { environment, surroundings } = place;
  const present = flag.spec.environments?.[environment] ?? {};
  if (!strategiesOf(present).some(({ strategy }) => !strategy.disabled)) {
    const message = `Cannot enable "${wireNameOf(flag)}" in "${environment}": it has no strategy there that is not disabled. Add a strategy first.`;
    throw new AppError('cannot-enable', message);
  }
  const next = present.enabled ? flag.spec : withSwitch(flag.spec, environment, true);
  const effect = effectOf({ ...flag, spec: next }, surroundings);
  if (effect.enabledIn.has(environment)) return next;
  const why = effect.findings.find(
    (found) => isError(found) && (found.path[0] !== 'environments' || found.path[1] === environment),
  );
  throw new AppError('cannot-enable', `Cannot enable "${wireNameOf(flag)}" in "${environment}": ${why?.message}.`);
}

export function disableIn(flag: FeatureFlag, place: SwitchPlace): FlagSpec {
  refuseElsewhere(flag, place);
  const isOn = flag.spec.environments?.[place.environment]?.enabled === true;
  return isOn ? withSwitch(flag.spec, place.environment, false) : flag.spec;
}

function refuseElsewhere(flag: FeatureFlag, { environment, surroundings }: SwitchPlace): void {
  const name = wireNameOf(flag);
  if (isArchived(flag)) {
    throw new AppError('archived', `The flag "${name}" is archived. Revive it first.`);
  }
  if (!surroundings.environments.some((one) => wireNameOf(one) === environment)) {
    throw new AppError('not-found', `Could not find environment "${environment}" for flag "${name}".`);
  }
}

function withSwitch(spec: FlagSpec, environment: string, enabled: boolean): FlagSpec {
  const { environments } = spec;
  return { ...spec, environments: { ...environments, [environment]: { ...environments?.[environment], enabled } } };
}
