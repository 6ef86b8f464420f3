/** How a change came, and why, in the history and in Events. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CallOptions } from '../support/admin-client.ts';
import { aFlag } from '../support/builders.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { recorded, untilRecorded } from '../support/recorded-events.ts';
import { untilRecording } from '../support/until-recording.ts';

const FLAG = 'PATCH /projects/shop/features/cart';
const described = (value: string) => [{ op: 'replace', path: '/description', value }];

const OF_CHANGES = 'feature=IS:cart&type=IS:feature-metadata-updated';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance('origin');
  const { cluster, call, home } = instance;
  await instance.apply(aFlag(`${home}/first`), aFlag(`${home}/cart`));
  await untilRecording(cluster, call, { flag: '/projects/shop/features/first', namespace: home });
  await instance.served('GET /projects/shop/features/cart');
  const change = async (query: string, options: CallOptions) => {
    const { status, text } = await instance.call(`${FLAG}${query}`, options);
    expect(status, text).toBe(200);
  };
  await change('?reason=Named%20better', { body: described('one') });
  const headers = { 'sec-fetch-site': 'same-origin' };
  await change('?reason=Sale%20of%20ada%40example.com', { body: described('two'), headers });
  const patch = ['--type=merge', '-p', '{"spec":{"description":"three"}}', '--field-manager=our-controller'];
  await instance.cluster.kubectlOrThrow(['patch', 'ff', 'cart', '-n', instance.home, ...patch]);
  await change('', { body: described('four') });
});
afterAll(() => instance.stop());

test('each entry has the way and the reason of its change, and of no earlier one', async () => {
  const entries = await untilRecorded(instance.call, OF_CHANGES, 4);
  expect(entries.map(({ channel, fieldManager, reason }) => [channel, fieldManager, reason])).toEqual([
    ['api', null, 'Named better'],
    ['console', null, 'Sale of ada@example.com'],
    ['kubernetes', 'our-controller', null],
    ['api', null, null],
  ]);
});

test.each([
  ['IS:api', 'Named better', null],
  ['IS:console', 'Sale of ada@example.com'],
  ['IS:controller', null],
  ['IS:kubernetes', null],
  ['IS:kubectl'],
  ['IS_ANY_OF:controller,console', 'Sale of ada@example.com', null],
  ['IS:unknown'],
])('the changes of channel %s are found', async (channel, ...reasons) => {
  await untilRecorded(instance.call, OF_CHANGES, 4);
  const found = await recorded(instance.call, `${OF_CHANGES}&channel=${channel}`);
  expect(found.map(({ reason }) => reason)).toEqual(reasons);
});

test('a channel that does not exist is refused with those that do', async () => {
  const { status, text } = await instance.call('GET /search/events?channel=IS:git');
  expect(status).toBe(400);
  expect(text).toContain('console, api, kubernetes, alert, time, kubectl, controller, unknown');
});

test('the Event of a change has the way and the reason, without addresses', async () => {
  const args = ['get', 'events', '-n', instance.home, '-o', 'jsonpath={.items[*].message}'];
  const messages = () => instance.cluster.kubectlOrThrow(args);
  await expect.poll(messages).toContain('by someone unknown (api). Reason: Named better');
  await expect.poll(messages).toContain('by someone unknown (console). Reason: Sale of a…@example.com');
});

test('an entry is found by its id', async () => {
  const entries = await untilRecorded(instance.call, OF_CHANGES, 4);
  const [first, , third] = entries;
  expect(await recorded(instance.call, `id=IS:${third?.id},${first?.id}`)).toEqual([first, third]);
  expect(await recorded(instance.call, `id=IS:${third?.id}&feature=IS:other`)).toEqual([]);
  expect((await instance.call('GET /search/events?id=IS:x')).status).toBe(400);
});

test('a reason of more than 200 characters is refused', async () => {
  const { status } = await instance.untouched(`${FLAG}?reason=${'x'.repeat(201)}`, { body: described('five') });
  expect(status).toBe(400);
});

test('the reason of a deletion is kept', async () => {
  await instance.call('POST /projects/shop/features', { body: { name: 'gone' } });
  await instance.call('DELETE /projects/shop/features/gone?reason=Not%20needed');
  await instance.call('DELETE /archive/gone?reason=Cleaned%20up');
  const [, archived, deleted] = await untilRecorded(instance.call, 'feature=IS:gone', 3);
  expect(archived).toMatchObject({ type: 'feature-archived', channel: 'api', reason: 'Not needed' });
  expect(deleted).toMatchObject({ type: 'feature-deleted', channel: 'api', reason: 'Cleaned up' });
});
