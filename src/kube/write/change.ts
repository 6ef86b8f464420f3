/** The only way to write a spec: read, edit with a pure function, patch the difference, retry on a conflict. */
import jsonPatch, { type Operation } from 'fast-json-patch';
import { ClusterError, isClusterError, type SourceChange } from '../../errors.ts';
import { type Clock, pause } from '../../model/clock.ts';
import { isCut } from '../../model/depth.ts';
import { type CustomObject, keyOf, type ObjectMetadata, type Ref } from '../../model/object.ts';
import type { BeforeSend } from '../api/transport.ts';
import { isSameSpec, mergeSpec } from './merge-spec.ts';
import { type OwnedField, refuseOwned } from './owned-fields.ts';

/** Annotations to write; undefined: remove the annotation. */
export type Annotations = Readonly<Record<string, string | undefined>>;

/** What every write of an object takes. */
export interface CallOptions {
  readonly dryRun?: boolean;
  readonly signal?: AbortSignal;
  readonly beforeSend?: BeforeSend | undefined;
}

export interface ChangeOptions<S, T> extends CallOptions {
  /** Precondition on each version that an edit starts from, such as If-Match; throws to reject. */
  readonly expect?: (object: CustomObject<S, T>) => void;
  /** Authorizes each write, dry runs included; throws to reject. */
  readonly admit?: (change: SpecChange<S, T>) => Promise<void>;
  /**
   * Decides each write, dry runs included, that changes fields of protected managers; throws to reject. Absent: such a
   * write is rejected.
   */
  readonly take?: (
    object: CustomObject<S, T>,
    ownedFields: readonly OwnedField[],
    sources: () => readonly SourceChange[],
  ) => void;
  /** Annotations to write together with a change of the spec, such as the author. */
  readonly stamp?: (object: CustomObject<S, T>) => Annotations;
}

/** A planned change of one object. */
export interface SpecChange<S, T> {
  readonly object: CustomObject<S, T>;
  /** The edited spec, in the form for rules. */
  readonly next: S;
  /** The JSON Patch from the stored spec; pointers start with `/spec`. */
  readonly operations: readonly Operation[];
  /** The changed fields that protected managers own. */
  readonly ownedFields: readonly OwnedField[];
  /** What these managers would have to apply instead. */
  readonly sources: () => readonly SourceChange[];
}

export interface ChangeParts<S, T> {
  readonly cached: (ref: Ref) => CustomObject<S, T> | undefined;
  readonly live: (ref: Ref, signal?: AbortSignal) => Promise<CustomObject<S, T>>;
  readonly patch: (
    ref: Ref,
    operations: readonly Operation[],
    options: ChangeOptions<S, T>,
  ) => Promise<CustomObject<S, T>>;
  /** The fields of protected managers that differ in `after`, the new stored spec. */
  readonly ownedBy: (object: CustomObject<S, T>, after: unknown) => readonly OwnedField[];
  readonly sourcesOf: (
    object: CustomObject<S, T>,
    after: unknown,
    ownedFields: readonly OwnedField[],
  ) => readonly SourceChange[];
  readonly clock: Clock;
  readonly random: () => number;
}

/** Returns the new spec of an object; a pure function that may throw a ClusterError to reject. */
export type Edit<S, T> = (object: CustomObject<S, T>) => S;

export interface ChangeCall<S, T> {
  readonly ref: Ref;
  readonly edit: Edit<S, T>;
  readonly options: ChangeOptions<S, T>;
}

export const MAX_TRIES = 6;
const FIRST_WAIT_MS = 20;

/** Larger patches replace the whole spec, which is cheaper; the API server rejects 10,000 operations. */
const MAX_OPERATIONS = 1000;

/** The same limit by length: a long key is repeated in the path of each operation below it. */
const MAX_PATH_CHARACTERS = 1_000_000;

/** Changes the spec of one object; an edit that changes nothing writes nothing. */
export async function changeSpec<S, T>(parts: ChangeParts<S, T>, call: ChangeCall<S, T>): Promise<CustomObject<S, T>> {
  const { ref } = call;
  let plan = await firstPlan(parts, call);
  for (let tries = 1; ; tries += 1) {
    if (plan.operations.length === 0) return plan.object;
    await call.options.admit?.(plan);
    takeOwned(plan, call.options);
    const answer = await attempt(parts, { ...call, ...plan });
    if (!('stale' in answer)) return answer.object;
    if (tries === MAX_TRIES) throw tooManyConflicts(ref, answer.stale);
    plan = planFor(parts, call, answer.live ?? (await again(parts, call, tries)));
  }
}

function takeOwned<S, T>({ object, ownedFields, sources }: SpecChange<S, T>, { take }: ChangeOptions<S, T>): void {
  if (ownedFields.length === 0) return;
  if (!take) throw refuseOwned(object, ownedFields, { sources: sources() });
  take(object, ownedFields, sources);
}

/**
 * The API server detects a write that was planned from a stale cache by its version. It does not detect a stale
 * "nothing to do", a stale rejection or stale field owners, so these are decided again on the live object.
 */
async function firstPlan<S, T>(parts: ChangeParts<S, T>, call: ChangeCall<S, T>): Promise<SpecChange<S, T>> {
  const cached = parts.cached(call.ref);
  const plan = cached && unlessRefused(() => planFor(parts, call, cached));
  if (plan && plan.operations.length > 0 && plan.ownedFields.length === 0) return plan;
  return planFor(parts, call, await parts.live(call.ref, call.options.signal));
}

function unlessRefused<R>(plan: () => R): R | undefined {
  try {
    return plan();
  } catch {
    return undefined;
  }
}

/** Plans a change; without operations there is nothing to write. */
function planFor<S, T>(
  { ownedBy, sourcesOf }: ChangeParts<S, T>,
  { edit, options }: ChangeCall<S, T>,
  object: CustomObject<S, T>,
): SpecChange<S, T> {
  options.expect?.(object);
  const next = edit(object);
  if (isSameSpec(object.spec, next)) {
    return { object, next, operations: [], ownedFields: [], sources: () => [] };
  }
  const merged = mergeSpec({ raw: object.rawSpec, before: object.spec, after: next });
  const fields = ownedBy(object, merged);
  const sources = () => sourcesOf(object, merged, fields);
  return { object, next, operations: specOperations(object.rawSpec, merged), ownedFields: fields, sources };
}

/** The JSON Patch between two stored specs. */
export function specOperations(before: unknown, after: unknown): Operation[] {
  const operations = jsonPatch.compare(before === undefined ? {} : { spec: before }, { spec: after });
  const characters = operations.reduce((sum, { path }) => sum + path.length, 0);
  const isLarge = operations.length > MAX_OPERATIONS || characters > MAX_PATH_CHARACTERS;
  // Replacing the whole spec would overwrite the parts that were cut.
  return isLarge && !isCut(after) ? [{ op: 'replace', path: '/spec', value: after }] : operations;
}

/** The patch that writes annotations, guarded by the resourceVersion of the object. */
export function annotationOperations(
  { annotations: present, resourceVersion }: ObjectMetadata,
  wanted: Annotations = {},
): Operation[] {
  // Not a `test` operation: that fails with 422 without a cause, this fails with 409.
  const guard: Operation = { op: 'replace', path: '/metadata/resourceVersion', value: resourceVersion };
  return [guard, ...differences(present, wanted)];
}

function differences(present: Readonly<Record<string, string>> | undefined, wanted: Annotations): Operation[] {
  const entries = Object.entries(wanted);
  const added = entries.flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }]));
  if (present === undefined) {
    const value = Object.fromEntries(added.map((one) => [one.name, one.value]));
    return added.length === 0 ? [] : [{ op: 'add', path: '/metadata/annotations', value }];
  }
  const at = (name: string) => `/metadata/annotations/${jsonPatch.escapePathComponent(name)}`;
  const removed = entries.filter(([name, value]) => value === undefined && Object.hasOwn(present, name));
  return [
    ...added.map(({ name, value }): Operation => ({ op: 'add', path: at(name), value })),
    ...removed.map(([name]): Operation => ({ op: 'remove', path: at(name) })),
  ];
}

type Attempt<S, T> = ChangeCall<S, T> & SpecChange<S, T>;

type Attempted<S, T> =
  | { readonly object: CustomObject<S, T> }
  | { readonly stale: unknown; readonly live?: CustomObject<S, T> };

async function attempt<S, T>(parts: ChangeParts<S, T>, tried: Attempt<S, T>): Promise<Attempted<S, T>> {
  const { ref, object, operations, options } = tried;
  try {
    const patch = [...annotationOperations(object.metadata, options.stamp?.(object)), ...operations];
    return { object: await parts.patch(ref, patch, options) };
  } catch (error) {
    if (isClusterError(error, 'conflict')) return { stale: error };
    // A patch that does not apply fails (422, no causes) before its version is compared. It is retried only if the
    // object has changed meanwhile.
    if (!isClusterError(error, 'invalid') || error.details.length > 0) throw error;
    const live = await parts.live(ref, options.signal);
    if (live.metadata.resourceVersion === object.metadata.resourceVersion) throw error;
    return { stale: error, live };
  }
}

/**
 * Reads the live object for a retry. The first conflict is likely a stale cache; later ones mean contention, so wait.
 */
async function again<S, T>(
  parts: ChangeParts<S, T>,
  call: ChangeCall<S, T>,
  tries: number,
): Promise<CustomObject<S, T>> {
  const { signal } = call.options;
  if (tries > 1) await pause(parts.clock, parts.random() * FIRST_WAIT_MS * 2 ** tries, signal);
  signal?.throwIfAborted();
  return parts.live(call.ref, signal);
}

export function tooManyConflicts(ref: Ref, cause: unknown): ClusterError {
  const message = `${keyOf(ref)} was changed by others at the same time, ${MAX_TRIES} times in a row; try again`;
  return new ClusterError('conflict', message, { cause });
}
