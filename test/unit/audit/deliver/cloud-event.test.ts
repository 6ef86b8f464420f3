/** Entries as CloudEvents, in both modes, and their signatures. */
import { HTTP } from 'cloudevents';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { cloudEventOf } from '../../../../src/audit/deliver/cloud-event.ts';
import { signed } from '../../../../src/audit/deliver/sign.ts';
import { anEntry } from '../../../support/archive/an-entry.ts';

const NOW = Date.now();
const entry = { ...anEntry('a', { environment: 'prod ü', createdAt: NOW }), id: 1001 };
const data = { id: 1001, type: entry.type, data: { text: 'ü "quoted"\n' } };
const [key, other] = ['k', 'o'].map((letter) => `whsec_${Buffer.from(letter.repeat(32)).toString('base64')}`) as [
  string,
  string,
];

describe.each(['Binary', 'Structured'] as const)('in the mode %s', (format) => {
  test('an entry is an event that the library of CloudEvents reads', () => {
    const message = cloudEventOf(entry, data, { source: '/vexil/home', format });
    expect(HTTP.toEvent({ headers: { ...message.headers }, body: message.body })).toMatchObject({
      ...{ id: '1001', specversion: '1.0', type: 'dev.vexil.feature-updated', source: '/vexil/home' },
      ...{ subject: 'featureflags/team-a/checkout', time: new Date(NOW).toISOString(), data },
      ...{ project: 'shop', feature: 'checkout', environment: 'prod ?', partitionkey: 'uid-of-a' },
    });
  });

  test('signatures of two keys are valid for each of them', () => {
    const message = signed(cloudEventOf(entry, data, { source: '/x', format }), '1001', {
      keys: [key, other],
      now: NOW,
    });
    for (const one of [key, other]) {
      expect(new Webhook(one).verify(message.body, { ...message.headers })).toBeTruthy();
    }
    expect(() => new Webhook(key).verify(`${message.body} `, { ...message.headers })).toThrow('No matching signature');
  });
});

test('content that is too large is left out', () => {
  const large = { ...data, data: { text: 'x'.repeat(600_000) }, preData: null };
  const { body } = cloudEventOf(entry, large, { source: '/x', format: 'Binary' });
  expect(JSON.parse(body)).toMatchObject({ id: 1001, data: { abridged: { bytes: expect.any(Number) } } });
});
