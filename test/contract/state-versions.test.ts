/** POST /state/import of documents of each version, including the sample of the specification. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { anEnvironment, aProject } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import type { Stored } from '../support/stored.ts';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance('versions');
  const { home, apply } = instance;
  await apply(anEnvironment(`${home}/default`, { sortOrder: 5 }), aProject(`${home}/default`));
});
afterAll(() => instance.stop());

const IMPORT = 'POST /state/import';

/** The configuration of the flag in every environment, as an export of only this flag has it. */
async function rowsOf(name: string): Promise<Stored> {
  const { body } = await instance.call('GET /state/export');
  const of = ({ featureName }: Stored) => featureName === name;
  return {
    flag: body.features.find((one: Stored) => one.name === name),
    strategies: body.featureStrategies.filter(of),
    environments: body.featureEnvironments.filter(of),
    tags: body.featureTags.filter(of),
  };
}
const accepted = async (body: unknown, query = '') => {
  const answer = await instance.call(`${IMPORT}${query}`, { body });
  expect([answer.status, answer.text]).toEqual([202, 'Accepted']);
};
const spec = async (name: string) => (await instance.flagNamed(name)).spec;

describe('documents of each version', () => {
  const strategy = { name: 'flexibleRollout', parameters: { rollout: 50, groupId: 'g', stickiness: 'default' } };

  test("the specification's: a flag with switch, strategies and variants, in the environment default", async () => {
    const flag = {
      name: 'of-spec',
      description: 'd',
      enabled: true,
      strategies: [strategy],
      variants: [{ name: 'a', weight: 1000 }],
    };
    const type = {
      name: 'spec-type',
      description: 'd',
      parameters: [{ name: 'p', type: 'string', description: 'd', required: false }],
    };
    await accepted({ features: [flag], strategies: [type] });
    expect(await spec('of-spec')).toEqual({
      project: 'default',
      description: 'd',
      environments: {
        default: { enabled: true, strategies: { 'imported-1': strategy }, variants: [{ name: 'a' }] },
      },
    });
    const shown = await instance.call('GET /strategies/spec-type');
    expect(shown.body).toMatchObject({ name: 'spec-type', description: 'd', parameters: type.parameters });
  });

  test('version 1, with the environment that the query names, and tags by their old names', async () => {
    const document = {
      version: 1,
      features: [
        {
          name: 'of-one',
          project: 'shop',
          type: 'experiment',
          stale: true,
          strategies: [strategy, strategy],
          enabled: false,
        },
      ],
      tagTypes: [{ name: 'simple', description: 'd', icon: '#' }],
      tags: [{ type: 'simple', value: 'old' }],
      featureTags: [{ featureName: 'of-one', type: 'simple', value: 'old' }],
    };
    await accepted(document, '?environment=production');
    expect(await spec('of-one')).toEqual({
      project: 'shop',
      type: 'experiment',
      stale: true,
      tags: ['simple:old'],
      environments: { production: { strategies: { 'imported-1': strategy, 'imported-2': strategy } } },
    });
    const again = await instance.untouched(`${IMPORT}?environment=production&keep=false`, { body: document });
    expect(again.status).toBe(202);
  });

  const id = '3f2c1a7e-5b7d-4c1a-9a51-0c6f2a3b4c5d';
  const row = (featureName: string, environment: string) => {
    return {
      id,
      featureName,
      projectId: 'default',
      environment,
      strategyName: 'default',
      parameters: {},
      constraints: [],
      sortOrder: 9999,
    };
  };

  test('version 2: global values are in the environment default', async () => {
    await accepted({
      version: 2,
      features: [{ name: 'of-two', variants: [{ name: 'v', weight: 1000, weightType: 'variable' }] }],
      featureStrategies: [row('of-two', ':global:')],
      environments: [{ name: ':global:', displayName: 'Across all', type: 'production' }],
      featureEnvironments: [{ featureName: 'of-two', environment: ':global:', enabled: true }],
    });
    expect(await spec('of-two')).toMatchObject({
      variants: [{ name: 'v' }],
      environments: { default: { enabled: true, strategies: { [id]: { name: 'default', sortOrder: 9999 } } } },
    });
  });

  test('version 3: variants are those of the flag, in all environments', async () => {
    await accepted({
      version: 3,
      features: [{ name: 'of-three', variants: [{ name: 'v', weight: 1000 }], strategies: [strategy], enabled: true }],
      featureStrategies: [row('of-three', 'production')],
      featureEnvironments: [{ featureName: 'of-three', environment: 'production', enabled: true }],
    });
    // The sections of the document override the flag's own values.
    const { environments, variants } = await spec('of-three');
    expect([Object.keys(environments), variants]).toEqual([['production'], [{ name: 'v' }]]);
  });

  test('version 4: strategies have the segments of both sections, and segments get ids of their own', async () => {
    const constraint = (contextName: string) => ({ contextName, operator: 'IN', values: ['1'] });
    await accepted({
      version: 4,
      features: [{ name: 'of-four', project: 'shop', variants: [{ name: 'ignored', weight: 1000 }] }],
      featureStrategies: [{ ...row('of-four', 'production'), constraints: [constraint('own')], segments: [2] }],
      featureEnvironments: [
        { featureName: 'of-four', environment: 'production', enabled: true, variants: [{ name: 'p', weight: 1000 }] },
        { featureName: 'of-four', environment: 'development', enabled: false, variants: [] },
        { featureName: 'of-four', environment: 'long-gone', enabled: false, variants: [] },
      ],
      segments: [
        { id: 1, name: 'one', description: 'd', constraints: [constraint('one')] },
        { id: 2, name: 'The second', project: 'shop', constraints: [constraint('two')] },
      ],
      featureStrategySegments: [{ featureStrategyId: id, segmentId: 1 }],
    });
    await waitUntil(
      { what: 'the segments are listed' },
      async () => (await rowsOf('of-four')).strategies[0].segments.length === 2,
    );
    const { strategies, environments } = await rowsOf('of-four');
    expect(strategies[0].constraints.map((one: Stored) => one.contextName)).toEqual(['own']);
    expect((await spec('of-four')).environments.production.strategies[id].segments).toEqual(['The second', 'one']);
    const { segments } = (await instance.call('GET /segments')).body;
    const found = segments.map(({ name, description, project, constraints }: Stored) => [
      name,
      description,
      project,
      constraints,
    ]);
    expect(found.toSorted()).toEqual([
      ['The second', null, 'shop', [constraint('two')]],
      ['one', 'd', null, [constraint('one')]],
    ]);
    expect(strategies[0].segments).toEqual(segments.map((one: Stored) => one.id));
    expect(environments.map((one: Stored) => [one.environment, one.enabled, one.variants.length])).toEqual([
      ['development', false, 0],
      ['production', true, 1],
      ['default', false, 0],
    ]);
  });

  test('ids of another form, as Unleash 7 has them, link segments, and name the same strategy every time', async () => {
    const other = '01M8HG8XPNW9EY88M9GKPH4KK8';
    const document = {
      version: 4,
      features: [{ name: 'of-seven', project: 'shop' }],
      featureStrategies: [{ ...row('of-seven', 'production'), id: other }],
      segments: [{ id: 1, name: 'seven', constraints: [] }],
      featureStrategySegments: [{ featureStrategyId: other, segmentId: 1 }],
    };
    await accepted(document);
    const { strategies } = (await spec('of-seven')).environments.production;
    expect(strategies).toEqual({
      [Object.keys(strategies)[0] ?? '']: expect.objectContaining({ segments: ['seven'] }),
    });
    expect(Object.keys(strategies)[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect((await instance.untouched(`${IMPORT}?keep=false`, { body: document })).status).toBe(202);
  });

  test('an empty document is accepted, and has no effect, whatever the query', async () => {
    for (const query of ['', '?drop=true', '?keep=false&drop=1', '?dryRun=true']) {
      expect((await instance.untouched(`${IMPORT}${query}`, { body: {} })).status).toBe(202);
    }
  });

  test('missing environments and projects are created, existing ones stay unchanged', async () => {
    const document = {
      environments: [
        { name: 'Pre.Prod', type: 'pre-production', sortOrder: 7, enabled: false, protected: false },
        { name: 'production', type: 'other', sortOrder: 1, enabled: false, protected: true },
      ],
      projects: [
        {
          id: 'New!',
          name: 'A new one',
          description: 'd',
          mode: 'open',
          health: 100,
          createdAt: '2020-01-01T00:00:00Z',
        },
        { id: 'shop', name: 'Another name', description: 'another' },
      ],
      features: [{ name: 'newborn', project: 'New!' }],
    };
    const before = await instance.call('GET /environments/production');
    await accepted(document, '?keep=false');
    expect((await instance.call('GET /environments/production')).body).toMatchObject({
      type: before.body.type,
      protected: false,
    });
    expect((await instance.call('GET /environments/Pre.Prod')).body).toMatchObject({
      enabled: false,
      sortOrder: 7,
      type: 'pre-production',
    });
    expect((await instance.call('GET /projects/New!')).body).toMatchObject({
      name: 'A new one',
      description: 'd',
      features: [{ name: 'newborn' }],
    });
    expect((await instance.call('GET /projects/shop')).body.name).toBe('shop');
  });
});
