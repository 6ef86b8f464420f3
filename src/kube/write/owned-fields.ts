/** Finds the fields of protected managers that a change would take over. */
import { isDeepStrictEqual } from 'node:util';
import { type ErrorDetail, Refusal, type SourceChange } from '../../errors.ts';
import type { FieldPath } from '../../model/field-owner.ts';
import { isRecord } from '../../model/json.ts';
import type { ItemMap, Kind } from '../../model/kind.ts';
import { type CustomObject, type FieldOwner, keyOf } from '../../model/object.ts';
import {
  type FieldSet,
  fieldSetOf,
  ITSELF,
  isOfList,
  isWhole,
  memberElement,
  ownedBelow,
  textOf,
  valueAt,
} from '../object/field-set.ts';
import type { IsProtected } from './match-protected-managers.ts';

/** A field with its protected owners. */
export interface OwnedField {
  /** The formatted path: `spec.environments.production.enabled`. */
  readonly path: string;
  readonly owners: readonly FieldOwner[];
}

/** An object and its new stored spec. */
interface Difference<S, T> {
  readonly kind: Pick<Kind<S, T>, 'items'>;
  readonly object: CustomObject<S, T>;
  readonly after: unknown;
}

/** The fields, sorted by path. */
export function ownedFields<S, T>(
  { kind, object, after }: Difference<S, T>,
  isProtected: IsProtected,
): readonly OwnedField[] {
  const ownersByPath = new Map<string, Set<FieldOwner>>();
  for (const owner of object.owners.filter((one) => isProtected(one, object.metadata))) {
    const fields = fieldSetOf(owner);
    const whole = spot([], object.rawSpec, after);
    // Client-side apply replaces lists of custom resources as a whole, sets included.
    const taken = changedFields(fields, whole, owner.operation === 'Update');
    for (const path of [...taken, ...movedItems(kind.items ?? [], fields, whole)]) {
      const text = textOf(path);
      ownersByPath.set(text, (ownersByPath.get(text) ?? new Set()).add(owner));
    }
  }
  return [...ownersByPath]
    .map(([path, owners]) => ({ path, owners: [...owners] }))
    .toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

/** A path in the spec with its values before and after. */
interface Spot {
  readonly path: FieldPath;
  readonly before: unknown;
  readonly after: unknown;
}

function below({ path, before, after }: Spot, element: string): Spot {
  return spot([...path, element], valueAt(before, element), valueAt(after, element));
}

/** Treats null as absent. */
function spot(path: FieldPath, before: unknown, after: unknown): Spot {
  return { path, before: before ?? undefined, after: after ?? undefined };
}

function* changedFields(fields: FieldSet, at: Spot, wholeLists: boolean): Generator<FieldPath> {
  if (isDeepStrictEqual(at.before, at.after)) return;
  if (isTaken(fields, at, wholeLists)) {
    yield at.path;
    return;
  }
  for (const [element, owned] of ownedBelow(fields)) yield* changedFields(owned, below(at, element), wholeLists);
}

/** Whether the change takes over the field itself, not only a field in it. */
function isTaken(fields: FieldSet, at: Spot, wholeLists: boolean): boolean {
  const elements = ownedBelow(fields).map(([element]) => element);
  if (elements.length === 0) return isFieldTaken(at);
  if (isWhole(at.path)) return true;
  const isRemoved = at.before !== undefined && at.after === undefined;
  return (wholeLists && elements.some(isOfList)) || (ITSELF in fields && isRemoved);
}

/**
 * For a field without owned fields below: a value, or a map itself, which is taken over only by removing the map. An
 * owner of `.` alone is in the same situation.
 */
function isFieldTaken({ before, after }: Spot): boolean {
  if (isRecord(before)) return !isRecord(after);
  return before !== undefined || !isRecord(after);
}

/** The position of an item concerns the whole item: the owner of any of its fields owns the position. */
function* movedItems(items: readonly ItemMap[], fields: FieldSet, whole: Spot): Generator<FieldPath> {
  for (const { at, order } of items) {
    const present = [...itemsAt(at, fields, whole)].filter(({ before, after }) => isRecord(before) && isRecord(after));
    const places = present.map((item) => below(item, memberElement(order)));
    yield* places.filter(({ before, after }) => (before ?? 0) !== (after ?? 0)).map(({ path }) => path);
  }
}

/** The owned items of a map; `*` in the pattern matches any member. */
function* itemsAt(pattern: readonly string[], fields: FieldSet, at: Spot): Generator<Spot> {
  const [first, ...rest] = pattern;
  for (const [element, owned] of ownedBelow(fields)) {
    if (first === undefined) yield below(at, element);
    else if (first === '*' || memberElement(first) === element) yield* itemsAt(rest, owned, below(at, element));
  }
}

const MAX_NAMED = 5;
const MAX_DETAILS = 20;

interface Remediation {
  /** What the caller can do instead. */
  readonly remediation?: readonly string[];
  readonly sources?: readonly SourceChange[];
}

/** The error for an unforced change of owned fields. */
export function refuseOwned(
  object: Pick<CustomObject<unknown, unknown>, 'metadata'>,
  fields: readonly OwnedField[],
  { remediation = [], sources = [] }: Remediation = {},
): Refusal {
  const named = fields
    .slice(0, MAX_NAMED)
    .map(({ path, owners }) => `${path} by ${owners.map(ownerInWords).join(', ')}`);
  const rest = more(fields.length - named.length);
  const what = `${fields.length === 1 ? 'A field is' : `${fields.length} fields are`} owned by another manager`;
  const message = `${what}, so ${keyOf(object.metadata)} was not changed: ${[...named, ...rest].join('; ')}. ${remediation.join(' ')}`;
  const details: ErrorDetail[] = fields.slice(0, MAX_DETAILS).map(({ path, owners }) => {
    return { path, message: `${path} is owned by ${owners.map(ownerInWords).join(', ')}.` };
  });
  const others = [...more(fields.length - details.length).map((text) => `There are ${text}.`), ...remediation];
  return new Refusal('field-managed', message.trimEnd(), {
    details: [...details, ...others.map((text) => ({ message: text }))],
    sources,
  });
}

function more(count: number): readonly string[] {
  return count > 0 ? [`${count} more`] : [];
}

function ownerInWords({ manager, operation, time }: FieldOwner): string {
  return `"${manager}" (${operation}, last write ${time ?? 'unknown'})`;
}
