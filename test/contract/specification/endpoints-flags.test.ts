/**
 * Chapter "Endpoints": projects, flags, project members and users, rows 1 to 8, 17 to 19 and 22, each with its request,
 * its response and the state afterwards.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FlagSpec } from '../../../src/schema/feature-flag.ts';
import type { ProjectSpec } from '../../../src/schema/project.ts';
import { aFlag, aProject, aUser } from '../../support/builders.ts';
import { waitUntil } from '../../support/control-plane/wait-until.ts';
import { type Instance, startInstance } from '../../support/instance.ts';
import type { Stored } from '../../support/stored.ts';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance('endpoints-flags');
});
afterAll(() => instance.stop());

describe('projects and flags', () => {
  const features = '/projects/shop/features';
  const path = (name: string) => `${features}/${name}`;
  const have = (name: string, spec: FlagSpec = {}) => instance.apply(aFlag(`${instance.home}/${name}`, spec));
  const get = async (name: string): Promise<Stored> => (await instance.call(`GET ${path(name)}`)).body;

  /** The flag object without the members that only GET …/features/:featureName answers. */
  const flagObject = ({ environments: _, dependencies: __, children: ___, lifecycle: ____, ...fields }: Stored) =>
    fields;

  const taken = { status: 409, name: 'NameExistsError' };

  describe('1. GET /projects/:projectId', () => {
    test('200: project overview', async () => {
      await have('overviewed');
      const { status, body } = await instance.call('GET /projects/shop');
      expect(status).toBe(200);
      expect(body).toMatchObject({ name: 'shop', description: '', members: 0, version: 1 });
      expect(body.features).toContainEqual(expect.objectContaining({ name: 'overviewed' }));
    });
  });

  describe('2. GET /projects/:projectId/features', () => {
    test('200: object with features (array of feature summary) and version (number)', async () => {
      await have('listed');
      const { status, body } = await instance.call(`GET ${features}`);
      expect(status).toBe(200);
      expect(Object.keys(body).toSorted()).toEqual(['features', 'version']);
      expect(body.version).toBe(1);
      expect(body.features).toContainEqual(expect.objectContaining({ name: 'listed' }));
    });
  });

  describe('3. POST /projects/:projectId/features', () => {
    test('201: flag object; description is an empty string, impressionData false and type release unless sent', async () => {
      const { status, body } = await instance.call(`POST ${features}`, { body: { name: 'only-a-name' } });
      expect(status).toBe(201);
      const { metadata, spec } = await instance.flagNamed('only-a-name');
      expect(body).toEqual({
        name: 'only-a-name',
        project: 'shop',
        description: '',
        type: 'release',
        stale: false,
        archived: false,
        archivedAt: null,
        createdAt: metadata.creationTimestamp.replace('Z', '.000Z'),
        lastSeenAt: null,
        impressionData: false,
        variants: [],
      });
      expect(spec).toEqual({ project: 'shop' });
      expect(flagObject(await get('only-a-name'))).toEqual(body);
    });

    test('201: name, description, impressionData and type as they are sent', async () => {
      const sent = { name: 'all-fields', description: 'One page', impressionData: true, type: 'kill-switch' };
      const { status, body } = await instance.call(`POST ${features}`, { body: sent });
      expect([status, body]).toEqual([201, expect.objectContaining(sent)]);
      const { name: _, ...said } = sent;
      expect((await instance.flagNamed('all-fields')).spec).toEqual({ project: 'shop', ...said });
    });

    test('name is required', async () => {
      const refused = { status: 400, name: 'ValidationError', body: { description: 'nameless' } };
      expect(await instance.refuses(`POST ${features}`, refused)).toContain('The `name` property is required');
    });

    test('409 if the name already exists', async () => {
      await have('taken');
      const message = await instance.refuses(`POST ${features}`, { ...taken, body: { name: 'taken' } });
      expect(message).toContain('A flag with the name "taken" already exists');
    });
  });

  describe('4. GET /projects/:projectId/features/:featureName', () => {
    test('200: flag object with environments and their strategies', async () => {
      await have('read', { environments: { production: { enabled: true, strategies: { all: { name: 'default' } } } } });
      const { status, body } = await instance.call(`GET ${path('read')}`);
      expect(status).toBe(200);
      expect(body).toMatchObject({ name: 'read', project: 'shop' });
      expect(body.environments).toMatchObject([
        { name: 'development', enabled: false, strategies: [] },
        { name: 'production', enabled: true, strategies: [{ name: 'default', parameters: {}, constraints: [] }] },
      ]);
    });

    test('404 if the flag is not found', async () => {
      await instance.refuses(`GET ${path('no-such')}`, { status: 404, name: 'NotFoundError' });
    });
  });

  const immutable = {
    name: 'renamed',
    project: 'pay',
    createdAt: '2020-01-01T00:00:00.000Z',
    lastSeenAt: '2020-01-01T00:00:00.000Z',
  };

  describe('5. PUT /projects/:projectId/features/:featureName', () => {
    test('200: flag object; description and type become what is sent', async () => {
      await have('replaced', { description: 'before' });
      const sent = { name: 'replaced', description: 'after', type: 'operational' };
      const { status, body } = await instance.call(`PUT ${path('replaced')}`, { body: sent });
      expect([status, body]).toEqual([200, expect.objectContaining(sent)]);
      expect(flagObject(await get('replaced'))).toEqual(body);
      expect((await instance.flagNamed('replaced')).spec).toMatchObject({ description: 'after', type: 'operational' });
    });

    test.each(Object.entries(immutable))('%s cannot be changed by this call', async (field, value) => {
      const name = `put-${field.toLowerCase()}`;
      await have(name);
      const before = await get(name);
      await instance.untouched(`PUT ${path(name)}`, { body: { [field]: value } });
      expect(await get(name)).toEqual(before);
    });
  });

  describe('6. PATCH /projects/:projectId/features/:featureName', () => {
    test('200: flag object, with replace of /description applied', async () => {
      await have('patched', { description: 'before', type: 'experiment' });
      const before = flagObject(await get('patched'));
      const body = [{ op: 'replace', path: '/description', value: 'after' }];
      const answer = await instance.call(`PATCH ${path('patched')}`, { body });
      expect([answer.status, answer.body]).toEqual([200, { ...before, description: 'after' }]);
      expect(flagObject(await get('patched'))).toEqual(answer.body);
      expect((await instance.flagNamed('patched')).spec.description).toBe('after');
    });

    test.each(Object.entries(immutable))('%s cannot be changed by this call', async (field, value) => {
      const name = `patch-${field.toLowerCase()}`;
      await have(name);
      const before = await get(name);
      const body = [{ op: 'replace', path: `/${field}`, value }];
      await instance.untouched(`PATCH ${path(name)}`, { body });
      expect(await get(name)).toEqual(before);
    });
  });

  describe('7. POST /projects/:projectId/features/:featureName/clone', () => {
    test('201: flag object of the new flag, including copied variants', async () => {
      await have('original', { type: 'experiment', variants: [{ name: 'blue' }, { name: 'red' }] });
      const { status, body } = await instance.call(`POST ${path('original')}/clone`, { body: { name: 'the-copy' } });
      const { metadata } = await instance.flagNamed('the-copy');
      const createdAt = metadata.creationTimestamp.replace('Z', '.000Z');
      expect([status, body]).toEqual([201, { ...flagObject(await get('original')), name: 'the-copy', createdAt }]);
      expect(body.variants).toHaveLength(2);
      expect(flagObject(await get('the-copy'))).toEqual(body);
    });

    test('name is required', async () => {
      await have('nameless-source');
      const refused = { status: 400, name: 'ValidationError', body: {} };
      expect(await instance.refuses(`POST ${path('nameless-source')}/clone`, refused)).toContain(
        'The `name` property is required',
      );
    });

    test('409 if the name already exists', async () => {
      await instance.apply(aFlag(`${instance.home}/cloned`), aFlag(`${instance.home}/occupied`));
      const message = await instance.refuses(`POST ${path('cloned')}/clone`, { ...taken, body: { name: 'occupied' } });
      expect(message).toContain('"occupied"');
    });
  });

  describe('8. DELETE /projects/:projectId/features/:featureName', () => {
    test('202, no body (archives the flag)', async () => {
      await have('archived');
      const { status, text } = await instance.call(`DELETE ${path('archived')}`);
      expect([status, text]).toEqual([202, '']);
      expect((await instance.flagNamed('archived')).spec).toEqual({ project: 'shop', archived: true });
      expect((await instance.call(`GET ${path('archived')}`)).status).toBe(404);
    });
  });
});

describe('project members', () => {
  beforeAll(async () => {
    const { home } = instance;
    await instance.apply(aUser(`${home}/ada`, { id: 7 }), aUser(`${home}/lin`, { id: 8 }));
  });

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
});

describe('users', () => {
  beforeAll(async () => {
    const { home } = instance;
    await instance.apply(
      aUser(`${home}/ada`, { id: 7, displayName: 'Ada Ahlgren', email: 'countess@example.com' }),
      aUser(`${home}/lin`, { id: 8, displayName: 'Lin Castillo', email: 'lin@example.com' }),
    );
    await waitUntil({ what: 'both are users' }, async () => {
      return (await instance.call('GET /user-admin')).body.users.length === 2;
    });
  });

  const search = (q: string) => instance.call(`GET /user-admin/search?q=${encodeURIComponent(q)}`);
  const found = async (q: string) => (await search(q)).body.users.map(({ username }: Stored) => username);

  describe('22. GET /user-admin/search', () => {
    test.each([
      ['name', 'ahlgren', ['ada']],
      ['e-mail', 'lin@example', ['lin']],
      ['either', 'example.com', ['ada', 'lin']],
      ['neither', 'grace', []],
    ])('the pattern is matched against name and e-mail: %s', async (_, q, want) => {
      expect(await found(q)).toEqual(want);
    });

    test('200: users response', async () => {
      const { status, body } = await search('ada');
      expect(status).toBe(200);
      expect(body).toEqual({
        users: [expect.objectContaining({ name: 'Ada Ahlgren', email: 'countess@example.com' })],
        rootRoles: ['Admin', 'Editor', 'Viewer'].map((name) => expect.objectContaining({ name })),
      });
    });
  });

  describe('Limit', () => {
    test('user search query length: minimum 2 characters', async () => {
      expect([await found('a'), await found('ad')]).toEqual([[], ['ada']]);
      expect((await search('a')).status).toBe(200);
    });
  });
});
