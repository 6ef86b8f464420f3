/** Sends entries to one sink of the type Webhook. */
import type { Namespaces } from '../../domain/history/entry.ts';
import { carriedEntry } from '../../domain/sink/carried-entry.ts';
import { compileFilter } from '../../domain/sink/filter.ts';
import type { JsonObject } from '../../model/json.ts';
import type { NotificationSink } from '../../schema/notification-sink.ts';
import type { Tracing } from '../../telemetry/tracing.ts';
import { presentEvent } from '../../wire/admin/event/event.ts';
import type { Links } from '../../wire/admin/event/event-words.ts';
import { cloudEventOf, testEventOf } from './cloud-event.ts';
import type { EachSender } from './parcels.ts';
import type { Answer, Message, Receiver } from './receiver.ts';
import { signed } from './sign.ts';

export interface WebhookParts {
  readonly sink: NotificationSink;
  readonly receiver: Pick<Receiver, 'post'>;
  /** Those that sign; none: not signed. */
  readonly keys: readonly string[];
  readonly namespaces: Namespaces;
  readonly links: Links;
  /** Says which Vexil it is. */
  readonly source: string;
  /** Ms since 1970. */
  readonly now: () => number;
  readonly tracing: Pick<Tracing, 'step'>;
}

export function createWebhook(parts: WebhookParts): EachSender {
  const { sink, receiver, keys, namespaces, links, source, now, tracing } = parts;
  const { filter, format } = sink.spec;
  const compiled = compileFilter(filter);
  const matches = 'problem' in compiled ? () => false : compiled.matches;
  const eventParts = { source, format };
  const post = (message: Message, id: string, signal: AbortSignal) =>
    receiver.post(signed(message, id, { keys, now: now() }), signal);
  return {
    async send(entry, signal) {
      const carried = carriedEntry(sink, entry, namespaces);
      if (carried === undefined) return undefined;
      const event = lazily(() => plain(presentEvent(carried, links)));
      if (!matches(carried, event)) return undefined;
      const message = messageOrRefusal(() => cloudEventOf(carried, event(), eventParts));
      if ('type' in message) return message;
      return tracing.step({ ...entry, name: 'notify' }, () => post(message, String(entry.id), signal));
    },
    test: (request, signal) => post(testEventOf(request, now(), eventParts), `test-${request}`, signal),
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
