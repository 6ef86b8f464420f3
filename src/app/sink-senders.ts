/** What sends to one notification sink, by its type. */
import { createChat } from '../audit/deliver/chat.ts';
import { createEventSender, type PostEvent } from '../audit/deliver/event-sender.ts';
import { linksBelow } from '../audit/deliver/links-below.ts';
import type { Lookups } from '../audit/deliver/lookups.ts';
import { openNatsPublisher } from '../audit/deliver/nats/open-publisher.ts';
import type { Sender } from '../audit/deliver/parcels.ts';
import { createReceiver } from '../audit/deliver/receiver.ts';
import { signed } from '../audit/deliver/sign.ts';
import { OBJECTS_AT_A_TIME } from '../audit/deliver/sink-loop.ts';
import type { SinkJudgeParts } from '../kinds/definition.ts';
import type { NotificationSink } from '../schema/notification-sink.ts';
import type { Platform } from './platform.ts';

export interface OpenedSender {
  readonly sender: Sender;
  close(): Promise<void>;
}

export interface SenderParts {
  readonly platform: Platform;
  readonly lookups: Lookups;
  readonly judging: Pick<SinkJudgeParts, 'refusalOf'>;
  /** What the Secret holds. */
  readonly keys: readonly string[];
}

export async function openSender(sink: NotificationSink, parts: SenderParts): Promise<OpenedSender> {
  const { type } = sink.spec;
  if (type === 'NATS') return openNats(sink, parts);
  const { keys, platform } = parts;
  const { wallTime: now } = platform.machine;
  const [url, token] = type === 'Grafana' ? [grafanaUrl(sink), keys[0]] : [sink.spec.url ?? keys[0] ?? '', undefined];
  const receiver = createReceiver({ ...connectorParts(sink, url, parts), url, connections: OBJECTS_AT_A_TIME, now });
  const { close } = receiver;
  if (type !== 'Webhook') {
    const chatParts = { ...entryParts(sink, platform), receiver, token, base: platform.config.publicUrl };
    return { sender: createChat(type, chatParts), close };
  }
  const post: PostEvent = ({ id, message }, signal) => receiver.post(signed(message, id, { keys, now: now() }), signal);
  return { sender: createEventSender({ ...eventParts(sink, platform), post }), close };
}

async function openNats(sink: NotificationSink, parts: SenderParts): Promise<OpenedSender> {
  const { url = '', subject = '' } = sink.spec;
  const publisher = await openNatsPublisher({
    ...connectorParts(sink, url, parts),
    ...{ url, subject, credentials: parts.keys[0], idPrefix: sink.metadata.uid },
  });
  const sender = createEventSender({ ...eventParts(sink, parts.platform), post: publisher.publish });
  return { sender, close: publisher.close };
}

function grafanaUrl({ spec: { url = '' } }: NotificationSink): string {
  return `${url.replace(/\/$/, '')}/api/annotations`;
}

function connectorParts({ metadata }: NotificationSink, url: string, { platform, lookups, judging }: SenderParts) {
  return {
    lookup: lookups.in(metadata.namespace),
    refusalOf: (address: string) => judging.refusalOf(address, url),
    timeoutMs: platform.config.timings.sinkTimeoutMs,
  };
}

/** What each sender needs to know about entries. */
function entryParts(sink: NotificationSink, { config, catalog, machine }: Platform) {
  return {
    sink,
    now: machine.wallTime,
    namespaces: { ofProject: catalog.namespaceOfProject, home: config.namespace },
    links: linksBelow(catalog, config.publicUrl),
  };
}

function eventParts(sink: NotificationSink, platform: Platform) {
  const { config, tracing } = platform;
  return { ...entryParts(sink, platform), tracing, source: config.publicUrl ?? `/vexil/${config.namespace}` };
}
