/** Integer ids: the owner of an id, and the next free id. */
import type { Defect, Ref } from '../../model/object.ts';
import { compareAge, type Named } from './names.ts';

export interface WithIntegerId extends Named {
  readonly spec: Named['spec'] & { readonly id?: number | undefined };
  readonly status: { readonly id?: number | undefined } | undefined;
}

/** The id in the spec, otherwise the one in the status; undefined if the object accepts any id. */
export function wantedId({ spec, status }: WithIntegerId): number | undefined {
  return spec.id ?? status?.id;
}

/** The owner of an id that several objects want: the one that has it in its status, otherwise the oldest. */
export function idOwnerOf<T extends WithIntegerId>(objects: readonly T[], id: number): T | undefined {
  const having = objects.filter(({ status }) => status?.id === id);
  return (having.length > 0 ? having : objects).toSorted(compareAge)[0];
}

export interface Claimant extends WithIntegerId {
  readonly defects: readonly Defect[];
}

export interface ConflictingOwners {
  /** The owner of the name, if it is another object or namespace. */
  readonly conflictingOwner: Pick<Ref, 'namespace'> | undefined;
  /** The owner of the id, if it is another object. */
  readonly idConflictWith: Ref | undefined;
}

/** The id for the status; `new`: a new id is needed; `none`: no id at present. */
export function idVerdict(
  object: Claimant,
  { conflictingOwner, idConflictWith }: ConflictingOwners,
): number | 'new' | 'none' {
  const wanted = wantedId(object);
  const has = object.status?.id;
  if (idConflictWith) return 'none';
  if (has !== undefined) return has === wanted ? has : 'none';
  if (conflictingOwner) return 'none';
  // A spec with defects may be meant to pin the id.
  return wanted ?? (object.defects.length > 0 ? 'none' : 'new');
}

/** The highest id given so far, by the plural of the kind. */
export type HighestIdByKind = Readonly<Record<string, number>>;

export interface IdRequest {
  /** The plural of the kind. */
  readonly plural: string;
  /** The id that the object has; absent: it needs one. */
  readonly id?: number;
}

export interface Granted<W extends IdRequest> {
  readonly marks: HighestIdByKind;
  readonly grants: readonly { readonly wish: W; readonly id: number }[];
}

/** The id for each request, and the highest ids afterwards. No id is given twice while the highest ids are kept. */
export function grantIds<W extends IdRequest>(before: HighestIdByKind, wishes: readonly W[]): Granted<W> {
  const marks: Record<string, number> = { ...before };
  const grants = wishes.map((wish) => {
    const mark = marks[wish.plural] ?? 0;
    const id = wish.id ?? mark + 1;
    marks[wish.plural] = Math.max(mark, id);
    return { wish, id };
  });
  return { marks, grants };
}

/** The higher id of each kind. */
export function highestIdsOf(a: HighestIdByKind, b: HighestIdByKind): HighestIdByKind {
  const plurals = new Set([...Object.keys(a), ...Object.keys(b)]);
  return Object.fromEntries([...plurals].map((plural) => [plural, Math.max(a[plural] ?? 0, b[plural] ?? 0)]));
}
