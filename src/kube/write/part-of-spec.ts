/** Selects parts of a spec by the paths of their fields. */
import type { FieldPath } from '../../model/field-owner.ts';
import { isRecord } from '../../model/json.ts';
import type { ItemMap } from '../../model/kind.ts';
import { type FieldSet, memberElement, memberKey, ownedBelow, valueAt } from '../object/field-set.ts';

/** Wanted fields by path element; empty: the value itself. */
export interface Wanted extends ReadonlyMap<string, Wanted> {}

/** The wanted paths, with the members that the items around them require. */
export function wantedPaths(items: readonly ItemMap[], paths: readonly FieldPath[]): Wanted {
  return paths
    .flatMap((path) => [path, ...needed(items, path)])
    .map(alone)
    .reduce(together, new Map());
}

function alone([first, ...rest]: FieldPath): Wanted {
  return new Map(first === undefined ? [] : [[first, alone(rest)]]);
}

export function asWanted(fields: FieldSet): Wanted {
  return new Map(ownedBelow(fields).map(([element, owned]) => [element, asWanted(owned)]));
}

export function together(one: Wanted, other: Wanted): Wanted {
  const sum = new Map(one);
  for (const [element, below] of other) sum.set(element, together(one.get(element) ?? new Map(), below));
  return sum;
}

/**
 * Adds the required member of an item: an item that its other owners drop keeps the claimed fields and must stay valid.
 */
function needed(items: readonly ItemMap[], path: FieldPath): readonly FieldPath[] {
  return items
    .filter(({ at }) => at.every((key, depth) => isAt(path[depth], key)) && path.length > at.length + 1)
    .map(({ at, needs }) => [...path.slice(0, at.length + 1), memberElement(needs)]);
}

function isAt(element: string | undefined, key: string): boolean {
  return element !== undefined && (key === '*' ? memberKey(element) !== undefined : element === memberElement(key));
}

/** Selects the wanted part of a value: a map without its other members; a list as a whole unless entries are named. */
export function partOf(value: unknown, wanted: Wanted): unknown {
  if (Array.isArray(value) && wanted.size > 0) {
    return [...wanted.keys()].map((element) => valueAt(value, element)).filter((entry) => entry !== undefined);
  }
  if (!isRecord(value)) return value;
  const members = [...wanted].flatMap(([element, below]) => {
    const member = valueAt(value, element);
    return member === undefined ? [] : [[memberKey(element) ?? element, partOf(member, below)]];
  });
  return Object.fromEntries(members);
}
