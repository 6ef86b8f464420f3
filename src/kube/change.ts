/** The one way to write a spec: read, edit purely, patch what differs, again when someone else was faster. */
import jsonPatch, { type Operation } from 'fast-json-patch';
import { AppError, isAppError } from '../errors.ts';
import { isCut } from '../schema/depth.ts';
import { type CustomObject, keyOf, type ObjectMetadata, type Ref } from '../schema/object.ts';
import { type HeldField, refuseHeld } from './held-fields.ts';
import { isSameSpec, mergeSpec } from './merge-spec.ts';
import { type Clock, pause } from './pause.ts';
import type { BeforeSend } from './transport.ts';

/** To be written to an object; undefined: taken away, if it is there. */
export type Annotations = Readonly<Record<string, string | undefined>>;

export interface ChangeOptions<S, T> {
  /** Called with each object that an edit is about to start from; throws to refuse (If-Match). */
  readonly expect?: (object: CustomObject<S, T>) => void;
  readonly dryRun?: boolean;
  /** Asked before each write, also before one that is not meant; throws to refuse (permissions). */
  readonly admit?: (change: SpecChange<S, T>) => Promise<void>;
  /** Asked before each write, also before one that is not meant, of fields that somebody else holds; throws to refuse. Absent: refused. */
  readonly take?: (object: CustomObject<S, T>, held: readonly HeldField[]) => void;
  /** Annotations to write together with a change of the spec (the author). */
  readonly stamp?: (object: CustomObject<S, T>) => Annotations;
  readonly signal?: AbortSignal;
  readonly beforeSend?: BeforeSend | undefined;
}

/** A change of one object that is about to be written. */
export interface SpecChange<S, T> {
  readonly object: CustomObject<S, T>;
  /** The edited spec, as the rules read it. */
  readonly next: S;
  /** What differs in what the server holds; pointers begin with `/spec`. */
  readonly operations: readonly Operation[];
  /** What of it would be taken from an owner that is protected. */
  readonly held: readonly HeldField[];
}

export interface ChangeParts<S, T> {
  readonly cached: (ref: Ref) => CustomObject<S, T> | undefined;
  readonly live: (ref: Ref, signal?: AbortSignal) => Promise<CustomObject<S, T>>;
  readonly patch: (
    ref: Ref,
    operations: readonly Operation[],
    options: ChangeOptions<S, T>,
  ) => Promise<CustomObject<S, T>>;
  /** What of an object is held by others and not the same in `after`, its spec as the server is to hold it. */
  readonly heldBy: (object: CustomObject<S, T>, after: unknown) => readonly HeldField[];
  readonly clock: Clock;
  readonly random: () => number;
}

/** Makes the new spec of an object; it changes nothing, and may refuse with an AppError. */
export type Edit<S, T> = (object: CustomObject<S, T>) => S;

export interface ChangeCall<S, T> {
  readonly ref: Ref;
  readonly edit: Edit<S, T>;
  readonly options: ChangeOptions<S, T>;
}

export const MOST_TRIES = 6;
const FIRST_WAIT_MS = 20;

/** Above this a patch that replaces the spec whole is smaller work for everyone; the server refuses 10,000. */
const MOST_OPERATIONS = 1000;

/** The same: a long key stands in the path of each operation below it. */
const MOST_PATH_CHARACTERS = 1_000_000;

/** Changes the spec of one object; an edit that changes nothing writes nothing. */
export async function changeSpec<S, T>(parts: ChangeParts<S, T>, call: ChangeCall<S, T>): Promise<CustomObject<S, T>> {
  const { ref } = call;
  let plan = await firstPlan(parts, call);
  for (let tries = 1; ; tries += 1) {
    if (plan.operations.length === 0) return plan.object;
    await call.options.admit?.(plan);
    takeHeld(plan, call.options);
    const answer = await attempt(parts, { ...call, ...plan });
    if (!('stale' in answer)) return answer.object;
    if (tries === MOST_TRIES) throw lostTheRace(ref, answer.stale);
    plan = planFor(parts, call, answer.live ?? (await again(parts, call, tries)));
  }
}

function takeHeld<S, T>({ object, held }: SpecChange<S, T>, { take }: ChangeOptions<S, T>): void {
  if (held.length === 0) return;
  if (!take) throw refuseHeld(object, held);
  take(object, held);
}

/**
 * A write computed from a cache that is behind is found out by its version. "Nothing to do" and a refusal are not, nor
 * who holds what, so these are only believed of the object that the API server has now.
 */
async function firstPlan<S, T>(parts: ChangeParts<S, T>, call: ChangeCall<S, T>): Promise<SpecChange<S, T>> {
  const cached = parts.cached(call.ref);
  const plan = cached && unlessRefused(() => planFor(parts, call, cached));
  if (plan && plan.operations.length > 0 && plan.held.length === 0) return plan;
  return planFor(parts, call, await parts.live(call.ref, call.options.signal));
}

function unlessRefused<R>(plan: () => R): R | undefined {
  try {
    return plan();
  } catch {
    return undefined;
  }
}

/** Without operations there is nothing to write. */
function planFor<S, T>(
  { heldBy }: ChangeParts<S, T>,
  { edit, options }: ChangeCall<S, T>,
  object: CustomObject<S, T>,
): SpecChange<S, T> {
  options.expect?.(object);
  const next = edit(object);
  if (isSameSpec(object.spec, next)) return { object, next, operations: [], held: [] };
  const merged = mergeSpec({ raw: object.rawSpec, before: object.spec, after: next });
  return { object, next, operations: specOperations(object.rawSpec, merged), held: heldBy(object, merged) };
}

/** The patch from one spec that the server holds to another. */
export function specOperations(before: unknown, after: unknown): Operation[] {
  const operations = jsonPatch.compare(before === undefined ? {} : { spec: before }, { spec: after });
  const characters = operations.reduce((sum, { path }) => sum + path.length, 0);
  const isLarge = operations.length > MOST_OPERATIONS || characters > MOST_PATH_CHARACTERS;
  // What was cut would be written over.
  return isLarge && !isCut(after) ? [{ op: 'replace', path: '/spec', value: after }] : operations;
}

/** The patch that writes annotations to exactly this version of an object. */
export function annotationOperations(
  { annotations: present, resourceVersion }: ObjectMetadata,
  wanted: Annotations = {},
): Operation[] {
  // Not a `test` operation: that fails as 422 without a cause, this as 409.
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
  const gone = entries.filter(([name, value]) => value === undefined && Object.hasOwn(present, name));
  return [
    ...added.map(({ name, value }): Operation => ({ op: 'add', path: at(name), value })),
    ...gone.map(([name]): Operation => ({ op: 'remove', path: at(name) })),
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
    if (isAppError(error, 'conflict')) return { stale: error };
    // A patch that does not apply is refused (422, no causes) before its version is compared. The object may have
    // changed under it, and only then is it worth another try.
    if (!isAppError(error, 'invalid') || error.details.length > 0) throw error;
    const live = await parts.live(ref, options.signal);
    if (live.metadata.resourceVersion === object.metadata.resourceVersion) throw error;
    return { stale: error, live };
  }
}

/** The first time it was likely our cache that was behind; after that others write right now, so wait a little. */
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

export function lostTheRace(ref: Ref, cause: unknown): AppError {
  const message = `${keyOf(ref)} was changed by others at the same time, ${MOST_TRIES} times in a row; try again`;
  return new AppError('conflict', message, { cause });
}
