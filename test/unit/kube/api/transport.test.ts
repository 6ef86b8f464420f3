/** The transport against a server that breaks connections, stalls, or sends invalid answers. */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { KubeConfig } from '@kubernetes/client-node';
import { expect, onTestFinished, test } from 'vitest';
import { Refusal } from '../../../../src/errors.ts';
import { connect, type Transport } from '../../../../src/kube/api/transport.ts';
import { waitUntil } from '../../../support/control-plane/wait-until.ts';

async function serving(listener: RequestListener, timeoutMs = 30_000): Promise<Transport> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const config = new KubeConfig();
  config.loadFromClusterAndUser(
    { name: 'c', server: `http://127.0.0.1:${port}`, skipTLSVerify: true },
    { name: 'u', token: 'the-token' },
  );
  const transport = connect(config, { timeoutMs });
  onTestFinished(async () => {
    transport.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return transport;
}

async function readAll(frames: AsyncIterable<unknown>, seen: unknown[] = []): Promise<unknown[]> {
  for await (const frame of frames) seen.push(frame);
  return seen;
}

test('sends credentials, query, body', async () => {
  const transport = await serving((request, response) => {
    request.resume();
    response.end(JSON.stringify({ url: request.url, token: request.headers.authorization }));
  });
  const answer = await transport.request({
    method: 'POST',
    path: '/a',
    query: { b: 1, c: undefined, d: 'x y' },
    body: {},
  });
  expect(answer).toEqual({ url: '/a?b=1&d=x+y', token: 'Bearer the-token' });
});

test('a stream that is cut inside a frame throws after the complete ones', async () => {
  const transport = await serving((_, response) => {
    response.write('{"a":1}\n{"b":', () => response.destroy());
  });
  const seen: unknown[] = [];
  const reading = readAll(await transport.stream({ path: '/' }), seen);
  await expect(reading).rejects.toMatchObject({ code: 'unavailable' });
  expect(seen).toEqual([{ a: 1 }]);
});

test('a stream that is cut between frames throws too: only the server ends it in order', async () => {
  const transport = await serving((_, response) => {
    response.write('{"a":1}\n', () => response.destroy());
  });
  await expect(readAll(await transport.stream({ path: '/' }))).rejects.toMatchObject({ code: 'unavailable' });
});

test('a stream that the server ends in order ends', async () => {
  const transport = await serving((_, response) => response.end('{"a":1}\n'));
  expect(await readAll(await transport.stream({ path: '/' }))).toEqual([{ a: 1 }]);
});

test('an incomplete answer is no answer', async () => {
  const transport = await serving((_, response) => {
    response.setHeader('Content-Length', 100);
    response.write('{}', () => response.destroy());
  });
  await expect(transport.request({ method: 'PATCH', path: '/' })).rejects.toMatchObject({ code: 'unavailable' });
});

test('a server that does not answer is given up after the timeout', async () => {
  const transport = await serving(() => undefined, 60);
  const call = { method: 'GET', path: '/', timeoutMs: 50 } as const;
  await expect(transport.request(call)).rejects.toThrow('within 50 ms');
  const late = { code: 'unavailable', message: expect.stringContaining('within 60 ms') };
  await expect(transport.stream({ path: '/' })).rejects.toMatchObject(late);
  const beforeSend = Object.assign(async () => undefined, { timeoutMs: 40 });
  await expect(transport.request({ method: 'POST', path: '/', beforeSend })).rejects.toThrow('within 40 ms');
  await expect(transport.request({ ...call, beforeSend })).rejects.toThrow('within 40 ms');
});

test('an answer that stalls is given up after the timeout', async () => {
  const transport = await serving((_, response) => void response.write('{'));
  const call = { method: 'GET', path: '/', timeoutMs: 50 } as const;
  await expect(transport.request(call)).rejects.toMatchObject({ code: 'unavailable' });
});

test('a stream has no time limit after it began, and ends with the reason of its caller', async () => {
  const transport = await serving((_, response) => void response.write('{"a":1}\n'));
  const end = new AbortController();
  const reason = new Error('enough');
  const reading = async (): Promise<void> => {
    for await (const _ of await transport.stream({ path: '/', signal: end.signal })) end.abort(reason);
  };
  await expect(reading()).rejects.toBe(reason);
});

test('a stream that its reader leaves closes its connection', async () => {
  let closed: (() => void) | undefined;
  const closing = new Promise<void>((resolve) => {
    closed = resolve;
  });
  const transport = await serving((_, response) => {
    response.on('close', () => closed?.());
    response.write('{"a":1}\n');
  });
  for await (const _ of await transport.stream({ path: '/' })) break;
  await closing;
});

test('a refusal carries Retry-After, but neither token nor body', async () => {
  const transport = await serving((_, response) => {
    response.writeHead(429, { 'Retry-After': '7' });
    response.end('<html>secret</html>');
  });
  const error = await transport.request({ method: 'GET', path: '/x' }).catch((caught: unknown) => caught);
  expect(error).toMatchObject({ code: 'unavailable', retryAfterSeconds: 7 });
  expect(String(error)).not.toMatch(/token|secret/);
});

test('an answer that is not JSON is unavailable', async () => {
  const transport = await serving((_, response) => response.end('<html>'));
  await expect(transport.request({ method: 'GET', path: '/' })).rejects.toMatchObject({ code: 'unavailable' });
});

test('a read is sent again when its connection is reset, a write is not', async () => {
  const seen: string[] = [];
  const transport = await serving((request, response) => {
    seen.push(request.method ?? '');
    if (seen.length === 1 || request.method === 'POST') request.socket.resetAndDestroy();
    else response.end('{}');
  });
  expect(await transport.request({ method: 'GET', path: '/' })).toEqual({});
  await expect(transport.request({ method: 'POST', path: '/', body: {} })).rejects.toMatchObject({
    code: 'unavailable',
  });
  expect(seen).toEqual(['GET', 'GET', 'POST']);
});

test('a missing server is unavailable', async () => {
  const config = new KubeConfig();
  config.loadFromClusterAndUser({ name: 'c', server: 'http://127.0.0.1:1', skipTLSVerify: true }, { name: 'u' });
  await expect(connect(config).request({ method: 'GET', path: '/' })).rejects.toMatchObject({ code: 'unavailable' });
});

test.each([
  ['/apis/vexil.dev/v1beta1/namespaces/home/featureflags/a/status', 'featureflags/status'],
  ['/apis/vexil.dev/v1beta1/featureflags', 'featureflags'],
  ['/api/v1/namespaces/home/configmaps/vexil-ids', 'configmaps'],
  ['/api/v1/namespaces/home/configmaps', 'configmaps'],
])('the name of %s in metrics has no name of an object', async (path, want) => {
  const seen: string[] = [];
  const config = new KubeConfig();
  config.loadFromClusterAndUser({ name: 'c', server: 'http://127.0.0.1:1', skipTLSVerify: true }, { name: 'u' });
  const transport = connect(config, { observe: ({ resource }) => seen.push(resource) });
  await expect(transport.request({ method: 'GET', path })).rejects.toMatchObject({ code: 'unavailable' });
  transport.close();
  expect(seen).toEqual([want]);
});

test('a call is checked when it has a connection, immediately before it is sent, and is not sent if the check fails', async () => {
  const seen: (string | undefined)[] = [];
  const transport = await serving((request, response) => {
    seen.push(request.url);
    response.end('{}');
  });
  const asked: string[] = [];
  const call = (path: string, refuse = false) =>
    transport.request({
      method: 'POST',
      path,
      body: {},
      beforeSend: async () => {
        asked.push(path);
        if (refuse) throw new Refusal('unavailable', 'too late');
      },
    });
  expect(await call('/sent')).toEqual({});
  await expect(call('/kept', true)).rejects.toMatchObject({ code: 'unavailable', message: 'too late' });
  expect(await call('/sent-again')).toEqual({});
  expect([asked, seen]).toEqual([
    ['/sent', '/kept', '/sent-again'],
    ['/sent', '/sent-again'],
  ]);
});

test('a call that waits for a connection is checked only when it has one', async () => {
  const answers: (() => void)[] = [];
  const transport = await serving((_request, response) => {
    answers.push(() => response.end('{}'));
  });
  let asked = 0;
  const beforeSend = async () => {
    asked += 1;
  };
  const all = Array.from({ length: 65 }, () => transport.request({ method: 'POST', path: '/', body: {}, beforeSend }));
  await waitUntil({ what: 'all connections are taken' }, () => answers.length === 64);
  expect(asked).toBe(64);
  answers[0]?.();
  await waitUntil({ what: 'the last one is sent' }, () => answers.length === 65);
  expect(asked).toBe(65);
  for (const answer of answers) answer();
  await Promise.all(all);
});

test('a refusal that quotes a large object says why, and with which status', async () => {
  const message = `it does not fit: "${'x'.repeat(2_000_000)}"`;
  const transport = await serving((_, response) => {
    response.statusCode = 422;
    response.end(JSON.stringify({ kind: 'Status', message, code: 422 }));
  });
  await expect(transport.request({ method: 'POST', path: '/a' })).rejects.toMatchObject({
    code: 'invalid',
    message: expect.stringMatching(/^Kubernetes API: it does not fit: "x{100,}/),
    answer: { status: 422 },
  });
});
