/**
 * The manifests that the sources of an object have to apply, so that a change of fields that they own comes from there.
 */
import { isDeepStrictEqual } from 'node:util';
import type { SourceChange } from '../../errors.ts';
import { appliedFrom } from '../../model/applied-from.ts';
import { isCut } from '../../model/depth.ts';
import type { FieldPath } from '../../model/field-owner.ts';
import { isRecord } from '../../model/json.ts';
import { API_VERSION, type ItemMap, type Kind } from '../../model/kind.ts';
import type { CustomObject, FieldOwner } from '../../model/object.ts';
import {
  entryElement,
  type FieldSet,
  fieldSetOf,
  isOfList,
  memberElement,
  ownedAt,
  valueAt,
} from '../object/field-set.ts';
import type { OwnedField } from './owned-fields.ts';
import { asWanted, partOf, together, wantedPaths } from './part-of-spec.ts';

interface ChangedSpec<S, T> {
  readonly kind: Pick<Kind<S, T>, 'kind' | 'items'>;
  readonly object: CustomObject<S, T>;
  /** The new stored spec. */
  readonly after: unknown;
}

/** The maximum number of sources in an answer: few managers apply the same object. */
const MAX_SOURCES = 3;

/** One change for each manager of the fields: everything that it owns including the change, and the change alone. */
export function sourceChanges<S, T>(
  { kind, object, after }: ChangedSpec<S, T>,
  ownedFields: readonly OwnedField[],
): readonly SourceChange[] {
  // Values that were cut are not known.
  if (isCut(object.rawSpec) || isCut(after)) return [];
  const owners = [...new Set(ownedFields.flatMap((field) => field.owners))].slice(0, MAX_SOURCES);
  const { name, namespace } = object.metadata;
  const mergePatch = { spec: mergePatchOf(object.rawSpec, after) };
  const head = { apiVersion: API_VERSION, kind: kind.kind, metadata: { name, namespace } };
  const from = appliedFrom(object.metadata);
  return owners.map((owner) => ({
    manager: owner.manager,
    operation: owner.operation,
    manifest: { ...head, spec: specOf(owner, { items: kind.items ?? [], before: object.rawSpec, after }) },
    present: { ...head, spec: partOf(object.rawSpec, asWanted(fieldSetOf(owner))) },
    appliedFrom: from && `${from.kind} ${from.namespace}/${from.name}`,
    mergePatch,
  }));
}

interface Difference {
  readonly items: readonly ItemMap[];
  readonly before: unknown;
  readonly after: unknown;
}

/** Everything that the owner has applied, with the change in it, and with the new fields that the change adds. */
function specOf(owner: FieldOwner, { items, before, after }: Difference): unknown {
  const fields = fieldSetOf(owner);
  const changed = [...changedPaths({ path: [], before, after, fields })];
  return partOf(after, together(asWanted(fields), wantedPaths(items, changed)));
}

interface Spot {
  readonly path: FieldPath;
  readonly before: unknown;
  readonly after: unknown;
  /** The fields of the owner at this place; undefined if it has none. */
  readonly fields: FieldSet | undefined;
}

/** The fields that are new or have another value after the change. */
function* changedPaths(at: Spot): Generator<FieldPath> {
  const { path, before, after, fields = {} } = at;
  if (after === undefined || after === null || isDeepStrictEqual(before, after)) return;
  if (isRecord(after)) {
    for (const key of Object.keys(after)) yield* changedPaths(below(at, key));
  } else if (Array.isArray(after) && Object.keys(fields).some(isOfList)) {
    // The value is a set, of which the owner has single entries.
    yield* after.map((entry) => [...path, entryElement(entry)]);
  } else yield path;
}

function below({ path, before, after, fields }: Spot, key: string): Spot {
  const element = memberElement(key);
  return {
    path: [...path, element],
    before: valueAt(before, element),
    after: valueAt(after, element),
    fields: fields && ownedAt(fields, element),
  };
}

/** A JSON Merge Patch (RFC 7386). */
function mergePatchOf(before: unknown, after: unknown): unknown {
  if (!isRecord(before) || !isRecord(after)) return after ?? null;
  const at = (record: unknown, key: string) => valueAt(record, memberElement(key)) ?? null;
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changed = keys.filter((key) => !isDeepStrictEqual(at(before, key), at(after, key)));
  return Object.fromEntries(changed.map((key) => [key, mergePatchOf(at(before, key), at(after, key))]));
}
