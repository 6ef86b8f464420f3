/** Events that tell people what happened to an object (events.k8s.io/v1). */
import { createHash } from 'node:crypto';
import { isAppError } from '../errors.ts';
import { eventTypes, type News } from '../schema/event.ts';
import { API_VERSION } from '../schema/kind.ts';
import type { CustomObject } from '../schema/object.ts';
import { microTime } from './micro-time.ts';
import type { Transport } from './transport.ts';

export interface EventParts {
  readonly transport: Transport;
  /** Which replica tells it. */
  readonly instance: string;
  /** Ms since 1970. */
  readonly now: () => number;
}

/** As the API server bounds it. */
const MOST_NOTE_BYTES = 1024;

export interface Publication {
  readonly kind: string;
  readonly object: CustomObject<unknown, unknown>;
  readonly news: News;
  readonly signal: AbortSignal;
}

/** Publishes each reason once for an object, whoever tells it: the name of the Event follows from both. */
export function createEvents({ transport, instance, now }: EventParts) {
  return async function publish({ kind, object, news, signal }: Publication): Promise<void> {
    const { namespace, name, uid, resourceVersion } = object.metadata;
    const digits = createHash('sha256').update(`${uid}\n${news.reason}`).digest('hex').slice(0, 16);
    const body = {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { namespace, name: `${name.slice(0, 200).replace(/[^a-z0-9]+$/, '')}.${digits}` },
      eventTime: microTime(now()),
      type: eventTypes[news.reason],
      reason: news.reason,
      action: news.reason,
      note: cutToBytes(news.note),
      regarding: { apiVersion: API_VERSION, kind, namespace, name, uid, resourceVersion },
      reportingController: 'vexil.dev/operator',
      reportingInstance: instance.slice(0, 128),
    };
    try {
      await transport.request({
        method: 'POST',
        path: `/apis/events.k8s.io/v1/namespaces/${namespace}/events`,
        body,
        signal,
      });
    } catch (error) {
      if (!isAppError(error, 'name-taken')) throw error;
    }
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
