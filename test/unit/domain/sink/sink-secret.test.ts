/** What a Secret may hold for a sink of NATS; one character of its value is one byte. */
import { createUser } from '@nats-io/nkeys';
import { expect, test } from 'vitest';
import { natsCredentialsOf } from '../../../../src/domain/sink/nats-credentials.ts';
import { sinkSecretOf } from '../../../../src/domain/sink/sink-secret.ts';
import type { NotificationSink } from '../../../../src/schema/notification-sink.ts';

const seed = new TextDecoder().decode(createUser().getSeed());
const file = `-----BEGIN NATS USER JWT-----\nab.cd-_.ef\n------END NATS USER JWT------\n\n-----BEGIN USER NKEY SEED-----\n${seed}\n------END USER NKEY SEED------`;

function secretOf(value: string) {
  const spec = { type: 'NATS', secretRef: { name: 'key' } };
  const sink = { metadata: { name: 'bus' }, spec } as NotificationSink;
  const labels = { 'vexil.dev/notification-sink': 'bus' };
  return sinkSecretOf(sink, { labels, value: Buffer.from(value).toString('latin1') });
}

test.each([
  ['ada:two  words: ü ', { type: 'user', user: 'ada', password: 'two  words: ü ' }],
  ['a token of words', { type: 'token', token: 'a token of words' }],
  [seed, { type: 'nkey', seed }],
  [file, { type: 'creds', text: `${file}\n` }],
])('%s, with the end of a line', (text, want) => {
  const secret = secretOf(`${text}\r\n`);
  expect(secret).toEqual({ state: 'keys', keys: [text] });
  expect(natsCredentialsOf(text)).toEqual(want);
});

test.each([
  ['nothing', ''],
  ['a file without its seed', file.replace(seed, '')],
  ['several lines', 'ada:word\nbob:word'],
  ['a novel', 'x'.repeat(16_385)],
])('%s is not usable', (_, text) => {
  expect(secretOf(text)).toEqual({ state: 'unusable' });
});
