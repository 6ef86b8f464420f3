/** An entry of the history as a CloudEvent 1.0. */
import { CloudEvent, HTTP } from 'cloudevents';
import type { Entry } from '../../domain/history/entry.ts';
import type { JsonObject } from '../../model/json.ts';
import type { NotificationSinkSpec } from '../../schema/notification-sink.ts';
import type { Message } from './receiver.ts';

const EVENT_TYPE_PREFIX = 'dev.vexil.';
/** Bytes of JSON; only entries of earlier versions are larger. */
const MAX_DATA_BYTES = 512 * 1024;

export interface CloudEventParts {
  /** Says which Vexil it is: ids are unique within it. */
  readonly source: string;
  readonly format: NotificationSinkSpec['format'];
}

/** The id of the event is that of the entry, so a receiver can recognise a repetition. */
export function cloudEventOf(entry: Entry, event: JsonObject, { source, format }: CloudEventParts): Message {
  const { id, type, createdAt, project, environment, featureName } = entry;
  return messageOf(
    new CloudEvent({
      ...{ id: String(id), type: `${EVENT_TYPE_PREFIX}${type}`, source, subject: subjectOf(entry) },
      time: new Date(createdAt).toISOString(),
      datacontenttype: 'application/json',
      // The order of events with the same key is kept (extension Partitioning).
      partitionkey: entry.uid,
      ...(project !== null && { project: ascii(project) }),
      ...(environment !== null && { environment: ascii(environment) }),
      ...(featureName !== null && { feature: ascii(featureName) }),
      data: withinLimit(event),
    }),
    format,
  );
}

/** What `vexil sink test` sends. */
export function testEventOf(request: string, now: number, { source, format }: CloudEventParts): Message {
  const data = { message: 'A test of this notification sink', request };
  const id = `test-${request}`;
  const time = new Date(now).toISOString();
  const type = `${EVENT_TYPE_PREFIX}notification-sink-test`;
  return messageOf(new CloudEvent({ id, type, source, time, datacontenttype: 'application/json', data }), format);
}

function messageOf(event: CloudEvent<unknown>, format: CloudEventParts['format']): Message {
  const { headers, body } = format === 'Binary' ? HTTP.binary(event) : HTTP.structured(event);
  return {
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
    body: typeof body === 'string' ? body : JSON.stringify(body),
  };
}

function subjectOf({ resource, namespace, object }: Entry): string {
  return `${resource}/${namespace}/${object}`;
}

/** A header carries the attribute in the binary mode. */
function ascii(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, '?');
}

function withinLimit(event: JsonObject): JsonObject {
  const bytes = Buffer.byteLength(JSON.stringify(event));
  return bytes <= MAX_DATA_BYTES ? event : { ...event, data: { abridged: { bytes } }, preData: null, tags: [] };
}
