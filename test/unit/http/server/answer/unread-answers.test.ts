/** Answers that nobody reads, over real connections. */
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectSecurely } from 'node:tls';
import { afterEach, expect, test } from 'vitest';
import { createUnreadAnswers } from '../../../../../src/http/server/answer/unread-answers.ts';
import { selfSigned } from '../../../../support/control-plane/self-signed.ts';
import { waitUntil } from '../../../../support/control-plane/wait-until.ts';

const MB = 1024 * 1024;
/** More than the system takes of one answer. */
const SIZE = 16 * MB;
/** Long enough for a reader that a busy machine delays. */
const STALLED_MS = 2_000;

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

async function listening(server: Server): Promise<number> {
  // As in src/http/server/socket/listen.ts: the system still sends what it has taken.
  server.keepAliveTimeout = 75_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ends.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** Opens a connection that asks and reads nothing. */
async function ask(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined).pause();
  ends.push(() => socket.destroy());
  await once(socket, 'connect');
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  return socket;
}

/** A server whose answers are not read; the open ones, by their number. */
async function serving(limits: Parameters<typeof createUnreadAnswers>[0], bytesOf: () => Buffer) {
  const unread = createUnreadAnswers(limits);
  const open = new Set<number>();
  let asked = 0;
  const answer = (_: unknown, response: ServerResponse) => {
    const number = asked;
    asked += 1;
    open.add(number);
    response.once('close', () => open.delete(number));
    unread.end(response, bytesOf());
  };
  return { port: await listening(createServer(answer)), open, asked: () => asked, answer };
}

test('beyond the limit, the oldest answers are given up', async () => {
  const { port, open, asked } = await serving({ maxBytes: 3 * SIZE, stalledMs: 60_000 }, () => Buffer.alloc(SIZE));
  for (let count = 1; count <= 5; count += 1) {
    await ask(port);
    await waitUntil({ what: 'it is asked', everyMs: 5 }, () => asked() === count);
  }
  await waitUntil({ what: 'two are given up', everyMs: 5 }, () => open.size === 3);
  expect([...open]).toEqual([2, 3, 4]);
});

test('an answer beyond the limit is sent, if there is no other', async () => {
  const { port } = await serving({ maxBytes: 10, stalledMs: 60_000 }, () => Buffer.alloc(SIZE));
  expect((await (await fetch(`http://127.0.0.1:${port}`)).arrayBuffer()).byteLength).toBe(SIZE);
});

test('bytes that several answers share count once', async () => {
  const shared = Buffer.alloc(SIZE);
  const { port, open, asked } = await serving({ maxBytes: 2 * SIZE, stalledMs: 60_000 }, () => shared);
  for (let count = 0; count < 6; count += 1) await ask(port);
  await waitUntil({ what: 'all are asked', everyMs: 5 }, () => asked() === 6);
  expect(open.size).toBe(6);
});

test('what was read or given up no longer counts', async () => {
  const { port, open } = await serving({ maxBytes: 3 * SIZE, stalledMs: 60_000 }, () => Buffer.alloc(SIZE));
  const oldest = await ask(port);
  await waitUntil({ what: 'it is asked', everyMs: 5 }, () => open.size === 1);
  for (let count = 0; count < 4; count += 1) {
    const other = await ask(port);
    await waitUntil({ what: 'it is asked', everyMs: 5 }, () => open.size === 2);
    if (count % 2 === 0) other.destroy();
    else other.resume();
    await waitUntil({ what: 'it is over', everyMs: 5 }, () => open.size === 1);
  }
  expect([...open]).toEqual([0]);
  oldest.destroy();
});

test('a caller that takes nothing is disconnected, and one that reads slowly is not', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'vexil-unread-'));
  ends.push(() => rm(folder, { recursive: true }));
  const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  await selfSigned({ certFile, keyFile, names: ['IP:127.0.0.1'], days: 1 });
  const { port, open, answer } = await serving({ maxBytes: 8 * SIZE, stalledMs: STALLED_MS }, () => Buffer.alloc(SIZE));
  const secure = { cert: await readFile(certFile), key: await readFile(keyFile) };
  const securePort = await listening(createSecureServer(secure, answer));

  await ask(port);
  await waitUntil({ what: 'it is asked', everyMs: 5 }, () => open.size === 1);
  await waitUntil({ what: 'it is disconnected', everyMs: 20 }, () => open.size === 0);

  const plain = await ask(port);
  const encrypted = connectSecurely({ host: '127.0.0.1', port: securePort, rejectUnauthorized: false });
  encrypted.on('error', () => undefined);
  ends.push(() => encrypted.destroy());
  await once(encrypted, 'secureConnect');
  encrypted.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  const lengths = await Promise.all([plain, encrypted].map(readSlowly));
  for (const length of lengths) expect(length).toBeGreaterThan(SIZE);
});

/** Takes some MB, rests, and so on, for longer than a caller may take nothing. Returns the number of bytes. */
async function readSlowly(socket: Socket): Promise<number> {
  let bytes = 0;
  socket.pause();
  await waitUntil({ what: 'all is read', everyMs: STALLED_MS / 4 }, async () => {
    for (const until = bytes + 2 * MB; !socket.destroyed && bytes < until && bytes <= SIZE; ) {
      bytes += (socket.read() as Buffer | null)?.length ?? 0;
      await new Promise((resolve) => setImmediate(resolve));
    }
    return socket.destroyed || bytes > SIZE;
  });
  return bytes;
}
