/** Environments: the list, reading one, switching one on and off. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
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
        freeze: null,
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
        freeze: null,
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
        freeze: null,
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
        freeze: null,
        projectCount: 2,
        apiTokenCount: 0,
        enabledToggleCount: 0,
      },
    ],
  });
});

test('an environment in a watched namespace other than the operator namespace is ignored', async () => {
  const { other, cluster } = instance;
  await cluster.apply([anEnvironment(`${other}/elsewhere`)]);
  await instance.apply(aFlag(`${other}/knows-no-elsewhere`, { project: 'pay', environments: { elsewhere: on } }));
  expect((await instance.call('GET /environments')).text).not.toContain('elsewhere');
  const { status } = await instance.flag(`${other}/knows-no-elsewhere`);
  expect(status.problems[0]).toMatchObject({ reason: 'EnvironmentNotFound', path: 'spec.environments.elsewhere' });
});

describe('one environment', () => {
  test('is equal to its item in the list, with every field of the specification', async () => {
    const { body } = await instance.call('GET /environments');
    for (const listed of body.environments) {
      const one = await instance.call(`GET /environments/${listed.name}`);
      expect([one.status, one.body]).toEqual([200, listed]);
    }
  });

  test('is found only by its name on the wire', async () => {
    await instance.apply(anEnvironment(`${instance.home}/its-object`, { name: "Odd.One_1!~*'()" }));
    expect((await instance.call("GET /environments/Odd.One_1!~*'()")).status).toBe(200);
    expect((await instance.call('GET /environments/its-object')).status).toBe(404);
  });

  test.each(['GET /environments/nope', 'POST /environments/nope/on', 'POST /environments/nope/off'])(
    '%s: 404, the message names it',
    async (request) => {
      const message = await instance.refuses(request, { status: 404, name: 'NotFoundError' });
      expect(message).toBe('Could not find environment with name: nope');
    },
  );

  test.each(['sort-order', 'project', 'on'])('%s is an allowed name', async (name) => {
    await instance.apply(anEnvironment(`${instance.home}/${name}`));
    expect((await instance.call(`GET /environments/${name}`)).body.name).toBe(name);
    expect((await instance.call(`POST /environments/${name}/off`)).status).toBe(204);
    expect((await instance.call(`GET /environments/${name}`)).body.enabled).toBe(false);
  });
});

describe('on and off', () => {
  const enabledOf = async (name: string) => (await instance.call(`GET /environments/${name}`)).body.enabled;
  const usedByAll = async (name: string) =>
    (await instance.call('GET /projects/shop')).body.environments.some(
      ({ environment }: { environment: string }) => environment === name,
    );

  test('204 without a body; only the switch is written, and projects that list no environment follow it', async () => {
    const place = `${instance.home}/turned`;
    await instance.apply(anEnvironment(place, { type: 'test', sortOrder: 20 }));
    expect([await enabledOf('turned'), await usedByAll('turned')]).toEqual([true, true]);
    const off = await instance.call('POST /environments/turned/off');
    expect([off.status, off.text]).toEqual([204, '']);
    expect([await enabledOf('turned'), await usedByAll('turned')]).toEqual([false, false]);
    expect(await instance.specOf('environment', place)).toEqual({ type: 'test', sortOrder: 20, enabled: false });
    const on = await instance.call('POST /environments/turned/on');
    expect([on.status, on.text]).toEqual([204, '']);
    expect([await enabledOf('turned'), await usedByAll('turned')]).toEqual([true, true]);
    expect(await instance.specOf('environment', place)).toEqual({ type: 'test', sortOrder: 20, enabled: true });
  });

  test('off does not change the projects that list the environment, and the flags stay on there', async () => {
    const { home } = instance;
    await instance.apply(
      anEnvironment(`${home}/listed`),
      aProject(`${home}/lists-it`, { environments: ['listed'] }),
      aFlag(`${home}/stays-on`, { project: 'lists-it', environments: { listed: on } }),
    );
    await instance.call('POST /environments/listed/off');
    const { body } = await instance.call('GET /projects/lists-it/features/stays-on');
    expect(body.environments).toMatchObject([{ name: 'listed', enabled: true }]);
  });

  test('on for an environment that is on by default, and repeated calls: nothing is written', async () => {
    await instance.apply(
      anEnvironment(`${instance.home}/silent`),
      anEnvironment(`${instance.home}/dark`, { enabled: false }),
    );
    expect((await instance.untouched('POST /environments/silent/on')).status).toBe(204);
    expect((await instance.untouched('POST /environments/dark/off')).status).toBe(204);
  });

  test.each([
    ['off', true],
    ['on', false],
  ])('%s has no effect on a protected environment: 204, nothing is written', async (position, enabled) => {
    await instance.apply(anEnvironment(`${instance.home}/kept-${position}`, { protected: true, enabled }));
    expect((await instance.untouched(`POST /environments/kept-${position}/${position}`)).status).toBe(204);
    expect(await enabledOf(`kept-${position}`)).toBe(enabled);
  });
});

describe('the order', () => {
  const place = (name: string) => `${instance.home}/${name}`;
  const orderOf = async (...names: string[]) =>
    (await instance.call('GET /environments')).body.environments
      .map(({ name }: { name: string }) => name)
      .filter((name: string) => names.includes(name));

  test('200 without a body; environments that are not named keep their place', async () => {
    await instance.apply(
      anEnvironment(place('first'), { sortOrder: 101 }),
      anEnvironment(place('second'), { sortOrder: 102, type: 'test' }),
      anEnvironment(place('third'), { sortOrder: 103 }),
    );
    const { status, text } = await instance.call('PUT /environments/sort-order', { body: { first: 105, second: 104 } });
    expect([status, text]).toEqual([200, '']);
    expect(await orderOf('first', 'second', 'third')).toEqual(['third', 'second', 'first']);
    expect(await instance.specOf('environment', place('second'))).toEqual({ sortOrder: 104, type: 'test' });
    expect(await instance.specOf('environment', place('third'))).toEqual({ sortOrder: 103 });
  });

  test.each([
    ['none is named', {}],
    ['all have their places already', { development: 1, production: 2 }],
  ])('if %s, nothing is written', async (_, body) => {
    expect((await instance.untouched('PUT /environments/sort-order', { body })).status).toBe(200);
  });

  test('9999 is the default of an environment: nothing is written', async () => {
    await instance.apply(anEnvironment(place('placeless')));
    const { status } = await instance.untouched('PUT /environments/sort-order', { body: { placeless: 9999 } });
    expect(status).toBe(200);
  });

  test('404 names all missing environments, and nothing is written', async () => {
    const body = { development: 5, 'no-such': 1, constructor: 2 };
    const refused = { status: 404, name: 'NotFoundError', body };
    const message = await instance.refuses('PUT /environments/sort-order', refused);
    expect(message).toBe('Could not find environments with names: no-such, constructor');
    const one = { ...refused, body: { development: 5, 'no-such': 1 } };
    expect(await instance.refuses('PUT /environments/sort-order', one)).toBe(
      'Could not find environment with name: no-such',
    );
  });

  test('__proto__ as a name is refused, and nothing is written', async () => {
    const body = '{"__proto__":{"development":5}}';
    await instance.refuses('PUT /environments/sort-order', { status: 400, name: 'ValidationError', body });
  });

  test.each<[string, unknown, string]>([
    ['a place that is no number', { development: 5, production: 'last' }, '`production` property must be number'],
    ['a place below 0', { development: -1 }, '`development` property must not be smaller than 0'],
    [
      'a place beyond 32 bits',
      { development: 2147483648 },
      '`development` property must not be larger than 2147483647',
    ],
    ['a list', ['development'], 'The body must be record'],
  ])('400 for %s, nothing is written', async (_, body, want) => {
    const refused = { status: 400, name: 'ValidationError', body };
    expect(await instance.refuses('PUT /environments/sort-order', refused)).toContain(want);
  });
});

test('the manifest is the stored object: disabled, protected, with its freezes', async () => {
  const { home } = instance;
  const freezes = [{ name: 'launch', from: '2090-11-20T00:00:00Z', until: '2090-12-01T00:00:00Z', reason: 'Launch' }];
  const spec = { name: 'The.Stage', enabled: false, protected: true, sortOrder: 8, freezes };
  await instance.apply(anEnvironment(`${home}/stage`, spec));
  const headers = { accept: 'application/yaml' };
  const { status, text, headers: answered } = await instance.call('GET /environments/The.Stage', { headers });
  expect([status, answered.get('content-type')]).toEqual([200, 'application/yaml; charset=utf-8']);
  expect(answered.get('vary')).toContain('Accept');
  const metadata = { name: 'stage', namespace: home };
  expect(parse(text)).toEqual({ apiVersion: 'vexil.dev/v1beta1', kind: 'Environment', metadata, spec });
});
