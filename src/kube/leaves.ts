/** Every field of a spec with everyone who holds it: what `kubectl get --show-managed-fields` says, the other way round. */
import type { CustomObject, FieldOwner } from '../schema/object.ts';
import {
  entryElement,
  type FieldPath,
  type FieldSet,
  fieldSetOf,
  heldAt,
  isWhole,
  memberElement,
  textOf,
} from './field-set.ts';
import type { IsProtected } from './protection.ts';
import { isRecord } from './raw-object.ts';

export interface LeafOwner extends Pick<FieldOwner, 'manager' | 'operation' | 'time'> {
  readonly isProtected: boolean;
}

export interface Leaf {
  readonly path: FieldPath;
  /** The path for people; no other leaf of the object has it. */
  readonly text: string;
  /** By name; nobody: it is anybody's. */
  readonly owners: readonly LeafOwner[];
}

/** An owner with what it holds of the part that is looked at. */
interface Holder {
  readonly owner: LeafOwner;
  readonly fields: FieldSet;
}

/** In the order of their texts. */
export function leavesOf(
  { metadata, rawSpec, owners }: CustomObject<unknown, unknown>,
  isProtected: IsProtected,
): readonly Leaf[] {
  const holders = owners.map((owner) => {
    const { manager, operation, time } = owner;
    return {
      owner: { manager, operation, time, isProtected: isProtected(owner, metadata) },
      fields: fieldSetOf(owner),
    };
  });
  const byName = holders.toSorted((one, other) => (nameOf(one.owner) < nameOf(other.owner) ? -1 : 1));
  const isEmpty = !isRecord(rawSpec) || Object.keys(rawSpec).length === 0;
  const leaves = isEmpty ? [] : leavesIn(rawSpec, [], byName);
  return leaves.toSorted((one, other) => (one.text < other.text ? -1 : 1));
}

function nameOf({ manager, operation }: LeafOwner): string {
  return `${manager} ${operation}`;
}

/** A list is one leaf, unless somebody holds single entries of it. */
function leavesIn(value: unknown, path: FieldPath, holders: readonly Holder[]): readonly Leaf[] {
  const parts = isWhole(path) ? [] : partsOf(value, holders);
  if (parts.length === 0) return [{ path, text: textOf(path), owners: holders.map(({ owner }) => owner) }];
  return parts.flatMap(([element, part]) => {
    const still = holders.flatMap(({ owner, fields }) => {
      const held = heldAt(fields, element);
      return held ? [{ owner, fields: held }] : [];
    });
    return leavesIn(part, [...path, element], still);
  });
}

function partsOf(value: unknown, holders: readonly Holder[]): readonly (readonly [element: string, part: unknown])[] {
  if (isRecord(value)) return Object.entries(value).map(([key, member]) => [memberElement(key), member]);
  if (!Array.isArray(value)) return [];
  const isSet = holders.some(({ fields }) => Object.keys(fields).some((element) => element.startsWith('v:')));
  return isSet ? value.map((entry) => [entryElement(entry), undefined]) : [];
}
