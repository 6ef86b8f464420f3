/** Where an edit of one environment of a flag happens, and what must be there for it. */
import { AppError } from '../errors.ts';
import type { FeatureFlag, FlagEnvironment, FlagSpec } from '../schema/feature-flag.ts';
import type { Defect } from '../schema/object.ts';
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

/** A part of what the flag says about the environment that cannot be read, if there is one. */
export function defectIn({ defects }: FeatureFlag, environment: string): Defect | undefined {
  const here = ['environments', environment];
  return defects.find(({ path }) => here.every((key, depth) => path.length <= depth || path[depth] === key));
}

/** As in `spec.environments.production.strategies.a`. */
export function placeOfDefect({ path }: Defect): string {
  return ['spec', ...path].join('.');
}

/** What a defect hides would be written over, or lost. */
export function refuseDefects(flag: FeatureFlag, environment: string): void {
  const defect = defectIn(flag, environment);
  if (!defect) return;
  const message = `The strategies of "${wireNameOf(flag)}" in "${environment}" cannot be changed before ${placeOfDefect(defect)} is mended: ${defect.message}.`;
  throw new AppError('invalid', message);
}

/** Whether the project of the flag uses the environment. */
export function isUsed({ environment, surroundings }: EditPlace): boolean {
  return surroundings.environments.some((one) => wireNameOf(one) === environment);
}

export function withEnvironment(spec: FlagSpec, name: string, environment: FlagEnvironment): FlagSpec {
  return { ...spec, environments: { ...spec.environments, [name]: environment } };
}
