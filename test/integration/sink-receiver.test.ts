/** What sinks connect to: no address inside, in whatever form a tenant names it, and nothing without end. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer as createTcpServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createLookups } from '../../src/audit/deliver/lookups.ts';
import { createReceiver, type Receiver } from '../../src/audit/deliver/receiver.ts';
import { networkOf, refusalOf } from '../../src/domain/sink/addresses.ts';
import { startReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

const message = { headers: { 'content-type': 'application/json', 'ce-id': '1' }, body: '{}' };
const lookup = createLookups().in('home');
const opened: Receiver[] = [];
let inside: WebhookReceiver;

beforeEach(async () => {
  inside = await startReceiver();
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one.close()));
  await inside.stop();
});

function receiverAt(url: string, allowed: readonly string[] = [], timeoutMs = 300): Receiver {
  const networks = { allowed: allowed.map(networkOf) };
  const parts = { url, timeoutMs, lookup, connections: 2, now: () => Date.parse('2026-01-01T00:00:00Z') };
  const receiver = createReceiver({ ...parts, refusalOf: (address) => refusalOf(address, url, networks) });
  opened.push(receiver);
  return receiver;
}
const signal = new AbortController().signal;
const post = (...parts: Parameters<typeof receiverAt>) => receiverAt(...parts).post(message, signal);

describe('an address inside is refused', () => {
  test.each([
    ...['127.0.0.1', '127.1', '2130706433', '0x7f000001', '0177.0.0.1', '127.0.0.1.', '0.0.0.0', '0', 'localhost'],
    ...['LOCALHOST', '[::1]', '[::]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[0:0:0:0:0:ffff:127.0.0.1]'],
    ...['[::127.0.0.1]', '[64:ff9b::127.0.0.1]', '[64:ff9b:1::7f00:1]', '[2002:7f00:1::]', '[fe80::1]', '[fc00::1]'],
    ...['[fd00:ec2::254]', '10.96.0.1', '172.16.0.1', '192.168.0.1', '169.254.169.254', '100.100.100.200'],
    ...['168.63.129.16', '192.0.0.192', '224.0.0.1', '255.255.255.255'],
  ])('%s', async (host) => {
    const port = new URL(inside.url).port;
    for (const protocol of ['http', 'https']) {
      const answer = await post(`${protocol}://${host}:${port}/`);
      expect(answer).toEqual({ type: 'failed', message: expect.stringContaining('the address is not public') });
    }
    expect(inside.received).toEqual([]);
  });
});

test('a name is judged by each of its addresses when it is connected to', async () => {
  const { port } = new URL(inside.url);
  // localhost is 127.0.0.1, and ::1 where there is IPv6.
  expect(await post(`http://localhost:${port}/`, ['127.0.0.0/8', '::1'])).toEqual({ type: 'taken' });
  expect(await post(`http://localhost:${port}/`, ['10.0.0.0/8'])).toMatchObject({ type: 'failed' });
  expect(inside.received).toHaveLength(1);
});

test('the connected address is judged, whatever the name was judged by', async () => {
  let looks = 0;
  const url = inside.url;
  const receiver = createReceiver({
    ...{ url, timeoutMs: 300, lookup, connections: 1, now: Date.now },
    // The first look is at the URL, the second one at the socket.
    refusalOf: () => (++looks > 1 ? 'the address is not public' : undefined),
  });
  opened.push(receiver);
  expect(await receiver.post(message, signal)).toEqual({ type: 'failed', message: 'the address is not public' });
  expect(inside.received).toEqual([]);
});

describe('a receiver that is allowed', () => {
  const allowed = ['127.0.0.1'];

  test.each([
    [200, { type: 'taken' }],
    [204, { type: 'taken' }],
    [410, { type: 'gone' }],
    [400, { type: 'refused', message: 'answered 400' }],
    [401, { type: 'refused', message: 'answered 401' }],
    [429, { type: 'failed', message: 'answered 429' }],
    [503, { type: 'failed', message: 'answered 503' }],
  ])('that answers %i', async (status, want) => {
    inside.react = () => status;
    expect(await post(inside.url, allowed)).toEqual(want);
  });

  test.each([
    ['120', 120_000],
    ['Thu, 01 Jan 2026 00:05:00 GMT', 300_000],
    ['999999', 3_600_000],
    ['soon', undefined],
  ])('that asks to wait for %s', async (retryAfter, retryAfterMs) => {
    inside.react = (_, response) => void response.writeHead(503, { 'retry-after': retryAfter }).end();
    expect(await post(inside.url, allowed)).toEqual({ type: 'failed', message: 'answered 503', retryAfterMs });
  });

  test('that redirects is not followed', async () => {
    const other = await startReceiver();
    inside.react = (_, response) => void response.writeHead(307, { location: other.url }).end();
    expect(await post(inside.url, allowed)).toEqual({
      type: 'failed',
      message: 'answered 307: redirects are not followed',
    });
    expect(other.received).toEqual([]);
    await other.stop();
  });

  test('that never answers', async () => {
    inside.react = () => undefined;
    expect(await post(inside.url, allowed)).toEqual({ type: 'failed', message: 'no whole answer within 0.3 s' });
  });

  test('that answers half', async () => {
    inside.react = (_, response) => {
      response.writeHead(200, { 'content-length': '9' }).write('half');
      setImmediate(() => response.destroy());
      return undefined;
    };
    expect(await post(inside.url, allowed)).toMatchObject({ type: 'failed' });
  });

  test('that answers drop by drop', async () => {
    inside.react = (_, response) => {
      response.writeHead(200);
      const drops = setInterval(() => response.write('x'), 20);
      response.on('close', () => clearInterval(drops));
      return undefined;
    };
    expect(await post(inside.url, allowed)).toEqual({ type: 'failed', message: 'no whole answer within 0.3 s' });
  });

  test('that answers without end is cut off', async () => {
    let written = 0;
    inside.react = (_, response) => {
      response.writeHead(200);
      const pour = () => {
        while (!response.destroyed && response.write('x'.repeat(65_536))) written += 65_536;
      };
      response.on('drain', pour);
      pour();
      return undefined;
    };
    expect(await post(inside.url, allowed, 5_000)).toEqual({ type: 'taken' });
    expect(written).toBeLessThan(8_000_000);
  });

  test('that speaks no TLS where https is asked for', async () => {
    const answer = await post(inside.url.replace('http:', 'https:'), allowed);
    expect(answer).toMatchObject({ type: 'failed', message: expect.stringContaining('the connection failed (') });
  });

  test('that is not there: the error says no address', async () => {
    const server = createTcpServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    expect(await post(`http://127.0.0.1:${port}/secret-path`, allowed)).toEqual({
      type: 'failed',
      message: 'the connection failed (ECONNREFUSED)',
    });
  });
});
