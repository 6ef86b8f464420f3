/** Notification sinks on the wire: without what is secret about their receivers. */
import { z } from 'zod';
import { maskAddresses } from '../../domain/history/masked-addresses.ts';
import {
  type NotificationSink,
  type NotificationSinkStatus,
  type SinkFilter,
  sinkTypes,
} from '../../schema/notification-sink.ts';
import { wireNullableText } from './fields.ts';
import { presentTime, presentTimeOrNull, wireTime } from './timestamp.ts';

const names = (of: string) => z.array(z.string()).meta({ description: `${of}. Empty: all.` });

const wireFilter = z
  .object({
    projects: names('Ids of projects'),
    environments: names('Names of environments'),
    types: names('Types of events'),
    expression: wireNullableText.meta({ description: 'CEL about `event`. Null: none.' }),
  })
  .meta({ description: 'Which events the sink gets: all conditions hold.' });

const wireNotificationSink = z
  .object({
    namespace: z.string(),
    name: z.string(),
    type: z.enum(sinkTypes).nullable().meta({ description: 'Null: the stored value cannot be read.' }),
    host: wireNullableText.meta({
      description: 'The host of the URL, with its port if it has one. Null: the URL is in a Secret.',
    }),
    subject: wireNullableText.meta({
      description: 'Of NATS: events are published to subjects below. Null: the sink is of another type.',
    }),
    filter: wireFilter,
    ready: z
      .boolean()
      .nullable()
      .meta({ description: 'Whether the receiver gets events. Null: the operator has not judged it yet.' }),
    reason: wireNullableText.meta({ description: 'Why it is not ready, as one word for programs.' }),
    lastDelivered: z
      .object({ id: z.int().meta({ description: 'The id of the event.' }), at: wireTime })
      .nullable()
      .meta({ description: 'The last event that the receiver has taken.' }),
    lag: z
      .object({ entries: z.int().min(0), seconds: z.int().min(0) })
      .nullable()
      .meta({ description: 'The events that wait, and the age of the oldest one.' }),
    failingSince: wireTime.nullable().meta({ description: 'Since when the receiver takes nothing.' }),
    lastError: wireNullableText.meta({ description: 'Why the last attempt failed.' }),
    setAside: z.int().min(0).meta({ description: 'How many events were given up.' }),
    lastSetAside: wireNullableText.meta({ description: 'The last event that was given up, and why.' }),
  })
  .meta({
    id: 'NotificationSink',
    description: 'A receiver that gets the history.',
    examples: [
      {
        ...{ namespace: 'vexil-system', name: 'changes', type: 'Webhook', host: 'hooks.example.com' },
        subject: null,
        filter: { projects: ['shop'], environments: ['production'], types: [], expression: null },
        ...{ ready: true, reason: null, lastDelivered: { id: 4711, at: '2026-03-01T09:30:00.000Z' } },
        ...{ lag: { entries: 0, seconds: 0 }, failingSince: null, lastError: null },
        ...{ setAside: 0, lastSetAside: null },
      },
    ],
  });

export const wireNotificationSinks = z
  .object({
    notificationSinks: z.array(wireNotificationSink).meta({ description: 'Sorted by namespace and name.' }),
  })
  .meta({ id: 'NotificationSinks' });

/** `masked`: the caller may not read e-mail addresses. */
export function presentNotificationSink(
  { metadata: { namespace, name }, spec, status = {} }: NotificationSink,
  masked: boolean,
): z.infer<typeof wireNotificationSink> {
  return {
    ...{ namespace, name },
    type: spec.type ?? null,
    host: URL.parse(spec.url ?? '')?.host ?? null,
    subject: spec.subject ?? null,
    filter: presentFilter(spec.filter ?? {}, masked),
    ...presentReadiness(status),
    ...presentDelivery(status),
  };
}

function presentReadiness({ conditions = [] }: NotificationSinkStatus) {
  const ready = conditions.find(({ type }) => type === 'Ready');
  if (!ready) return { ready: null, reason: null };
  const isReady = ready.status === 'True';
  return { ready: isReady, reason: isReady ? null : ready.reason };
}

function presentDelivery(status: NotificationSinkStatus) {
  const { lastDelivered, lag, failingSince, lastError, setAside, lastSetAside } = status;
  return {
    lastDelivered: lastDelivered ? { id: lastDelivered.id, at: presentTime(lastDelivered.at) } : null,
    lag: lag ?? null,
    failingSince: presentTimeOrNull(failingSince),
    lastError: lastError ?? null,
    setAside: setAside ?? 0,
    lastSetAside: lastSetAside ?? null,
  };
}

function presentFilter(
  { projects, environments, types, expression }: SinkFilter,
  masked: boolean,
): z.infer<typeof wireFilter> {
  const shown = masked && expression !== undefined ? maskAddresses(expression) : expression;
  return {
    ...{ projects: projects ?? [], environments: environments ?? [], types: types ?? [] },
    expression: shown ?? null,
  };
}
