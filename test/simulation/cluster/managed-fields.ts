/** Ownership of fields, as the API server keeps it for updates and for server-side apply. */
import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '../../../src/model/json.ts';
import type { FieldSet, KubeObject, ManagedFields } from './etcd.ts';

export interface Writer {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly subresource?: 'status' | undefined;
  /** A whole second, as text. */
  readonly time: string;
}

/** Members without an owner. */
const UNOWNED = new Set(['apiVersion', 'kind']);
const OWNED_METADATA = new Set(['labels', 'annotations', 'finalizers', 'ownerReferences']);

/** All fields of a value, with `.` for the existence of each map; a list is one field. */
export function fieldsOf(object: KubeObject): FieldSet {
  const members = Object.entries(object).flatMap(([name, value]): [string, FieldSet][] => {
    if (UNOWNED.has(name)) return [];
    if (name !== 'metadata') return [[`f:${name}`, below(value)]];
    const owned = Object.entries(value as Record<string, unknown>).filter(([field]) => OWNED_METADATA.has(field));
    return owned.length === 0 ? [] : [['f:metadata', membersOf(Object.fromEntries(owned))]];
  });
  return Object.fromEntries(members);
}

function below(value: unknown): FieldSet {
  return isRecord(value) ? { '.': {}, ...membersOf(value) } : {};
}

function membersOf(value: Readonly<Record<string, unknown>>): FieldSet {
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [`f:${name}`, below(member)]));
}

/** The fields that an apply owns: it does not own the existence of maps, unless they are empty. */
export function appliedFields(fields: FieldSet): FieldSet {
  const { '.': existence, ...members } = fields;
  if (existence !== undefined && Object.keys(members).length === 0) return fields;
  return Object.fromEntries(Object.entries(members).map(([name, inner]) => [name, appliedFields(inner)]));
}

/** The fields that a write sets to another value. */
function changedFields(before: KubeObject, after: KubeObject): FieldSet {
  return changed(fieldsOf(after), withoutMetadata(before), withoutMetadata(after)) ?? {};
}

function withoutMetadata({ metadata: { labels, annotations }, ...rest }: KubeObject): Record<string, unknown> {
  return { ...rest, metadata: { ...(labels && { labels }), ...(annotations && { annotations }) } };
}

function changed(fields: FieldSet, before: unknown, after: unknown): FieldSet | undefined {
  if (isDeepStrictEqual(before, after)) return undefined;
  if (!isRecord(before) || !isRecord(after)) return fields;
  const members = Object.entries(fields).flatMap(([field, inner]): [string, FieldSet][] => {
    if (field === '.') return [];
    const name = field.slice(2);
    const found = changed(inner, before[name], after[name]);
    return found ? [[field, found]] : [];
  });
  return members.length === 0 ? undefined : Object.fromEntries(members);
}

export function union(one: FieldSet, other: FieldSet): FieldSet {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return Object.fromEntries([...names].map((name) => [name, union(one[name] ?? {}, other[name] ?? {})]));
}

/** The fields of `one` without those that are in `other`; undefined: none is left. */
export function without(one: FieldSet, other: FieldSet): FieldSet | undefined {
  if (Object.keys(one).length === 0) return undefined;
  const left = Object.entries(one).flatMap(([name, inner]): [string, FieldSet][] => {
    const taken = other[name];
    const rest = taken === undefined ? inner : without(inner, taken);
    return rest === undefined ? [] : [[name, rest]];
  });
  return left.length === 0 ? undefined : Object.fromEntries(left);
}

/** Only the fields that the object has. */
function existing(fields: FieldSet, present: FieldSet): FieldSet | undefined {
  if (Object.keys(fields).length === 0) return fields;
  const left = Object.entries(fields).flatMap(([name, inner]): [string, FieldSet][] => {
    const there = present[name];
    const rest = there && existing(inner, there);
    return rest ? [[name, rest]] : [];
  });
  return left.length === 0 ? undefined : Object.fromEntries(left);
}

export function isOf(entry: ManagedFields, { manager, operation, subresource }: Writer): boolean {
  return entry.manager === manager && entry.operation === operation && entry.subresource === subresource;
}

/** Ownership after an update: the writer owns what it changed, and others lose it. Removed fields have no owner. */
export function afterUpdate(
  before: KubeObject | undefined,
  after: KubeObject,
  writer: Writer,
): readonly ManagedFields[] {
  const taken = before ? changedFields(before, after) : fieldsOf(after);
  const present = fieldsOf(after);
  const entries = before?.metadata.managedFields ?? [];
  const isTaking = Object.keys(taken).length > 0;
  const others = entries.flatMap((entry): readonly ManagedFields[] => {
    if (isOf(entry, writer) && isTaking) return [];
    const left = existing(without(entry.fieldsV1, isOf(entry, writer) ? {} : taken) ?? {}, present);
    return left === undefined || Object.keys(left).length === 0 ? [] : [{ ...entry, fieldsV1: left }];
  });
  if (!isTaking) return others;
  const own = existing(union(entries.find((entry) => isOf(entry, writer))?.fieldsV1 ?? {}, taken), present) ?? {};
  return [...others, entryOf(after, writer, own)];
}

/** Ownership after an apply: the writer owns what it applied, and no more; the same value may have several owners. */
export function afterApply(
  before: KubeObject,
  after: KubeObject,
  { applied, writer }: { readonly applied: FieldSet; readonly writer: Writer },
): readonly ManagedFields[] {
  const taken = changedFields(before, after);
  const present = fieldsOf(after);
  const others = ownersBefore(before, writer).flatMap((entry): readonly ManagedFields[] => {
    if (isOf(entry, writer)) return [];
    const left = existing(without(entry.fieldsV1, taken) ?? {}, present);
    return left === undefined || Object.keys(left).length === 0 ? [] : [{ ...entry, fieldsV1: left }];
  });
  return [entryOf(after, writer, applied), ...others];
}

/** The first apply gives an owner to fields without one. */
function ownersBefore(before: KubeObject, { time }: Writer): readonly ManagedFields[] {
  const { managedFields = [] } = before.metadata;
  if (managedFields.length > 0) return managedFields;
  const first: Writer = { manager: 'before-first-apply', operation: 'Update', time };
  return [entryOf(before, first, fieldsOf(before))];
}

function entryOf({ apiVersion }: KubeObject, { manager, operation, subresource, time }: Writer, fieldsV1: FieldSet) {
  const entry: ManagedFields = { manager, operation, apiVersion, time, fieldsType: 'FieldsV1', fieldsV1 };
  return subresource === undefined ? entry : { ...entry, subresource };
}
