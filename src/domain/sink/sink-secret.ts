/** The Secret of a sink: whether the sink may use it, and the keys that it holds. */
import { hash } from 'node:crypto';
import { TOKEN_VALUE } from '../../model/patterns.ts';
import {
  isSinkUrl,
  type NotificationSink,
  type NotificationSinkSpec,
  SINK_LABEL,
} from '../../schema/notification-sink.ts';
import { natsCredentialsOf } from './nats-credentials.ts';

/** The parts of a Secret that are needed. */
export interface FoundSinkSecret {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: string | undefined;
}

/** `missing`: there is none, or it is not labelled for the sink. `forbidden`: the operator may not read it. */
export type SinkSecret =
  | { readonly state: 'none' | 'missing' | 'forbidden' | 'unusable' }
  | { readonly state: 'keys'; readonly keys: readonly string[] };

const MAX_LABEL = 63;
const MAX_KEYS = 2;
/** Standard Webhooks ask for 24 to 64 bytes. */
const SIGNING_KEY = /^whsec_[A-Za-z0-9+/]{32,86}={0,2}$/;

interface SecretUse {
  /** Absent: by blanks. */
  readonly split?: (text: string) => readonly string[];
  readonly isUsable: (values: readonly string[]) => boolean;
  /** What the key of the Secret must be. */
  readonly must: string;
}

/** `text` has one character per byte. A password may have blanks, also at its end. */
const asOneText = (text: string) => [
  Buffer.from(text, 'latin1')
    .toString()
    .replace(/[\r\n]+$/, ''),
];
const byBlanks = (text: string) => text.trim().split(/\s+/);
const isOneUrl = ([url = '', ...others]: readonly string[]) => others.length === 0 && isSinkUrl(url);

/** What the Secret of each type holds. */
export const sinkSecretUses: Readonly<Record<NotificationSinkSpec['type'], SecretUse>> = {
  Webhook: {
    isUsable: (keys) => keys.length <= MAX_KEYS && keys.every((key) => SIGNING_KEY.test(key)),
    must: 'one or two signing keys: whsec_ and 24 to 64 bytes in base64',
  },
  Slack: { isUsable: isOneUrl, must: 'the URL of an incoming webhook' },
  Teams: { isUsable: isOneUrl, must: 'the URL of a workflow' },
  Grafana: {
    isUsable: ([token = '', ...others]) => others.length === 0 && TOKEN_VALUE.test(token),
    must: 'the token of a service account',
  },
  NATS: {
    split: asOneText,
    isUsable: ([credentials = '']) => natsCredentialsOf(credentials) !== undefined,
    must: 'a user and a password with a colon between, a token, the seed of an nkey, or a file of credentials',
  },
};

/** The value of the label: the name of the sink, which is cut if it is too long for a label. */
export function sinkLabelOf({ metadata: { name } }: NotificationSink): string {
  if (name.length <= MAX_LABEL) return name;
  return `${name.slice(0, MAX_LABEL - 11)}-${hash('sha256', name).slice(0, 10)}`;
}

export function sinkSecretOf(sink: NotificationSink, found: FoundSinkSecret | undefined): SinkSecret {
  if (sink.spec.secretRef === undefined) return { state: 'none' };
  if (found?.labels[SINK_LABEL] !== sinkLabelOf(sink)) return { state: 'missing' };
  const { split = byBlanks, isUsable } = sinkSecretUses[sink.spec.type];
  const keys = split(found.value ?? '');
  return isUsable(keys) ? { state: 'keys', keys } : { state: 'unusable' };
}
