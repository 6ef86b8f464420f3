/** Users: the list of all users, and search. Roles: the list, and a role with what it grants. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MIN_CHARACTERS } from '../../src/domain/people/search-users.ts';
import { permissionNames } from '../../src/schema/permission.ts';
import { adminClient } from '../support/admin-client.ts';
import { aRole, aUser } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { startOperator } from '../support/operator.ts';
import type { Stored } from '../support/stored.ts';

let instance: Instance;

const place = (name: string) => `${instance.home}/${name}`;
const search = async (q: string): Promise<Stored[]> =>
  (await instance.call(`GET /user-admin/search?q=${encodeURIComponent(q)}`)).body.users;
const found = async (q: string) => (await search(q)).map(({ username }) => username);
const everyone = async (): Promise<Stored[]> => (await instance.call('GET /user-admin')).body.users;
const gravatar = (identity: string) =>
  `https://gravatar.com/avatar/${createHash('sha256').update(identity).digest('hex')}?s=42&d=retro&r=g`;
const isoTimestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

const builtIn = [
  { id: 1, name: 'Admin', type: 'root', description: expect.any(String) },
  { id: 2, name: 'Editor', type: 'root', description: expect.any(String) },
  { id: 3, name: 'Viewer', type: 'root', description: expect.any(String) },
];

beforeAll(async () => {
  instance = await startInstance('users', { settings: { VEXIL_LOG_LEVEL: 'debug' } });
  const bot = { kind: 'ServiceAccount', name: 'release-bot', namespace: 'ci' } as const;
  await instance.apply(
    aRole(place('auditor'), { type: 'root', id: 70, displayName: 'The auditor', description: 'Looks at everything' }),
    aRole(place('captain'), {
      id: 60,
      permissions: [
        { name: 'UPDATE_FEATURE', environment: '*' },
        { name: 'UPDATE_FEATURE_ENVIRONMENT', environment: 'production' },
      ],
    }),
    aUser(place('ada'), {
      id: 40,
      username: 'countess',
      displayName: 'Ada Ahlgren',
      email: 'Ada.A@Example.com',
      imageUrl: 'https://pictures.example/ada.png',
      rootRole: 'auditor',
      subjects: [{ kind: 'User', name: 'ada' }, bot],
    }),
    aUser(place('jose'), { id: 30, displayName: 'José Größe', email: 'JG@Example.com', rootRole: 'Editor' }),
    aUser(place('release-bot'), { id: 20, subjects: [{ ...bot, name: 'other' }] }),
    aUser(place('odd'), { id: 50, displayName: '100%_of.*(all) C:\\', rootRole: 'captain' }),
  );
  await waitUntil({ what: 'all have their ids' }, async () => {
    const { roles } = (await instance.call('GET /roles')).body;
    return (await everyone()).length === 4 && roles.length === 7;
  });
});
afterAll(() => instance.stop());

describe('roles', () => {
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
});

describe('a user', () => {
  test('with every field', async () => {
    expect(await search('countess')).toEqual([
      {
        id: 40,
        name: 'Ada Ahlgren',
        email: 'Ada.A@Example.com',
        username: 'countess',
        imageUrl: 'https://pictures.example/ada.png',
        inviteLink: '',
        loginAttempts: 0,
        rootRole: 70,
        seenAt: null,
        createdAt: isoTimestamp,
        accountType: 'User',
        scimId: null,
      },
    ]);
  });

  test('with only an identity: unknown fields are left out, and the root role is Viewer', async () => {
    expect(await search('release-bot')).toEqual([
      {
        id: 20,
        username: 'release-bot',
        imageUrl: gravatar('release-bot'),
        inviteLink: '',
        loginAttempts: 0,
        rootRole: 3,
        seenAt: null,
        createdAt: isoTimestamp,
        accountType: 'Service Account',
        scimId: null,
      },
    ]);
  });

  test('without a picture has the one of its address in lower case', async () => {
    expect(await search('jose')).toMatchObject([{ imageUrl: gravatar('jg@example.com'), accountType: 'User' }]);
  });

  test('that names no root role is a Viewer', async () => {
    expect(await search('100%')).toMatchObject([{ username: 'odd', rootRole: 3 }]);
  });
});

describe('GET /user-admin/search', () => {
  test.each([
    ['a part of the name', 'ahl', ['countess']],
    ['the end of the address, of two', 'XAMPLE.COM', ['jose', 'countess']],
    ['other case and no accents', 'jose groSSE', ['jose']],
    ['percent and underscore', '0%_', ['odd']],
    ['what is a regular expression elsewhere', '.*(all)', ['odd']],
    ['blanks around', ' countess ', ['countess']],
    ['an id', '40', []],
  ])('by %s', async (_, q, want) => {
    expect(await found(q)).toEqual(want);
  });

  test('a plus is a space, and invalid UTF-8 finds no user', async () => {
    const at = async (query: string) => (await instance.call(`GET /user-admin/search?${query}`)).body.users;
    expect(await at('q=ada+ahlgren')).toHaveLength(1);
    expect(await at('q=%FF%FE')).toEqual([]);
  });

  test.each([
    ['without q', ''],
    ['with one character', '?q=a'],
    ['with a name that no user has', '?q=nobody'],
    ['with another parameter', '?query=countess'],
  ])('%s: 200, no users, and all root roles', async (_, query) => {
    const { status, body } = await instance.call(`GET /user-admin/search${query}`);
    const auditor = { id: 70, name: 'auditor', type: 'root', description: 'Looks at everything' };
    expect([status, body]).toEqual([200, { users: [], rootRoles: [...builtIn, auditor] }]);
  });

  test(`${MIN_CHARACTERS} characters are enough`, async () => {
    expect(await found('ah')).toEqual(['countess']);
  });

  test('q more than once: 400', async () => {
    const refused = { status: 400, name: 'ValidationError' };
    const message = await instance.refuses('GET /user-admin/search?q=ada&q=jose', refused);
    expect(message).toContain('The `q` property must be string');
  });

  test('q of 1000 characters is searched, one more is 400 and not repeated completely', async () => {
    const request = (length: number) => `GET /user-admin/search?q=${'x'.repeat(length)}`;
    expect((await instance.call(request(1000))).body.users).toEqual([]);
    const message = await instance.refuses(request(1001), { status: 400, name: 'ValidationError' });
    expect(message).toContain('The `q` property must not be larger than 1000');
    expect(message.length).toBeLessThan(400);
  });
});

describe('GET /user-admin', () => {
  test('all users by id, each as in a search, with the root roles', async () => {
    const { body } = await instance.call('GET /user-admin');
    const ids: number[] = body.users.map(({ id }: Stored) => id);
    expect(ids.slice(0, 4)).toEqual([20, 30, 40, 50]);
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));
    const searched = await instance.call('GET /user-admin/search?q=countess');
    expect(body.users[2]).toEqual(searched.body.users[0]);
    expect(body.rootRoles).toEqual(searched.body.rootRoles);
  });

  test('a user in a watched namespace other than the operator namespace is ignored', async () => {
    await instance.cluster.apply([aUser(`${instance.other}/stray`)]);
    await instance.apply(aUser(place('after-stray')));
    const names = async () => (await everyone()).map(({ username }) => username);
    await expect.poll(names).toContain('after-stray');
    expect(await names()).not.toContain('stray');
  });
});

describe('both reflect', () => {
  test('a change of name, address and picture: the former values find no user any more', async () => {
    await instance.apply(aUser(place('changing'), { displayName: 'Maiden', email: 'maiden@example.net' }));
    // The id that makes it a user is in the status. The operator has written it, but its cache may not show it yet.
    await expect.poll(() => found('maiden')).toEqual(['changing']);
    await instance.apply(aUser(place('changing'), { displayName: 'Married', email: 'married@example.net' }));
    expect([await found('maiden'), await found('married')]).toEqual([[], ['changing']]);
    expect(await everyone()).toContainEqual(
      expect.objectContaining({
        name: 'Married',
        email: 'married@example.net',
        imageUrl: gravatar('married@example.net'),
      }),
    );
  });

  test('created and deleted users', async () => {
    await instance.apply(aUser(place('passing-by')));
    await expect.poll(() => found('passing')).toEqual(['passing-by']);
    await instance.cluster.deleteObject('fuser/passing-by', instance.home);
    await expect.poll(() => found('passing')).toEqual([]);
    expect((await everyone()).map(({ username }) => username)).not.toContain('passing-by');
  });

  test('a root role that is given, described again and deleted', async () => {
    const roleNamed = async (name: string) =>
      (await instance.call('GET /user-admin')).body.rootRoles.find((role: Stored) => role.name === name);
    const rootRoles = async () => [
      (await search('holder'))[0].rootRole,
      (await everyone()).find(({ username }) => username === 'holder').rootRole,
    ];
    await instance.apply(aUser(place('holder'), { rootRole: 'Admin' }));
    await expect.poll(rootRoles).toEqual([1, 1]);
    await instance.apply(aRole(place('keeper'), { type: 'root', id: 90 }));
    await instance.apply(aUser(place('holder'), { rootRole: 'keeper' }));
    expect(await rootRoles()).toEqual([90, 90]);
    expect(await roleNamed('keeper')).toEqual({ id: 90, name: 'keeper', type: 'root', description: '' });
    await instance.apply(aRole(place('keeper'), { type: 'root', id: 90, description: 'Keeps' }));
    expect(await roleNamed('keeper')).toMatchObject({ description: 'Keeps' });
    await instance.cluster.deleteObject('frole/keeper', instance.home);
    await expect.poll(rootRoles).toEqual([3, 3]);
    expect(await roleNamed('keeper')).toBeUndefined();
  });
});

test('the log has neither searches nor their results, even at its most verbose level', async () => {
  const address = 'in.no.log@example.net';
  await instance.apply(aUser(place('discreet'), { email: address }));
  const query = `q=${encodeURIComponent(address)}`;
  await expect.poll(() => found(address)).toEqual(['discreet']);
  await instance.call(`GET /user-admin/search?${query}&${query}`);
  await instance.call(`GET /user-admin/no-such?${query}`);
  const refused = await instance.call(`POST /user-admin/search?${query}`);
  expect(refused.status).toBe(403);
  const log = JSON.stringify(instance.log);
  expect(log).toContain('"path":"/api/admin/user-admin/search"');
  expect(log).not.toContain('in.no.log');
  const metrics = await (await fetch(`${instance.opsUrl}/metrics`)).text();
  expect(metrics).toContain('route="/user-admin/search"');
  expect(metrics).not.toContain('in.no.log');
});

test('a search answers a list where the setting says so, as newer clients expect', async () => {
  const { cluster, home, other } = instance;
  const listing = await startOperator(cluster, home, { watched: [other], settings: { VEXIL_USER_SEARCH: 'list' } });
  try {
    const call = adminClient(listing.url);
    const { body } = await call('GET /user-admin/search?q=ahlgren');
    expect(body).toEqual([expect.objectContaining({ id: 40, username: 'countess', name: 'Ada Ahlgren' })]);
    expect((await call('GET /user-admin/search?q=nobody')).body).toEqual([]);
  } finally {
    await listing.stop();
  }
});

test('GET /user-admin/:userId answers the user as the list does; 404 for an unknown id', async () => {
  const listed = (await everyone()).find(({ id }) => id === 40);
  expect((await instance.call('GET /user-admin/40')).body).toEqual(listed);
  const { status, body } = await instance.call('GET /user-admin/4711');
  expect([status, body.name, body.message]).toEqual([404, 'NotFoundError', 'There is no user with the id 4711.']);
});
