/** What a sink publishes to a real NATS server, and what servers cannot do to it. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { createAccount, createOperator, createUser, type KeyPair } from '@nats-io/nkeys';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { SentEvent } from '../../src/audit/deliver/event-sender.ts';
import { createLookups } from '../../src/audit/deliver/lookups.ts';
import type { NatsPublisher } from '../../src/audit/deliver/nats/nats-publisher.ts';
import { openNatsPublisher } from '../../src/audit/deliver/nats/open-publisher.ts';
import { networkOf, refusalOf } from '../../src/domain/sink/addresses.ts';
import { makeCertificate, mountSecret } from '../support/certificate.ts';
import { type NatsStreams, natsStreams } from '../support/nats-stream.ts';
import { type NatsServer, startNatsServer } from '../support/tools/nats-server.ts';

const signal = new AbortController().signal;
const opened: NatsPublisher[] = [];

afterEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one.close()));
});

interface Given {
  readonly credentials?: string;
  readonly allowed?: readonly string[];
  readonly timeoutMs?: number;
  readonly subject?: string;
}

async function publisherAt(
  url: string,
  { credentials, allowed = ['127.0.0.1'], timeoutMs = 2_000, subject }: Given = {},
) {
  const networks = { allowed: allowed.map(networkOf) };
  const publisher = await openNatsPublisher({
    ...{ url, subject: subject ?? 'vexil', credentials, idPrefix: 'uid', timeoutMs },
    lookup: createLookups().in('home'),
    refusalOf: (address) => refusalOf(address, url, networks),
  });
  opened.push(publisher);
  return publisher;
}

function anEvent(id: string, parts: Partial<SentEvent> = {}): SentEvent {
  const message = { headers: { 'content-type': 'application/json', 'ce-id': id }, body: `{"id":"${id}"}` };
  return { id, message, project: 'shop', environment: 'production', ...parts };
}
const publish = async (url: string, given?: Given) => (await publisherAt(url, given)).publish(anEvent('1'), signal);

describe('a server', () => {
  let server: NatsServer;
  let streams: NatsStreams;

  beforeAll(async () => {
    server = await startNatsServer('max_payload: 2000');
    streams = await natsStreams(server.url);
    await streams.add('changes', ['vexil.>']);
    await streams.add('small', ['small.>'], { max_msg_size: 100 });
  });
  afterAll(async () => {
    await streams.close();
    await server.stop();
  });
  beforeEach(async () => {
    await streams.manager.streams.purge('changes');
  });
  const stored = async () => (await streams.messages('changes')).map(({ subject, body }) => [subject, body]);

  test('stores an event once, with its headers, although it is sent twice', async () => {
    const publisher = await publisherAt(server.url);
    expect(await publisher.publish(anEvent('once'), signal)).toEqual({ type: 'taken' });
    expect(await publisher.publish(anEvent('once'), signal)).toEqual({ type: 'taken' });
    expect(await streams.messages('changes')).toEqual([
      {
        subject: 'vexil.shop.production',
        headers: { 'Nats-Msg-Id': 'uid/once', 'content-type': 'application/json', 'ce-id': 'once' },
        body: '{"id":"once"}',
      },
    ]);
  });

  test('gets subjects in which no name is a wildcard or more than a part', async () => {
    const publisher = await publisherAt(server.url);
    const names = [null, '_', 'a.b', '*', '>', 'two words', 'ü\r\nPUB x 0\r\n'];
    for (const [index, project] of names.entries()) {
      const event = anEvent(`name-${index}`, { project, environment: null });
      expect(await publisher.publish(event, signal)).toEqual({ type: 'taken' });
    }
    expect((await stored()).map(([subject]) => subject)).toEqual(
      ['_', '%5F', 'a%2Eb', '%2A', '%3E', 'two%20words', '%C3%BC%0D%0APUB%20x%200%0D%0A'].map(
        (one) => `vexil.${one}._`,
      ),
    );
  });

  test('without a stream for the subject says so', async () => {
    expect(await publish(server.url, { subject: 'nobody' })).toEqual({
      type: 'failed',
      message: 'no stream of JetStream takes the subject nobody.shop.production',
    });
  });

  test.each([
    ['the server', 'vexil', 2_000],
    ['the stream', 'small', 200],
  ])('refuses a message that is too large for %s', async (_, subject, size) => {
    const message = { headers: {}, body: 'x'.repeat(size) };
    const answer = await (await publisherAt(server.url, { subject })).publish(anEvent('large', { message }), signal);
    expect(answer).toEqual({ type: 'refused', message: 'the message is larger than the server or stream allows' });
  });

  test('that is halted fails, and takes events again as soon as it is back', async () => {
    const publisher = await publisherAt(server.url);
    expect(await publisher.publish(anEvent('before'), signal)).toEqual({ type: 'taken' });
    await server.halt();
    expect(await publisher.publish(anEvent('during'), signal)).toMatchObject({ type: 'failed' });
    expect(await publisher.publish(anEvent('during'), signal)).toEqual({
      type: 'failed',
      message: 'the connection failed (ECONNREFUSED)',
    });
    await server.resume();
    expect(await publisher.publish(anEvent('after'), signal)).toEqual({ type: 'taken' });
    await streams.close();
    streams = await natsStreams(server.url);
    expect((await stored()).map(([, body]) => body)).toEqual(['{"id":"before"}', '{"id":"after"}']);
  });

  test('is left at once when the sink ends', async () => {
    const ending = new AbortController();
    const answer = (await publisherAt(server.url)).publish(anEvent('late'), ending.signal);
    ending.abort();
    expect(await answer).toMatchObject({ type: 'failed' });
  });
});

describe('a user', () => {
  const [nkey, user, signing] = [createUser(), createUser(), createOperator()];
  const [account, system] = [createAccount(), createAccount()];
  const seedOf = (pair: KeyPair) => new TextDecoder().decode(pair.getSeed());
  let server: NatsServer;
  let jwtServer: NatsServer;

  beforeAll(async () => {
    server = await startNatsServer(`authorization { users: [
      { user: ada, password: "a pass: ü word " },
      { user: writer, password: "x", permissions: { publish: "vexil.>", subscribe: "nothing" } },
      { user: reader, password: "x", permissions: { publish: "nothing" } },
      { nkey: ${nkey.getPublicKey()} }
    ] }`);
    const streams = await natsStreams(server.url, ['ada', 'a pass: ü word ']);
    await streams.add('changes', ['vexil.>']);
    await streams.close();
    const operatorJwt = jwt(signing, signing, { type: 'operator' });
    const limits = { subs: -1, conn: -1, data: -1, payload: -1, imports: -1, exports: -1, wildcards: true };
    const storage = { mem_storage: -1, disk_storage: -1, streams: -1, consumer: -1 };
    const preloads = [account, system].map((one) => {
      const claims = { type: 'account', limits: one === system ? limits : { ...limits, ...storage } };
      return `${one.getPublicKey()}: ${jwt(signing, one, claims)}`;
    });
    jwtServer = await startNatsServer(
      `operator: ${operatorJwt}\nsystem_account: ${system.getPublicKey()}\nresolver: MEMORY\nresolver_preload: { ${preloads.join('\n')} }`,
    );
  });
  afterAll(async () => {
    await server.stop();
    await jwtServer.stop();
  });

  function jwt(issuer: KeyPair, subject: KeyPair, nats: object): string {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const [iss, sub] = [issuer.getPublicKey(), subject.getPublicKey()];
    const claims = { jti: sub, iat: 1_700_000_000, iss, sub, name: 'test', nats: { version: 2, ...nats } };
    const text = `${part({ typ: 'JWT', alg: 'ed25519-nkey' })}.${part(claims)}`;
    return `${text}.${Buffer.from(issuer.sign(Buffer.from(text))).toString('base64url')}`;
  }

  test.each([
    ['a password with blanks and a colon', 'ada:a pass: ü word '],
    ['the seed of an nkey', seedOf(nkey)],
  ])('with %s publishes', async (_, credentials) => {
    expect(await publish(server.url, { credentials })).toEqual({ type: 'taken' });
  });

  test('with a file of credentials publishes', async () => {
    const limits = { subs: -1, data: -1, payload: -1 };
    const credentials = `-----BEGIN NATS USER JWT-----
${jwt(account, user, { type: 'user', ...limits })}
------END NATS USER JWT------

************************* IMPORTANT *************************

-----BEGIN USER NKEY SEED-----
${seedOf(user)}
------END USER NKEY SEED------`;
    expect(await publish(jwtServer.url, { credentials })).toEqual({
      type: 'failed',
      message: 'no stream of JetStream takes the subject vexil.shop.production',
    });
  });

  test.each([
    ['a wrong password', 'ada:wrong', 'the server does not accept the user'],
    ['no password', undefined, 'the server does not accept the user'],
    ['a token where there is none', 'token', 'the server does not accept the user'],
    ['a right to publish other subjects', 'reader:x', 'the user may not publish to vexil.shop.production'],
    ['no right to read answers', 'writer:x', 'the user may not subscribe to _INBOX.>, where JetStream answers'],
  ])('with %s does not', async (_, credentials, message) => {
    expect(await publish(server.url, credentials === undefined ? {} : { credentials })).toEqual({
      type: 'failed',
      message,
    });
  });
});

describe('TLS', () => {
  const known = getCACertificates('default');
  let server: NatsServer;
  let mounted: Awaited<ReturnType<typeof mountSecret>>;
  let url: string;

  beforeAll(async () => {
    const pair = await makeCertificate();
    mounted = await mountSecret(pair);
    const { certFile, keyFile } = mounted;
    server = await startNatsServer(`tls { cert_file: "${certFile}", key_file: "${keyFile}" }`);
    url = server.url.replace('nats:', 'tls:');
    setDefaultCACertificates([...known, pair.cert]);
    const streams = await natsStreams(server.url);
    await streams.add('changes', ['vexil.>']);
    await streams.close();
  });
  afterAll(async () => {
    setDefaultCACertificates(known);
    await server.stop();
    await mounted.remove();
  });

  test('with a certificate of the address', async () => {
    expect(await publish(url)).toEqual({ type: 'taken' });
  });

  test('with a certificate that is not of the name', async () => {
    const answer = await publish(url.replace('127.0.0.1', 'localhost'), { allowed: ['127.0.0.0/8', '::1'] });
    expect(answer).toEqual({ type: 'failed', message: 'the connection failed (ERR_TLS_CERT_ALTNAME_INVALID)' });
  });

  test('with a certificate of an unknown authority', async () => {
    setDefaultCACertificates(known);
    expect(await publish(url)).toMatchObject({ type: 'failed', message: expect.stringContaining('SELF_SIGNED') });
  });

  test('with a server that has none', async () => {
    const plain = await startNatsServer();
    expect(await publish(plain.url.replace('nats:', 'tls:'))).toMatchObject({ type: 'failed' });
    await plain.stop();
  });
});

describe('an address inside is refused', () => {
  test.each([
    ...['127.0.0.1', '127.1', '2130706433', '0x7f000001', 'localhost', '[::1]', '[::ffff:127.0.0.1]'],
    ...['10.96.0.1', '169.254.169.254', '[fd00:ec2::254]', '168.63.129.16'],
  ])('%s', async (host) => {
    const answer = await publish(`tls://${host}:4222`, { allowed: [] });
    expect(answer).toEqual({ type: 'failed', message: expect.stringContaining('the address is not public') });
  });

  test('and so is a public one without TLS', async () => {
    const answer = await publish('nats://203.0.114.1:4222', { allowed: [] });
    expect(answer).toEqual({ type: 'failed', message: expect.stringContaining('use tls://') });
  });
});

describe('a hostile server', () => {
  const info = (more: object = {}) =>
    `INFO ${JSON.stringify({ server_id: 'x', version: '2.15.2', proto: 1, headers: true, max_payload: 1_000_000, ...more })}\r\n`;
  const sockets = new Set<Socket>();
  let stop: () => void;
  let url: string;
  let connections: number;
  let answer: (socket: Socket, text: string) => unknown;

  beforeEach(async () => {
    connections = 0;
    answer = () => undefined;
    const server = createServer((socket) => {
      connections += 1;
      sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
      socket.on('data', (data) => answer(socket, String(data)));
      answer(socket, '');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `nats://127.0.0.1:${(server.address() as AddressInfo).port}`;
    stop = () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    };
  });
  afterEach(() => stop());

  /** Answers the greeting, and the publication by a text. */
  const afterGreeting = (given: string) => (socket: Socket, text: string) => {
    if (text === '') socket.write(info());
    if (text.includes('PING\r\n')) socket.write('PONG\r\n');
    if (text.includes('HPUB')) socket.write(given);
  };
  const pour = (text: string) => (socket: Socket) => {
    const more = () => {
      while (!socket.destroyed && socket.write(text));
    };
    socket.on('drain', more);
    more();
  };
  const greetsWith = (text: string) => (socket: Socket, said: string) => said === '' && socket.write(text);
  const late = 'no whole answer within 0.3 s';
  const closed = expect.stringContaining('the connection failed');

  test.each<[string, typeof answer, string]>([
    ['says nothing', () => undefined, late],
    ['says no end of nothing', pour('x'.repeat(65_536)), closed],
    ['says no end of a greeting', pour(`INFO ${' '.repeat(65_536)}`), closed],
    ['greets with null', greetsWith('INFO null\r\n'), closed],
    ['greets with no version', greetsWith(info({ version: 'x\n{"level":30}' })), closed],
    ['asks for TLS, and has none', greetsWith(info({ tls_required: true })), late],
    ['never answers', afterGreeting(''), late],
    ['answers nonsense', afterGreeting('nonsense\n{"level":30}\r\n'), closed],
    ['answers with a broken INFO', afterGreeting('INFO {"x\r\n'), closed],
    [
      'answers with a message without end',
      (socket, text) => {
        afterGreeting('MSG x 1 60000000\r\n')(socket, text);
        if (text.includes('HPUB')) pour('x'.repeat(65_536))(socket);
      },
      closed,
    ],
  ])('%s', async (_, behaviour, message) => {
    const log = vi.spyOn(console, 'log');
    answer = behaviour;
    // A connection that is closed is noticed long before the end of the time.
    expect(await publish(url, { timeoutMs: message === late ? 300 : 10_000 })).toEqual({ type: 'failed', message });
    expect(log).not.toHaveBeenCalled();
    await vi.waitFor(() => expect(sockets.size).toBe(0));
  });

  test('names other servers, which are not connected to', async () => {
    let others = 0;
    const other = createServer(() => (others += 1)).listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    answer = (socket, text) => {
      if (text === '') socket.write(info({ connect_urls: [`127.0.0.1:${port}`] }));
      if (text.includes('PING\r\n')) socket.write('PONG\r\n');
      if (text.includes('HPUB')) socket.destroy();
    };
    const publisher = await publisherAt(url, { timeoutMs: 300 });
    for (const id of ['1', '2', '3']) {
      expect(await publisher.publish(anEvent(id), signal)).toMatchObject({ type: 'failed' });
    }
    expect([connections, others]).toEqual([3, 0]);
    other.close();
  });
});
