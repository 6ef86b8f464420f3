/** Lists every field of a spec with its owners: the content of managedFields, grouped by field. */

import type { FieldPath, FieldWithOwners, ProtectableOwner } from '../../model/field-owner.ts';
import { isRecord } from '../../model/json.ts';
import type { CustomObject } from '../../model/object.ts';
import {
  entryElement,
  type FieldSet,
  fieldSetOf,
  isWhole,
  memberElement,
  ownedAt,
  textOf,
} from '../object/field-set.ts';
import type { IsProtected } from './match-protected-managers.ts';

/** An owner with its fields in one part of the spec. */
interface PartOwner {
  readonly owner: ProtectableOwner;
  readonly fields: FieldSet;
}

/** Every field with its owners, sorted by `text`. */
export function fieldsWithOwnersOf(
  object: CustomObject<unknown, unknown>,
  isProtected: IsProtected,
): readonly FieldWithOwners[] {
  const { rawSpec } = object;
  const byName = ownersByName(object, isProtected);
  const isEmpty = !isRecord(rawSpec) || Object.keys(rawSpec).length === 0;
  const fieldsWithOwners = isEmpty ? [] : fieldsWithOwnersIn(rawSpec, [], byName);
  return fieldsWithOwners.toSorted((one, other) => (one.text < other.text ? -1 : 1));
}

/** The owners of one field, sorted by name. */
export function ownersAt(
  object: CustomObject<unknown, unknown>,
  path: FieldPath,
  isProtected: IsProtected,
): readonly ProtectableOwner[] {
  return ownersByName(object, isProtected).flatMap(({ owner, fields }) => {
    const owned = path.reduce<FieldSet | undefined>((below, element) => below && ownedAt(below, element), fields);
    return owned ? [owner] : [];
  });
}

function ownersByName(
  { metadata, owners }: CustomObject<unknown, unknown>,
  isProtected: IsProtected,
): readonly PartOwner[] {
  const partOwners = owners.map((owner) => {
    const { manager, operation, time } = owner;
    return {
      owner: { manager, operation, time, isProtected: isProtected(owner, metadata) },
      fields: fieldSetOf(owner),
    };
  });
  return partOwners.toSorted((one, other) => (nameOf(one.owner) < nameOf(other.owner) ? -1 : 1));
}

function nameOf({ manager, operation }: ProtectableOwner): string {
  return `${manager} ${operation}`;
}

/** A list is one field, unless a manager owns single entries of it. */
function fieldsWithOwnersIn(
  value: unknown,
  path: FieldPath,
  partOwners: readonly PartOwner[],
): readonly FieldWithOwners[] {
  const parts = isWhole(path) ? [] : partsOf(value, partOwners);
  if (parts.length === 0) return [{ path, text: textOf(path), owners: partOwners.map(({ owner }) => owner) }];
  return parts.flatMap(([element, part]) => {
    const below = partOwners.flatMap(({ owner, fields }) => {
      const owned = ownedAt(fields, element);
      return owned ? [{ owner, fields: owned }] : [];
    });
    return fieldsWithOwnersIn(part, [...path, element], below);
  });
}

function partsOf(
  value: unknown,
  partOwners: readonly PartOwner[],
): readonly (readonly [element: string, part: unknown])[] {
  if (isRecord(value)) return Object.entries(value).map(([key, member]) => [memberElement(key), member]);
  if (!Array.isArray(value)) return [];
  const isSet = partOwners.some(({ fields }) => Object.keys(fields).some((element) => element.startsWith('v:')));
  return isSet ? value.map((entry) => [entryElement(entry), undefined]) : [];
}
