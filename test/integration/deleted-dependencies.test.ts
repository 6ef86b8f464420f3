/** A project or an environment of flags is deleted: the flags report it, are off, and recover when it returns. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aFlag, anEnvironment, aProject, type Manifest } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { expectHealthyStatus } from '../support/expect-healthy-status.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import type { Stored } from '../support/stored.ts';
import { QUICK_COUNTS } from '../support/timings.ts';

let instance: Instance;
let home: string;

beforeAll(async () => {
  instance = await startInstance('deleted', { settings: QUICK_COUNTS });
  home = instance.home;
});
afterAll(() => instance.stop());

const on = { enabled: true, strategies: { all: { name: 'default' } } };

const remove = ({ kind, metadata }: Manifest) =>
  instance.cluster.deleteObject(`${kind}/${metadata.name}`, metadata.namespace);

const readyOf = ({ status }: Stored) => status.conditions.find(({ type }: Stored) => type === 'Ready');

/** Resolves with the flag when its condition Ready has this reason. */
function recorded(place: string, reason: string): Promise<Stored> {
  return waitUntil({ what: `${place} is ${reason}` }, async () => {
    const flag = await instance.flag(place);
    return readyOf(flag).reason === reason && flag;
  });
}

/** The environments in which a flag of the project is on, by the admin API. */
async function onIn(project: string, name: string): Promise<string[]> {
  const { status, body } = await instance.call(`GET /projects/${project}/features/${name}`);
  if (status === 404) return [];
  return body.environments.flatMap((one: Stored) => (one.enabled ? [one.name] : []));
}

const countOf = async (environment: string) => {
  const { body } = await instance.call('GET /environments');
  return body.environments.find(({ name }: Stored) => name === environment)?.enabledToggleCount;
};

describe('an environment', () => {
  test('its flags name the missing one, are off in it and on elsewhere, and are on again when it returns', async () => {
    const fleeting = anEnvironment(`${home}/fleeting`);
    const place = `${home}/loyal`;
    await instance.apply(fleeting, aFlag(place, { environments: { production: on, fleeting: on } }));
    const before = await recorded(place, 'Succeeded');
    expect(before.status.enabledIn).toBe('production,fleeting');

    await remove(fleeting);
    const off = await recorded(place, 'EnvironmentNotFound');
    const path = 'spec.environments.fleeting';
    const message = 'there is no environment "fleeting": create it or remove this entry';
    expect(off.status.problems).toEqual([{ severity: 'Error', path, reason: 'EnvironmentNotFound', message }]);
    expect(readyOf(off)).toMatchObject({ status: 'False', message: `${path}: ${message}` });
    expect([off.status.enabledIn, off.status.environments.fleeting.enabled]).toEqual(['production', false]);
    expectHealthyStatus(off);
    expect(await onIn('shop', 'loyal')).toEqual(['production']);
    expect((await instance.call('POST /projects/shop/features/loyal/environments/fleeting/on')).status).toBe(404);

    await instance.apply(fleeting);
    const after = await recorded(place, 'Succeeded');
    expect(after.status).toMatchObject({ enabledIn: 'production,fleeting', environments: before.status.environments });
    expect(after.status.problems).toBeUndefined();
    expect(await onIn('shop', 'loyal')).toEqual(['production', 'fleeting']);
    expect(await countOf('fleeting')).toBe(1);
    expect([after.spec, after.metadata.generation]).toEqual([before.spec, before.metadata.generation]);
  });

  test('that a project lists: the project names it too, and is ready again when it returns', async () => {
    const listed = anEnvironment(`${home}/listed`);
    const place = `${home}/of-lister`;
    await instance.apply(
      listed,
      aProject(`${home}/lister`, { environments: ['listed', 'production'] }),
      aFlag(place, { project: 'lister', environments: { listed: on } }),
    );
    await recorded(place, 'Succeeded');
    const projectIs = (reason: string) =>
      waitUntil({ what: `the project is ${reason}` }, async () => {
        const project = await instance.cluster.getObject('fp/lister', home);
        return readyOf(project).reason === reason && project;
      });

    await remove(listed);
    await recorded(place, 'EnvironmentNotFound');
    const { status } = await projectIs('EnvironmentNotFound');
    expect(status.problems[0].message).toBe('there is no environment "listed": create it or remove it from the list');
    expect(await onIn('lister', 'of-lister')).toEqual([]);

    await instance.apply(listed);
    await recorded(place, 'Succeeded');
    expect((await projectIs('Succeeded')).metadata.generation).toBe(1);
    expect(await onIn('lister', 'of-lister')).toEqual(['listed']);
  });
});

describe('a project', () => {
  test('its flags report it, are on nowhere and not served, and are on again when it returns', async () => {
    const project = aProject(`${home}/passing`, { description: 'here today' });
    const places = ['steady-1', 'steady-2'].map((name) => `${home}/${name}`);
    const environments = { production: on, development: on };
    await instance.apply(project, ...places.map((place) => aFlag(place, { project: 'passing', environments })));
    const before = await Promise.all(places.map((place) => recorded(place, 'Succeeded')));
    const count = await countOf('production');

    await remove(project);
    const path = 'spec.project';
    const message = `there is no project "passing" in namespace ${home}: create it there`;
    for (const place of places) {
      const off = await recorded(place, 'ProjectNotFound');
      expect(off.status.problems).toEqual([{ severity: 'Error', path, reason: 'ProjectNotFound', message }]);
      expect(readyOf(off)).toMatchObject({ status: 'False', message: `${path}: ${message}` });
      expect(off.status.enabledIn).toBeUndefined();
      expect(Object.values(off.status.environments)).toEqual([
        { enabled: false, strategies: 1 },
        { enabled: false, strategies: 1 },
      ]);
      expectHealthyStatus(off);
    }
    const flag = '/projects/passing/features/steady-1';
    for (const request of [`GET ${flag}`, 'GET /projects/passing', `POST ${flag}/environments/production/on`]) {
      await instance.refuses(request, { status: 404, name: 'NotFoundError' });
    }
    expect(await countOf('production')).toBe(count - 2);

    await instance.apply(project);
    for (const [index, place] of places.entries()) {
      const after = await recorded(place, 'Succeeded');
      expect(after.status.enabledIn).toBe('development,production');
      expect([after.spec, after.metadata.generation]).toEqual([before[index].spec, before[index].metadata.generation]);
    }
    expect(await onIn('passing', 'steady-1')).toEqual(['development', 'production']);
    expect(await countOf('production')).toBe(count);
  });

  test('that returns without one of the environments: the flags are off only in that one', async () => {
    const place = `${home}/half-back`;
    const project = aProject(`${home}/narrower`);
    await instance.apply(
      project,
      aFlag(place, { project: 'narrower', environments: { production: on, development: on } }),
    );
    await recorded(place, 'Succeeded');
    await remove(project);
    await recorded(place, 'ProjectNotFound');
    await instance.apply(aProject(`${home}/narrower`, { environments: ['production'] }));
    const half = await recorded(place, 'EnvironmentNotInProject');
    expect(half.status.enabledIn).toBe('production');
    expect(await onIn('narrower', 'half-back')).toEqual(['production']);
  });
});

test('both at once: the flags come back when both have returned, in whatever order', async () => {
  const environment = anEnvironment(`${home}/both`);
  const project = aProject(`${home}/both`, { environments: ['both'] });
  const place = `${home}/patient`;
  await instance.apply(environment, project, aFlag(place, { project: 'both', environments: { both: on } }));
  await recorded(place, 'Succeeded');
  await Promise.all([remove(environment), remove(project)]);
  await waitUntil({ what: 'both are missed' }, async () => {
    const reasons = (await instance.flag(place)).status.problems?.map(({ reason }: Stored) => reason) ?? [];
    return reasons.join() === 'ProjectNotFound,EnvironmentNotFound';
  });
  await instance.apply(project);
  await recorded(place, 'EnvironmentNotFound');
  await instance.apply(environment);
  const { status, metadata } = await recorded(place, 'Succeeded');
  expect([status.enabledIn, metadata.generation]).toEqual(['both', 1]);
});
