/** Which environments a project uses. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ProjectSpec } from '../../src/schema/project.ts';
import { aFlag, anEnvironment, aProject } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import type { Stored } from '../support/stored.ts';

let instance: Instance;
let round = 0;

beforeAll(async () => {
  instance = await startInstance('project-env');
  await instance.apply(anEnvironment(`${instance.home}/dormant`, { enabled: false, sortOrder: 3 }));
});
afterAll(() => instance.stop());

const on = { enabled: true, strategies: { all: { name: 'default' } } };

/** Creates a project for one test, and returns its id. */
async function project(spec: ProjectSpec = {}): Promise<string> {
  round += 1;
  const id = `project-${round}`;
  await instance.apply(aProject(`${instance.home}/${id}`, spec));
  return id;
}

const specOf = (id: string): Promise<Stored> => instance.specOf('project', `${instance.home}/${id}`);
const add = (id: string, environment: string) =>
  instance.call(`POST /projects/${id}/environments`, { body: { environment } });
const remove = (id: string, environment: string) => instance.call(`DELETE /projects/${id}/environments/${environment}`);
const used = async (id: string): Promise<string[]> =>
  (await instance.call(`GET /projects/${id}`)).body.environments.map(
    ({ environment }: { environment: string }) => environment,
  );

describe('add', () => {
  test('200 without a body; the project uses it, and its other fields stay', async () => {
    const id = await project({ displayName: 'Named', environments: ['production'] });
    const { status, text } = await add(id, 'development');
    expect([status, text]).toEqual([200, '']);
    expect(await used(id)).toEqual(['development', 'production']);
    expect(await specOf(id)).toEqual({ displayName: 'Named', environments: ['production', 'development'] });
  });

  test('flags of the project are off in it', async () => {
    const id = await project({ environments: ['production'] });
    await instance.apply(aFlag(`${instance.home}/of-${id}`, { project: id, environments: { production: on } }));
    await add(id, 'development');
    const { body } = await instance.call(`GET /projects/${id}/features/of-${id}`);
    expect(body.environments).toMatchObject([
      { name: 'development', enabled: false, strategies: [] },
      { name: 'production', enabled: true },
    ]);
  });

  test('one that is not enabled, to a project without a list: the project lists all that it uses from then on', async () => {
    const id = await project();
    expect((await add(id, 'dormant')).status).toBe(200);
    expect(await specOf(id)).toEqual({ environments: ['development', 'production', 'dormant'] });
  });

  test.each<[string, ProjectSpec]>([
    ['that lists it', { environments: ['production'] }],
    ['that lists none, as it uses all that are enabled', {}],
  ])('409 to a project %s', async (_, spec) => {
    const id = await project(spec);
    const refused = { status: 409, name: 'NameExistsError', body: { environment: 'production' } };
    const message = await instance.refuses(`POST /projects/${id}/environments`, refused);
    expect(message).toBe(`The project "${id}" already has the environment "production".`);
  });

  test('404 for an environment that does not exist, even if it is listed', async () => {
    const id = await project({ environments: ['production', 'nope'] });
    const refused = { status: 404, name: 'NotFoundError', body: { environment: 'nope' } };
    const message = await instance.refuses(`POST /projects/${id}/environments`, refused);
    expect(message).toBe('Could not find environment with name: nope');
  });

  test('404 for a project that does not exist, whatever the environment', async () => {
    const refused = { status: 404, name: 'NotFoundError', body: { environment: 'nope' } };
    const message = await instance.refuses('POST /projects/no-such/environments', refused);
    expect(message).toBe('There is no project with the id "no-such".');
  });

  test.each<[string, unknown]>([
    ['without an environment', {}],
    ['with a number', { environment: 5 }],
    ['that is a list', ['production']],
  ])('400 for a body %s', async (_, body) => {
    await instance.refuses('POST /projects/shop/environments', { status: 400, name: 'ValidationError', body });
  });
});

describe('remove', () => {
  test('200 without a body; the project does not use it any more, and its other fields stay', async () => {
    const id = await project({ description: 'd', environments: ['development', 'production', 'dormant'] });
    const { status, text } = await remove(id, 'production');
    expect([status, text]).toEqual([200, '']);
    expect(await used(id)).toEqual(['development', 'dormant']);
    expect(await specOf(id)).toEqual({ description: 'd', environments: ['development', 'dormant'] });
  });

  test('from a project without a list: the project lists the others from then on', async () => {
    const id = await project();
    expect((await remove(id, 'production')).status).toBe(200);
    expect(await specOf(id)).toEqual({ environments: ['development'] });
  });

  test('400 for the last one', async () => {
    const id = await project({ environments: ['production'] });
    const refused = { status: 400, name: 'MinimumOneEnvironmentError' };
    const message = await instance.refuses(`DELETE /projects/${id}/environments/production`, refused);
    expect(message).toBe(
      `A project must have at least one environment, and "production" is the last one of "${id}". Add another one first.`,
    );
  });

  test('400 for the last one that exists', async () => {
    const id = await project({ environments: ['production', 'nope'] });
    const refused = { status: 400, name: 'MinimumOneEnvironmentError' };
    await instance.refuses(`DELETE /projects/${id}/environments/production`, refused);
  });

  test('of two removals at once that would leave none, one is refused', async () => {
    const id = await project({ environments: ['development', 'production'] });
    const answers = await Promise.all([remove(id, 'development'), remove(id, 'production')]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400]);
    expect(await used(id)).toHaveLength(1);
  });

  test('a listed environment that does not exist can be removed from the list', async () => {
    const id = await project({ environments: ['production', 'nope'] });
    expect((await remove(id, 'nope')).status).toBe(200);
    expect(await specOf(id)).toEqual({ environments: ['production'] });
  });

  test.each([
    ['an environment that the project does not use', 'dormant'],
    ['an environment that does not exist', 'nope'],
    ['a name that every object has', 'constructor'],
  ])('404 for %s', async (_, environment) => {
    const id = await project();
    const refused = { status: 404, name: 'NotFoundError' };
    const message = await instance.refuses(`DELETE /projects/${id}/environments/${environment}`, refused);
    expect(message).toBe(`The project "${id}" does not have the environment "${environment}".`);
  });

  test('404 for a project that does not exist', async () => {
    const refused = { status: 404, name: 'NotFoundError' };
    await instance.refuses('DELETE /projects/no-such/environments/production', refused);
  });

  test('the configuration of flags stays: flags report the environment, are off there, and are on again with it', async () => {
    const id = await project({ environments: ['development', 'production'] });
    const place = `${instance.home}/of-${id}`;
    await instance.apply(aFlag(place, { project: id, environments: { development: on, production: on } }));
    const before = await instance.flag(place);

    await remove(id, 'production');
    const [problem] = (await recorded(place, 'False')).status.problems;
    expect(problem).toMatchObject({ path: 'spec.environments.production', reason: 'EnvironmentNotInProject' });
    const { body } = await instance.call(`GET /projects/${id}/features/of-${id}`);
    expect(body.environments).toMatchObject([{ name: 'development', enabled: true }]);

    await add(id, 'production');
    const after = await recorded(place, 'True');
    expect([after.spec, after.metadata.generation]).toEqual([before.spec, before.metadata.generation]);
    expect(after.status.enabledIn).toBe('development,production');
  });

  /** Resolves with the flag when its condition Ready has this status. */
  function recorded(place: string, ready: 'True' | 'False'): Promise<Stored> {
    return waitUntil({ what: `${place} has its condition Ready` }, async () => {
      const flag = await instance.flag(place);
      const condition = flag.status.conditions.find(({ type }: { type: string }) => type === 'Ready');
      return condition.status === ready && flag;
    });
  }
});

describe('the environments of a project', () => {
  test('every environment in order, whether the project uses it, and how many of its flags are on there', async () => {
    const id = await project({ environments: ['production', 'dormant'] });
    await instance.apply(
      aFlag(`${instance.home}/one-of-${id}`, { project: id, environments: { production: on, development: on } }),
      aFlag(`${instance.home}/two-of-${id}`, { project: id, environments: { production: on } }),
      aFlag(`${instance.home}/old-of-${id}`, { project: id, archived: true, environments: { production: on } }),
      aFlag(`${instance.home}/not-of-${id}`, { environments: { production: on } }),
    );
    const { status, body } = await instance.call(`GET /environments/project/${id}`);
    expect([status, body]).toEqual([
      200,
      {
        version: 1,
        environments: [
          {
            name: 'development',
            displayName: 'Development',
            type: 'development',
            enabled: false,
            protected: false,
            sortOrder: 1,
            freeze: null,
            visible: false,
            projectApiTokenCount: 0,
            projectEnabledToggleCount: 0,
          },
          {
            name: 'production',
            displayName: 'Production',
            type: 'production',
            enabled: true,
            protected: false,
            sortOrder: 2,
            freeze: null,
            visible: true,
            projectApiTokenCount: 0,
            projectEnabledToggleCount: 2,
          },
          {
            name: 'dormant',
            displayName: 'dormant',
            type: 'development',
            enabled: true,
            protected: false,
            sortOrder: 3,
            freeze: null,
            visible: true,
            projectApiTokenCount: 0,
            projectEnabledToggleCount: 0,
          },
        ],
      },
    ]);
  });

  test('404 for a project that does not exist', async () => {
    await instance.refuses('GET /environments/project/no-such', { status: 404, name: 'NotFoundError' });
  });
});
