/** What exports of Unleash do not say: each is named with its flag, and nothing is switched on by a guess. */
import { describe, expect, test } from 'vitest';
import { importFiles } from '../../../cli/import/import-file.ts';
import { readYaml } from '../../../src/model/yaml/yaml.ts';
import type { Stored } from '../../support/stored.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const target = {
  ...{ environment: 'default', project: undefined, namespace: 'shop', operatorNamespace: 'vexil-system' },
  ...{ context: [], now: 0, replacing: undefined },
};

type Export = Readonly<Record<string, unknown>>;

/** The export of one environment, as Unleash 5 and 6 write it. */
function batch(environment: string, more: Export = {}): Export {
  return {
    features: ['one', 'two'].map((name) => ({ name, project: 'default', type: 'release' })),
    featureEnvironments: [
      { featureName: 'one', environment, enabled: true, variants: [] },
      { featureName: 'two', environment, enabled: false, variants: [] },
    ],
    featureStrategies: [
      { featureName: 'one', name: 'default', constraints: [], parameters: {} },
      { featureName: 'two', name: 'default', constraints: [], parameters: {} },
    ],
    dependencies: [],
    segments: [],
    ...more,
  };
}

async function imported(documents: readonly Export[], more: object = {}) {
  const sources = documents.map((document, index) => ({ file: `${index}.json`, text: JSON.stringify(document) }));
  const { files, unmapped } = await importFiles({ ...target, sources, ...more });
  const spec = (name: string) => {
    const file = files.find(({ path }) => path === `shop/featureflags/${name}.yaml`);
    return (readYaml(file?.text ?? '') as { readonly spec: unknown }).spec;
  };
  return { spec, unmapped: unmapped.map(({ path }) => path) };
}

const everyOne = (environment: string) => [
  { featureName: 'one', environment, enabled: true },
  { featureName: 'two', environment, enabled: true },
];

describe('exports of each environment', () => {
  test('are joined by flag', async () => {
    const { spec, unmapped } = await imported([batch('development'), batch('production')]);
    expect(spec('one')).toMatchObject({
      environments: { development: { enabled: true }, production: { enabled: true } },
    });
    expect(spec('two')).not.toHaveProperty('environments.production.enabled', true);
    expect(unmapped).toEqual([]);
  });

  test('keep the variants of one environment there', async () => {
    const variants = [{ name: 'x', weight: 1000 }];
    const rows = [{ featureName: 'one', environment: 'development', enabled: true, variants }];
    const { spec } = await imported([batch('development', { featureEnvironments: rows }), batch('production')]);
    expect(spec('one')).toMatchObject({ environments: { development: { variants: [{ name: 'x' }] } } });
    expect(spec('one')).not.toHaveProperty('variants');
    expect(spec('one')).not.toHaveProperty('environments.production.variants');
  });

  test('of which two differ about a flag name what is not written', async () => {
    const features = [{ name: 'one', project: 'default', type: 'experiment' }];
    const strategies = [{ featureName: 'one', name: 'default' }];
    const rows = [{ featureName: 'one', environment: 'production', enabled: true }];
    const other = batch('production', { features, featureStrategies: strategies, featureEnvironments: rows });
    const { unmapped } = await imported([batch('development'), other]);
    expect(unmapped).toEqual(['flags/one: type']);
  });
});

describe('an export in which every flag is on', () => {
  test('leaves all of them off, and names each', async () => {
    const { spec, unmapped } = await imported([batch('production', { featureEnvironments: everyOne('production') })]);
    expect([spec('one'), spec('two')]).not.toContainEqual(
      expect.objectContaining({ environments: { production: expect.objectContaining({ enabled: true }) } }),
    );
    expect(unmapped).toEqual(['flag one in production', 'flag two in production']);
  });

  test('is believed if the caller says so', async () => {
    const document = batch('production', { featureEnvironments: everyOne('production') });
    const { spec, unmapped } = await imported([document], { trustSwitches: true });
    expect(spec('two')).toMatchObject({ environments: { production: { enabled: true } } });
    expect(unmapped).toEqual([]);
  });
});

test('ids of another form, as Unleash 7 has them, give each strategy the same key every time', async () => {
  const rows = ['01M8HG8XPNW9EY88M9GKPH4KK8', '01M8HG8XQ3PWME09RNHJBS0QKM'].map((id) => ({
    ...{ id, featureName: 'one', name: 'default', constraints: [], parameters: {} },
  }));
  const keys = async (featureStrategies: readonly object[]) => {
    const { spec, unmapped } = await imported([batch('production', { featureStrategies })]);
    expect(unmapped).toEqual([]);
    const { strategies } = (spec('one') as Stored).environments.production;
    return Object.keys(strategies).toSorted();
  };
  const found = await keys(rows);
  expect(found).toEqual([expect.stringMatching(UUID), expect.stringMatching(UUID)]);
  expect(await keys(rows.toReversed())).toEqual(found);
});

test('a flag that is on without a strategy stays off in an export of one environment', async () => {
  const { spec, unmapped } = await imported([batch('production', { featureStrategies: [] })]);
  expect(spec('one')).not.toHaveProperty('environments.production.strategies');
  expect(unmapped).toContain('flag one in production');
});

test.each<[string, Export, readonly string[]]>([
  [
    'the order of strategies that choose variants',
    {
      featureStrategies: ['a', 'b'].map((groupId) => ({
        featureName: 'one',
        name: 'default',
        parameters: { groupId },
        variants: [{ name: 'x', weight: 1000, stickiness: 'default' }],
      })),
    },
    ['flag one in production: strategies'],
  ],
  ['dependencies', { dependencies: undefined }, ['features: dependencies']],
  [
    'the group of a share',
    { featureStrategies: [{ featureName: 'one', name: 'flexibleRollout', parameters: { rollout: '50' } }] },
    ['flag one in production: groupId'],
  ],
  [
    'which stickiness chooses the variant',
    {
      featureStrategies: [
        {
          featureName: 'one',
          name: 'flexibleRollout',
          parameters: { rollout: '50', groupId: 'g', stickiness: 'sessionId' },
          variants: [{ name: 'x', weight: 1000, stickiness: 'default' }],
        },
      ],
    },
    ['flag one in production: stickiness'],
  ],
])('an export that does not say %s names that', async (_, more, paths) => {
  expect((await imported([batch('production', more)])).unmapped).toEqual(paths);
});
