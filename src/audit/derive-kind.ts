/** What the objects of any kind have in common: they come, change and go. */
import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '../kube/raw-object.ts';
import { withoutNulls } from '../kube/without-nulls.ts';
import type { Kind } from '../schema/kind.ts';
import type { CustomObject } from '../schema/object.ts';
import { isNews, type Place, tell } from './derive-told.ts';
import type { JsonObject, Told } from './entry.ts';
import type { AuditEventType } from './event-types.ts';

/** Two versions of one object; without the first it is new, without the second it is gone. */
export interface Step {
  /** The plural of the kind. */
  readonly resource: string;
  readonly before?: CustomObject<unknown, unknown> | undefined;
  readonly after?: CustomObject<unknown, unknown> | undefined;
}

export interface Lifecycle {
  readonly created: AuditEventType;
  readonly updated: AuditEventType;
  readonly deleted: AuditEventType;
}

/** How the steps of one kind are told. */
export interface Telling<T> {
  readonly types: (object: T) => Lifecycle;
  readonly place: (object: T) => Place;
  readonly shape: (object: T) => JsonObject;
  /** Told of a new object beside that it is there. */
  readonly alsoNew?: (after: T) => readonly Told[];
  /** Absent: what differs of its shape makes it updated. */
  readonly changed?: (before: T, after: T) => readonly Told[];
  /** Members of the spec that no history shows. */
  readonly hidden?: readonly string[];
}

export type Derive = (step: Step) => readonly Told[];

/** The objects of a step are of the kind that its resource names: who watches that resource has parsed them so. */
export function deriveKind<S, T>(kind: Kind<S, T>, telling: Telling<CustomObject<S, T>>): readonly [string, Derive] {
  return [
    kind.plural,
    (step) => {
      const before = step.before as CustomObject<S, T> | undefined;
      const after = step.after as CustomObject<S, T> | undefined;
      if (!before) return after ? tellNew(telling, after) : [];
      if (!after) return [tellGone(telling, before)];
      const told = tellChanged(telling, before, after).filter(isNews);
      return told.length > 0 ? told : tellRest({ kind, telling }, before, after);
    },
  ];
}

function tellNew<T>({ types, place, shape, alsoNew }: Telling<T>, after: T): readonly Told[] {
  const created = tell(types(after).created, place(after), { data: shape(after) });
  return [created, ...(alsoNew?.(after) ?? [])];
}

function tellGone<T>({ types, place, shape }: Telling<T>, before: T): Told {
  return tell(types(before).deleted, place(before), { preData: shape(before) });
}

function tellChanged<T>(telling: Telling<T>, before: T, after: T): readonly Told[] {
  const { types, place, shape, changed } = telling;
  if (changed) return changed(before, after);
  return [tell(types(after).updated, place(after), { data: shape(after), preData: shape(before) })];
}

interface Known<S, T> {
  readonly kind: Kind<S, T>;
  readonly telling: Telling<CustomObject<S, T>>;
}

/** A spec that differs in what the wire does not show is not lost: it is told as it is written. */
function tellRest<S, T>(
  { kind, telling }: Known<S, T>,
  before: CustomObject<S, T>,
  after: CustomObject<S, T>,
): readonly Told[] {
  const [old, next] = [before, after].map((object) => specAsWritten(object, kind.freeForm, telling.hidden));
  if (isDeepStrictEqual(old, next)) return [];
  const { types, place, shape } = telling;
  const data = { ...shape(after), spec: next ?? {} };
  const preData = { ...shape(before), spec: old ?? {} };
  return [tell(types(after).updated, place(after), { data, preData })];
}

/** What the API server sent is JSON. */
function specAsWritten(
  { rawSpec }: CustomObject<unknown, unknown>,
  freeForm: readonly string[],
  hidden: readonly string[] = [],
): JsonObject {
  const spec = withoutNulls(rawSpec, freeForm);
  if (!isRecord(spec)) return {};
  return Object.fromEntries(Object.entries(spec).filter(([key]) => !hidden.includes(key))) as JsonObject;
}
