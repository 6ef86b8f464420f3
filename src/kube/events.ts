/** Events that tell people what happened to an object (events.k8s.io/v1). */
import { createHash } from 'node:crypto';
import { isAppError } from '../errors.ts';
import { eventTypes, type News } from '../schema/event.ts';
import { API_VERSION } from '../schema/kind.ts';
import type { CustomObject } from '../schema/object.ts';
import { microTime } from './micro-time.ts';
import type { Transport } from './transport.ts';

/** Who reports the Events. */
export const EVENT_CONTROLLER = 'vexil.dev/operator';

export interface EventParts {
  readonly transport: Transport;
  /** Which replica tells it. */
  readonly instance: string;
  /** Ms since 1970. */
  readonly now: () => number;
}

/** As the API server bounds it. */
const MOST_NOTE_BYTES = 1024;
const MOST_INSTANCE_CHARACTERS = 128;
/** Of an object's name in that of its Event, which has 253 characters at most. */
const MOST_NAME_CHARACTERS = 200;

/** An Event as it is told; the API server adds the rest. */
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
    readonly kind: string;
    readonly namespace: string;
    readonly name: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
  };
  readonly instance: string;
}

/** Publishes an Event unless one of this name is there already. */
export async function publishEvent(transport: Transport, event: NewEvent, signal: AbortSignal): Promise<void> {
  const { namespace, name, labels, annotations, at, type, reason, note, regarding, instance } = event;
  const body = {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { namespace, name, labels, annotations },
    eventTime: microTime(at),
    type,
    reason,
    action: reason,
    note: cutToBytes(note),
    regarding: { apiVersion: API_VERSION, ...regarding },
    reportingController: EVENT_CONTROLLER,
    reportingInstance: instance.slice(0, MOST_INSTANCE_CHARACTERS),
  };
  try {
    await transport.request({ method: 'POST', path: eventsPath(namespace), body, signal });
  } catch (error) {
    if (!isAppError(error, 'name-taken')) throw error;
  }
}

export function eventsPath(namespace: string | undefined): string {
  return `/apis/events.k8s.io/v1/${namespace === undefined ? '' : `namespaces/${namespace}/`}events`;
}

/** The name of an Event about an object, made unlike others by `digits`. */
export function eventNameOf(object: string, digits: string): string {
  return `${object.slice(0, MOST_NAME_CHARACTERS).replace(/[^a-z0-9]+$/, '')}.${digits}`;
}

export interface Publication {
  readonly kind: string;
  readonly object: CustomObject<unknown, unknown>;
  readonly news: News;
  readonly signal: AbortSignal;
}

/** Publishes each reason once for an object, whoever tells it: the name of the Event follows from both. */
export function createEvents({ transport, instance, now }: EventParts) {
  return function publish({ kind, object, news, signal }: Publication): Promise<void> {
    const { namespace, name, uid, resourceVersion } = object.metadata;
    const digits = createHash('sha256').update(`${uid}\n${news.reason}`).digest('hex').slice(0, 16);
    const event: NewEvent = {
      namespace,
      name: eventNameOf(name, digits),
      at: now(),
      type: eventTypes[news.reason],
      reason: news.reason,
      note: news.note,
      regarding: { kind, namespace, name, uid, resourceVersion },
      instance,
    };
    return publishEvent(transport, event, signal);
  };
}

/** Never half a character. */
function cutToBytes(note: string): string {
  const bytes = Buffer.from(note);
  if (bytes.length <= MOST_NOTE_BYTES) return note;
  return bytes
    .subarray(0, MOST_NOTE_BYTES)
    .toString()
    .replace(/\uFFFD+$/, '');
}
