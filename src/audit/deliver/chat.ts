/** Sends entries together, as one message for people, to a sink of the type Slack, Teams or Grafana. */
import type { Entry, Namespaces } from '../../domain/history/entry.ts';
import { carriedEntry } from '../../domain/sink/carried-entry.ts';
import { compileFilter } from '../../domain/sink/filter.ts';
import type { JsonObject } from '../../model/json.ts';
import type { NotificationSink } from '../../schema/notification-sink.ts';
import { presentEvent } from '../../wire/admin/event/event.ts';
import type { Links } from '../../wire/admin/event/event-words.ts';
import { type Digest, type DigestLine, lineOf, messageDigest } from './messages/digest.ts';
import { grafanaAnnotation, slackMessage, teamsMessage } from './messages/messages.ts';
import type { TogetherSender } from './parcels.ts';
import type { Receiver } from './receiver.ts';

export interface ChatParts {
  readonly sink: NotificationSink;
  readonly receiver: Pick<Receiver, 'post'>;
  /** The authorization of the requests. */
  readonly token: string | undefined;
  readonly namespaces: Namespaces;
  readonly links: Links;
  /** The address of the console. */
  readonly base: string | undefined;
  /** Ms since 1970. */
  readonly now: () => number;
}

const messages: Readonly<Record<'Slack' | 'Teams' | 'Grafana', (digest: Digest) => JsonObject>> = {
  Slack: slackMessage,
  Teams: teamsMessage,
  Grafana: grafanaAnnotation,
};

export function createChat(type: keyof typeof messages, parts: ChatParts): TogetherSender {
  const { sink, receiver, token, namespaces, links, base, now } = parts;
  const compiled = compileFilter(sink.spec.filter);
  const matches = 'problem' in compiled ? () => false : compiled.matches;
  const headers = {
    'content-type': 'application/json',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };
  const post = (lines: readonly [DigestLine, ...DigestLine[]], signal: AbortSignal) =>
    receiver.post({ headers, body: JSON.stringify(messages[type](messageDigest(lines, base))) }, signal);
  return {
    lineOf(entry: Entry) {
      const carried = carriedEntry(sink, entry, namespaces);
      const event = () => JSON.parse(JSON.stringify(presentEvent(carried ?? entry, links)));
      return carried !== undefined && matches(carried, event) ? lineOf(carried) : undefined;
    },
    sendTogether: post,
    test(_, signal) {
      const text = 'A test of this notification sink';
      return post([{ id: 0, at: now(), text, project: null, environment: null, flag: null }], signal);
    },
  };
}
