/** What is found about the name of an object whose kind may live in several namespaces. */
import type { Ref } from '../schema/object.ts';
import { type Finding, nameConflict } from './findings.ts';
import type { NameRival } from './name-claims.ts';
import { type Named, wireNameOf } from './names.ts';

/** `rival` has the name instead of the object. */
export function nameTaken(what: string, object: Named, rival: NameRival | undefined): readonly Finding[] {
  if (!rival) return [];
  const wireName = wireNameOf(object);
  const isHere = rival.namespace === object.metadata.namespace;
  if (isHere && 'name' in rival) return [nameConflict(what, wireName, rival)];
  const message = `the ${what} name "${wireName}" ${ownership(rival)}: choose another name`;
  return [{ severity: 'Error', path: ['name'], reason: 'NameConflict', message }];
}

function ownership(rival: NameRival): string {
  const { namespace } = rival;
  if ('name' in rival) return `is held by ${namespace}/${rival.name} and belongs to the namespace ${namespace}`;
  const end = rival.until === undefined ? '' : ` until ${rival.until}, as it was used there`;
  return `belongs to the namespace ${namespace}${end}`;
}

/** `duplicates` are the other objects that have the name of this one, which holds it. */
export function nameDuplicated(what: string, object: Named, duplicates: readonly Ref[]): readonly Finding[] {
  const [first, ...others] = duplicates;
  if (!first) return [];
  const more = others.length > 0 ? ` and ${others.length} more` : '';
  const message = `${first.namespace}/${first.name}${more} asks for the ${what} name "${wireNameOf(object)}" too, and is not in effect: have it deleted`;
  return [{ severity: 'Warning', path: ['name'], reason: 'DuplicateName', message }];
}

/** The warning that a status has and did not have before; undefined: none. */
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
