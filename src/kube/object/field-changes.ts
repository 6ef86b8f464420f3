/** The fields that differ between two versions of an object. */
import { isDeepStrictEqual } from 'node:util';
import { cutDeep } from '../../model/depth.ts';
import type { FieldPath } from '../../model/field-owner.ts';
import { isRecord } from '../../model/json.ts';
import { memberElement, textOf } from './field-set.ts';

export interface FieldChange {
  /** The path of the field, such as `spec.environments.production.enabled`. */
  readonly path: string;
  /** Absent if the field is new. */
  readonly before?: unknown;
  /** Absent if the field is removed. */
  readonly after?: unknown;
}

/** Compares labels, annotations and spec. A list counts as one field. */
export function fieldChanges(before: unknown, after: unknown): readonly FieldChange[] {
  return [
    ...['labels', 'annotations'].flatMap((key) => changesOfMetadata(key, metadataOf(before), metadataOf(after))),
    // Objects in the cluster may have any depth.
    ...changesIn([], cutDeep(member(before, 'spec')), cutDeep(member(after, 'spec'))).map(({ path, ...values }) => ({
      path: textOf(path),
      ...values,
    })),
  ];
}

function changesOfMetadata(key: string, before: unknown, after: unknown): FieldChange[] {
  return changesIn([], member(before, key), member(after, key)).map(({ path, ...values }) => ({
    path: `metadata.${key}${textOf(path).slice('spec'.length)}`,
    ...values,
  }));
}

interface ChangeAtPath extends Omit<FieldChange, 'path'> {
  readonly path: FieldPath;
}

/**
 * Sorts by the names of the fields. Names each value below a new or removed field, because managers own single values.
 */
function changesIn(path: FieldPath, before: unknown, after: unknown): ChangeAtPath[] {
  if (isDeepStrictEqual(before, after)) return [];
  if (!hasMembers(before, after)) {
    return [{ path, ...(before !== undefined && { before }), ...(after !== undefined && { after }) }];
  }
  const keys = [...new Set([before, after].flatMap((value) => (isRecord(value) ? Object.keys(value) : [])))];
  return keys
    .sort()
    .flatMap((key) => changesIn([...path, memberElement(key)], member(before, key), member(after, key)));
}

/** Whether each value is a map or absent, and at least one map has members. */
function hasMembers(...values: readonly unknown[]): boolean {
  const maps = values.filter((value) => value !== undefined);
  return maps.every(isRecord) && maps.some((map) => Object.keys(Object(map)).length > 0);
}

function metadataOf(object: unknown): unknown {
  return member(object, 'metadata');
}

function member(value: unknown, key: string): unknown {
  return isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}
