/**
 * Chapter "Endpoints", project members: rows 17 to 19, each with its request, its response and the state afterwards.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ProjectSpec } from '../../../src/schema/project.ts';
import { aProject, aUser } from '../../support/builders.ts';
import { type Instance, startInstance } from '../../support/instance.ts';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance('endpoints-members');
  const { home } = instance;
  await instance.apply(aUser(`${home}/ada`, { id: 7 }), aUser(`${home}/lin`, { id: 8 }));
});
afterAll(() => instance.stop());

const [OWNER, MEMBER] = [4, 5];

const have = (id: string, members: ProjectSpec['members']) =>
  instance.apply(aProject(`${instance.home}/${id}`, { members }));
const membersOf = async (id: string) => (await instance.specOf('project', `${instance.home}/${id}`)).members;

/** Calls the endpoint with the body of the samples, which repeats the path. */
const ask = (method: string, projectId: string, [userId, roleId]: readonly [number, number]) =>
  instance.call(`${method} /projects/${projectId}/users/${userId}/roles/${roleId}`, {
    body: { userId, projectId, roleId },
  });

describe('17. POST /projects/:projectId/users/:userId/roles/:roleId', () => {
  test('200 no body: add the user to the project with the role', async () => {
    await have('joined', { ada: 'owner' });
    const { status, text } = await ask('POST', 'joined', [8, MEMBER]);
    expect([status, text]).toEqual([200, '']);
    expect(await membersOf('joined')).toEqual({ ada: 'owner', lin: 'member' });
    expect((await instance.call('GET /projects/joined')).body.members).toBe(2);
  });

  test('400 if the user is already in the project', async () => {
    await have('crowded', { ada: 'owner' });
    expect((await ask('POST', 'crowded', [7, MEMBER])).status).toBe(400);
    expect(await membersOf('crowded')).toEqual({ ada: 'owner' });
  });
});

describe('18. PUT /projects/:projectId/users/:userId/roles/:roleId', () => {
  test("200 no body: change the user's role to roleId", async () => {
    await have('promoting', { ada: 'owner', lin: 'member' });
    const { status, text } = await ask('PUT', 'promoting', [8, OWNER]);
    expect([status, text]).toEqual([200, '']);
    expect(await membersOf('promoting')).toEqual({ ada: 'owner', lin: 'owner' });
  });

  test('If the user is not in the project, nothing happens', async () => {
    await have('strangers', { ada: 'owner' });
    const { status, text } = await ask('PUT', 'strangers', [8, OWNER]);
    expect([status, text]).toEqual([200, '']);
    expect(await membersOf('strangers')).toEqual({ ada: 'owner' });
  });

  test('400 if the user is the only owner of the project', async () => {
    await have('demoting', { ada: 'owner', lin: 'member' });
    expect((await ask('PUT', 'demoting', [7, MEMBER])).status).toBe(400);
    expect(await membersOf('demoting')).toEqual({ ada: 'owner', lin: 'member' });
  });
});

describe('19. DELETE /projects/:projectId/users/:userId/roles/:roleId', () => {
  test('200 no body: remove the role from the user, which removes the user from the project', async () => {
    await have('left', { ada: 'owner', lin: 'member' });
    const { status, text } = await ask('DELETE', 'left', [8, MEMBER]);
    expect([status, text]).toEqual([200, '']);
    expect(await membersOf('left')).toEqual({ ada: 'owner' });
    expect((await instance.call('GET /projects/left')).body.members).toBe(1);
  });

  test('The user must currently have roleId', async () => {
    await have('mistaken', { ada: 'owner', lin: 'member' });
    expect((await ask('DELETE', 'mistaken', [8, OWNER])).status).toBe(404);
    expect(await membersOf('mistaken')).toEqual({ ada: 'owner', lin: 'member' });
  });

  test('400 if the user is the only owner', async () => {
    await have('kept', { ada: 'owner', lin: 'member' });
    expect((await ask('DELETE', 'kept', [7, OWNER])).status).toBe(400);
    expect(await membersOf('kept')).toEqual({ ada: 'owner', lin: 'member' });
  });
});
