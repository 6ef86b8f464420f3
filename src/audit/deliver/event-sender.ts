/** Sends entries to one sink, each as a CloudEvent. */
import type { Entry, Namespaces } from '../../domain/history/entry.ts';
import { carriedEntry } from '../../domain/sink/carried-entry.ts';
import { compileFilter } from '../../domain/sink/filter.ts';
import type { JsonObject } from '../../model/json.ts';
import type { NotificationSink } from '../../schema/notification-sink.ts';
import type { Tracing } from '../../telemetry/tracing.ts';
import { presentEvent } from '../../wire/admin/event/event.ts';
import type { Links } from '../../wire/admin/event/event-words.ts';
import { cloudEventOf, testEventOf } from './cloud-event.ts';
import type { EachSender } from './parcels.ts';
import type { Answer, Message } from './receiver.ts';

export interface EventSenderParts {
  readonly sink: NotificationSink;
  readonly post: PostEvent;
  readonly namespaces: Namespaces;
  readonly links: Links;
  /** Says which Vexil it is. */
  readonly source: string;
  /** Ms since 1970. */
  readonly now: () => number;
  readonly tracing: Pick<Tracing, 'step'>;
}

export type PostEvent = (event: SentEvent, signal: AbortSignal) => Promise<Answer>;

/** A CloudEvent, and what it is about. */
export interface SentEvent extends Pick<Entry, 'project' | 'environment'> {
  readonly id: string;
  readonly message: Message;
}

export function createEventSender(parts: EventSenderParts): EachSender {
  const { sink, post, namespaces, links, source, now, tracing } = parts;
  const { filter, format } = sink.spec;
  const compiled = compileFilter(filter);
  const matches = 'problem' in compiled ? () => false : compiled.matches;
  const eventParts = { source, format };
  return {
    async send(entry, signal) {
      const carried = carriedEntry(sink, entry, namespaces);
      if (carried === undefined) return undefined;
      const event = lazily(() => plain(presentEvent(carried, links)));
      if (!matches(carried, event)) return undefined;
      const message = messageOrRefusal(() => cloudEventOf(carried, event(), eventParts));
      if ('type' in message) return message;
      const { project, environment } = carried;
      const sent = { id: String(entry.id), project, environment, message };
      return tracing.step({ ...entry, name: 'notify' }, () => post(sent, signal));
    },
    test(request, signal) {
      const message = testEventOf(request, now(), eventParts);
      return post({ id: `test-${request}`, project: null, environment: null, message }, signal);
    },
  };
}

/** What cannot be written as an event must not stop those after it. */
function messageOrRefusal(make: () => Message): Message | Answer {
  try {
    return make();
  } catch {
    return { type: 'refused', message: 'cannot be written as an event' };
  }
}

function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function plain(value: object): JsonObject {
  return JSON.parse(JSON.stringify(value));
}
