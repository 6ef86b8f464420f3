/** GET …/features/:featureName: one flag with its environments. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FlagEnvironment } from '../../src/schema/feature-flag.ts';
import { aFlag, anEnvironment, aProject } from '../support/builders.ts';
import { type Instance, startInstance } from '../support/instance.ts';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance('read');
});
afterAll(() => instance.stop());

const read = async (name: string, query = '') => {
  const { status, body } = await instance.call(`GET /projects/shop/features/${name}${query}`);
  expect(status).toBe(200);
  return body;
};

const inProduction = async (name: string, production: FlagEnvironment) => {
  await instance.apply(aFlag(`${instance.home}/${name}`, { environments: { production } }));
  return (await read(name)).environments[1];
};

const everyone = { all: { name: 'default' } };

describe('fields', () => {
  test('a flag with an empty spec has the defaults, and is off without strategies everywhere', async () => {
    await instance.apply(aFlag(`${instance.home}/silent`));
    const { createdAt, lifecycle, ...rest } = await read('silent');
    expect(lifecycle).toEqual({ stage: 'initial', enteredStageAt: createdAt });
    const { metadata } = await instance.flag(`${instance.home}/silent`);
    expect(createdAt).toBe(metadata.creationTimestamp.replace('Z', '.000Z'));
    const off = { enabled: false, lastSeenAt: null, yes: 0, no: 0, strategies: [] };
    expect(rest).toEqual({
      name: 'silent',
      project: 'shop',
      description: '',
      type: 'release',
      stale: false,
      archived: false,
      archivedAt: null,
      lastSeenAt: null,
      impressionData: false,
      dependencies: [],
      children: [],
      variants: [],
      environments: [
        { name: 'development', type: 'development', sortOrder: 1, ...off },
        { name: 'production', type: 'production', sortOrder: 2, ...off },
      ],
    });
  });

  test('strategy: id, name, parameters, constraints, as they are written', async () => {
    const parameters = { rollout: 25, groupId: 'checkout', stickiness: 'userId', nested: { free: ['form'] } };
    const production = await inProduction('one-strategy', {
      enabled: true,
      strategies: {
        'staff-first': {
          name: 'flexibleRollout',
          title: 'Staff first',
          sortOrder: 3,
          parameters,
          constraints: [
            { contextName: 'userId', operator: 'IN', values: ['1', '2'] },
            { contextName: 'version', operator: 'SEMVER_GT', value: '1.2.3', inverted: true },
          ],
          variants: [{ name: 'blue' }],
        },
      },
    });
    expect(production.enabled).toBe(true);
    expect(production.strategies).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
        name: 'flexibleRollout',
        title: 'Staff first',
        disabled: false,
        sortOrder: 3,
        parameters,
        constraints: [
          { contextName: 'userId', operator: 'IN', values: ['1', '2'] },
          { contextName: 'version', operator: 'SEMVER_GT', value: '1.2.3', inverted: true, values: [] },
        ],
        variants: [{ name: 'blue', weight: 1000, weightType: 'variable', stickiness: 'default', overrides: [] }],
        segments: [],
      },
    ]);
  });

  test('constraints are empty and parameters are an object by default', async () => {
    const { strategies } = await inProduction('plain-strategy', { strategies: everyone });
    expect(strategies).toMatchObject([
      { name: 'default', parameters: {}, constraints: [], title: null, disabled: false },
    ]);
  });

  test('variants: the stored ones with weights that add up to 1000, ordered by name', async () => {
    await instance.apply(
      aFlag(`${instance.home}/varied`, {
        variants: [
          { name: 'c', payload: { type: 'json', value: '{"a":1}' } },
          { name: 'a', stickiness: 'userId', overrides: [{ contextName: 'userId', values: ['7'] }] },
          { name: 'b', weightType: 'fix', weight: 101 },
          { name: 'd', weight: 5 },
        ],
      }),
    );
    const { variants } = await read('varied');
    const defaults = { stickiness: 'default', overrides: [] };
    expect(variants).toEqual([
      {
        name: 'a',
        weight: 300,
        weightType: 'variable',
        stickiness: 'userId',
        overrides: [{ contextName: 'userId', values: ['7'] }],
      },
      { name: 'b', weight: 101, weightType: 'fix', ...defaults },
      { name: 'c', weight: 300, weightType: 'variable', payload: { type: 'json', value: '{"a":1}' }, ...defaults },
      { name: 'd', weight: 299, weightType: 'variable', ...defaults },
    ]);
  });

  test('variants of single environments join those of the flag; ?variantEnvironments=true shows the environments of each', async () => {
    await instance.apply(
      aFlag(`${instance.home}/varied-there`, {
        variants: [{ name: 'everywhere' }],
        environments: { production: { variants: [{ name: 'only-there' }] } },
      }),
    );
    const named = (list: { name: string }[]) => list.map(({ name }) => name);
    const plain = await read('varied-there');
    expect(named(plain.variants)).toEqual(['everywhere', 'only-there']);
    expect(plain.environments[0]).not.toHaveProperty('variants');
    const { environments } = await read('varied-there', '?variantEnvironments=true');
    expect(environments.map(({ variants }: { variants: { name: string }[] }) => named(variants))).toEqual([
      ['everywhere'],
      ['only-there'],
    ]);
  });
});

describe('environments', () => {
  test('every environment of the project in order, also those that the flag does not configure', async () => {
    const { home } = instance;
    await instance.apply(
      anEnvironment(`${home}/alpha`, { sortOrder: 30, enabled: false }),
      anEnvironment(`${home}/omega`, { sortOrder: 0, enabled: false }),
      aProject(`${home}/wide`, { environments: ['alpha', 'production', 'omega'] }),
      aFlag(`${home}/wide-flag`, { project: 'wide', environments: { alpha: { enabled: true, strategies: everyone } } }),
    );
    const { body } = await instance.call('GET /projects/wide/features/wide-flag');
    expect(body.environments.map(({ name, enabled, strategies }: never) => [name, enabled, strategies])).toMatchObject([
      ['omega', false, []],
      ['production', false, []],
      ['alpha', true, [{ name: 'default' }]],
    ]);
  });

  test('an environment that the project does not use does not appear', async () => {
    const { home } = instance;
    await instance.apply(
      aProject(`${home}/narrow`, { environments: ['production'] }),
      aFlag(`${home}/narrow-flag`, { project: 'narrow', environments: { development: { strategies: everyone } } }),
    );
    const { body } = await instance.call('GET /projects/narrow/features/narrow-flag');
    expect(body.environments).toMatchObject([{ name: 'production' }]);
  });

  test('strategies by sortOrder, then by key', async () => {
    const { strategies } = await inProduction('ordered', {
      strategies: {
        a: { name: 'default', title: 'third', sortOrder: 2 },
        z: { name: 'default', title: 'first' },
        c: { name: 'default', title: 'fourth', sortOrder: 2 },
        b: { name: 'default', title: 'second', sortOrder: 1 },
      },
    });
    expect(strategies.map(({ title }: { title: string }) => title)).toEqual(['first', 'second', 'third', 'fourth']);
  });

  test('a strategy key that is a UUID is the id; any other gives one that stays, and differs by flag and environment', async () => {
    const uuid = '11111111-2222-4333-8444-555555555555';
    const strategies = { [uuid]: { name: 'default' }, rest: { name: 'default' } };
    await instance.apply(
      aFlag(`${instance.home}/ids-one`, { environments: { production: { strategies }, development: { strategies } } }),
      aFlag(`${instance.home}/ids-two`, { environments: { production: { strategies } } }),
    );
    const idsOf = ({ strategies: all }: { strategies: { id: string }[] }) => all.map(({ id }) => id);
    const one = (await read('ids-one')).environments.map(idsOf);
    const two = (await read('ids-two')).environments.map(idsOf);
    expect([one[0][0], one[1][0], two[1][0]]).toEqual([uuid, uuid, uuid]);
    expect(new Set([one[0][1], one[1][1], two[1][1]]).size).toBe(3);
    await instance.apply(
      aFlag(`${instance.home}/ids-two`, { stale: true, environments: { production: { strategies } } }),
    );
    expect((await read('ids-two')).environments.map(idsOf)).toEqual(two);
  });

  test('enabled is the state in effect', async () => {
    const cases: readonly (readonly [string, FlagEnvironment, boolean])[] = [
      ['on-with-a-strategy', { enabled: true, strategies: everyone }, true],
      ['on-without-strategies', { enabled: true }, false],
      ['on-but-disabled', { enabled: true, strategies: { a: { name: 'default', disabled: true } } }, false],
      ['on-of-no-type', { enabled: true, strategies: { a: { name: 'no-such' } } }, false],
      ['off-with-a-strategy', { enabled: false, strategies: everyone }, false],
      ['silent-about-it', { strategies: everyone }, false],
    ];
    await instance.apply(
      ...cases.map(([name, production]) => aFlag(`${instance.home}/${name}`, { environments: { production } })),
    );
    for (const [name, , enabled] of cases)
      expect([name, (await read(name)).environments[1].enabled]).toEqual([name, enabled]);
  });
});

describe('changes by kubectl are shown', () => {
  test('an edit of a flag', async () => {
    const { home, cluster } = instance;
    await instance.apply(aFlag(`${home}/patched`, { environments: { production: { strategies: everyone } } }));
    const patch = { spec: { description: 'by kubectl', environments: { production: { enabled: true } } } };
    await cluster.patchObject('ff/patched', home, patch);
    await instance.flag(`${home}/patched`);
    const { description, environments } = await read('patched');
    expect([description, environments[1].enabled]).toEqual(['by kubectl', true]);
  });

  test('a new environment appears on unchanged flags', async () => {
    const { home } = instance;
    await instance.apply(aFlag(`${home}/watching`));
    const before = await read('watching');
    await instance.apply(anEnvironment(`${home}/latest`, { sortOrder: 99 }));
    const after = await read('watching');
    expect(after.environments).toEqual([...before.environments, expect.objectContaining({ name: 'latest' })]);
  });
});

describe('404 NotFoundError', () => {
  const missing = { status: 404, name: 'NotFoundError' };

  test('for a flag that does not exist', async () => {
    const message = await instance.refuses('GET /projects/shop/features/no-such', missing);
    expect(message).toBe('There is no flag named "no-such" in project "shop".');
  });

  test('for a flag of another project, whose id is not disclosed', async () => {
    await instance.apply(aFlag(`${instance.other}/of-pay`, { project: 'pay' }));
    const message = await instance.refuses('GET /projects/shop/features/of-pay', missing);
    expect(message).not.toContain('"pay"');
  });

  test('for an archived flag, and the message says that it is archived', async () => {
    await instance.apply(aFlag(`${instance.home}/stowed`, { archived: true }));
    expect(await instance.refuses('GET /projects/shop/features/stowed', missing)).toContain('It is archived.');
  });

  test('for a flag whose project is in another namespace', async () => {
    await instance.apply(aFlag(`${instance.other}/astray`, { project: 'shop' }));
    await instance.refuses('GET /projects/shop/features/astray', missing);
  });

  test('for a flag in a project that does not exist', async () => {
    await instance.refuses('GET /projects/no-such/features/silent', missing);
  });

  test('for a name in another case', async () => {
    await instance.apply(aFlag(`${instance.home}/mixed-case`, { name: 'MixedCase' }));
    await instance.refuses('GET /projects/shop/features/mixedcase', missing);
    await instance.refuses('GET /projects/shop/features/mixed-case', missing);
  });
});
