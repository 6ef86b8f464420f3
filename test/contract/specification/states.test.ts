/** Chapter "States and transitions": each row of the table, as state, trigger, condition and next state. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FlagSpec } from '../../../src/schema/feature-flag.ts';
import type { ProjectSpec } from '../../../src/schema/project.ts';
import { aFlag, aProject, aUser } from '../../support/builders.ts';
import { type Instance, startInstance } from '../../support/instance.ts';
import type { Stored } from '../../support/stored.ts';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance('states');
  const { home } = instance;
  await instance.apply(aUser(`${home}/ada`, { id: 7 }), aUser(`${home}/lin`, { id: 8 }));
});
afterAll(() => instance.stop());

const strategies = { all: { name: 'default' } };
const path = (name: string) => `/projects/shop/features/${name}`;
const switchOf = (name: string) => `${path(name)}/environments/production`;
const have = (name: string, spec: FlagSpec) => instance.apply(aFlag(`${instance.home}/${name}`, spec));
const stored = (name: string): Promise<Stored> => instance.flag(`${instance.home}/${name}`);

/** The switch in the custom resource, the state in effect by its status, and the answer of GET, in that order. */
async function positions(name: string): Promise<readonly unknown[]> {
  const { spec, status } = await stored(name);
  const { body } = await instance.call(`GET ${path(name)}`);
  const answered = body.environments.find((one: Stored) => one.name === 'production').enabled;
  return [spec.environments.production.enabled, status.environments.production.enabled, answered];
}

describe('State: flag disabled in environment E', () => {
  test('POST …/on, the flag has at least one strategy in E → enabled in E, response 200', async () => {
    await have('on', { environments: { production: { enabled: false, strategies } } });
    const { status, text } = await instance.call(`POST ${switchOf('on')}/on`);
    expect([status, text]).toEqual([200, '']);
    expect(await positions('on')).toEqual([true, true, true]);
  });

  test('POST …/on, the flag has no strategies in E → disabled in E, 409', async () => {
    await have('bare', { environments: { production: { enabled: false } } });
    await instance.refuses(`POST ${switchOf('bare')}/on`, { status: 409, name: 'CannotEnableError' });
    expect(await positions('bare')).toEqual([false, false, false]);
  });
});

describe('State: flag enabled in environment E', () => {
  test('POST …/off → disabled in E, response 200', async () => {
    await have('off', { environments: { production: { enabled: true, strategies } } });
    const { status, text } = await instance.call(`POST ${switchOf('off')}/off`);
    expect([status, text]).toEqual([200, '']);
    expect(await positions('off')).toEqual([false, false, false]);
  });
});

describe('State: flag not archived', () => {
  test('DELETE flag → archived, response 202', async () => {
    await have('retired', { environments: { production: { enabled: true, strategies } } });
    const { status, text } = await instance.call(`DELETE ${path('retired')}`);
    expect([status, text]).toEqual([202, '']);
    expect((await stored('retired')).spec.archived).toBe(true);
    const { body } = await instance.call('GET /archive/features/shop');
    expect(body.features).toContainEqual(expect.objectContaining({ name: 'retired', archived: true }));
  });

  describe('clone, source flag is not archived', () => {
    const source: FlagSpec = {
      variants: [{ name: 'blue' }, { name: 'red', weightType: 'fix', weight: 100 }],
      environments: {
        development: { enabled: true, strategies },
        production: {
          enabled: true,
          strategies: { first: { name: 'flexibleRollout', parameters: { rollout: 5 } }, last: { name: 'default' } },
        },
      },
    };

    test('→ source unchanged', async () => {
      await have('unmoved', source);
      const before = await stored('unmoved');
      await instance.call(`POST ${path('unmoved')}/clone`, { body: { name: 'copy-of-unmoved' } });
      expect(await stored('unmoved')).toEqual(before);
    });

    test('→ new flag exists, disabled in all environments, with copies of all strategies and variants', async () => {
      await have('source', source);
      const { status } = await instance.call(`POST ${path('source')}/clone`, { body: { name: 'copy' } });
      expect(status).toBe(201);
      const [original, copy] = await Promise.all(
        ['source', 'copy'].map(async (name) => (await instance.call(`GET ${path(name)}`)).body),
      );
      expect(copy.environments.map((one: Stored) => one.enabled)).toEqual([false, false]);
      expect(copy.variants).toEqual(original.variants);
      const withoutIds = ({ environments }: Stored) =>
        environments.map((one: Stored) => one.strategies.map(({ id: _, ...strategy }: Stored) => strategy));
      expect(withoutIds(copy)).toEqual(withoutIds(original));
      expect((await stored('copy')).status.enabledIn).toBeUndefined();
    });
  });
});

describe('State: flag archived', () => {
  test('clone → unchanged, clone is refused', async () => {
    await have('stowed', { archived: true, environments: { production: { strategies } } });
    const before = await stored('stowed');
    const refused = { status: 404, name: 'NotFoundError', body: { name: 'copy-of-stowed' } };
    expect(await instance.refuses(`POST ${path('stowed')}/clone`, refused)).toContain('archived');
    expect(await stored('stowed')).toEqual(before);
    expect(await instance.flagsNamed('copy-of-stowed')).toEqual([]);
  });
});

/** Creates the project, makes the call, and returns the status with the members afterwards. */
async function asked(id: string, members: NonNullable<ProjectSpec['members']>, request: string) {
  await instance.apply(aProject(`${instance.home}/${id}`, { members }));
  const [method, place] = request.split(' ');
  const { status, text } = await instance.call(`${method} /projects/${id}/${place}`);
  const { members: after } = await instance.specOf('project', `${instance.home}/${id}`);
  const { body } = await instance.call(`GET /projects/${id}`);
  expect(body.members).toBe(Object.keys(after).length);
  return { status, isEmpty: text === '', members: after };
}

describe('State: project member with role R', () => {
  const both = { ada: 'owner', lin: 'member' };

  test('DELETE user role, role in URL equals the role and the member is not the only owner → not a member, 200', async () => {
    const member = await asked('leaving', both, 'DELETE users/8/roles/5');
    expect(member).toEqual({ status: 200, isEmpty: true, members: { ada: 'owner' } });
    const owner = await asked('leaving-owner', { ada: 'owner', lin: 'owner' }, 'DELETE users/8/roles/4');
    expect(owner).toEqual({ status: 200, isEmpty: true, members: { ada: 'owner' } });
  });

  test('DELETE user role, the member is the only owner → member with role R, 400', async () => {
    const { status, members } = await asked('staying', both, 'DELETE users/7/roles/4');
    expect([status, members]).toEqual([400, both]);
  });

  test('PUT user role, target is not the only owner → member with the new role, 200', async () => {
    const member = await asked('rising', both, 'PUT users/8/roles/4');
    expect(member).toEqual({ status: 200, isEmpty: true, members: { ada: 'owner', lin: 'owner' } });
    const owner = await asked('stepping-down', { ada: 'owner', lin: 'owner' }, 'PUT users/7/roles/5');
    expect(owner).toEqual({ status: 200, isEmpty: true, members: { ada: 'member', lin: 'owner' } });
  });

  test('PUT user role, the member is the only owner → unchanged, 400', async () => {
    const { status, members } = await asked('bound', both, 'PUT users/7/roles/5');
    expect([status, members]).toEqual([400, both]);
  });
});

describe('State: not a member', () => {
  test('POST user role → member with given role, 200', async () => {
    const { status, members } = await asked('joining', { ada: 'owner' }, 'POST users/8/roles/5');
    expect([status, members]).toEqual([200, { ada: 'owner', lin: 'member' }]);
  });

  test('PUT user role → not a member, nothing happens', async () => {
    const { status, members } = await asked('outside', { ada: 'owner' }, 'PUT users/8/roles/5');
    expect([status, members]).toEqual([200, { ada: 'owner' }]);
  });
});

describe('State: member', () => {
  test('POST user role, user already in project → unchanged, 400', async () => {
    for (const role of [4, 5]) {
      const members = { ada: 'owner', lin: 'member' };
      const after = await asked(`twice-${role}`, members, `POST users/8/roles/${role}`);
      expect([after.status, after.members]).toEqual([400, members]);
    }
  });
});
