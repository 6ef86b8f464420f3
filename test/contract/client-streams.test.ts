/** Changes of flags over HTTP: deltas and streams, as they begin, go on and end. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { TOKEN_LABEL } from '../../src/schema/api-token.ts';
import { clientDelta } from '../../src/wire/client/shapes.ts';
import { adminClient } from '../support/admin-client.ts';
import { aFlag } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type OpenedStream, openStream, type ReceivedEvent } from '../support/event-stream.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { type Operator, startOperator } from '../support/operator.ts';
import { readMetric } from '../support/read-metric.ts';
import { tokenValue } from '../support/sdk-world.ts';
import { tokensDirectly } from '../support/tokens-directly.ts';

const on = { enabled: true, strategies: { all: { name: 'default' } } };
const off = { ...on, enabled: false };
/** A reader that takes nothing is closed after one and a half times this interval. */
const settings = { VEXIL_AUTH: 'token', VEXIL_SDK_STREAM_KEEP_ALIVE: '400ms' };
/** The flags are larger than the buffers of a connection: 4 MB at most for sending, and little for what is not read. */
const LARGE = { flags: 24, variants: 3, bytes: 60_000 };
let instance: Instance;
let token: string;
let shopOnly: string;
const opened: OpenedStream[] = [];

beforeAll(async () => {
  instance = await startInstance('client-streams', { settings });
  token = await tokenValue(instance, 'backend');
  shopOnly = await tokenValue(instance, 'shop-only', { projects: ['shop'] });
  await apply('switched', { environments: { production: on } });
});
afterAll(() => instance.stop());
afterEach(() => {
  for (const stream of opened.splice(0)) stream.close();
});

const apply = (name: string, spec: object) => instance.apply(aFlag(`${instance.home}/${name}`, spec));
const remove = (what: string) => instance.cluster.deleteObject(what, instance.home);

async function stream(options: Partial<Parameters<typeof openStream>[1]> = {}, url = instance.url) {
  const one = await openStream(url, { token, ...options });
  opened.push(one);
  return one;
}

const deltaIn = ({ data = '' }: ReceivedEvent) => clientDelta.parse(JSON.parse(data)).events;
const namesOf = (event: ReceivedEvent) =>
  deltaIn(event)
    .flatMap((one) => ('features' in one ? one.features : []))
    .map(({ name }) => name);

const ask = (known?: string, authorization = token, url = instance.url) =>
  adminClient(url, { authorization })('GET //api/client/delta', {
    headers: known === undefined ? {} : { 'if-none-match': known },
  });
const tagOf = ({ headers }: Awaited<ReturnType<typeof ask>>) => headers.get('etag') ?? '';

describe('GET /api/client/streaming', () => {
  test('has all flags first, then each change that kubectl makes', async () => {
    const one = await stream();
    expect([one.status, one.headers['content-type'], one.headers['x-accel-buffering']]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
      'no',
    ]);
    const first = await one.nth(1);
    expect([first.name, namesOf(first)]).toEqual(['unleash-connected', ['switched']]);
    await apply('switched', { environments: { production: off } });
    const second = await one.nth(2);
    expect([second.name, deltaIn(second)]).toMatchObject([
      'unleash-updated',
      [{ type: 'feature-updated', feature: { name: 'switched', enabled: false } }],
    ]);
    await apply('switched', { archived: true, environments: { production: off } });
    expect(deltaIn(await one.nth(3))).toMatchObject([
      { type: 'feature-removed', featureName: 'switched', project: 'shop' },
    ]);
    await apply('switched', { archived: false, environments: { production: on } });
    expect(deltaIn(await one.nth(4))).toMatchObject([{ feature: { name: 'switched', enabled: true } }]);
  });

  test('resumes where the reader was; an unknown id, or one of another token, receives all flags again', async () => {
    const { id: lastEventId } = await (await stream()).nth(1);
    await apply('resumed', { environments: { production: on } });
    await waitUntil({ what: 'the change is read', everyMs: 10 }, async () => {
      const again = await (await stream({ lastEventId })).nth(1);
      return deltaIn(again).some((event) => event.type === 'feature-updated' && event.feature.name === 'resumed');
    });
    for (const other of [{ lastEventId: 'another-1' }, { lastEventId: '1' }, { lastEventId, token: shopOnly }]) {
      const [event] = deltaIn(await (await stream(other)).nth(1));
      expect(event?.type).toBe('hydration');
    }
    const one = await stream();
    await one.nth(1);
    await remove('featureflag/resumed');
    expect(deltaIn(await one.nth(2))).toMatchObject([{ type: 'feature-removed', featureName: 'resumed' }]);
  });

  test('has only the projects of the token', async () => {
    const [all, some] = [await stream(), await stream({ token: shopOnly })];
    await Promise.all([all.nth(1), some.nth(1)]);
    await instance.apply(aFlag(`${instance.other}/invoice`, { project: 'pay', environments: { production: on } }));
    await all.nth(2);
    await apply('switched', { environments: { production: off } });
    expect(deltaIn(await some.nth(2))).toMatchObject([{ feature: { name: 'switched' } }]);
    expect(some.events.some(({ data }) => data?.includes('invoice'))).toBe(false);
  });

  test('a silent stream gets comments', async () => {
    const one = await stream();
    await one.nth(1);
    await waitUntil({ what: 'a comment arrives', everyMs: 10 }, async () => one.events.length > 2);
    expect(one.events.slice(1)).toEqual(one.events.slice(1).map(() => ({})));
  });

  test('ends when the token is deleted, before it sends another change', async () => {
    const gone = await tokenValue(instance, 'gone');
    const one = await stream({ token: gone });
    await one.nth(1);
    await remove('apitoken/gone');
    expect(await one.untilEnded()).toBe('cleanly');
    expect((await openStream(instance.url, { token: gone })).status).toBe(401);
  });
});

describe('GET /api/client/delta', () => {
  test('has all flags first, is 304 while nothing changes, then has each change', async () => {
    const whole = await ask();
    expect(whole.body.events).toMatchObject([{ type: 'hydration', segments: [] }]);
    expect((await ask(tagOf(whole))).status).toBe(304);
    expect((await ask(tagOf(whole).replace('W/', ''))).status).toBe(304);
    await apply('polled', { environments: { production: on } });
    const next = await waitUntil({ what: 'the change is read', everyMs: 10 }, async () => {
      const answer = await ask(tagOf(whole));
      return answer.status === 200 && answer;
    });
    expect(next.body.events).toMatchObject([{ type: 'feature-updated', feature: { name: 'polled', enabled: true } }]);
    await remove('featureflag/polled');
    await waitUntil({ what: 'the removal is read', everyMs: 10 }, async () => (await ask(tagOf(next))).status === 200);
    expect((await ask(tagOf(next))).body.events).toMatchObject([{ type: 'feature-removed', featureName: 'polled' }]);
  });

  test('a tag without a colon and a wrong token are refused, also for a stream', async () => {
    const { status } = await adminClient(instance.url, { authorization: token })('GET //api/client/delta?tag=x');
    expect(status).toBe(400);
    expect((await openStream(instance.url, { token, query: '?tag=x' })).status).toBe(400);
    expect((await openStream(instance.url, { token: 'wrong' })).status).toBe(401);
  });
});

test('a stream with a value whose Secret the operator has not recorded is 503', async () => {
  const tokens = tokensDirectly(instance.kubeconfig, instance.home);
  await tokens.create('waiting', { secretRef: { name: 'later' } });
  await tokens.untilRecorded('waiting', 'Error SecretNotFound spec.secretRef');
  const value = 'the-value-that-comes-later';
  await tokens.createSecret('later', { value, labels: { [TOKEN_LABEL]: 'waiting' } });
  const { status, headers } = await openStream(instance.url, { token: value });
  expect([status, headers['retry-after']]).toEqual([503, '1']);
  await tokens.delete('apitokens', 'waiting');
  tokens.close();
});

describe('a replica with a limit of two streams', () => {
  let replica: Operator;
  beforeAll(async () => {
    replica = await startOperator(instance.cluster, instance.home, {
      watched: [instance.other],
      settings: { ...settings, VEXIL_SDK_STREAM_LIMIT: '2' },
    });
  });
  afterAll(() => replica.stop());

  test('all flags are answered for the tag of another replica, of another token or an unknown tag', async () => {
    const foreign = tagOf(await ask(undefined, token, replica.url));
    for (const known of [foreign, tagOf(await ask(undefined, shopOnly)), '"1"', '"a", "b"']) {
      const { status, body } = await ask(known);
      expect([status, body.events[0].type]).toEqual([200, 'hydration']);
    }
  });

  test('refuses a third one, and sends its readers back to polling when it stops', async () => {
    const one = await stream({ token: shopOnly }, replica.url);
    // A token may have half of the streams, so that other tokens can have some too.
    expect((await stream({ token: shopOnly }, replica.url)).status).toBe(429);
    const other = await stream({}, replica.url);
    const third = await stream({ token: shopOnly }, replica.url);
    expect([third.status, third.headers['retry-after']]).toEqual([429, '60']);
    expect(await readMetric(replica.opsUrl, 'vexil_sdk_streams')).toBe(2);
    other.close();
    await waitUntil({ what: 'there is room', everyMs: 10 }, async () => (await stream({}, replica.url)).status === 200);
    await one.nth(1);
    await replica.stop();
    expect(await one.untilEnded()).toBe('cleanly');
    expect(one.events.at(-1)).toMatchObject({ name: 'fetch-mode', data: 'polling' });
  });
});

test('HEAD of a stream is answered without a stream', async () => {
  const headers = { authorization: token };
  const { status } = await fetch(`${instance.url}/api/client/streaming`, { method: 'HEAD', headers });
  expect(status).toBe(200);
});

test('closes a reader that does not read, which then begins again', async () => {
  const before = await readMetric(instance.opsUrl, 'vexil_sdk_streams_closed_total{reason="slow"}');
  const payload = { type: 'string' as const, value: 'x'.repeat(LARGE.bytes) };
  const variants = Array.from({ length: LARGE.variants }, (_, number) => ({ name: `v${number}`, payload }));
  const large = { project: 'pay', variants, environments: { production: on } };
  const names = Array.from({ length: LARGE.flags }, (_, number) => `${instance.other}/large-${number}`);
  await instance.apply(...names.map((name) => aFlag(name, large)));
  const slow = await stream();
  slow.pause();
  await waitUntil(
    { what: 'the stream is closed', everyMs: 20 },
    async () => (await readMetric(instance.opsUrl, 'vexil_sdk_streams_closed_total{reason="slow"}')) > before,
  );
  slow.resume();
  expect(await slow.untilEnded()).toBe('abruptly');
  expect(namesOf(await (await stream()).nth(1))).toContain('large-0');
});
