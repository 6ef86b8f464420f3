/** Event streams of OFREP: which address opens one, what it says, when it ends. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, adminClient } from '../support/admin-client.ts';
import { aFlag } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type OpenedStream, openStream, type ReceivedEvent } from '../support/event-stream.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { startOperator } from '../support/operator.ts';
import { readMetric } from '../support/read-metric.ts';
import { tokenValue } from '../support/sdk-world.ts';

const PAGE = 'https://shop.example.com';
const on = { enabled: true, strategies: { all: { name: 'default' } } };
const settings = { VEXIL_AUTH: 'token', VEXIL_SDK_STREAM_KEEP_ALIVE: '400ms' };
let instance: Instance;
let page: string;
let backend: string;
const opened: OpenedStream[] = [];

beforeAll(async () => {
  instance = await startInstance('ofrep-streams', { settings });
  page = await tokenValue(instance, 'page', { type: 'frontend', projects: ['shop'] });
  backend = await tokenValue(instance, 'backend');
  await instance.apply(aFlag(`${instance.home}/switched`, { environments: { production: on } }));
});
afterAll(() => instance.stop());
afterEach(() => {
  for (const stream of opened.splice(0)) stream.close();
});

let turn = 0;
/** Makes a change that every reader of the project receives a notice of. */
async function change(place = `${instance.home}/switched`, spec: object = {}): Promise<void> {
  turn += 1;
  await instance.apply(aFlag(place, { ...spec, description: `${turn}`, environments: { production: on } }));
}

interface Asking {
  readonly token?: string;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: string;
}

const evaluate = ({ token = page, url = instance.url, headers = {}, query = '' }: Asking = {}): Promise<Answer> =>
  adminClient(url, { 'x-api-key': token })(`POST //ofrep/v1/evaluate/flags${query}`, { body: {}, headers });

const addressIn = ({ body }: Answer): string => body.eventStreams[0].endpoint.requestUri;

async function stream(path: string, options: Parameters<typeof openStream>[1] = {}, url = instance.url) {
  const one = await openStream(url, { path, ...options });
  opened.push(one);
  return one;
}

const noticeIn = ({ data = '' }: ReceivedEvent) => JSON.parse(data);

describe('an address', () => {
  test('is named by the answer for all flags, under a steady ETag', async () => {
    const { body, headers } = await evaluate();
    expect(body.eventStreams).toEqual([
      { type: 'sse', endpoint: { requestUri: expect.stringMatching(/^\/ofrep\/v1\/streams\?key=[\w-]{70}$/) } },
    ]);
    expect((await evaluate({ headers: { 'if-none-match': headers.get('etag') ?? '' } })).status).toBe(304);
  });

  test('opens a stream for a page of another origin, without a token', async () => {
    const { status, headers } = await stream(addressIn(await evaluate()), { origin: PAGE });
    expect([status, headers['content-type'], headers['access-control-allow-origin']]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
      '*',
    ]);
  });

  test('is refused when it is not that of a token', async () => {
    const address = addressIn(await evaluate());
    const otherEnd = `${address.slice(0, -2)}${address.endsWith('AA') ? 'BB' : 'AA'}`;
    const keys = ['=', '=x', '=%00', '=%FF', '=__proto__', `=${'x'.repeat(5000)}`, '[]=x', '[__proto__]=x'];
    const made = ['', ...keys.map((key) => `?key${key}`)].map((query) => `/ofrep/v1/streams${query}`);
    const wrong = [otherEnd, address.slice(0, -1), `${address}&key=x`, `${address}%00`, ...made];
    for (const path of wrong) expect((await stream(path, { token: backend })).status, path).toBe(401);
  });
});

describe('a stream', () => {
  test('reports each change, and nothing else', async () => {
    const one = await stream(addressIn(await evaluate()));
    const first = await one.nth(1);
    await change();
    const second = await one.nth(2);
    for (const event of [first, second]) {
      expect(event).toEqual({ id: expect.stringMatching(/^[\w-]+$/), name: undefined, data: expect.any(String) });
      expect(noticeIn(event)).toEqual({ type: 'refetchEvaluation', etag: event.id });
    }
    expect(second.id).not.toBe(first.id);
  });

  test('reports nothing of projects that the token does not include', async () => {
    const [own, all] = await Promise.all(
      [page, backend].map(async (token) => stream(addressIn(await evaluate({ token })))),
    );
    await Promise.all([own?.nth(1), all?.nth(1)]);
    await change(`${instance.other}/invoice`, { project: 'pay' });
    await all?.nth(2);
    await change();
    await Promise.all([own?.nth(2), all?.nth(3)]);
    expect(own?.events.filter(({ data }) => data !== undefined)).toHaveLength(2);
  });

  test('resumes where the reader was, without a notice if nothing has changed', async () => {
    const address = addressIn(await evaluate());
    const { id: lastEventId } = await (await stream(address)).nth(1);
    const again = await stream(address, { lastEventId });
    await waitUntil({ what: 'comments arrive', everyMs: 10 }, async () => again.events.length > 2);
    expect(again.events[0]).toEqual({ id: lastEventId });
    expect(again.events.filter(({ data }) => data !== undefined)).toEqual([]);
    await change();
    const { id } = await again.nth(1);
    const late = await stream(address, { lastEventId });
    expect((await late.nth(1)).id).toBe(id);
  });

  test('ends when the token is deleted, and the address is refused then', async () => {
    const token = await tokenValue(instance, 'gone', { type: 'frontend' });
    const address = addressIn(await evaluate({ token }));
    const one = await stream(address);
    await instance.cluster.kubectlOrThrow(['delete', 'apitoken', 'gone', '-n', instance.home]);
    expect(await one.untilEnded()).toBe('cleanly');
    expect((await stream(address)).status).toBe(401);
  });
});

const ONE = '2001:db8:1:1::1';
const SAME_NETWORK = '2001:db8:1:1::2';
const OTHER = '203.0.113.7';

test('a replica accepts the keys of others, limits each address and the total, and ends all streams when it stops', async () => {
  const replica = await startOperator(instance.cluster, instance.home, {
    watched: [instance.other],
    settings: {
      ...settings,
      VEXIL_SDK_STREAM_LIMIT: '6',
      VEXIL_SDK_STREAMS_PER_ADDRESS: '2',
      VEXIL_TRUST_PROXY: '1',
    },
  });
  const { url } = replica;
  const answer = await evaluate();
  const etag = answer.headers.get('etag') ?? '';
  expect((await evaluate({ url, headers: { 'if-none-match': etag } })).status).toBe(304);
  const path = addressIn(answer);
  const streamFrom = (from: string) => stream(path, { from }, url);
  const namesStream = async (from: string) =>
    (await evaluate({ url, headers: { 'x-forwarded-for': from } })).body.eventStreams !== undefined;
  const one = await streamFrom(ONE);
  const second = await streamFrom(ONE);
  const refused = await streamFrom(SAME_NETWORK);
  expect([one.status, second.status, refused.status, refused.headers['retry-after']]).toEqual([200, 200, 429, '60']);
  expect([await namesStream(SAME_NETWORK), await namesStream(OTHER)]).toEqual([false, true]);
  expect((await streamFrom(OTHER)).status).toBe(200);
  expect([(await streamFrom(OTHER)).status, await namesStream(OTHER)]).toEqual([429, false]);
  expect((await openStream(url, { token: backend, from: ONE })).status).toBe(200);
  expect(await readMetric(replica.opsUrl, 'vexil_sdk_streams')).toBe(4);
  second.close();
  await waitUntil({ what: 'the address may open one again', everyMs: 10 }, async () => namesStream(ONE));
  await replica.stop();
  expect(await one.untilEnded()).toBe('cleanly');
  expect(one.events.at(-1)?.name).toBeUndefined();
  const { id: lastEventId } = await one.nth(1);
  expect((await stream(path, { lastEventId })).status).toBe(200);
});
