/** The audit events that all kinds share: created, changed, deleted. */
import { isDeepStrictEqual } from 'node:util';
import type { AuditEvent } from '../../domain/history/entry.ts';
import type { AuditEventType } from '../../domain/history/event-types.ts';
import type { JsonObject } from '../../model/json.ts';
import { isRecord } from '../../model/json.ts';
import type { Kind } from '../../model/kind.ts';
import type { AnyObject } from '../../model/object.ts';
import { withoutNulls } from '../../model/without-nulls.ts';
import { auditEvent, isChange, type Place } from './audit-event.ts';

/** Two versions of one object. The object is new if the first is absent, and deleted if the second is absent. */
export interface Step {
  /** The plural of the kind. */
  readonly resource: string;
  readonly before?: AnyObject | undefined;
  readonly after?: AnyObject | undefined;
}

export interface Lifecycle {
  readonly created: AuditEventType;
  readonly updated: AuditEventType;
  readonly deleted: AuditEventType;
}

/** Maps the steps of one kind to audit events. */
export interface EventMapping<T> {
  readonly types: (object: T) => Lifecycle;
  readonly place: (object: T) => Place;
  /** The place from names alone, which any object has. Absent if `place` works for any object. */
  readonly placeByNames?: (object: T) => Place;
  readonly shape: (object: T) => JsonObject;
  /** Further events of a new object, in addition to the event of its creation. */
  readonly alsoNew?: (after: T) => readonly AuditEvent[];
  /** The events of a change. Absent if any difference of the shape results in an event of an update. */
  readonly changed?: (before: T, after: T) => readonly AuditEvent[];
  /** Members of the spec that the history never shows. */
  readonly hidden?: readonly string[];
}

export type Derive = (step: Step) => readonly AuditEvent[];

/**
 * A kind with its mapping, for code that does the same for every kind: objects of a resource are parsed as its kind
 * says.
 */
export interface MappedKind {
  readonly kind: Kind<unknown, unknown>;
  readonly mapping: EventMapping<AnyObject>;
}

export function deriveKind(mapped: MappedKind): Derive {
  const { mapping } = mapped;
  return ({ before, after }) => {
    if (!before) return after ? eventsOfNew(mapping, after) : [];
    if (!after) return [eventOfDeleted(mapping, before)];
    const auditEvents = eventsOfChanged(mapping, before, after).filter(isChange);
    // Events that a plan of the flag caused meanwhile do not record the edit.
    const isRecorded = auditEvents.some(({ moment }) => moment === undefined);
    return isRecorded ? auditEvents : [...auditEvents, ...eventsOfOtherFields(mapped, before, after)];
  };
}

/** One event without content: an object was created, changed or deleted. */
export function deriveBareKind({ mapping: { types, place, placeByNames = place } }: MappedKind): Derive {
  return ({ before, after }) => {
    const object = after ?? before;
    if (!object) return [];
    const { created, updated, deleted } = types(object);
    const ofLiving = before ? updated : created;
    return [auditEvent(after ? ofLiving : deleted, placeByNames(object))];
  };
}

function eventsOfNew<T>({ types, place, shape, alsoNew }: EventMapping<T>, after: T): readonly AuditEvent[] {
  const created = auditEvent(types(after).created, place(after), { data: shape(after) });
  return [created, ...(alsoNew?.(after) ?? [])];
}

function eventOfDeleted<T>({ types, place, shape }: EventMapping<T>, before: T): AuditEvent {
  return auditEvent(types(before).deleted, place(before), { preData: shape(before) });
}

function eventsOfChanged<T>(mapping: EventMapping<T>, before: T, after: T): readonly AuditEvent[] {
  const { types, place, shape, changed } = mapping;
  if (changed) return changed(before, after);
  return [auditEvent(types(after).updated, place(after), { data: shape(after), preData: shape(before) })];
}

/** A change of a field that the wire does not show is recorded with the specs as they are written. */
function eventsOfOtherFields(
  { kind, mapping }: MappedKind,
  before: AnyObject,
  after: AnyObject,
): readonly AuditEvent[] {
  const [old, next] = [before, after].map((object) => specAsWritten(object, kind.preserveNulls, mapping.hidden));
  if (isDeepStrictEqual(old, next)) return [];
  const { types, place, shape } = mapping;
  const data = { ...shape(after), spec: next ?? {} };
  const preData = { ...shape(before), spec: old ?? {} };
  return [auditEvent(types(after).updated, place(after), { data, preData })];
}

/** What the API server sent is JSON. */
function specAsWritten(
  { rawSpec }: AnyObject,
  preserveNulls: readonly string[],
  hidden: readonly string[] = [],
): JsonObject {
  const spec = withoutNulls(rawSpec, preserveNulls);
  if (!isRecord(spec)) return {};
  return Object.fromEntries(Object.entries(spec).filter(([key]) => !hidden.includes(key))) as JsonObject;
}
