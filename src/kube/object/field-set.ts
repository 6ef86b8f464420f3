/** Reads field sets of managedFields (fieldsV1, the part below `f:spec`). */

import { isDeepStrictEqual } from 'node:util';
import type { FieldPath } from '../../model/field-owner.ts';
import { isRecord, recordOf } from '../../model/json.ts';
import type { FieldOwner } from '../../model/object.ts';

/**
 * The fields of an owner, by path element: `f:` a member, `v:` a set entry, `k:` a list item by its keys, `i:` by its
 * index, `.` the value itself.
 */
export type FieldSet = Readonly<Record<string, unknown>>;

/** The element of the value itself, without its members. */
export const ITSELF = '.';

export function fieldSetOf({ fields }: Pick<FieldOwner, 'fields'>): FieldSet {
  return recordOf(JSON.parse(fields));
}

/** The fields that are in one of the sets. */
export function unionOf(one: FieldSet, other: FieldSet): FieldSet {
  const both = Object.entries(other).map(([element, below]) => [
    element,
    Object.hasOwn(one, element) ? unionOf(recordOf(one[element]), recordOf(below)) : below,
  ]);
  return { ...one, ...Object.fromEntries(both) };
}

/** The owned fields below each element, without `.`. */
export function ownedBelow(fields: FieldSet): readonly (readonly [element: string, below: FieldSet])[] {
  return Object.entries(fields)
    .filter(([element]) => element !== ITSELF)
    .map(([element, below]) => [element, recordOf(below)]);
}

/** The owned fields below one element; undefined: neither the element nor anything below it is owned. */
export function ownedAt(fields: FieldSet, element: string): FieldSet | undefined {
  return Object.hasOwn(fields, element) ? recordOf(fields[element]) : undefined;
}

/** The element of a member. */
export function memberElement(key: string): string {
  return `f:${key}`;
}

/** The key of a member; undefined: the element is not a member (`.` or part of a list). */
export function memberKey(element: string): string | undefined {
  return element.startsWith('f:') ? element.slice(2) : undefined;
}

/** The element of an entry in a set. */
export function entryElement(entry: unknown): string {
  return `v:${JSON.stringify(entry)}`;
}

export function isOfList(element: string): boolean {
  return memberKey(element) === undefined && element !== ITSELF;
}

/** The part of a value that an element names; undefined: it does not exist. */
export function valueAt(value: unknown, element: string): unknown {
  const key = memberKey(element);
  if (key !== undefined) return isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  if (!Array.isArray(value)) return undefined;
  const named: unknown = JSON.parse(element.slice(2));
  if (element.startsWith('v:')) return value.find((entry) => isDeepStrictEqual(entry, named));
  if (element.startsWith('i:')) return value[Number(named)];
  return value.find((item) => isRecord(item) && isRecord(named) && hasKeys(item, named));
}

const MAX_ELEMENTS = 12;
const MAX_PATH_LENGTH = 400;

/**
 * Whether the field at this path and all fields below it count as one. Free-form values may be deep with long keys, and
 * every path repeats them.
 */
export function isWhole(path: FieldPath): boolean {
  return path.length >= MAX_ELEMENTS || path.reduce((sum, element) => sum + element.length, 0) > MAX_PATH_LENGTH;
}

const PLAIN = /^[\w~-]+$/;

/** Formats a path: `spec.environments.production.enabled`, `spec.tags["simple:payments"]`. */
export function textOf(path: FieldPath): string {
  return `spec${path.map(inWords).join('')}`;
}

function inWords(element: string): string {
  const key = memberKey(element);
  if (key !== undefined) return PLAIN.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
  if (!element.startsWith('k:')) return `[${element.slice(2)}]`;
  const keys = Object.entries(recordOf(JSON.parse(element.slice(2))));
  return `[${keys.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(',')}]`;
}

function hasKeys(item: FieldSet, keys: FieldSet): boolean {
  return Object.entries(keys).every(([name, value]) => isDeepStrictEqual(item[name], value));
}
