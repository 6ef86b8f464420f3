/** Users of Kubernetes call the admin API with the tokens that kubectl uses, and may do what kubectl may. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Account, createAccount } from '../support/account.ts';
import { adminClient } from '../support/admin-client.ts';
import { aFlag } from '../support/builders.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { grantReviews } from '../support/operator-roles.ts';

let instance: Instance;
let editor: Account;
let reader: Account;
let userWithoutRights: Account;

const as = ({ token }: Account) => adminClient(instance.url, { authorization: `Bearer ${token}` });

beforeAll(async () => {
  instance = await startInstance('identities', { settings: { VEXIL_AUTH: 'token' } });
  const { cluster, home, other } = instance;
  await grantReviews(cluster, home);
  const everything = ['featureflags', 'projects', 'environments'];
  editor = await createAccount(cluster, {
    namespace: home,
    name: 'editor',
    rules: { [home]: [[['get', 'list', 'create', 'patch', 'delete'], everything]] },
  });
  reader = await createAccount(cluster, {
    namespace: home,
    name: 'reader',
    rules: {
      [home]: [
        [['get'], ['featureflags'], ['readable']],
        [['get'], ['projects'], ['shop']],
      ],
    },
  });
  userWithoutRights = await createAccount(cluster, { namespace: home, name: 'nobody', rules: {} });
  await instance.apply(aFlag(`${home}/readable`), aFlag(`${home}/hidden`), aFlag(`${other}/far`, { project: 'pay' }));
});
afterAll(() => instance.stop());

describe('a user who may write in a namespace', () => {
  test('writes there, with their own name as author', async () => {
    const { status, body } = await as(editor)('POST /projects/shop/features', { body: { name: 'made-by-editor' } });
    expect(status, JSON.stringify(body)).toBe(201);
    const { metadata } = await instance.flag(`${instance.home}/made-by-editor`);
    expect(metadata.annotations).toMatchObject({
      'vexil.dev/changed-by': editor.username,
      'vexil.dev/changed-generation': '1',
      'vexil.dev/changed-via': 'kubernetes-token',
      'vexil.dev/changed-from': '127.0.0.1',
    });
  });

  test('may not write in another one: the message is that of kubectl, about the request', async () => {
    const answer = await as(editor)('PATCH /projects/pay/features/far', { body: [] });
    expect([answer.status, answer.body.name]).toEqual([403, 'PermissionError']);
    expect(answer.body.message).toBe(
      `User "${editor.username}" cannot patch resource "featureflags" "far" in API group "vexil.dev" in the project "pay".`,
    );
  });
});

describe('a user who may read one flag and one project by name', () => {
  test.each([
    ['GET /projects/shop/features/readable', 200],
    ['GET /projects/shop/features/hidden', 403],
    ['GET /projects/shop/features/no-such-flag', 403],
    ['GET /projects/shop', 200],
    ['GET /projects/pay', 403],
    ['GET /projects/no-such-project', 403],
    ['POST /projects/shop/features/readable/environments/development/off', 403],
    ['GET /environments', 403],
    ['GET /feature-types', 200],
  ])('%s: %i', async (request, want) => {
    expect((await as(reader)(request)).status).toBe(want);
  });

  test('lists show the readable objects', async () => {
    const { body } = await as(reader)('GET /projects');
    expect(body.projects.map(({ id }: { id: string }) => id)).toEqual(['shop']);
    expect((await as(userWithoutRights)('GET /projects')).body.projects).toEqual([]);
    const ofEditor = (await as(editor)('GET /projects')).body.projects;
    expect(ofEditor.map(({ id }: { id: string }) => id)).toEqual(['shop']);
  });
});

test('before the body is read', async () => {
  const { status } = await as(userWithoutRights)('POST /projects/shop/features', { body: '{"name":' });
  expect(status).toBe(403);
});

test('a token without a user is 401', async () => {
  const answer = await adminClient(instance.url, { authorization: `${userWithoutRights.token}x` })('GET /projects');
  expect([answer.status, answer.body.name]).toEqual([401, 'AuthenticationRequired']);
});
