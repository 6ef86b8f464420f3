/** GET /projects/:projectId and the list of projects: the counts and sums of a project. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aFlag, anEnvironment, aProject, aUser } from '../support/builders.ts';
import { type Instance, startInstance } from '../support/instance.ts';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance('overview');
  await instance.apply(aUser(`${instance.home}/ada`), aUser(`${instance.home}/bob`));
});
afterAll(() => instance.stop());

const namesOf = (items: readonly { name: string }[]) => items.map(({ name }) => name);

describe('project overview', () => {
  test('fields: name, description, features, health, members, version', async () => {
    const { home } = instance;
    await instance.apply(
      aProject(`${home}/full`, {
        displayName: 'The full one',
        description: 'All that there is',
        defaultStickiness: 'userId',
        members: { ada: 'owner', bob: 'member' },
        environments: ['production'],
        flagNaming: { pattern: '[a-z-]+', example: 'full-a', description: 'lower case' },
      }),
      aFlag(`${home}/full-b`, { project: 'full' }),
      aFlag(`${home}/full-a`, { project: 'full' }),
    );
    const { body } = await instance.call('GET /projects/full');
    const { features, createdAt, ...rest } = body;
    expect(rest).toEqual({
      version: 1,
      name: 'The full one',
      description: 'All that there is',
      defaultStickiness: 'userId',
      mode: 'open',
      featureNaming: { pattern: '[a-z-]+', example: 'full-a', description: 'lower case' },
      health: 100,
      members: 2,
      environments: [{ environment: 'production' }],
    });
    expect(Date.parse(createdAt)).toBeGreaterThan(0);
    expect(namesOf(features)).toEqual(['full-a', 'full-b']);
  });

  test('a project with an empty spec: its id as name, empty description, no members, full health, every environment', async () => {
    await instance.apply(aProject(`${instance.home}/bare`));
    const { body } = await instance.call('GET /projects/bare');
    expect(body).toMatchObject({ name: 'bare', description: '', members: 0, health: 100, features: [] });
    expect(body.environments).toEqual([{ environment: 'development' }, { environment: 'production' }]);
  });

  test('features are the summaries of the flag list, byte for byte', async () => {
    await instance.apply(aFlag(`${instance.other}/both-ways`, { project: 'pay', tags: ['simple:x1'] }));
    const overview = await instance.call('GET /projects/pay');
    const list = await instance.call('GET /projects/pay/features');
    expect(overview.text).toContain(list.text.slice(list.text.indexOf('"features"')));
  });

  test('features are all flags of the project, without archived ones and those of other projects', async () => {
    const { home, other } = instance;
    await instance.apply(
      aProject(`${home}/own`),
      aFlag(`${home}/own-flag`, { project: 'own' }),
      aFlag(`${home}/own-archived`, { project: 'own', archived: true }),
      aFlag(`${home}/own-not`, { project: 'shop' }),
      aFlag(`${other}/own-elsewhere`, { project: 'own' }),
    );
    const { body } = await instance.call('GET /projects/own');
    expect(namesOf(body.features)).toEqual(['own-flag']);
  });

  test('health is the share of flags that are not stale, archived ones not counted', async () => {
    const { home } = instance;
    await instance.apply(
      aProject(`${home}/ageing`),
      aFlag(`${home}/ageing-1`, { project: 'ageing', stale: true }),
      aFlag(`${home}/ageing-2`, { project: 'ageing' }),
      aFlag(`${home}/ageing-3`, { project: 'ageing' }),
      aFlag(`${home}/ageing-4`, { project: 'ageing', stale: true, archived: true }),
    );
    expect((await instance.call('GET /projects/ageing')).body.health).toBe(67);
    await instance.call('PATCH /projects/ageing/features/ageing-1', {
      body: [{ op: 'replace', path: '/stale', value: false }],
    });
    expect((await instance.call('GET /projects/ageing')).body.health).toBe(100);
  });

  test('a project is found only by its name on the wire', async () => {
    await instance.apply(aProject(`${instance.home}/its-object`, { name: "Team.Blue_1!~*'()" }));
    expect((await instance.call("GET /projects/Team.Blue_1!~*'()")).body.name).toBe("Team.Blue_1!~*'()");
    expect((await instance.call('GET /projects/Team.Blue_1%21%7E%2A%27%28%29')).status).toBe(200);
    expect((await instance.call('GET /projects/its-object')).status).toBe(404);
  });

  test('404 for a project that does not exist, which the message names', async () => {
    const message = await instance.refuses('GET /projects/no-such', { status: 404, name: 'NotFoundError' });
    expect(message).toBe('There is no project with the id "no-such".');
  });

  test('of two projects with one name only the older is served', async () => {
    const { home, other } = instance;
    await instance.apply(aProject(`${home}/claimed`, { description: 'first' }));
    // Creation times are whole seconds, and within one second the object with the smaller namespace and name, which is
    // the one in the operator namespace, would win.
    await instance.apply(aProject(`${other}/claimed`, { description: 'second' }));
    await instance.apply(aFlag(`${other}/in-the-second`, { project: 'claimed' }));
    const { body } = await instance.call('GET /projects/claimed');
    expect(body).toMatchObject({ description: 'first', features: [] });
    expect((await instance.call('GET /projects/claimed/features/in-the-second')).status).toBe(404);
  });

  test('an edit by kubectl is seen', async () => {
    await instance.apply(aProject(`${instance.home}/edited`, { description: 'before' }));
    await instance.apply(aProject(`${instance.home}/edited`, { description: 'after' }));
    expect((await instance.call('GET /projects/edited')).body.description).toBe('after');
  });
});

describe('list of projects', () => {
  test('every project of every namespace by id, with its counts', async () => {
    const { home, other } = instance;
    await instance.apply(
      aProject(`${home}/zz-listed`, { displayName: 'Listed', members: { ada: 'owner' } }),
      aProject(`${other}/aa-listed`),
      aFlag(`${home}/zz-flag`, { project: 'zz-listed', stale: true }),
      aFlag(`${home}/zz-other-flag`, { project: 'zz-listed' }),
      aFlag(`${home}/zz-archived`, { project: 'zz-listed', archived: true }),
    );
    const { body } = await instance.call('GET /projects');
    expect(body.version).toBe(1);
    const ids = body.projects.map(({ id }: { id: string }) => id);
    expect(ids).toEqual([...ids].sort());
    expect(ids).toContain('aa-listed');
    const { createdAt, ...listed } = body.projects.find(({ id }: { id: string }) => id === 'zz-listed');
    expect(Date.parse(createdAt)).toBeGreaterThan(0);
    expect(listed).toEqual({
      id: 'zz-listed',
      name: 'Listed',
      description: '',
      health: 50,
      featureCount: 2,
      memberCount: 1,
      mode: 'open',
    });
  });
});

describe('environments of a project', () => {
  test('the listed ones, in the order of the environments; a missing one is left out', async () => {
    const { home } = instance;
    await instance.apply(
      anEnvironment(`${home}/canary`, { sortOrder: 0, enabled: false }),
      aProject(`${home}/choosy`, { environments: ['production', 'no-such', 'canary'] }),
    );
    const { body } = await instance.call('GET /projects/choosy');
    expect(body.environments).toEqual([{ environment: 'canary' }, { environment: 'production' }]);
  });

  test('an environment that is not enabled is in no project without a list', async () => {
    await instance.apply(anEnvironment(`${instance.home}/asleep`, { enabled: false }));
    const { body } = await instance.call('GET /projects/shop');
    expect(body.environments).not.toContainEqual({ environment: 'asleep' });
  });
});
