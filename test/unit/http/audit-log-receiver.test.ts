/** The port for the audit log of the API server: whom it believes, before it reads what is sent. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createAuditLogReceiver } from '../../../src/http/audit-log-receiver.ts';
import type { Listener } from '../../../src/http/server/socket/listen.ts';
import { createLogger } from '../../../src/telemetry/logger.ts';
import { type CertificatePair, makeCertificate, mountSecret } from '../../support/certificate.ts';

const TOKEN = 'a-token-of-the-audit-log-0123456789';

let folder: string;
let server: CertificatePair;
let trusted: CertificatePair;
let stranger: CertificatePair;
let mounted: Awaited<ReturnType<typeof mountSecret>>;
let receiver: Listener;
let port: number;
let tokenFile: string;
let taken: unknown[] = [];
const lines: string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vexil-receiver-'));
  [server, trusted, stranger] = await Promise.all([makeCertificate(), makeCertificate(), makeCertificate()]);
  mounted = await mountSecret(server);
  tokenFile = join(folder, 'token');
  const clientCaFile = join(folder, 'ca.crt');
  await writeFile(clientCaFile, trusted.cert);
  const { certFile, keyFile } = mounted;
  receiver = createAuditLogReceiver({
    settings: { port: 0, certFile, keyFile, clientCaFile, tokenFile },
    host: '127.0.0.1',
    take: async (events) => void taken.push(...events),
    observe: () => undefined,
    logger: createLogger({ level: 'debug', destination: { write: (line) => void lines.push(line) } }),
  });
  port = await receiver.start();
});
afterAll(async () => {
  await receiver?.stop();
  await mounted?.remove();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  taken = [];
  await writeFile(tokenFile, `${TOKEN}\n`);
});

const EVENTS = JSON.stringify({ kind: 'EventList', apiVersion: 'audit.k8s.io/v1', items: [1, 2] });

interface Sender {
  readonly pair?: Pick<CertificatePair, 'cert' | 'key'>;
  readonly token?: string;
}

const send = ({ pair, token }: Sender): Promise<{ readonly status: number; readonly text: string }> =>
  new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
    const options = { host: '127.0.0.1', port, ca: server.cert, method: 'POST', path: '/', headers, agent: false };
    request({ ...options, ...(pair && { cert: pair.cert, key: pair.key }) }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (some: string) => {
        text += some;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    })
      .on('error', reject)
      .end(EVENTS);
  });

test('a certificate of the authority, or the token, is believed', async () => {
  expect((await send({ pair: trusted })).status).toBe(200);
  expect((await send({ token: TOKEN })).status).toBe(200);
  expect((await send({ pair: stranger, token: TOKEN })).status).toBe(200);
  expect(taken).toEqual([1, 2, 1, 2, 1, 2]);
});

test('a certificate of somebody else, another token, or nothing is refused', async () => {
  for (const sender of [{}, { pair: stranger }, { token: `${TOKEN}x` }, { token: TOKEN.slice(1) }, { token: '' }]) {
    expect((await send(sender)).status, JSON.stringify(sender)).toBe(401);
  }
  expect(taken).toEqual([]);
});

test('refusals are counted, and the tenth from an address is logged', async () => {
  const warnings = () => lines.filter((line) => line.includes('authentication: repeated failures'));
  for (let count = 0; count < 10; count += 1) await send({ token: `${TOKEN}${count}` });
  const [first, ...others] = warnings().map((line) => JSON.parse(line));
  expect(first).toMatchObject({ level: 'warn', address: '127.0.0.1', failures: 10 });
  expect(others).toEqual([]);
});

test('a token that was changed in its file counts at once', async () => {
  const next = TOKEN.toUpperCase();
  await writeFile(tokenFile, next);
  expect((await send({ token: TOKEN })).status).toBe(401);
  expect((await send({ token: next })).status).toBe(200);
});

test('a short token and a missing file believe nobody, and say what to do', async () => {
  await writeFile(tokenFile, 'short');
  const short = await send({ token: 'short' });
  expect(short.status).toBe(503);
  expect(short.text).toMatch(/VEXIL_AUDIT_LOG_TOKEN_FILE has fewer than 32 characters: make it longer/);
  await rm(tokenFile);
  const missing = await send({ token: TOKEN });
  expect(missing.status).toBe(503);
  expect(missing.text).toMatch(/of VEXIL_AUDIT_LOG_TOKEN_FILE cannot be read \(ENOENT\)/);
  expect((await send({ pair: trusted })).status).toBe(200);
  expect(taken).toEqual([1, 2]);
});

test('no log line has a token', () => {
  expect(lines.length).toBeGreaterThan(0);
  expect(lines.join('\n')).not.toMatch(new RegExp(TOKEN, 'i'));
});
