/** Which users may create and delete projects, and who owns a new one. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Account, createAccount } from '../support/account.ts';
import { adminClient } from '../support/admin-client.ts';
import { aProject, aRole, aUser } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { grantReviews } from '../support/operator-roles.ts';
import { type TokensDirectly, tokensDirectly } from '../support/tokens-directly.ts';

let instance: Instance;
let tokens: TokensDirectly;
let ci: Account;
const values = new Map<string, string>();

const as = (user: string) => adminClient(instance.url, { authorization: values.get(user) ?? '' });
const members = async (id: string) => (await instance.specOf('project', `${instance.home}/${id}`)).members;

beforeAll(async () => {
  instance = await startInstance('owners', { settings: { VEXIL_AUTH: 'token' } });
  const { cluster, home } = instance;
  await grantReviews(cluster, home);
  ci = await createAccount(cluster, {
    ...{ namespace: home, name: 'ci' },
    rules: {
      [home]: [
        [['create', 'get'], ['projects']],
        [['delete'], ['projects'], ['of-ci']],
      ],
    },
  });
  tokens = tokensDirectly(cluster.kubeconfig, home);
  await instance.apply(
    aRole(`${home}/creator`, { type: 'root', permissions: [{ name: 'CREATE_PROJECT' }] }),
    aUser(`${home}/ada`, { rootRole: 'creator', username: 'Ada.L' }),
    aUser(`${home}/robot`, { subjects: [{ kind: 'ServiceAccount', name: 'ci', namespace: home }] }),
    aUser(`${home}/lin`),
    aUser(`${home}/admin`, { rootRole: 'Admin' }),
    aProject(`${home}/shared`, { members: { lin: 'owner', 'Ada.L': 'member' } }),
  );
  for (const user of ['Ada.L', 'lin', 'admin']) {
    const name = user.toLowerCase().replace('.', '-');
    await tokens.create(name, { type: 'personal', user });
    values.set(user, await tokens.untilReady(name));
    await waitUntil({ what: `${user} may call` }, async () => (await as(user)('GET /feature-types')).status === 200);
  }
  values.set('ci', `Bearer ${ci.token}`);
});
afterAll(async () => {
  tokens.close();
  await instance.stop();
});

describe('a new project', () => {
  test('belongs to the user who creates it, who may then delete it', async () => {
    const created = await as('Ada.L')('POST /projects', { body: { id: 'of-ada', name: 'n' } });
    expect([created.status, created.body.memberCount]).toEqual([201, 1]);
    expect(await members('of-ada')).toEqual({ 'Ada.L': 'owner' });
    expect((await as('lin')('DELETE /projects/of-ada')).status).toBe(403);
    expect((await as('Ada.L')('DELETE /projects/of-ada')).status).toBe(200);
  });

  test('belongs to the user with the Kubernetes identity that creates it', async () => {
    const created = await as('ci')('POST /projects', { body: { id: 'of-ci', name: 'n' } });
    expect(created.status).toBe(201);
    expect(await members('of-ci')).toEqual({ robot: 'owner' });
  });

  test('403 without CREATE_PROJECT, before the body is read', async () => {
    for (const request of ['POST /projects', 'POST /projects/validate']) {
      const { status, body } = await as('lin')(request, { body: '{' });
      expect([status, body.message]).toEqual([403, 'You need the "CREATE_PROJECT" permission to perform this action.']);
    }
  });
});

describe('a deletion', () => {
  test('needs DELETE_PROJECT in the project, which owners have and members do not have', async () => {
    const { status, body } = await as('Ada.L')('DELETE /projects/shared');
    expect([status, body.message]).toEqual([
      403,
      'You need the "DELETE_PROJECT" permission in project "shared" to perform this action.',
    ]);
    expect((await as('lin')('DELETE /projects/shared?dryRun=true')).status).toBe(200);
    expect((await as('admin')('DELETE /projects/shared?dryRun=true')).status).toBe(200);
  });

  test('needs the right to delete the project by its name, for Kubernetes users', async () => {
    const { status, body } = await as('ci')('DELETE /projects/shared');
    expect(status).toBe(403);
    expect(body.message).toContain('cannot delete resource "projects" "shared"');
    expect((await as('ci')('DELETE /projects/of-ci')).status).toBe(200);
  });
});
