/** Makes Vexil hold fields beside those who hold them, with the values that they have: the first half of taking them over. */
import { AppError, isAppError } from '../errors.ts';
import { isCut, MAX_DEPTH } from '../schema/depth.ts';
import type { ItemMap, Kind } from '../schema/kind.ts';
import { type CustomObject, keyOf, type Ref } from '../schema/object.ts';
import { SPEC_MANAGER } from '../schema/stamp.ts';
import { lostTheRace, MOST_TRIES } from './change.ts';
import {
  type FieldPath,
  type FieldSet,
  fieldSetOf,
  heldBelow,
  memberElement,
  memberKey,
  valueAt,
} from './field-set.ts';
import { isAppliedAt } from './last-applied.ts';
import { type Leaf, leavesOf } from './leaves.ts';
import type { IsProtected } from './protection.ts';
import { isRecord } from './raw-object.ts';
import type { BeforeSend } from './transport.ts';

export interface CoOwnOptions<S, T> {
  /** Called with each object that is about to be written; throws to refuse (If-Match). */
  readonly expect?: (object: CustomObject<S, T>) => void;
  readonly dryRun?: boolean;
  /** Asked before each write with the part of the spec that is to be held; throws to refuse (permissions). */
  readonly admit?: (object: CustomObject<S, T>, part: S) => Promise<void>;
  readonly signal?: AbortSignal;
  readonly beforeSend?: BeforeSend | undefined;
}

/** A field with what only the API server knows: the cache keeps no manifests. */
export interface LiveLeaf extends Leaf {
  /** The manifest that `kubectl apply` without `--server-side` applied last has it. */
  readonly isLastApplied: boolean;
}

/** Which leaves are wanted; throws to refuse. */
export type Choose = (leaves: readonly LiveLeaf[]) => readonly LiveLeaf[];

export interface CoOwned<S, T> {
  readonly object: CustomObject<S, T>;
  /** What was chosen. */
  readonly leaves: readonly LiveLeaf[];
}

export interface LiveObject<S, T> {
  readonly object: CustomObject<S, T>;
  /** The spec that `kubectl apply` without `--server-side` applied last; undefined: none. */
  readonly lastApplied: unknown;
}

export interface CoOwnParts<S, T> {
  readonly kind: Pick<Kind<S, T>, 'items'>;
  readonly isProtected: IsProtected;
  readonly live: (ref: Ref, signal?: AbortSignal) => Promise<LiveObject<S, T>>;
  /** Applies a part of the spec of exactly this version, or throws a conflict. */
  readonly apply: (object: CustomObject<S, T>, spec: unknown) => Promise<CustomObject<S, T>>;
}

export interface CoOwnCall<S, T> {
  readonly ref: Ref;
  readonly choose: Choose;
  readonly options: CoOwnOptions<S, T>;
}

/** No value changes, so nothing of it is told. Asked of the API server: who holds what may be newer there than in the cache. */
export async function coOwn<S, T>(parts: CoOwnParts<S, T>, call: CoOwnCall<S, T>): Promise<CoOwned<S, T>> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await tryOnce(parts, call);
    } catch (error) {
      if (!isAppError(error, 'conflict')) throw error;
      if (tries === MOST_TRIES) throw lostTheRace(call.ref, error);
    }
  }
}

async function tryOnce<S, T>(
  { kind, isProtected, live, apply }: CoOwnParts<S, T>,
  { ref, choose, options: { expect, admit, signal } }: CoOwnCall<S, T>,
): Promise<CoOwned<S, T>> {
  const { object, lastApplied } = await live(ref, signal);
  expect?.(object);
  const all = leavesOf(object, isProtected);
  const leaves = choose(all.map((leaf) => ({ ...leaf, isLastApplied: isAppliedAt(lastApplied, leaf.path) })));
  if (leaves.length === 0) return { object, leaves };
  const wanted = wantedOf(kind.items ?? [], leaves);
  // Made of the spec itself, so of its shape, but for what is left out.
  await admit?.(object, partOf(object.rawSpec, wanted) as S);
  const applied = partOf(object.rawSpec, withApplied(wanted, object));
  if (isCut(applied)) throw refuseCut(object);
  return { object: await apply(object, applied), leaves };
}

/** What is not known as it is cannot be applied as it is. */
function refuseCut({ metadata }: CustomObject<unknown, unknown>): AppError {
  const message = `${keyOf(metadata)} has values that are nested deeper than ${MAX_DEPTH} levels among the fields that Vexil would hold: flatten them, or remove them`;
  return new AppError('invalid', message);
}

/** By element; nothing below: the thing itself. */
interface Wanted extends ReadonlyMap<string, Wanted> {}

function wantedOf(items: readonly ItemMap[], leaves: readonly Leaf[]): Wanted {
  const paths = leaves.flatMap(({ path }) => [path, ...needed(items, path)]);
  return paths.map(alone).reduce(together, new Map());
}

/** Who applies lets go of all that is missing from it: so with what is wanted goes what we have applied before. */
function withApplied(wanted: Wanted, { owners }: CustomObject<unknown, unknown>): Wanted {
  const ours = owners.filter(({ manager, operation }) => manager === SPEC_MANAGER && operation === 'Apply');
  return ours.map((owner) => asWanted(fieldSetOf(owner))).reduce(together, wanted);
}

function alone([first, ...rest]: FieldPath): Wanted {
  return new Map(first === undefined ? [] : [[first, alone(rest)]]);
}

function asWanted(fields: FieldSet): Wanted {
  return new Map(heldBelow(fields).map(([element, held]) => [element, asWanted(held)]));
}

function together(one: Wanted, other: Wanted): Wanted {
  const sum = new Map(one);
  for (const [element, below] of other) sum.set(element, together(one.get(element) ?? new Map(), below));
  return sum;
}

/** An item that its other owners drop stays, with what we hold of it: without this the API server would refuse what is left. */
function needed(items: readonly ItemMap[], path: FieldPath): readonly FieldPath[] {
  return items
    .filter(({ at }) => at.every((key, depth) => isAt(path[depth], key)) && path.length > at.length + 1)
    .map(({ at, needs }) => [...path.slice(0, at.length + 1), memberElement(needs)]);
}

function isAt(element: string | undefined, key: string): boolean {
  return element !== undefined && (key === '*' ? memberKey(element) !== undefined : element === memberElement(key));
}

/** A map is taken without what is in it; a list, unless entries of it are named, as a whole. */
function partOf(value: unknown, wanted: Wanted): unknown {
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
