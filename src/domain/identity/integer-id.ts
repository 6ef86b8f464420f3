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

export interface Allocation<W extends IdRequest> {
  readonly highest: HighestIdByKind;
  readonly allocations: readonly { readonly request: W; readonly id: number }[];
}

/** The id for each request, and the highest ids afterwards. No id is given twice while the highest ids are kept. */
export function allocateIds<W extends IdRequest>(before: HighestIdByKind, requests: readonly W[]): Allocation<W> {
  const highest: Record<string, number> = { ...before };
  const allocations = requests.map((request) => {
    const present = highest[request.plural] ?? 0;
    const id = request.id ?? present + 1;
    highest[request.plural] = Math.max(present, id);
    return { request, id };
  });
  return { highest, allocations };
}

/** The higher id of each kind. */
export function highestIdsOf(a: HighestIdByKind, b: HighestIdByKind): HighestIdByKind {
  const plurals = new Set([...Object.keys(a), ...Object.keys(b)]);
  return Object.fromEntries([...plurals].map((plural) => [plural, Math.max(a[plural] ?? 0, b[plural] ?? 0)]));
}
