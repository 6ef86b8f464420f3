/** The user of a token, by authenticators that the test API server does not have. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { KubeConfig } from '@kubernetes/client-node';
import { expect, onTestFinished, test } from 'vitest';
import { createReviews, type Reviews } from '../../../../src/kube/api/reviews.ts';
import { connect } from '../../../../src/kube/api/transport.ts';

async function answering(status: unknown): Promise<Reviews> {
  const server = createServer((_request, response) => response.end(JSON.stringify({ status })));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const config = new KubeConfig();
  const cluster = { name: 'c', server: `http://127.0.0.1:${port}`, skipTLSVerify: true };
  config.loadFromClusterAndUser(cluster, { name: 'u', token: 'the-token' });
  const transport = connect(config);
  onTestFinished(async () => {
    transport.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return createReviews(transport, 5_000);
}

const tokenFor = (aud: unknown) => `e30.${Buffer.from(JSON.stringify({ aud })).toString('base64url')}.sig`;
const user = { username: 'ada' };
const ada = { username: 'ada', groups: [], extra: {} };

test.each<[string, string, unknown, unknown]>([
  ['made for us, and confirmed', tokenFor(['vexil']), { authenticated: true, user, audiences: ['vexil'] }, ada],
  ['made for us, without support for audiences', tokenFor('vexil'), { authenticated: true, user }, undefined],
  [
    'made for us, and confirmed for others',
    tokenFor('vexil'),
    { authenticated: true, user, audiences: ['x'] },
    undefined,
  ],
  ['of another form, without support for audiences', 'opaque', { authenticated: true, user }, ada],
  ['without a user', 'opaque', { authenticated: false, user }, undefined],
  ['of a user without a name', 'opaque', { authenticated: true, user: { username: '' } }, undefined],
  ['with authenticated as text', 'opaque', { authenticated: 'true', user }, undefined],
  ['without a status', 'opaque', undefined, undefined],
])('a token %s', async (_name, token, status, want) => {
  const reviews = await answering(status);
  expect(await reviews.identify(token)).toEqual(want);
});

test.each([
  [{ allowed: true }, true],
  [{ allowed: false, evaluationError: 'a role is missing' }, false],
  [{ allowed: 'true' }, false],
  [{ denied: false }, false],
  [undefined, false],
])('only a plain yes allows: %j', async (status, want) => {
  const reviews = await answering(status);
  const access = { verb: 'get', resource: 'projects', namespace: 'home' };
  expect(await reviews.allows({ username: 'ada', groups: [], extra: {} }, access)).toBe(want);
});
