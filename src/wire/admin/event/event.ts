/** Events of the history on the wire. */
import { z } from 'zod';
import { type Entry, type Found, isWithoutEffect } from '../../../domain/history/entry.ts';
import { auditEventTypes } from '../../../domain/history/event-types.ts';
import { channels } from '../../../domain/history/way.ts';
import { segment } from '../../../schema/segment.ts';
import { wireNatural, wireNullableText, wirePositive } from '../fields.ts';
import { wireTime } from '../timestamp.ts';
import type { Links } from './event-words.ts';
import { wordsOf } from './event-words.ts';

const nullable = (description: string, example: string | null) =>
  wireNullableText.meta({ description, examples: [example] });

const state = (description: string, example: object | null) =>
  z
    .record(z.string(), z.unknown())
    .nullable()
    .meta({ description, examples: [example] });

export const wireEvent = z
  .object({
    id: wirePositive.meta({ description: 'Grows from event to event.', examples: [1001] }),
    createdAt: wireTime,
    type: z
      .string()
      .meta({ description: `The type of the event: ${auditEventTypes.join(', ')}.`, examples: ['feature-created'] }),
    createdBy: z.string().meta({
      description:
        'The author: an e-mail address or username, the name of a token, or the Kubernetes username. E-mail addresses are masked in the whole event, for example `a…@example.com`, for callers who may not search users.',
      examples: ['ada@example.com'],
    }),
    createdByUserId: z.int().meta({
      description: 'The id of the user; -42: an admin token, -1: no user of Vexil, -1337: Vexil itself.',
      examples: [7],
    }),
    environment: nullable(
      'The name of the environment. Null: the event is about no environment, or about all of them.',
      null,
    ),
    project: nullable('The id of the project. Null: the event is about no project.', 'shop'),
    namespace: z
      .string()
      .optional()
      .meta({
        description:
          'The namespace of a segment, or of a flag or project without effect: its name, or the project that it names, belongs to another object. Absent: the event is about the flag or project of this name.',
        examples: ['tenant-b'],
      }),
    featureName: nullable('The name of the flag. Null: the event is about no flag.', 'one-page-checkout'),
    data: state('The state after the event.', {
      name: 'one-page-checkout',
      description: 'The new checkout',
      stale: false,
    }),
    preData: state('The state before the event.', null),
    tags: z
      .array(z.object({ type: z.string(), value: z.string() }))
      .meta({ description: 'The tags of the flag at that time.', examples: [[{ type: 'simple', value: 'checkout' }]] }),
    label: z.string().meta({ description: 'The type in words.', examples: ['Flag created'] }),
    summary: z.string().meta({
      description: 'The event as a sentence in Markdown.',
      examples: [
        '**ada@example.com** created **[one-page-checkout](/projects/shop/features/one-page-checkout)** in project **[shop](/projects/shop)**',
      ],
    }),
    coalesced: z.literal(true).optional().meta({
      description: 'Several changes in one event, because the versions between them are gone. Absent: one change.',
    }),
    earliestAt: wireTime.optional().meta({
      description: 'The event happened between this time and `createdAt`. Absent: it happened at `createdAt`.',
      examples: ['2026-03-01T12:00:00.000Z'],
    }),
    ip: nullable('The address from which the admin API was called. Null: not known.', '203.0.113.7'),
    channel: z
      .enum(channels)
      .nullable()
      .meta({
        description:
          'The way through which the change came. `kubernetes`: the API server, by kubectl or a controller; `time`: a plan of the flag. Null: not known.',
        examples: ['console'],
      }),
    fieldManager: nullable(
      'The field manager of a change that came through the API server, such as `kubectl-edit`. Null: not known.',
      null,
    ),
    confirmed: z
      .boolean()
      .optional()
      .meta({
        description:
          'Whether the audit log of the API server names the same author, or the only one. False: it contradicts the event, see `auditLog`. Absent: it has not said anything about the event.',
        examples: [true],
      }),
    auditLog: z
      .object({
        createdBy: z.string().meta({ description: 'The author, as in the event.', examples: ['ada@example.com'] }),
        ip: nullable('The address that the API server has seen. Null: not known.', '203.0.113.7'),
        userAgent: nullable('The program, in its own words. Null: not known.', 'kubectl/v1.36.3 (linux/amd64)'),
        impersonatedBy: nullable('The user who acted as the author. Null: nobody did.', null),
      })
      .optional()
      .meta({ description: 'What the audit log of the API server says. Absent: nothing.' }),
    reason: nullable('Why the author made the change (`reason` of the request). Null: the author did not say.', 'Sale'),
  })
  .meta({ id: 'Event', description: 'One thing that happened.' });
type WireEvent = z.infer<typeof wireEvent>;

const events = z.array(wireEvent).meta({ description: 'The newest first.' });
const total = wireNatural.meta({ description: 'The number of events on all pages.', examples: [1] });

/** The answer of GET /search/events. */
export const wireEventSearch = z
  .object({
    events,
    total,
    totalIsAtLeast: z
      .literal(true)
      .optional()
      .meta({ description: 'Present if more events match than `total` says; only with `exactTotal=false`.' }),
  })
  .meta({ id: 'EventSearch', description: 'A page of the events that the search found.' });

const older = { version: z.literal(1), events, totalEvents: total };
/** The older lists. */
export const wireEventList = z.object(older).meta({ id: 'Events', description: 'The newest events.' });
export const wireFlagEvents = z
  .object({ ...older, toggleName: z.string().meta({ examples: ['one-page-checkout'] }) })
  .meta({ id: 'FeatureEvents', description: 'The newest events of a flag.' });

/** The texts are made when the event is read: a name that does not exist any more has no link. */
export function presentEvent(entry: Entry, links: Links): WireEvent {
  const { id, createdAt, type, createdBy, createdByUserId, environment, project, featureName } = entry;
  const { data, preData, tags, coalesced, earliestAt, namespace, ip, channel, fieldManager, reason } = entry;
  return {
    id,
    createdAt: new Date(createdAt).toISOString(),
    type,
    createdBy,
    createdByUserId,
    environment,
    project,
    ...((isWithoutEffect(entry) || entry.resource === segment.plural) && { namespace }),
    featureName,
    data,
    preData,
    tags: tags.map(({ type, value }) => ({ type, value })),
    ...wordsOf(entry, links),
    ...(coalesced && { coalesced }),
    ...(earliestAt !== null && { earliestAt: new Date(earliestAt).toISOString() }),
    ...{ ip, channel, fieldManager },
    ...presentWitness(entry),
    reason,
  };
}

function presentWitness({ witness }: Entry): Pick<WireEvent, 'confirmed' | 'auditLog'> {
  if (witness === undefined) return {};
  const { confirms, createdBy, ip, userAgent, impersonatedBy } = witness;
  return { confirmed: confirms, auditLog: { createdBy, ip, userAgent, impersonatedBy } };
}

export function presentSearch({ entries, ...count }: Found, links: Links): z.infer<typeof wireEventSearch> {
  return { events: entries.map((entry) => presentEvent(entry, links)), ...count };
}

export function presentList({ entries, total }: Found, links: Links): z.infer<typeof wireEventList> {
  return { version: 1, events: entries.map((entry) => presentEvent(entry, links)), totalEvents: total };
}
