/** Findings about the name of an object whose kind may exist in several namespaces. */
import type { Ref } from '../../model/object.ts';
import { type Named, wireNameOf } from '../identity/names.ts';
import { type Finding, nameConflict } from '../judgement/findings.ts';
import type { NameConflictWith } from './name-claims.ts';

/** `conflictingOwner` owns the name instead of the object. */
export function nameTaken(
  kind: string,
  object: Named,
  conflictingOwner: NameConflictWith | undefined,
): readonly Finding[] {
  if (!conflictingOwner) return [];
  const isHere = conflictingOwner.namespace === object.metadata.namespace;
  if (isHere && 'name' in conflictingOwner) return nameConflict(kind, object, conflictingOwner);
  const message = `the ${kind} name "${wireNameOf(object)}" ${ownership(conflictingOwner)}: choose another name`;
  return [{ severity: 'Error', path: ['name'], reason: 'NameConflict', message }];
}

function ownership(conflictingOwner: NameConflictWith): string {
  const { namespace } = conflictingOwner;
  if ('name' in conflictingOwner)
    return `is owned by ${namespace}/${conflictingOwner.name} and belongs to the namespace ${namespace}`;
  const end = conflictingOwner.until === undefined ? '' : ` until ${conflictingOwner.until}, as it was used there`;
  return `belongs to the namespace ${namespace}${end}`;
}

/** `object` owns the name that the `duplicates` also want. */
export function nameDuplicated(kind: string, object: Named, duplicates: readonly Ref[]): readonly Finding[] {
  const [first, ...others] = duplicates;
  if (!first) return [];
  const one = `${first.namespace}/${first.name}`;
  const name = `${kind} name "${wireNameOf(object)}"`;
  const message =
    others.length > 0
      ? `${one} and ${others.length} more have the same ${name} and have no effect: ask their owners to delete or rename them`
      : `${one} has the same ${name} and has no effect: ask its owner to delete or rename it`;
  return [{ severity: 'Warning', path: ['name'], reason: 'DuplicateName', message }];
}

/** The message of a warning that is new in the status; undefined: there is none. */
export function newDuplicate(before: WithProblems | undefined, after: WithProblems): string | undefined {
  if (before?.problems?.some(isDuplicate)) return undefined;
  return after.problems?.find(isDuplicate)?.message;
}

export interface WithProblems {
  readonly problems?: readonly { readonly reason: string; readonly message: string }[] | undefined;
}

function isDuplicate({ reason }: { readonly reason: string }): boolean {
  return reason === 'DuplicateName';
}
