/** Roles and permissions: lists, and a role with what it grants. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { permissionNames } from '../../src/schema/permission.ts';
import { aRole } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import type { Stored } from '../support/stored.ts';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance('roles');
  const place = (name: string) => `${instance.home}/${name}`;
  const permissions = [
    { name: 'UPDATE_FEATURE', environment: '*' },
    { name: 'UPDATE_FEATURE_ENVIRONMENT', environment: 'production' },
  ];
  await instance.apply(
    aRole(place('auditor'), { type: 'root', id: 70, displayName: 'The auditor', description: 'Looks at everything' }),
    aRole(place('captain'), { id: 60, permissions }),
  );
  await waitUntil({ what: 'both have their ids' }, async () => {
    return (await instance.call('GET /roles')).body.roles.length === 7;
  });
});
afterAll(() => instance.stop());

test('GET /roles lists the built-in roles and FlagRoles, with the types of Unleash', async () => {
  const { status, body } = await instance.call('GET /roles');
  expect([status, body.version]).toEqual([200, 1]);
  expect(body.roles.slice(0, 5).map(({ id, name, type }: Stored) => [id, name, type])).toEqual([
    [1, 'Admin', 'root'],
    [2, 'Editor', 'root'],
    [3, 'Viewer', 'root'],
    [4, 'Owner', 'project'],
    [5, 'Member', 'project'],
  ]);
  expect(body.roles.find(({ id }: Stored) => id === 60)).toMatchObject({ name: 'captain', type: 'custom' });
  expect(body.roles.find(({ id }: Stored) => id === 70)).toEqual({
    id: 70,
    name: 'auditor',
    type: 'root-custom',
    description: 'Looks at everything',
    project: null,
  });
});

test('GET /roles/:roleId answers the role as the list does, with its permissions; 404 for an unknown id', async () => {
  const { roles } = (await instance.call('GET /roles')).body;
  for (const role of roles) expect((await instance.call(`GET /roles/${role.id}`)).body).toMatchObject(role);
  const names = async (id: number) =>
    (await instance.call(`GET /roles/${id}`)).body.permissions.map(({ name }: Stored) => name);
  expect(await names(1)).toEqual(['ADMIN']);
  expect(await names(3)).toEqual([]);
  expect(await names(5)).toEqual(expect.arrayContaining(['CREATE_FEATURE', 'UPDATE_FEATURE_ENVIRONMENT']));
  expect((await instance.call('GET /roles/60')).body.permissions).toEqual([
    {
      id: expect.any(Number),
      name: 'UPDATE_FEATURE',
      displayName: 'Update feature',
      type: 'project',
      environment: null,
    },
    expect.objectContaining({ name: 'UPDATE_FEATURE_ENVIRONMENT', type: 'environment', environment: 'production' }),
  ]);
  const { status, body } = await instance.call('GET /roles/4711');
  expect([status, body.name, body.message]).toEqual([404, 'NotFoundError', 'There is no role with the id 4711.']);
});

test('GET /permissions has each permission once, and those of environments for each environment', async () => {
  const { body } = await instance.call('GET /permissions');
  const { root, project, environments } = body.permissions;
  const listed = await instance.call('GET /environments');
  expect(environments.map(({ name }: Stored) => name)).toEqual(
    listed.body.environments.map(({ name }: Stored) => name),
  );
  const all = [...root, ...project, ...environments[0].permissions];
  expect(all.map(({ name }) => name).toSorted()).toEqual([...permissionNames].toSorted());
  expect(new Set(all.map(({ id }) => id)).size).toBe(permissionNames.length);
  expect(environments[0].permissions[0]).toMatchObject({ type: 'environment', environment: environments[0].name });
});
