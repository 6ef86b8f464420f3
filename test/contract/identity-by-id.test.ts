/** A deleted user keeps nothing: the next user of the same username has neither the tokens nor the memberships. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Answer, adminClient } from '../support/admin-client.ts';
import { aFlag, aProject, aToken, aUser } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import type { Stored } from '../support/stored.ts';

const ADMIN = 'a-token-of-the-first-steps';

let instance: Instance;
let cluster: Instance['cluster'];

beforeAll(async () => {
  instance = await startInstance('by-id', { settings: { VEXIL_AUTH: 'token', VEXIL_ADMIN_TOKEN: ADMIN } });
  ({ cluster } = instance);
});
afterAll(() => instance.stop());

const place = (name: string) => `${instance.home}/${name}`;
const admin = (request: string) => adminClient(instance.url, { authorization: ADMIN })(request);
const pathOf = (plural: string, name: string) =>
  `/${plural === 'secrets' ? 'api/v1' : 'apis/vexil.dev/v1beta1'}/namespaces/${instance.home}/${plural}/${name}`;
const read = async (plural: string, name: string): Promise<Stored> =>
  (await cluster.request({ method: 'GET', path: pathOf(plural, name) })) as Stored;
const remove = (plural: string, name: string) => cluster.request({ method: 'DELETE', path: pathOf(plural, name) });
const patch = (plural: string, name: string, body: object) =>
  cluster.request({
    method: 'PATCH',
    path: pathOf(plural, name),
    contentType: 'application/merge-patch+json',
    body,
  });
const problemsOf = ({ status }: Stored): readonly string[] =>
  (status.problems ?? []).map(({ severity, reason, path }: Stored) => `${severity} ${reason} ${path}`);

async function tokenValue(token: string): Promise<string> {
  const { data } = await read('secrets', `vexil-token-${token}`);
  return Buffer.from(data.token, 'base64').toString();
}

/** Resolves with the first answer of this status. */
const answered = (token: string, request: string, status: number): Promise<Answer> =>
  waitUntil({ what: `${request} is answered with ${status}`, everyMs: 30 }, async () => {
    const answer = await adminClient(instance.url, { authorization: token })(request);
    return answer.status === status && answer;
  });

const has = (kind: string, name: string, problem: string) =>
  waitUntil({ what: `${name} says ${problem}`, everyMs: 30 }, async () =>
    problemsOf(await read(kind, name)).includes(problem),
  );

/** A user with a token, who owns a project with a flag. */
async function world(username: string): Promise<{ readonly token: string; readonly on: string; readonly id: number }> {
  const [project, flag] = [`of-${username}`, `flag-of-${username}`];
  await instance.apply(
    aUser(place(username)),
    aProject(place(project), { members: { [username]: 'owner' } }),
    aFlag(place(flag), { project, environments: { production: { strategies: { all: { name: 'default' } } } } }),
    aToken(place(`laptop-of-${username}`), { type: 'personal', user: username }),
  );
  const { status } = await waitUntil({ what: 'the member is noted', everyMs: 30 }, async () => {
    const found = await read('projects', project);
    return found.status.memberIds?.[username] !== undefined && found;
  });
  const token = await tokenValue(`laptop-of-${username}`);
  const on = `POST /projects/${project}/features/${flag}/environments/production/on`;
  return { token, on, id: status.memberIds[username] };
}

/** Replaces the user by another person with the same username. */
async function replace(username: string, spec: object = {}): Promise<number> {
  await remove('flagusers', username);
  await instance.apply(aUser(place(username), { rootRole: 'Admin', ...spec }));
  return waitUntil(
    { what: 'the user has an id', everyMs: 30 },
    async () => (await read('flagusers', username)).status.id,
  );
}

test('the token of a deleted user stays refused when the username is used again', async () => {
  const { token, id } = await world('vic');
  await answered(token, 'GET /user-admin', 403);
  await remove('flagusers', 'vic');
  await answered(token, 'GET /user-admin', 401);

  const next = await replaceMissing('vic');
  expect(next).toBeGreaterThan(id);
  await has('apitokens', 'laptop-of-vic', 'Error UserReplaced spec.user');
  await answered(token, 'GET /user-admin', 401);
  expect((await read('apitokens', 'laptop-of-vic')).status).toMatchObject({ userId: id });

  await remove('apitokens', 'laptop-of-vic');
  await remove('secrets', 'vexil-token-laptop-of-vic');
  await instance.apply(aToken(place('laptop-of-vic'), { type: 'personal', user: 'vic' }));
  await answered(await tokenValue('laptop-of-vic'), 'GET /user-admin', 200);
  await answered(token, 'GET /user-admin', 401);
});

async function replaceMissing(username: string): Promise<number> {
  await instance.apply(aUser(place(username), { rootRole: 'Admin' }));
  return waitUntil(
    { what: 'the user has an id', everyMs: 30 },
    async () => (await read('flagusers', username)).status.id,
  );
}

test('the next user of the name does not become a member of the project', async () => {
  await world('mia');
  const next = await replace('mia', { rootRole: 'Viewer' });
  await instance.apply(aToken(place('new-laptop-of-mia'), { type: 'personal', user: 'mia' }));
  const token = await tokenValue('new-laptop-of-mia');
  const on = 'POST /projects/of-mia/features/flag-of-mia/environments/production/on';
  await answered(token, on, 403);
  await has('projects', 'of-mia', 'Warning UserReplaced spec.members.mia');
  expect((await admin('GET /projects/of-mia')).body.members).toBe(0);
  expect((await admin(`DELETE /projects/of-mia/users/${next}/roles/4`)).status).toBe(404);

  const added = await admin(`POST /projects/of-mia/users/${next}/roles/5`);
  expect(added.status, added.text).toBe(200);
  expect((await admin(`POST /projects/of-mia/users/${next}/roles/5`)).status).toBe(400);
  await answered(token, on, 200);
  await waitUntil({ what: 'the new member is noted', everyMs: 30 }, async () => {
    return (await read('projects', 'of-mia')).status.memberIds?.mia === next;
  });
  expect(problemsOf(await read('projects', 'of-mia'))).toEqual(['Warning NoOwner spec.members']);
});

test('with Git or kubectl the entry can be removed and added again', async () => {
  await world('noa');
  const next = await replace('noa', { rootRole: 'Viewer' });
  await has('projects', 'of-noa', 'Warning UserReplaced spec.members.noa');
  await patch('projects', 'of-noa', { spec: { members: { noa: null } } });
  await waitUntil({ what: 'no user is noted', everyMs: 30 }, async () => {
    return Object.keys((await read('projects', 'of-noa')).status.memberIds ?? {}).length === 0;
  });
  await patch('projects', 'of-noa', { spec: { members: { noa: 'owner' } } });
  await waitUntil({ what: 'the new member is noted', everyMs: 30 }, async () => {
    return (await read('projects', 'of-noa')).status.memberIds?.noa === next;
  });
  expect((await admin('GET /projects/of-noa')).body.members).toBe(1);
});

test('a user who is created again with the same id is the same user', async () => {
  const { token, on, id } = await world('ben');
  await remove('flagusers', 'ben');
  await answered(token, on, 401);
  await instance.apply(aUser(place('ben'), { id }));
  await answered(token, on, 200);
});
