/** The connection to the upstream: own authorities, a certificate of the client, HTTP proxies, and bounded answers. */
import { createServer as createHttpServer, request, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { createExchange, readText } from '../../../src/edge/upstream/exchange.ts';
import { type CertificatePair, makeCertificate } from '../../support/certificate.ts';

const servers: Server[] = [];
const none = { proxies: {}, headers: {} };
const limits = { limitBytes: 1_000, withinMs: 1_000 };
let server: CertificatePair;
let client: CertificatePair;

beforeAll(async () => {
  [server, client] = await Promise.all([makeCertificate(), makeCertificate()]);
});
afterEach(() => {
  for (const one of servers.splice(0)) one.close().closeAllConnections();
});

async function listen(one: Server): Promise<string> {
  servers.push(one);
  await new Promise<void>((resolve) => void one.listen(0, '127.0.0.1', resolve));
  return `127.0.0.1:${(one.address() as AddressInfo).port}`;
}

async function get(url: string, settings: Parameters<typeof createExchange>[0]): Promise<string> {
  const { open, close } = createExchange(settings);
  const target = new URL(url);
  try {
    const answer = await open({ method: 'GET', url: target, headers: {}, signal: AbortSignal.timeout(10_000) });
    return await readText(answer, target, limits);
  } finally {
    close();
  }
}

test('trusts the authority that is given, and shows its own certificate', async () => {
  const secure = createHttpsServer(
    { cert: server.cert, key: server.key, ca: client.cert, requestCert: true, rejectUnauthorized: true },
    ({ socket }, response) => response.end((socket as TLSSocket).getPeerCertificate().fingerprint256),
  );
  const url = `https://${await listen(secure)}/`;
  const { cert, key } = client;
  expect(await get(url, { ...none, ca: server.cert, cert, key })).toBe(client.fingerprint);
  await expect(get(url, { ...none, ca: server.cert })).rejects.toThrow('cannot be reached');
  await expect(get(url, { ...none, cert, key })).rejects.toThrow('self-signed');
});

test('goes through the proxies of the environment, to https by a tunnel', async () => {
  const plain = await listen(createHttpServer((_request, response) => response.end('plain')));
  const secure = await listen(
    createHttpsServer({ cert: server.cert, key: server.key }, (_, response) => response.end('secure')),
  );
  const seen: string[] = [];
  const proxy = createHttpServer((from, response) => {
    seen.push(`${from.method} ${from.url}`);
    request(from.url ?? '', (answer) => answer.pipe(response)).end();
  }).on('connect', ({ url = '' }, socket) => {
    seen.push(`CONNECT ${url}`);
    const [host = '', port = ''] = url.split(':');
    const onward = connect(Number(port), host, () => socket.write('HTTP/1.1 200 OK\r\n\r\n'));
    onward.on('error', () => socket.destroy()).pipe(socket.on('error', () => onward.destroy()) as never);
    socket.pipe(onward);
  });
  const address = `http://${await listen(proxy)}`;
  const proxies = { HTTP_PROXY: address, HTTPS_PROXY: address };
  expect(await get(`http://${plain}/a`, { ...none, proxies })).toBe('plain');
  expect(await get(`https://${secure}/b`, { ...none, proxies, ca: server.cert })).toBe('secure');
  expect(seen).toEqual([`GET http://${plain}/a`, `CONNECT ${secure}`]);
  expect(await get(`http://${plain}/c`, { ...none, proxies: { ...proxies, NO_PROXY: '127.0.0.1' } })).toBe('plain');
  expect(seen.length).toBe(2);
});

test('reads compressed answers, and ends those that are too large, compressed or not', async () => {
  const bodies: Readonly<Record<string, Buffer>> = {
    '/small': gzipSync('x'.repeat(999)),
    '/large': gzipSync('x'.repeat(1_000_000)),
  };
  const host = await listen(
    createHttpServer(({ url = '' }, response) => {
      if (url === '/endless') response.write('x'.repeat(2_000));
      else response.setHeader('Content-Encoding', 'gzip').end(bodies[url]);
    }),
  );
  expect((await get(`http://${host}/small`, none)).length).toBe(999);
  await expect(get(`http://${host}/large`, none)).rejects.toThrow('it has more than 1000 bytes');
  await expect(get(`http://${host}/endless`, none)).rejects.toThrow('it has more than 1000 bytes');
});

test('sends the headers that are given, and names no credentials in errors', async () => {
  const host = await listen(createHttpServer((from, response) => response.end(`${from.headers['x-team']}`)));
  expect(await get(`http://${host}/`, { ...none, headers: { 'X-Team': 'shop' } })).toBe('shop');
  await expect(get('http://user:secret@127.0.0.1:1/a?key=hidden', none)).rejects.toThrow(
    /^http:\/\/127\.0\.0\.1:1\/a cannot/,
  );
});
