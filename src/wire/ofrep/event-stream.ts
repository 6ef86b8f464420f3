/** Event streams of OFREP 0.3.0: the reference in an answer, and the events. */
import { bytesOf, concat } from '../../model/bytes.ts';
import { serverSentEvent } from '../client/server-sent-events.ts';
import { type TaggedJson, tagJson, withMember } from '../tagged-json.ts';

export const STREAMS_PATH = '/ofrep/v1/streams';

/**
 * An answer for all flags, with the stream that notifies of changes. The client connects to the origin of its own
 * address.
 */
export function withEventStream(answer: TaggedJson, key: string): TaggedJson {
  const requestUri = `${STREAMS_PATH}?key=${encodeURIComponent(key)}`;
  return withMember(answer, 'eventStreams', tagJson(JSON.stringify([{ type: 'sse', endpoint: { requestUri } }])));
}

/** Tells clients to evaluate all flags again. */
export function refetchEvent(id: string): Buffer {
  const data = bytesOf(JSON.stringify({ type: 'refetchEvaluation', etag: id }));
  return concat(serverSentEvent({ id, data: [data] }));
}

/** The event has no data, so that a client keeps the id and does nothing else. */
export function positionEvent(id: string): Buffer {
  return bytesOf(`id: ${id}\n\n`);
}
