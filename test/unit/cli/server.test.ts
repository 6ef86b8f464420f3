/** What the command line does when the server does not answer what it was asked. */
import type { RequestListener } from 'node:http';
import { expect, test } from 'vitest';
import { connectServer } from '../../../cli/connection/server.ts';
import { serving } from '../../support/serving.ts';

async function serve(answer: RequestListener) {
  return connectServer({ server: await serving(answer) }, { environment: { VEXIL_TOKEN: 'token' } });
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

test.each([
  [{ VEXIL_TOKEN: 'wrong' }, 'does not accept the token of VEXIL_TOKEN'],
  [{}, 'needs a token: put one into VEXIL_TOKEN'],
])('a token that is not accepted is named with its place and the address: %j', async (environment, said) => {
  const message = 'Try logging in at /auth/simple/login.';
  const body = { id: '1', name: 'AuthenticationRequired', message, details: [] };
  const server = await serving((_, response) => response.writeHead(401).end(JSON.stringify(body)));
  const { call } = await connectServer({ server }, { environment });
  const error = await call({ method: 'GET', path: '/projects' }).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ status: 77, message: expect.stringContaining(`${server} ${said}`) });
  expect(String(error)).not.toContain('/auth/simple/login');
});
