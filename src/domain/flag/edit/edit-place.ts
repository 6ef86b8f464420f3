/** The environment of a flag that an edit changes, with the preconditions of the edit. */
import { Refusal } from '../../../errors.ts';
import type { Defect } from '../../../model/object.ts';
import type { FeatureFlag, FlagEnvironment, FlagSpec } from '../../../schema/feature-flag.ts';
import { wireNameOf } from '../../identity/names.ts';
import { refuseDefect } from '../../judgement/defects.ts';
import type { FlagContext } from '../flag-context.ts';
import { isArchived } from '../flag-values.ts';

export interface EditPlace {
  /** The wire name of the environment. */
  readonly environment: string;
  readonly flagContext: FlagContext;
}

export function refuseArchived(flag: FeatureFlag): void {
  if (!isArchived(flag)) return;
  throw new Refusal('archived', `The flag "${wireNameOf(flag)}" is archived. Revive it first.`);
}

export function refuseElsewhere(flag: FeatureFlag, place: EditPlace): void {
  refuseArchived(flag);
  if (isUsed(place)) return;
  const message = `Could not find environment "${place.environment}" for flag "${wireNameOf(flag)}".`;
  throw new Refusal('not-found', message);
}

/** A part of the flag's configuration for the environment that cannot be read, if there is one. */
export function defectIn({ defects }: FeatureFlag, environment: string): Defect | undefined {
  const here = ['environments', environment];
  return defects.find(({ path }) => here.every((key, depth) => path.length <= depth || path[depth] === key));
}

/** Refuses an edit of strategies that would overwrite an unreadable part. */
export function refuseDefects(flag: FeatureFlag, environment: string): void {
  refuseDefect(flag, defectIn(flag, environment), `strategies in "${environment}"`);
}

/** Whether the project of the flag uses the environment. */
export function isUsed({ environment, flagContext }: EditPlace): boolean {
  return flagContext.environments.some((one) => wireNameOf(one) === environment);
}

export function withEnvironment(spec: FlagSpec, name: string, environment: FlagEnvironment): FlagSpec {
  return { ...spec, environments: { ...spec.environments, [name]: environment } };
}
