/** Makes Vexil a co-owner of fields without changing their values: the first half of taking over ownership. */
import { isClusterError, Refusal } from '../../errors.ts';
import { isCut, MAX_DEPTH } from '../../model/depth.ts';
import type { FieldWithOwners } from '../../model/field-owner.ts';
import type { Kind } from '../../model/kind.ts';
import { type CustomObject, keyOf, type Ref } from '../../model/object.ts';
import { SPEC_MANAGER } from '../../schema/stamp.ts';
import { fieldSetOf } from '../object/field-set.ts';
import { isAppliedAt } from '../object/last-applied.ts';
import { type CallOptions, MAX_TRIES, tooManyConflicts } from './change.ts';
import { fieldsWithOwnersOf } from './field-owners.ts';
import type { IsProtected } from './match-protected-managers.ts';
import { asWanted, partOf, together, type Wanted, wantedPaths } from './part-of-spec.ts';

export interface ClaimOptions<S, T> extends CallOptions {
  /** Precondition on each version to write, such as If-Match; throws to reject. */
  readonly expect?: (object: CustomObject<S, T>) => void;
  /** Authorizes each write, with the part of the spec to own; throws to reject. */
  readonly admit?: (object: CustomObject<S, T>, part: S) => Promise<void>;
}

/** A field with information from the live object that the cache does not keep. */
export interface LiveField extends FieldWithOwners {
  /** The last manifest of client-side `kubectl apply` contains the field. */
  readonly isLastApplied: boolean;
}

/** Chooses the fields to claim; throws to reject. */
export type Choose = (fieldsWithOwners: readonly LiveField[]) => readonly LiveField[];

export interface ClaimedFields<S, T> {
  readonly object: CustomObject<S, T>;
  /** The chosen fields. */
  readonly fieldsWithOwners: readonly LiveField[];
}

export interface LiveObject<S, T> {
  readonly object: CustomObject<S, T>;
  /** The spec of the last client-side `kubectl apply`; undefined: none. */
  readonly lastApplied: unknown;
}

export interface ClaimParts<S, T> {
  readonly kind: Pick<Kind<S, T>, 'items'>;
  readonly isProtected: IsProtected;
  readonly live: (ref: Ref, signal?: AbortSignal) => Promise<LiveObject<S, T>>;
  /** Applies a part of the spec of exactly this version; throws a conflict for another one. */
  readonly apply: (object: CustomObject<S, T>, spec: unknown) => Promise<CustomObject<S, T>>;
}

export interface ClaimCall<S, T> {
  readonly ref: Ref;
  readonly choose: Choose;
  readonly options: ClaimOptions<S, T>;
}

/**
 * Claims fields. Works on the live object, because cached field owners may be stale. Changes no value, so it causes no
 * audit entry.
 */
export async function claimFields<S, T>(parts: ClaimParts<S, T>, call: ClaimCall<S, T>): Promise<ClaimedFields<S, T>> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await tryOnce(parts, call);
    } catch (error) {
      if (!isClusterError(error, 'conflict')) throw error;
      if (tries === MAX_TRIES) throw tooManyConflicts(call.ref, error);
    }
  }
}

async function tryOnce<S, T>(
  { kind, isProtected, live, apply }: ClaimParts<S, T>,
  { ref, choose, options: { expect, admit, signal } }: ClaimCall<S, T>,
): Promise<ClaimedFields<S, T>> {
  const { object, lastApplied } = await live(ref, signal);
  expect?.(object);
  const all = fieldsWithOwnersOf(object, isProtected);
  const fieldsWithOwners = choose(
    all.map((fieldWithOwners) => ({
      ...fieldWithOwners,
      isLastApplied: isAppliedAt(lastApplied, fieldWithOwners.path),
    })),
  );
  if (fieldsWithOwners.length === 0) return { object, fieldsWithOwners };
  const wanted = wantedPaths(
    kind.items ?? [],
    fieldsWithOwners.map(({ path }) => path),
  );
  // A part of the spec itself, so it has the shape of the spec.
  await admit?.(object, partOf(object.rawSpec, wanted) as S);
  const applied = partOf(object.rawSpec, withApplied(wanted, object));
  if (isCut(applied)) throw refuseCut(object);
  return { object: await apply(object, applied), fieldsWithOwners };
}

/** A value that was cut cannot be applied unchanged. */
function refuseCut({ metadata }: CustomObject<unknown, unknown>): Refusal {
  const message = `${keyOf(metadata)} has values that are nested deeper than ${MAX_DEPTH} levels among the fields that Vexil would own: flatten them, or remove them`;
  return new Refusal('invalid', message);
}

/** Adds the fields that Vexil has applied before, because an apply releases all fields that it leaves out. */
function withApplied(wanted: Wanted, { owners }: CustomObject<unknown, unknown>): Wanted {
  const ours = owners.filter(({ manager, operation }) => manager === SPEC_MANAGER && operation === 'Apply');
  return ours.map((owner) => asWanted(fieldSetOf(owner))).reduce(together, wanted);
}
