/** Where an edit of one environment of a flag happens, and what must be there for it. */
import { AppError } from '../errors.ts';
import type { FeatureFlag, FlagEnvironment, FlagSpec } from '../schema/feature-flag.ts';
import { isArchived } from './flag-values.ts';
import { wireNameOf } from './names.ts';
import type { Surroundings } from './surroundings.ts';

export interface EditPlace {
  /** The environment's name on the wire. */
  readonly environment: string;
  readonly surroundings: Surroundings;
}

export function refuseArchived(flag: FeatureFlag): void {
  if (!isArchived(flag)) return;
  throw new AppError('archived', `The flag "${wireNameOf(flag)}" is archived. Revive it first.`);
}

export function refuseElsewhere(flag: FeatureFlag, place: EditPlace): void {
  refuseArchived(flag);
  if (isUsed(place)) return;
  const message = `Could not find environment "${place.environment}" for flag "${wireNameOf(flag)}".`;
  throw new AppError('not-found', message);
}

/** Whether the project of the flag uses the environment. */
export function isUsed({ environment, surroundings }: EditPlace): boolean {
  return surroundings.environments.some((one) => wireNameOf(one) === environment);
}

export function withEnvironment(spec: FlagSpec, name: string, environment: FlagEnvironment): FlagSpec {
  return { ...spec, environments: { ...spec.environments, [name]: environment } };
}
