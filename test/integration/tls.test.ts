/** The admin API over https: from a mounted Secret that changes while the operator runs. */
import { Agent, request } from 'node:https';
import { text } from 'node:stream/consumers';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type CertificatePair, makeCertificate, mountSecret } from '../support/certificate.ts';
import { sharedCluster } from '../support/cluster.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { startOperatorProgram } from '../support/operator-program.ts';
import { sendRaw } from '../support/raw-http.ts';
import { type Replica, replicaKubeconfig, startReplica } from '../support/replica.ts';

const cluster = sharedCluster();
let home: string;
let kubeconfig: string;
let first: CertificatePair;
let second: CertificatePair;
let secret: Awaited<ReturnType<typeof mountSecret>>;
let replica: Replica;
let port: number;

beforeAll(async () => {
  home = await cluster.freshNamespace('tls');
  kubeconfig = await replicaKubeconfig(cluster, home);
  [first, second] = await Promise.all([makeCertificate(1), makeCertificate(400)]);
  secret = await mountSecret(first);
  const settings = { VEXIL_TLS_CERT_FILE: secret.certFile, VEXIL_TLS_KEY_FILE: secret.keyFile };
  replica = await startReplica({ kubeconfig, home, settings });
  port = Number(new URL(replica.url).port);
  await waitUntil({ what: 'it is ready' }, replica.isReady);
});
beforeEach(async () => {
  await secret.swap(first);
  await untilServed(first);
});
afterAll(async () => {
  await replica?.stop();
  await secret?.remove();
});

interface Served {
  readonly fingerprint: string;
  readonly protocol: string | null;
}

/** The certificate that a new connection is shown; rejects if there is none. */
function handshake(options: ConnectionOptions = {}): Promise<Served> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false, ...options }, () => {
      const { fingerprint256 } = socket.getPeerCertificate();
      resolve({ fingerprint: fingerprint256, protocol: socket.getProtocol() });
      socket.destroy();
    });
    socket.once('error', reject);
  });
}

const untilServed = ({ fingerprint }: CertificatePair) =>
  waitUntil({ what: 'the certificate is served' }, async () => (await handshake()).fingerprint === fingerprint);

function get(agent: Agent, path: string): Promise<{ readonly status: number; readonly socket: unknown }> {
  return new Promise((resolve, reject) => {
    const outgoing = request(`https://127.0.0.1:${port}${path}`, { agent }, (answer) => {
      const { socket, statusCode = 0 } = answer;
      text(answer).then(() => resolve({ status: statusCode, socket }), reject);
    });
    outgoing.once('error', reject);
    outgoing.end();
  });
}

const usable = () => replica.metric('vexil_tls_files_usable');
const expiry = () => replica.metric('vexil_tls_certificate_expiry_timestamp_seconds');

test('the API is served to clients that trust the certificate; probes and metrics stay on http', async () => {
  const agent = new Agent({ ca: first.cert });
  expect((await get(agent, '/health')).status).toBe(200);
  expect((await get(agent, '/api/admin/projects')).status).toBe(200);
  expect(await replica.isReady()).toBe(true);
  expect(await expiry()).toBe(first.expiresAt);
  const stranger = new Agent({ ca: second.cert });
  await expect(get(stranger, '/health')).rejects.toMatchObject({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
});

test.each(['TLSv1.2', 'TLSv1.3'] as const)('%s is spoken', async (version) => {
  expect((await handshake({ minVersion: version, maxVersion: version })).protocol).toBe(version);
});

test('TLS 1.1 is refused, and so is plain http', async () => {
  const old = { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
  await expect(handshake(old)).rejects.toMatchObject({ code: 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION' });
  const answer = await sendRaw(`http://127.0.0.1:${port}`, 'GET /health HTTP/1.1\r\nHost: a\r\n\r\n').catch(
    () => undefined,
  );
  expect(answer?.text ?? '').not.toContain('GOOD');
});

test('a replaced certificate is served to new connections, and open ones continue', async () => {
  const agent = new Agent({ ca: first.cert, keepAlive: true, maxSockets: 1 });
  const before = await get(agent, '/api/admin/projects');
  await secret.swap(second);
  await untilServed(second);
  const after = await get(agent, '/api/admin/projects');
  expect([before.status, after.status]).toEqual([200, 200]);
  expect(after.socket).toBe(before.socket);
  expect((after.socket as TLSSocket).getPeerCertificate().fingerprint256).toBe(first.fingerprint);
  expect((await get(new Agent({ ca: second.cert }), '/health')).status).toBe(200);
  expect([await usable(), await expiry()]).toEqual([1, second.expiresAt]);
  agent.destroy();
});

test('with a key of another certificate: the previous pair is served, the log and a metric report it, and a good pair is used later', async () => {
  const lines = replica.lines.length;
  await secret.swap({ cert: second.cert, key: first.key });
  await waitUntil({ what: 'the metric says so' }, async () => (await usable()) === 0);
  expect((await handshake()).fingerprint).toBe(first.fingerprint);
  expect(await expiry()).toBe(first.expiresAt);
  const said = () => replica.lines.slice(lines).filter((line) => line.includes('new certificate rejected'));
  await expect.poll(said).toHaveLength(1);
  await secret.swap(second);
  await untilServed(second);
  expect(await usable()).toBe(1);
  const secrets = [first, second].flatMap(({ key }) => key.split('\n').filter((line) => /^[\w+/=]{20,}$/.test(line)));
  for (const line of secrets) expect(replica.lines.join('\n')).not.toContain(line);
});

test('an operator does not start with invalid files, and names the file and the reason', async () => {
  const wrong = await mountSecret({ cert: second.cert, key: first.key });
  const lines: string[] = [];
  const ports = { VEXIL_HTTP_PORT: '0', VEXIL_OPS_PORT: '0', VEXIL_AUTH: 'none' };
  const files = { VEXIL_TLS_CERT_FILE: wrong.certFile, VEXIL_TLS_KEY_FILE: wrong.keyFile };
  const program = startOperatorProgram({
    settings: { KUBECONFIG: kubeconfig, VEXIL_NAMESPACE: home, ...ports, ...files },
    onLine: (line) => lines.push(line),
  });
  expect(await program.ended).toEqual({ code: 2, signal: null });
  const message = `The key in ${wrong.keyFile} is not that of the certificate in ${wrong.certFile}`;
  expect(lines.join('\n')).toContain(`vexil cannot start:\n  ${message}`);
  await wrong.remove();
});
