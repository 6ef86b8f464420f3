/** A user who is deleted is gone: whoever gets the username next has neither the tokens nor the memberships. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Answer, adminClient } from '../support/admin-client.ts';
import { aFlag, aProject, aToken, aUser } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import type { Stored } from '../support/stored.ts';

const ADMIN = 'a-token-of-the-first-steps';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance('by-id', { settings: { VEXIL_AUTH: 'token', VEXIL_ADMIN_TOKEN: ADMIN } });
});
afterAll(() => instance.stop());

const place = (name: string) => `${instance.home}/${name}`;
const admin = (request: string) => adminClient(instance.url, { authorization: ADMIN })(request);
const read = async (kind: string, name: string): Promise<Stored> =>
  JSON.parse(await instance.cluster.kubectlOrThrow(['get', kind, name, '-n', instance.home, '-o', 'json']));
const remove = (kind: string, name: string) =>
  instance.cluster.kubectlOrThrow(['delete', kind, name, '-n', instance.home]);
const problemsOf = ({ status }: Stored): readonly string[] =>
  (status.problems ?? []).map(({ severity, reason, path }: Stored) => `${severity} ${reason} ${path}`);

async function tokenValue(token: string): Promise<string> {
  const { data } = await read('secret', `vexil-token-${token}`);
  return Buffer.from(data.token, 'base64').toString();
}

/** Resolves with the first answer of this status. */
const answered = (token: string, request: string, status: number): Promise<Answer> =>
  waitUntil({ what: `${request} is answered with ${status}`, everyMs: 10 }, async () => {
    const answer = await adminClient(instance.url, { authorization: token })(request);
    return answer.status === status && answer;
  });

const has = (kind: string, name: string, problem: string) =>
  waitUntil({ what: `${name} says ${problem}`, everyMs: 20 }, async () =>
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
  const { status } = await waitUntil({ what: 'the member is noted', everyMs: 20 }, async () => {
    const found = await read('fp', project);
    return found.status.memberIds?.[username] !== undefined && found;
  });
  const token = await tokenValue(`laptop-of-${username}`);
  const on = `POST /projects/${project}/features/${flag}/environments/production/on`;
  return { token, on, id: status.memberIds[username] };
}

/** Another person under the same username. */
async function replace(username: string, spec: object = {}): Promise<number> {
  await remove('fuser', username);
  await instance.apply(aUser(place(username), { rootRole: 'Admin', ...spec }));
  return waitUntil({ what: 'the user has an id', everyMs: 20 }, async () => (await read('fuser', username)).status.id);
}

test('the token of a user who is gone stays refused when the username returns', async () => {
  const { token, id } = await world('vic');
  await answered(token, 'GET /user-admin', 403);
  await remove('fuser', 'vic');
  await answered(token, 'GET /user-admin', 401);

  const next = await replaceMissing('vic');
  expect(next).toBeGreaterThan(id);
  await has('ftoken', 'laptop-of-vic', 'Error UserReplaced spec.user');
  await answered(token, 'GET /user-admin', 401);
  expect((await read('ftoken', 'laptop-of-vic')).status).toMatchObject({ userId: id });

  await remove('ftoken', 'laptop-of-vic');
  await remove('secret', 'vexil-token-laptop-of-vic');
  await instance.apply(aToken(place('laptop-of-vic'), { type: 'personal', user: 'vic' }));
  await answered(await tokenValue('laptop-of-vic'), 'GET /user-admin', 200);
  await answered(token, 'GET /user-admin', 401);
});

async function replaceMissing(username: string): Promise<number> {
  await instance.apply(aUser(place(username), { rootRole: 'Admin' }));
  return waitUntil({ what: 'the user has an id', everyMs: 20 }, async () => (await read('fuser', username)).status.id);
}

test('a project does not take the next user of the name for its member', async () => {
  await world('mia');
  const next = await replace('mia', { rootRole: 'Viewer' });
  await instance.apply(aToken(place('new-laptop-of-mia'), { type: 'personal', user: 'mia' }));
  const token = await tokenValue('new-laptop-of-mia');
  const on = 'POST /projects/of-mia/features/flag-of-mia/environments/production/on';
  await answered(token, on, 403);
  await has('fp', 'of-mia', 'Warning UserReplaced spec.members.mia');
  expect((await admin('GET /projects/of-mia')).body.members).toBe(0);
  expect((await admin(`DELETE /projects/of-mia/users/${next}/roles/4`)).status).toBe(404);

  const added = await admin(`POST /projects/of-mia/users/${next}/roles/5`);
  expect(added.status, added.text).toBe(200);
  expect((await admin(`POST /projects/of-mia/users/${next}/roles/5`)).status).toBe(400);
  await answered(token, on, 200);
  await waitUntil({ what: 'the new member is noted', everyMs: 20 }, async () => {
    return (await read('fp', 'of-mia')).status.memberIds.mia === next;
  });
  expect(problemsOf(await read('fp', 'of-mia'))).toEqual(['Warning NoOwner spec.members']);
});

test('with kubectl the entry is taken off and added again', async () => {
  await world('noa');
  const next = await replace('noa', { rootRole: 'Viewer' });
  const patch = (role: string | null) =>
    instance.cluster.kubectlOrThrow([
      ...['patch', 'fp', 'of-noa', '-n', instance.home, '--type=merge', '-p'],
      JSON.stringify({ spec: { members: { noa: role } } }),
    ]);
  await has('fp', 'of-noa', 'Warning UserReplaced spec.members.noa');
  await patch(null);
  await waitUntil({ what: 'nobody is noted', everyMs: 20 }, async () => {
    return Object.keys((await read('fp', 'of-noa')).status.memberIds ?? {}).length === 0;
  });
  await patch('owner');
  await waitUntil({ what: 'the new member is noted', everyMs: 20 }, async () => {
    return (await read('fp', 'of-noa')).status.memberIds?.noa === next;
  });
  expect((await admin('GET /projects/of-noa')).body.members).toBe(1);
});

test('a user who comes back with the id of before is the same user', async () => {
  const { token, on, id } = await world('ben');
  await remove('fuser', 'ben');
  await answered(token, on, 401);
  await instance.apply(aUser(place('ben'), { id }));
  await answered(token, on, 200);
});
