/** Which fields of a spec a change would take from an owner that is protected. */
import { isDeepStrictEqual } from 'node:util';
import { AppError, type ErrorDetail } from '../errors.ts';
import type { ItemMap, Kind } from '../schema/kind.ts';
import { type CustomObject, type FieldOwner, keyOf } from '../schema/object.ts';
import {
  type FieldPath,
  type FieldSet,
  fieldSetOf,
  heldBelow,
  ITSELF,
  isOfList,
  isWhole,
  memberElement,
  textOf,
  valueAt,
} from './field-set.ts';
import type { IsProtected } from './protection.ts';
import { isRecord } from './raw-object.ts';

/** A field with everyone protected who holds it. */
export interface HeldField {
  /** For people: `spec.environments.production.enabled`. */
  readonly path: string;
  readonly owners: readonly FieldOwner[];
}

/** A spec as the server holds it and as it is to be; one owner or several may hold what differs. */
interface Difference<S, T> {
  readonly kind: Pick<Kind<S, T>, 'items'>;
  readonly object: CustomObject<S, T>;
  readonly after: unknown;
}

/** In the order of their paths. */
export function heldFields<S, T>(
  { kind, object, after }: Difference<S, T>,
  isProtected: IsProtected,
): readonly HeldField[] {
  const holders = new Map<string, Set<FieldOwner>>();
  for (const owner of object.owners.filter((one) => isProtected(one, object.metadata))) {
    const fields = fieldSetOf(owner);
    const whole = spot([], object.rawSpec, after);
    // Whoever applies on the client's side replaces the lists of custom resources as a whole, sets too.
    const taken = changedFields(fields, whole, owner.operation === 'Update');
    for (const path of [...taken, ...movedItems(kind.items ?? [], fields, whole)]) {
      const text = textOf(path);
      holders.set(text, (holders.get(text) ?? new Set()).add(owner));
    }
  }
  return [...holders]
    .map(([path, owners]) => ({ path, owners: [...owners] }))
    .toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

/** A place in the spec, with what stands there before and after. */
interface Spot {
  readonly path: FieldPath;
  readonly before: unknown;
  readonly after: unknown;
}

function below({ path, before, after }: Spot, element: string): Spot {
  return spot([...path, element], valueAt(before, element), valueAt(after, element));
}

/** Null is absent. */
function spot(path: FieldPath, before: unknown, after: unknown): Spot {
  return { path, before: before ?? undefined, after: after ?? undefined };
}

function* changedFields(fields: FieldSet, at: Spot, wholeLists: boolean): Generator<FieldPath> {
  if (isDeepStrictEqual(at.before, at.after)) return;
  if (isTaken(fields, at, wholeLists)) {
    yield at.path;
    return;
  }
  for (const [element, held] of heldBelow(fields)) yield* changedFields(held, below(at, element), wholeLists);
}

/** Whether the thing itself is taken, rather than something in it. */
function isTaken(fields: FieldSet, at: Spot, wholeLists: boolean): boolean {
  const elements = heldBelow(fields).map(([element]) => element);
  if (elements.length === 0) return isLeafTaken(at);
  if (isWhole(at.path)) return true;
  const isGone = at.before !== undefined && at.after === undefined;
  return (wholeLists && elements.some(isOfList)) || (ITSELF in fields && isGone);
}

/**
 * Nothing is held below: that is a value, or a map without what is in it, which is lost only when the map goes. An owner
 * that has `.` and no more is told in the same way.
 */
function isLeafTaken({ before, after }: Spot): boolean {
  if (isRecord(before)) return !isRecord(after);
  return before !== undefined || !isRecord(after);
}

/** The place of an item is about the item as a whole: it is held by whoever holds anything of it. */
function* movedItems(items: readonly ItemMap[], fields: FieldSet, whole: Spot): Generator<FieldPath> {
  for (const { at, order } of items) {
    const present = [...itemsAt(at, fields, whole)].filter(({ before, after }) => isRecord(before) && isRecord(after));
    const places = present.map((item) => below(item, memberElement(order)));
    yield* places.filter(({ before, after }) => (before ?? 0) !== (after ?? 0)).map(({ path }) => path);
  }
}

/** What is held of the items of a map; `*` in the pattern stands for any member. */
function* itemsAt(pattern: readonly string[], fields: FieldSet, at: Spot): Generator<Spot> {
  const [first, ...rest] = pattern;
  for (const [element, held] of heldBelow(fields)) {
    if (first === undefined) yield below(at, element);
    else if (first === '*' || memberElement(first) === element) yield* itemsAt(rest, held, below(at, element));
  }
}

const MOST_NAMED = 5;
const MOST_DETAILS = 20;

/** The refusal to take them; `waysOut` tells what the caller can do instead. */
export function refuseHeld(
  object: Pick<CustomObject<unknown, unknown>, 'metadata'>,
  held: readonly HeldField[],
  waysOut: readonly string[] = [],
): AppError {
  const named = held
    .slice(0, MOST_NAMED)
    .map(({ path, owners }) => `${path} by ${owners.map(ownerInWords).join(', ')}`);
  const rest = more(held.length - named.length);
  const what = `${held.length === 1 ? 'A field is' : `${held.length} fields are`} held by somebody else`;
  const message = `${what}, so ${keyOf(object.metadata)} was not changed: ${[...named, ...rest].join('; ')}. ${waysOut.join(' ')}`;
  const details: ErrorDetail[] = held.slice(0, MOST_DETAILS).map(({ path, owners }) => {
    return { path, message: `${path} is held by ${owners.map(ownerInWords).join(', ')}.` };
  });
  const others = [...more(held.length - details.length).map((text) => `There are ${text}.`), ...waysOut];
  return new AppError('field-managed', message.trimEnd(), {
    details: [...details, ...others.map((text) => ({ message: text }))],
  });
}

function more(count: number): readonly string[] {
  return count > 0 ? [`${count} more`] : [];
}

function ownerInWords({ manager, operation, time }: FieldOwner): string {
  return `"${manager}" (${operation}, last write ${time ?? 'unknown'})`;
}
