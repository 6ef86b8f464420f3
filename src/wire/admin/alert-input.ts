/** The body of POST /alerts: the webhook of Alertmanager, version 4. */
import { z } from 'zod';
import type { AlertRequest } from '../../domain/alerts/act-on-alert.ts';
import { cut } from '../../model/text.ts';
import { alertActions } from '../../schema/alert-action.ts';
import { bounded, pointInTime } from '../../schema/fields/shapes.ts';

/** The limit in one notification; `max_alerts` of the receiver bounds the number. */
const MAX_ALERTS = 100;
/** Annotations may be long texts. */
const MAX_TEXT = 16_384;
/** The flag records the two names. */
const MAX_NAME = 200;
const MAX_LINK = 500;

const texts = (description: string) =>
  bounded(z.record(z.string().max(1024), z.string().max(MAX_TEXT)), 100, description);

const alert = z.object({
  status: z.enum(['firing', 'resolved']),
  labels: texts('The labels. Labels named `vexil_*` say what the alert does; see the endpoint.'),
  annotations: texts(
    'The annotations. They work like labels, but are not part of the identity of the alert.',
  ).optional(),
  startsAt: pointInTime('When the alert began to fire.'),
  generatorURL: z.string().max(MAX_TEXT).optional().meta({ description: 'The link that the history shows.' }),
  fingerprint: z
    .string()
    .regex(/^[0-9a-f]{1,64}$/, { error: 'must be a hash in lower-case hexadecimal digits' })
    .meta({ description: 'The identity of the alert: a hash of its labels.' }),
});

const EXAMPLE = {
  version: '4',
  alerts: [
    {
      status: 'firing',
      labels: { alertname: 'CheckoutErrors', vexil_flag: 'one-page-checkout', vexil_environment: 'production' },
      annotations: { vexil_action: 'off' },
      startsAt: '2026-03-01T09:30:00.000Z',
      generatorURL: 'https://prometheus.example.com/graph?g0.expr=checkout_errors',
      fingerprint: '1a30ba71cca2921f',
    },
  ],
};

/** Other properties are dropped: Alertmanager adds some in new releases without a new version. */
export const alertsBody = z
  .object({
    version: z.literal('4').meta({ description: 'The version of the format.' }),
    alerts: z.array(alert).max(MAX_ALERTS),
    externalURL: z
      .string()
      .max(MAX_TEXT)
      .optional()
      .meta({ description: 'The address of Alertmanager: the link of alerts without a `generatorURL`.' }),
  })
  .meta({
    id: 'AlertmanagerWebhook',
    description: 'The webhook message of Alertmanager, version 4. Unknown properties are dropped.',
    examples: [EXAMPLE],
  });
type AlertsBody = z.infer<typeof alertsBody>;
type WireAlert = AlertsBody['alerts'][number];

export interface ReadAlert {
  readonly name: string;
  readonly fingerprint: string;
  /** Undefined if the alert requests nothing. A text describes an invalid request. */
  readonly asks: AlertRequest | string | undefined;
}

export function readAlerts({ alerts, externalURL = '' }: AlertsBody): readonly ReadAlert[] {
  return alerts.map((one) => {
    const name = nameIn(textIn(one.labels, 'alertname') ?? one.fingerprint);
    return { name, fingerprint: one.fingerprint, asks: requestOf(one, { name, externalURL }) };
  });
}

/** Events show the name in one line. */
function nameIn(text: string): string {
  return cut(text.replace(/\p{Cc}+/gu, ' '), MAX_NAME);
}

/** Labels take precedence over annotations. */
function requestOf(
  { labels, annotations = {}, ...alert }: WireAlert,
  { name, externalURL }: { readonly name: string; readonly externalURL: string },
): ReadAlert['asks'] {
  const said = (key: string) => textIn(labels, key) ?? textIn(annotations, key);
  const flag = said('vexil_flag');
  if (flag === undefined) return undefined;
  const environment = said('vexil_environment');
  if (environment === undefined) return 'The alert has vexil_flag without vexil_environment: name the environment.';
  const action = alertActions.find((one) => one === said('vexil_action'));
  if (action === undefined) return `The alert needs vexil_action, which must be one of ${alertActions.join(', ')}.`;
  const onResolved = said('vexil_on_resolved');
  if (onResolved !== undefined && onResolved !== 'resume') return 'vexil_on_resolved of the alert must be resume.';
  return {
    ...{ name, flag, environment, action, project: said('vexil_project') },
    link: [alert.generatorURL, externalURL].find(isLink) ?? '',
    fingerprint: alert.fingerprint,
    startsAt: Date.parse(alert.startsAt),
    state: alert.status,
    resumes: onResolved === 'resume',
  };
}

/** Alertmanager treats a label without a value as absent. */
function textIn(of: Readonly<Record<string, string>>, key: string): string | undefined {
  return (Object.hasOwn(of, key) && of[key]) || undefined;
}

/** A link that was cut would lead elsewhere. */
function isLink(text: string | undefined): text is string {
  return text !== undefined && text.length <= MAX_LINK && /^https?:\/\/[\x21-\x7e]+$/.test(text);
}
