/** What an import does to the objects of a kind. */
import { isRefusal, type Refusal } from '../../errors.ts';
import { type Named, wireNameOf } from '../identity/names.ts';
import { isSameJson } from './state-flag.ts';
import type { At } from './wanted.ts';

export interface ImportMode {
  /** Whether existing objects stay as they are. */
  readonly keep: boolean;
  /**
   * Whether flags, strategy types and segments that the document does not have are deleted, if it has such a section.
   */
  readonly drop: boolean;
  /** Whether flags and segments that the document does not have are deleted in the projects of the document. */
  readonly prune: boolean;
}

/** An edit of an object. It may run on a newer version of the object, and then refuses as the plan would have. */
export interface Changed<T, S> {
  readonly at: At;
  readonly object: T;
  readonly edit: (object: T) => S;
}

export type PlannedChange<New, Change> =
  | { readonly created: New }
  | { readonly changed: Change }
  | { readonly skipped: string }
  | { readonly conflict: Refusal };

export function sorted<New, Change>(plannedChanges: readonly PlannedChange<New, Change>[]) {
  return {
    created: plannedChanges.flatMap((plannedChange) => ('created' in plannedChange ? [plannedChange.created] : [])),
    changed: plannedChanges.flatMap((plannedChange) => ('changed' in plannedChange ? [plannedChange.changed] : [])),
    skipped: plannedChanges.flatMap((plannedChange) => ('skipped' in plannedChange ? [plannedChange.skipped] : [])),
    conflicts: plannedChanges.flatMap((plannedChange) => ('conflict' in plannedChange ? [plannedChange.conflict] : [])),
  };
}

/** `skipped` if the edit changes nothing. */
export function plannedEdit<T extends { readonly spec: unknown }, S>(
  name: string,
  changed: Changed<T, S>,
): PlannedChange<never, Changed<T, S>> {
  const { object, edit } = changed;
  return unlessRefused(() => (isSameJson(object.spec, edit(object)) ? { skipped: name } : undefined)) ?? { changed };
}

interface WantedObject {
  readonly at: At;
  readonly name: string;
}

interface PlanOfKind<W extends WantedObject, T, S> {
  /** Undefined if the document has no such section. */
  readonly wanted: readonly W[] | undefined;
  /** The objects that are deleted unless the document has them. */
  readonly removable: readonly T[];
  readonly find: (name: string) => T | undefined;
  /** Whether the object of this name always stays as it is; absent: none does. */
  readonly isFixed?: (name: string) => boolean;
  readonly edit: (object: T, wanted: W) => S;
  /** Throws if remaining flags still use the object. */
  readonly refuseInUse: (object: T) => void;
}

/** For kinds that flags use. */
export function planKind<W extends WantedObject, T extends Named, S>(
  { wanted, removable, find, isFixed = () => false, edit, refuseInUse }: PlanOfKind<W, T, S>,
  { keep, drop }: ImportMode,
) {
  const list = wanted ?? [];
  const planned = list.map((one): PlannedChange<W, Changed<T, S>> => {
    const { at, name } = one;
    const object = find(name);
    if (isFixed(name)) return { skipped: name };
    if (!object) return { created: one };
    if (keep && !drop) return { skipped: name };
    return plannedEdit(name, { at, object, edit: (version: T) => edit(version, one) });
  });
  const named = new Set(list.map(({ name }) => name));
  const deleted = wanted ? removable.filter((one) => !named.has(wireNameOf(one))) : [];
  const needed = deleted.map((one) => unlessRefused(() => void refuseInUse(one)));
  const { conflicts, ...rest } = sorted([...planned, ...needed.filter((one) => one !== undefined)]);
  return { ...rest, deleted, conflicts };
}

export function unlessRefused<T>(look: () => T): T | { readonly conflict: Refusal } {
  try {
    return look();
  } catch (error) {
    if (isRefusal(error)) return { conflict: error };
    throw error;
  }
}
