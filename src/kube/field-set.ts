/** Field sets as the API server writes them into managedFields (fieldsV1, the part below `f:spec`). */
import { isDeepStrictEqual } from 'node:util';
import type { FieldOwner } from '../schema/object.ts';
import { isRecord } from './raw-object.ts';

/** What an owner holds, by path element: `f:` a member, `v:` an entry of a set, `k:` an item of a list by its keys, `i:` by its place, `.` the thing itself. */
export type FieldSet = Readonly<Record<string, unknown>>;

/** Elements from the spec down. */
export type FieldPath = readonly string[];

/** The member of a field set that stands for the thing itself, without what is in it. */
export const ITSELF = '.';

export function fieldSetOf({ fields }: Pick<FieldOwner, 'fields'>): FieldSet {
  return asFieldSet(JSON.parse(fields));
}

/** What is held below each element; the thing itself left out. */
export function heldBelow(fields: FieldSet): readonly (readonly [element: string, below: FieldSet])[] {
  return Object.entries(fields)
    .filter(([element]) => element !== ITSELF)
    .map(([element, below]) => [element, asFieldSet(below)]);
}

/** What is held below one element; undefined: nothing, not even the thing itself. */
export function heldAt(fields: FieldSet, element: string): FieldSet | undefined {
  return Object.hasOwn(fields, element) ? asFieldSet(fields[element]) : undefined;
}

/** The element of a member. */
export function memberElement(key: string): string {
  return `f:${key}`;
}

/** The key of a member; undefined: the element is about a list. */
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

/** The part of a value that an element names; undefined where there is none. */
export function valueAt(value: unknown, element: string): unknown {
  const key = memberKey(element);
  if (key !== undefined) return isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  if (!Array.isArray(value)) return undefined;
  const named: unknown = JSON.parse(element.slice(2));
  if (element.startsWith('v:')) return value.find((entry) => isDeepStrictEqual(entry, named));
  if (element.startsWith('i:')) return value[Number(named)];
  return value.find((item) => isRecord(item) && isRecord(named) && hasKeys(item, named));
}

const MOST_ELEMENTS = 12;
const LONGEST_PATH = 400;

/**
 * Whether the field at this path and all below count as one. Free-form values may be deep and their keys long, and each
 * path repeats all of both.
 */
export function isWhole(path: FieldPath): boolean {
  return path.length >= MOST_ELEMENTS || path.reduce((sum, element) => sum + element.length, 0) > LONGEST_PATH;
}

const PLAIN = /^[\w~-]+$/;

/** A path for people: `spec.environments.production.enabled`, `spec.tags["simple:payments"]`. */
export function textOf(path: FieldPath): string {
  return `spec${path.map(inWords).join('')}`;
}

function inWords(element: string): string {
  const key = memberKey(element);
  if (key !== undefined) return PLAIN.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
  if (!element.startsWith('k:')) return `[${element.slice(2)}]`;
  const keys = Object.entries(asFieldSet(JSON.parse(element.slice(2))));
  return `[${keys.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(',')}]`;
}

function hasKeys(item: FieldSet, keys: FieldSet): boolean {
  return Object.entries(keys).every(([name, value]) => isDeepStrictEqual(item[name], value));
}

function asFieldSet(value: unknown): FieldSet {
  return isRecord(value) ? value : {};
}
