/** The list of environments. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { aFlag, anEnvironment, aProject } from '../support/builders.ts';
import { type Instance, startInstance } from '../support/instance.ts';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance('environments');
});
afterAll(() => instance.stop());

const on = { enabled: true, strategies: { all: { name: 'default' } } };

test('lower sortOrder first, each with every field of the specification', async () => {
  const { home } = instance;
  await instance.apply(
    anEnvironment(`${home}/staging`, { type: 'pre-production', protected: true, enabled: false, sortOrder: 7 }),
    anEnvironment(`${home}/sandbox`, { name: 'Sand.Box' }),
    aProject(`${home}/uses-staging`, { environments: ['staging'] }),
    aFlag(`${home}/on-in-both`, { environments: { production: on, development: on } }),
    aFlag(`${home}/on-in-one`, { environments: { production: on, development: { ...on, enabled: false } } }),
    aFlag(`${home}/on-but-archived`, { archived: true, environments: { production: on } }),
    aFlag(`${home}/on-without-strategy`, { environments: { production: { enabled: true } } }),
  );
  const { status, body } = await instance.call('GET /environments');
  expect(status).toBe(200);
  expect(body).toEqual({
    version: 1,
    environments: [
      {
        name: 'development',
        displayName: 'Development',
        type: 'development',
        enabled: true,
        protected: false,
        sortOrder: 1,
        projectCount: 2,
        apiTokenCount: 0,
        enabledToggleCount: 1,
      },
      {
        name: 'production',
        displayName: 'Production',
        type: 'production',
        enabled: true,
        protected: false,
        sortOrder: 2,
        projectCount: 2,
        apiTokenCount: 0,
        enabledToggleCount: 2,
      },
      {
        name: 'staging',
        displayName: 'staging',
        type: 'pre-production',
        enabled: false,
        protected: true,
        sortOrder: 7,
        projectCount: 1,
        apiTokenCount: 0,
        enabledToggleCount: 0,
      },
      {
        name: 'Sand.Box',
        displayName: 'Sand.Box',
        type: 'development',
        enabled: true,
        protected: false,
        sortOrder: 9999,
        projectCount: 2,
        apiTokenCount: 0,
        enabledToggleCount: 0,
      },
    ],
  });
});

test('an environment in a watched namespace that is not home is not one', async () => {
  const { other, cluster } = instance;
  const input = JSON.stringify(anEnvironment(`${other}/elsewhere`));
  await cluster.kubectlOrThrow(['apply', '-f', '-'], { input });
  await instance.apply(aFlag(`${other}/knows-no-elsewhere`, { project: 'pay', environments: { elsewhere: on } }));
  expect((await instance.call('GET /environments')).text).not.toContain('elsewhere');
  const { status } = await instance.flag(`${other}/knows-no-elsewhere`);
  expect(status.problems[0]).toMatchObject({ reason: 'EnvironmentNotFound', path: 'spec.environments.elsewhere' });
});
