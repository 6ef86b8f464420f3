/** What the command line does when the server asks it to come again. */
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { connectServer } from '../../../cli/connection/server.ts';

let stop = (): void => undefined;
afterEach(() => {
  stop();
});

async function serve(answer: RequestListener) {
  const server = createServer(answer).listen(0, '127.0.0.1');
  stop = () => server.close();
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return connectServer({ server: `http://127.0.0.1:${port}` }, { environment: { VEXIL_TOKEN: 'token' } });
}

/** Refuses as many requests, then answers. Counts them. */
function busy(times: number, headers: Readonly<Record<string, string>>) {
  const seen = { requests: 0 };
  const answer: RequestListener = (_request, response) => {
    seen.requests += 1;
    if (seen.requests > times) response.end('{"well":true}');
    else response.writeHead(503, headers).end('{"name":"UnavailableError","message":"not yet"}');
  };
  return { seen, answer };
}

const soon = { 'Retry-After': '1', 'Content-Type': 'application/json' };

test('a read that the server asks for again soon is sent again', async () => {
  const { seen, answer } = busy(1, soon);
  const server = await serve(answer);
  expect((await server.call({ method: 'GET', path: '/x' })).body).toEqual({ well: true });
  expect(seen.requests).toBe(2);
});

test.each([
  ['a write', 'POST', soon],
  ['a read without a time', 'GET', { 'Content-Type': 'application/json' }],
  ['a read with a long time', 'GET', { ...soon, 'Retry-After': '60' }],
] as const)('%s fails at once', async (_, method, headers) => {
  const { seen, answer } = busy(1, headers);
  const server = await serve(answer);
  await expect(server.call({ method, path: '/x' })).rejects.toThrow('not yet');
  expect(seen.requests).toBe(1);
});
