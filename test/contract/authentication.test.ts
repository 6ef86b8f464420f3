/** Which callers are accepted with `VEXIL_AUTH=token`. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { adminClient, errorBody } from '../support/admin-client.ts';
import { authorityFile } from '../support/control-plane/access.ts';
import { writeKubeconfig } from '../support/control-plane/kubeconfig.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { sendRaw } from '../support/raw-http.ts';
import { startApp } from '../support/running-app.ts';

const TOKEN = `*:*.${'5f'.repeat(28)}`;

let instance: Instance;

beforeAll(async () => {
  const settings = { VEXIL_AUTH: 'token', VEXIL_ADMIN_TOKEN: TOKEN };
  instance = await startInstance('authentication', { settings });
});
afterAll(() => instance.stop());

const call = (request: string, authorization?: string, body?: unknown) =>
  adminClient(instance.url)(request, { body, ...(authorization !== undefined && { headers: { authorization } }) });

describe('accepted', () => {
  test.each([
    ['the token as the whole header', TOKEN],
    ['after Bearer', `Bearer ${TOKEN}`],
    ['after bearer', `bearer ${TOKEN}`],
    ['after BEARER and blanks', `BEARER   ${TOKEN}`],
  ])('%s', async (_, authorization) => {
    expect((await call('GET /projects/shop', authorization)).status).toBe(200);
  });

  test('writes too', async () => {
    const { status } = await call('POST /projects/shop/features', TOKEN, { name: 'written' });
    expect(status).toBe(201);
  });
});

describe('401 AuthenticationRequired', () => {
  test('an empty header counts as missing', async () => {
    const [missing, empty] = [await call('GET /projects'), await call('GET /projects', ' ')];
    expect(empty.body.message).toBe(missing.body.message);
  });

  test.each([
    ['a part of the token', TOKEN.slice(0, -1)],
    ['the token and more', `${TOKEN}0`],
    ['the token in another case', TOKEN.toUpperCase()],
    ['Bearer alone', 'Bearer'],
    ['Bearer twice', `Bearer Bearer ${TOKEN}`],
    ['another scheme', `Basic ${TOKEN}`],
    ['no blank after Bearer', `Bearer${TOKEN}`],
    ['two tokens', `${TOKEN}, ${TOKEN}`],
  ])('%s', async (_, authorization) => {
    const { status, text } = await call('GET /projects', authorization);
    expect(status).toBe(401);
    expect(text).not.toContain(TOKEN);
  });

  test('each error has an id of its own', async () => {
    const ids = [(await call('GET /projects')).body.id, (await call('GET /projects')).body.id];
    expect(new Set(ids).size).toBe(2);
  });

  test('the answer comes before 404: unknown projects, unknown routes, paths that cannot be decoded', async () => {
    const paths = ['GET /projects/no-such', 'GET /no-such-route', 'DELETE /', 'GET /projects/%ZZ', 'OPTIONS /projects'];
    for (const request of paths) {
      const { status, body } = await call(request);
      expect([request, status, body.name]).toEqual([request, 401, 'AuthenticationRequired']);
    }
  });

  test('the answer comes before the body is read: malformed, of the wrong type, too large, or incomplete', async () => {
    const request = 'POST /projects/shop/features';
    expect((await call(request, undefined, '{"name":')).status).toBe(401);
    expect((await call(request, undefined, { name: 'x', description: 'd'.repeat(200_000) })).status).toBe(401);
    const head = ['POST /api/admin/projects/shop/features HTTP/1.1', 'Host: 127.0.0.1', 'Content-Type: text/html'];
    const announced = [...head, 'Content-Length: 1000', 'Connection: close', '', ''].join('\r\n');
    const answer = await sendRaw(instance.url, announced);
    expect([answer.status, answer.body.name]).toEqual([401, 'AuthenticationRequired']);
  });

  test('nothing is written', async () => {
    const { status } = await instance.untouched('POST /projects/shop/features', { body: { name: 'intruder' } });
    expect(status).toBe(401);
  });

  test('HEAD: 401 without a body', async () => {
    const { status, text } = await call('HEAD /projects');
    expect([status, text]).toEqual([401, '']);
  });
});

test('GET /health and unknown paths outside the admin API need no token', async () => {
  expect((await call('GET //health')).body).toEqual({ health: 'GOOD' });
  const { status, body } = await call('GET //no-such');
  expect([status, body.name, errorBody.safeParse(body).success]).toEqual([404, 'NotFoundError', true]);
});

test('the log contains neither the token nor a token that was tried', async () => {
  await call('DELETE /projects/shop/features/no-such', TOKEN);
  await call('DELETE /projects/shop/features/no-such', 'a-secret-that-was-tried');
  const log = JSON.stringify(instance.log);
  expect(log).toContain('http: request answered');
  for (const secret of [TOKEN, 'a-secret-that-was-tried']) expect(log).not.toContain(secret);
});

test('before the caches are synced no token can be checked: 503, but 401 without one', async () => {
  const kubeconfig = join(instance.cluster.directory, 'nobody-there.kubeconfig');
  const authority = await readFile(authorityFile(instance.cluster.directory), 'utf8');
  await writeKubeconfig(kubeconfig, { server: 'https://127.0.0.1:1', authority, user: 'vexil', token: 'none' });
  const app = await startApp({ KUBECONFIG: kubeconfig, VEXIL_AUTH: 'token', VEXIL_HTTP_HOST: '127.0.0.1' });
  try {
    const unknown = await adminClient(app.url)('GET /projects', { headers: { authorization: TOKEN } });
    expect([unknown.status, unknown.body.name]).toEqual([503, 'UnavailableError']);
    expect((await adminClient(app.url)('GET /projects')).status).toBe(401);
  } finally {
    await app.stop();
  }
});
