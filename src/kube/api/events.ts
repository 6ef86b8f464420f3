/** Publishes Kubernetes Events about objects (events.k8s.io/v1). */
import { hash } from 'node:crypto';
import { isClusterError } from '../../errors.ts';
import { microTime } from '../../model/clock.ts';
import { API_VERSION } from '../../model/kind.ts';
import type { AnyObject, Ref } from '../../model/object.ts';
import { cutToBytes } from '../../model/text.ts';
import type { EventContent } from '../../schema/event.ts';
import { versionOf } from '../object/raw-object.ts';
import { ignoreNotFound } from './errors.ts';
import { resourcePath } from './paths.ts';
import type { Transport } from './transport.ts';

/** The `reportingController` of the Events. */
export const EVENT_CONTROLLER = 'vexil.dev/operator';

export interface EventParts {
  readonly transport: Transport;
  /** The `reportingInstance`: the name of this replica. */
  readonly instance: string;
  /** Ms since 1970. */
  readonly now: () => number;
  /** False: an Event that may occur again for the same object is left out. */
  readonly mayRepeat: () => boolean;
}

/** Limits of the API server. */
const MAX_NOTE_BYTES = 1024;
const MAX_INSTANCE_CHARACTERS = 128;
/** Part of the object's name that goes into the name of its Event, which is limited to 253 characters. */
const MAX_NAME_CHARACTERS = 200;

/** The fields of an Event that the caller sets; the rest is constant or set by the API server. */
export interface NewEvent {
  readonly namespace: string;
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Ms since 1970. */
  readonly at: number;
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly note: string;
  readonly regarding: {
    /** Absent: that of Vexil. */
    readonly apiVersion?: string;
    readonly kind: string;
    readonly namespace: string;
    readonly name: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
  };
  readonly instance: string;
}

/** Creates an Event, and returns its resourceVersion; undefined if there was an Event of the same name. */
export async function publishEvent(
  transport: Transport,
  event: NewEvent,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { namespace, name, labels, annotations, at, type, reason, note, regarding, instance } = event;
  const body = {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { namespace, name, labels, annotations },
    eventTime: microTime(at),
    type,
    reason,
    action: reason,
    note: cutToBytes(note, MAX_NOTE_BYTES),
    regarding: { apiVersion: API_VERSION, ...regarding },
    reportingController: EVENT_CONTROLLER,
    reportingInstance: instance.slice(0, MAX_INSTANCE_CHARACTERS),
  };
  try {
    return versionOf(await transport.request({ method: 'POST', path: eventsPath(namespace), body, signal }));
  } catch (error) {
    if (!isClusterError(error, 'name-taken')) throw error;
    return undefined;
  }
}

const EVENTS = { plural: 'events', root: 'apis/events.k8s.io/v1' };

/** Deletes an Event; one that is gone already is as good. */
export async function deleteEvent(transport: Transport, { namespace, name }: Ref, signal: AbortSignal): Promise<void> {
  const path = resourcePath(EVENTS, namespace, name);
  await transport.request({ method: 'DELETE', path, signal }).catch(ignoreNotFound);
}

export function eventsPath(namespace: string | undefined): string {
  return resourcePath(EVENTS, namespace);
}

/** Builds the name of an Event about an object; `digits` makes it unique. */
export function eventNameOf(object: string, digits: string): string {
  return `${object.slice(0, MAX_NAME_CHARACTERS).replace(/[^a-z0-9]+$/, '')}.${digits}`;
}

export interface Publication {
  readonly kind: string;
  readonly object: AnyObject;
  readonly content: EventContent;
  readonly signal: AbortSignal;
}

/** Publishes each reason and occurrence once for an object: the name of the Event follows from all three. */
export function createEvents(parts: EventParts): (publication: Publication) => Promise<void> {
  const { transport, instance, now, mayRepeat } = parts;
  return async ({ kind, object, content, signal }) => {
    const { type, reason, note, occurrence } = content;
    if (occurrence !== undefined && !mayRepeat()) return;
    const { namespace, name, uid, resourceVersion } = object.metadata;
    const once = [uid, reason, ...(occurrence === undefined ? [] : [occurrence])].join('\n');
    const digits = hash('sha256', once).slice(0, 16);
    const event: NewEvent = {
      namespace,
      name: eventNameOf(name, digits),
      at: now(),
      type,
      reason,
      note,
      regarding: { kind, namespace, name, uid, resourceVersion },
      instance,
    };
    await publishEvent(transport, event, signal);
  };
}
