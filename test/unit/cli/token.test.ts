/** A token that the server does not accept: the message says which token, which address, and what to do. */
import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { connectServer } from '../../../cli/connection/server.ts';

async function aServer(): Promise<string> {
  const body = {
    id: '1',
    name: 'AuthenticationRequired',
    message: 'Try logging in at /auth/simple/login.',
    details: [],
  };
  const server = createServer((_, response) => response.writeHead(401).end(JSON.stringify(body)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
}

test.each([
  [{ VEXIL_TOKEN: 'wrong' }, 'does not accept the token of VEXIL_TOKEN'],
  [{}, 'needs a token: put one into VEXIL_TOKEN'],
])('%j: %s', async (environment, said) => {
  const server = await aServer();
  const { call } = await connectServer({ server }, { environment });
  const error = await call({ method: 'GET', path: '/projects' }).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ status: 77, message: expect.stringContaining(`${server} ${said}`) });
  expect(String(error)).not.toContain('/auth/simple/login');
});
