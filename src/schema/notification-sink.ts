/** The NotificationSink kind: a receiver that gets the entries of the history, each at least once. */
import { z } from 'zod';
import { closingColumns, defineKind } from '../model/kind.ts';
import type { CustomObject } from '../model/object.ts';
import { statusFields } from './condition.ts';
import { ruled } from './fields/rule.ts';
import { optionalNumber, optionalTime, setOf, text, timestamp } from './fields/shapes.ts';

/** The label of a Secret that says which sink may use it. */
export const SINK_LABEL = 'vexil.dev/notification-sink';
/** The key of that Secret. */
export const SINK_SECRET_KEY = 'secret';
/** An annotation of a sink; each new value sends one test event. */
export const TEST_ANNOTATION = 'vexil.dev/test-request';
/** An annotation of a sink, a time and an id; each new value delivers the entries from the time on once more. */
export const REPLAY_ANNOTATION = 'vexil.dev/replay-from';

export const sinkTypes = ['Webhook', 'Slack', 'Teams', 'Grafana', 'NATS'] as const;

const MAX_FILTERED = 100;
const MAX_URL = 2000;
/** In characters. */
export const MAX_EXPRESSION = 1024;

const names = (description: string) => setOf(z.string().min(1).max(100), MAX_FILTERED, description).optional();

const filter = z
  .object({
    projects: names('Ids of projects. Absent: all that the sink may carry.'),
    environments: names('Names of environments. Entries without an environment do not match. Absent: all.'),
    types: names('Types of entries, such as feature-environment-enabled. Absent: all.'),
    expression: text(
      MAX_EXPRESSION,
      'CEL about `event`, the entry as the API shows it. An entry matches if the result is true; an error is no match.',
    ).optional(),
  })
  .meta({ description: 'Which entries the sink gets: all conditions hold. Absent: all.' });
export type SinkFilter = z.infer<typeof filter>;

/** Without a user, a password or a fragment. */
const HTTP_URL = String.raw`https?://[^\s@?#\\/]{1,255}(/[^\s@#\\]*)?`;
/** One server. */
const NATS_URL = String.raw`(nats|tls)://[^\s@?#\\/,]{1,255}/?`;
const MAX_SUBJECT = 200;

/** Whether a Secret holds a URL to post to, which is not checked by a schema. */
export function isSinkUrl(text: string): boolean {
  return text.length <= MAX_URL && new RegExp(`^${HTTP_URL}$`).test(text);
}

function celList(values: readonly string[]): string {
  return `[${values.map((value) => `'${value}'`).join(', ')}]`;
}

const shape = z.object({
  type: z.enum(sinkTypes).meta({
    description:
      'Webhook: CloudEvents 1.0 by HTTP, one for each entry. NATS: the same, in a stream of JetStream. Slack, Teams: messages for people. Grafana: annotations. These three say in one message what happens within a few seconds.',
  }),
  url: z
    .string()
    .max(MAX_URL)
    .regex(new RegExp(`^(${HTTP_URL}|${NATS_URL})$`))
    .optional()
    .meta({
      description:
        'Where to post; of Grafana its base; of NATS a server, as tls://HOST:PORT or nats://HOST:PORT. http and nats only to networks that the settings of the operator allow. Slack and Teams: absent, as their URLs are secret.',
    }),
  subject: z
    .string()
    .max(MAX_SUBJECT)
    .regex(/^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/)
    .optional()
    .meta({
      description:
        'Of NATS: entries are published to SUBJECT.PROJECT.ENVIRONMENT, with _ for what an entry does not have. A stream must take these subjects, for example SUBJECT.>.',
    }),
  secretRef: z
    .object({
      name: z.string().min(1).max(253).meta({ description: 'The name of the Secret, in the same namespace.' }),
    })
    .optional()
    .meta({
      description: `A Secret with the label ${SINK_LABEL} and the name of the sink. Its key \`${SINK_SECRET_KEY}\` is for a Webhook what signs events as Standard Webhooks say (whsec_…; two, separated by a space, during a rotation; absent: not signed), for Slack and Teams the URL, for Grafana the token of a service account, for NATS \`USER:PASSWORD\`, a token, the seed of an nkey or a file of credentials (absent: no user).`,
    }),
  format: z.enum(['Binary', 'Structured']).optional().meta({
    description:
      'The mode of CloudEvents, of a Webhook and NATS: attributes as headers, or all as one JSON document. Absent: Structured.',
  }),
  filter: filter.optional(),
  maxAge: z
    .string()
    .max(5)
    .regex(/^[1-9][0-9]{0,3}(m|h|d)$/)
    .optional()
    .meta({
      description:
        'How old an entry may be that the receiver does not take. Then it is set aside. Minutes, hours or days. Absent: 3d.',
    }),
  emailAddresses: z.enum(['Masked', 'Plain']).optional().meta({
    description: 'Plain: as they are, only in the operator namespace. Absent: Masked, for example a…@example.com.',
  }),
});

const hasUrl: readonly string[] = ['Webhook', 'Grafana', 'NATS'] satisfies (typeof sinkTypes)[number][];
const sendsEvents: readonly string[] = ['Webhook', 'NATS'] satisfies (typeof sinkTypes)[number][];

const spec = ruled(
  shape,
  {
    cel: `has(self.url) == (self.type in ${celList(hasUrl)})`,
    message: 'Webhook, Grafana and NATS need a url; that of Slack and Teams is in the Secret',
    holds: ({ type, url }) => (url !== undefined) === hasUrl.includes(type),
  },
  {
    cel: `self.type in ${celList(sendsEvents)} || has(self.secretRef)`,
    message: 'Slack, Teams and Grafana need a secretRef',
    holds: ({ type, secretRef }) => sendsEvents.includes(type) || secretRef !== undefined,
  },
  {
    cel: `self.type in ${celList(sendsEvents)} || !has(self.format)`,
    message: 'only Webhook and NATS have a format',
    holds: ({ type, format }) => sendsEvents.includes(type) || format === undefined,
  },
  {
    cel: "has(self.subject) == (self.type == 'NATS')",
    message: 'NATS needs a subject, and no other type has one',
    holds: ({ type, subject }) => (subject !== undefined) === (type === 'NATS'),
  },
  {
    cel: "!has(self.url) || self.url.startsWith('http') == (self.type != 'NATS')",
    message: 'the url of NATS begins with nats:// or tls://, all others with http:// or https://',
    holds: ({ type, url }) => url === undefined || url.startsWith('http') === (type !== 'NATS'),
  },
);
export type NotificationSinkSpec = z.infer<typeof spec>;

const status = z.object({
  ...statusFields,
  lastDelivered: z
    .object({
      id: z.int().meta({ description: 'The id of the entry.' }),
      at: timestamp.meta({ description: 'When the receiver has taken it.', format: 'date-time' }),
    })
    .optional()
    .meta({ description: 'The last entry that the receiver has taken.' }),
  lag: z
    .object({
      entries: z
        .int()
        .min(0)
        .meta({ description: 'Entries that wait, up to 10000; 0 while none waits for ten seconds.' }),
      seconds: z.int().min(0).meta({ description: 'The age of the oldest of them, in steps of ten seconds.' }),
    })
    .optional()
    .meta({ description: 'What the receiver does not have yet. It is updated every ten seconds at most.' }),
  failingSince: optionalTime('Since when nothing was taken.'),
  lastError: text(300, 'Why the last attempt failed, without contents and secrets.').optional(),
  setAside: optionalNumber('How many entries were given up: refused by the receiver, or older than maxAge.'),
  lastSetAside: text(300, 'The last entry that was given up, and why.').optional(),
  lastTest: z
    .object({
      request: text(100, 'The value of the annotation.'),
      succeeded: z.boolean().meta({ description: 'Whether the receiver has taken the event.' }),
      message: text(300, 'What the receiver has answered, without contents.'),
    })
    .optional()
    .meta({ description: `The last test that the annotation ${TEST_ANNOTATION} asked for.` }),
  lastReplay: text(100, `The last value of the annotation ${REPLAY_ANNOTATION} that was followed.`).optional(),
});
export type NotificationSinkStatus = z.infer<typeof status>;

export type NotificationSink = CustomObject<NotificationSinkSpec, NotificationSinkStatus>;

export const notificationSink = defineKind<NotificationSinkSpec, NotificationSinkStatus>({
  kind: 'NotificationSink',
  shortNames: ['sink'],
  description:
    'A receiver that gets the entries of the history, each at least once and those of an object in their order. In the operator namespace it may get those of all projects, elsewhere those of the projects of its namespace.',
  namespaces: 'watched',
  spec,
  status,
  columns: [
    { name: 'Type', type: 'string', jsonPath: '.spec.type', description: 'The form in which entries are sent.' },
    { name: 'Delivered', type: 'date', jsonPath: '.status.lastDelivered.at', description: 'Time since a delivery.' },
    { name: 'Lag', type: 'integer', jsonPath: '.status.lag.entries', description: 'Entries that wait.' },
    { name: 'Failing', type: 'date', jsonPath: '.status.failingSince', description: 'How long it has been failing.' },
    {
      name: 'Set aside',
      type: 'integer',
      jsonPath: '.status.setAside',
      description: 'Entries that were given up.',
      priority: 1,
    },
    {
      name: 'Error',
      type: 'string',
      jsonPath: '.status.lastError',
      description: 'Why the last attempt failed.',
      priority: 1,
    },
    ...closingColumns('the receiver gets entries'),
  ],
});
