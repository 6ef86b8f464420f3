/** The operations port over real HTTP on the loopback address. */
import { Agent, type RequestOptions, request } from 'node:http';
import { connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createHealthServer, type Health, type HealthServer } from '../../../src/telemetry/health.ts';

const host = '127.0.0.1';
const running: HealthServer[] = [];
const metrics = async () => ({ type: 'text/plain; version=0.0.4', body: 'up 1\n' });

afterEach(async () => {
  for (const server of running.splice(0)) await server.stop();
});

async function serve(checks: Record<string, () => Health> = {}) {
  const server = createHealthServer({ port: 0, host, checks, metrics });
  running.push(server);
  return { server, port: await server.start() };
}

interface Answer {
  readonly status: number | undefined;
  readonly headers: Record<string, unknown>;
  readonly body: string;
}

function call(options: RequestOptions): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ host, ...options }, (incoming) => {
      const parts: Buffer[] = [];
      incoming.on('data', (part: Buffer) => parts.push(part));
      incoming.on('end', () => {
        resolve({ status: incoming.statusCode, headers: incoming.headers, body: Buffer.concat(parts).toString() });
      });
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}

const well: Health = { ok: true, detail: 'synced' };
const ill: Health = { ok: false, detail: 'the first list is still running' };

test('/livez answers ok while the process runs, independent of the checks', async () => {
  const { port } = await serve({ caches: () => ill });
  expect(await call({ port, path: '/livez' })).toMatchObject({
    status: 200,
    body: 'ok',
    headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
  });
});

test.each([
  ['no check at all', {}, 200],
  ['every check is well', { caches: () => well, archive: () => well }, 200],
  ['one check is not well', { caches: () => well, archive: () => ill }, 503],
])('/readyz when %s', async (_, checks: Record<string, () => Health>, wantStatus) => {
  const { port } = await serve(checks);
  const answer = await call({ port, path: '/readyz?verbose' });
  expect([answer.status, answer.headers['content-type']]).toEqual([wantStatus, 'application/json; charset=utf-8']);
  expect(JSON.parse(answer.body)).toEqual(
    Object.fromEntries(Object.entries(checks).map(([name, ask]) => [name, ask()])),
  );
});

test('/readyz runs the checks every time', async () => {
  let present = ill;
  const { port } = await serve({ caches: () => present });
  expect((await call({ port, path: '/readyz' })).status).toBe(503);
  present = well;
  expect((await call({ port, path: '/readyz' })).status).toBe(200);
});

test('a check that throws counts as failed and does not end the process', async () => {
  const { port } = await serve({
    caches: () => {
      throw new Error('token=abc');
    },
  });
  const answer = await call({ port, path: '/readyz' });
  expect(answer.status).toBe(503);
  expect(JSON.parse(answer.body)).toEqual({ caches: { ok: false, detail: 'the check itself failed' } });
});

test.each([
  ['GET', '/', 404],
  ['GET', '/livez/', 404],
  ['GET', '/__proto__', 404],
  ['GET', '/constructor', 404],
  ['POST', '/elsewhere', 404],
  ['POST', '/readyz', 405],
  ['DELETE', '/livez', 405],
  ['OPTIONS', '/livez', 405],
])('%s %s is %i', async (method, path, wantStatus) => {
  const { port } = await serve();
  const answer = await call({ port, method, path });
  expect([answer.status, answer.headers['allow']]).toEqual([wantStatus, wantStatus === 405 ? 'GET, HEAD' : undefined]);
});

test.each(['/livez', '/readyz'])('HEAD %s is GET without the body', async (path) => {
  const { port } = await serve({ caches: () => ill });
  const [get, head] = [await call({ port, path }), await call({ port, path, method: 'HEAD' })];
  expect(head.status).toBe(get.status);
  expect(head.body).toBe('');
  expect(head.headers['content-length']).toBe(`${get.body.length}`);
});

test('stop ends kept connections and frees the port', async () => {
  const { server, port } = await serve();
  const agent = new Agent({ keepAlive: true });
  await call({ port, path: '/livez', agent });
  const silent = connect(port, host);
  const ended = new Promise((resolve) => silent.once('close', resolve));
  await new Promise((resolve) => silent.once('connect', resolve));
  silent.on('error', () => undefined);

  await server.stop();
  await ended;
  agent.destroy();
  await expect(call({ port, path: '/livez' })).rejects.toThrow('ECONNREFUSED');
  const successor = createHealthServer({ port, host, checks: {}, metrics });
  running.push(successor);
  expect(await successor.start()).toBe(port);
});

test('a port that is taken is an error of start', async () => {
  const { port } = await serve();
  const second = createHealthServer({ port, host, checks: {}, metrics });
  await expect(second.start()).rejects.toThrow('EADDRINUSE');
});

test('stop without start, or twice, does nothing', async () => {
  const server = createHealthServer({ port: 0, host, checks: {}, metrics });
  await server.stop();
  await server.start();
  await server.stop();
  await server.stop();
});

test('the metrics are served unchanged', async () => {
  const { port } = await serve();
  const { status, headers, body } = await call({ host, port, path: '/metrics' });
  expect([status, headers['content-type'], body]).toEqual([200, 'text/plain; version=0.0.4', 'up 1\n']);
});
