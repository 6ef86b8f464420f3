/** Ids that are whole numbers: who holds one, which one is next. */
import type { Defect, Ref } from '../schema/object.ts';
import { compareAge, type Named } from './names.ts';

export interface Numbered extends Named {
  readonly spec: Named['spec'] & { readonly id?: number | undefined };
  readonly status: { readonly id?: number | undefined } | undefined;
}

/** The id that the object wants, or has; undefined: any will do. */
export function wantedId({ spec, status }: Numbered): number | undefined {
  return spec.id ?? status?.id;
}

/** Of objects that want one id, who has it already keeps it; else it is the older one's. */
export function idHolderOf<T extends Numbered>(objects: readonly T[], id: number): T | undefined {
  const having = objects.filter(({ status }) => status?.id === id);
  return (having.length > 0 ? having : objects).toSorted(compareAge)[0];
}

export interface Claimant extends Numbered {
  readonly defects: readonly Defect[];
}

export interface Rivals {
  /** Who holds the name, if it is another. */
  readonly rival: Ref | undefined;
  /** Who holds the id, if it is another. */
  readonly idRival: Ref | undefined;
}

/** The id that shall stand in the status; or that it is to be a new one, or none for now. */
export function idVerdict(object: Claimant, { rival, idRival }: Rivals): number | 'new' | 'none' {
  const wanted = wantedId(object);
  const has = object.status?.id;
  if (idRival) return 'none';
  if (has !== undefined) return has === wanted ? has : 'none';
  if (rival) return 'none';
  // Who wrote a spec that cannot be read may have meant to pin the id.
  return wanted ?? (object.defects.length > 0 ? 'none' : 'new');
}

/** The highest id ever given, by the plural of the kind. */
export type Marks = Readonly<Record<string, number>>;

export interface IdWish {
  /** The plural of the kind. */
  readonly plural: string;
  /** The id that the object has; absent: it is to be given one. */
  readonly id?: number;
}

export interface Granted<W extends IdWish> {
  readonly marks: Marks;
  readonly grants: readonly { readonly wish: W; readonly id: number }[];
}

/** The id of each wish, and the marks after that; no id is given a second time as long as the marks are kept. */
export function grantIds<W extends IdWish>(before: Marks, wishes: readonly W[]): Granted<W> {
  const marks: Record<string, number> = { ...before };
  const grants = wishes.map((wish) => {
    const mark = marks[wish.plural] ?? 0;
    const id = wish.id ?? mark + 1;
    marks[wish.plural] = Math.max(mark, id);
    return { wish, id };
  });
  return { marks, grants };
}

/** The higher mark of each kind. */
export function highestMarks(a: Marks, b: Marks): Marks {
  const plurals = new Set([...Object.keys(a), ...Object.keys(b)]);
  return Object.fromEntries([...plurals].map((plural) => [plural, Math.max(a[plural] ?? 0, b[plural] ?? 0)]));
}
