/** POST /state/import repairs what `vexil import` repairs: flags mean for users what they meant in Unleash. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { importFiles } from '../../cli/import/import-file.ts';
import { readYaml } from '../../src/model/yaml/yaml.ts';
import { aFlag } from '../support/builders.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import type { Stored } from '../support/stored.ts';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance('repairs');
});
afterAll(() => instance.stop());

const IMPORT = 'POST /state/import';

const place = { environment: 'production' };
const named = (name: string) => ({ name, project: 'shop', dependencies: [] });
const on = (featureName: string) => ({ ...place, featureName, enabled: true });

/** An export of Unleash 5, which is on without a strategy, with disabled ones alone, and for half a percent more. */
const exported = {
  version: 4,
  features: ['bare', 'resting', 'part'].map(named),
  featureEnvironments: ['bare', 'resting', 'part'].map(on),
  featureStrategies: [
    { ...place, featureName: 'resting', strategyName: 'default', disabled: true },
    {
      ...place,
      featureName: 'part',
      strategyName: 'flexibleRollout',
      parameters: { rollout: '12.5', groupId: 'part', stickiness: 'default' },
    },
  ],
};

function options() {
  const namespaces = { namespace: instance.home, operatorNamespace: instance.home };
  return { ...namespaces, context: [], environment: 'default', project: undefined, now: 0, replacing: undefined };
}

async function writtenByCommand(document: object): Promise<ReadonlyMap<string, unknown>> {
  const sources = [{ file: 'export.json', text: JSON.stringify(document) }];
  const { files } = await importFiles({ ...options(), sources });
  const flags = files.filter(({ path }) => path.includes('featureflags'));
  return new Map(
    flags.map(({ text }) => {
      const { metadata, spec } = readYaml(text) as Stored;
      return [metadata.name, spec.environments];
    }),
  );
}

test('both write the same flags, and the dry run names each repair with its flag and environment', async () => {
  const plan = await instance.untouched(`${IMPORT}?dryRun=true`, { body: exported });
  expect(plan.body.warnings.map(({ message }: Stored) => message)).toEqual([
    expect.stringMatching(/^The `featureEnvironments\[0\].enabled` property of flag bare in production has no strat/),
    expect.stringMatching(/^The `featureEnvironments\[1\].enabled` property of flag resting in production has only/),
    expect.stringMatching(/rollout` property of flag part in production is written as 12: .* You sent "12\.5"\./),
  ]);
  const { status, text, headers } = await instance.call(IMPORT, { body: exported });
  expect([status, text]).toEqual([202, 'Accepted']);
  expect(headers.get('warning')).toContain('wrote 3 parts in another way, which a dry run explains: flag bare in prod');
  const written = await writtenByCommand(exported);
  for (const name of ['bare', 'resting', 'part']) {
    expect((await instance.flagNamed(name)).spec.environments, name).toEqual(written.get(name));
  }
  expect((await instance.flagNamed('bare')).spec.environments.production).toMatchObject({
    enabled: true,
    strategies: { 'imported-1': { name: 'default' } },
  });
});

/** An export of Unleash 5 that leaves open who gets the flag `open`. */
const open = {
  version: 4,
  features: [{ name: 'open', project: 'shop' }],
  featureEnvironments: [on('open')],
  featureStrategies: ['left', 'right'].map((name) => ({
    ...place,
    featureName: 'open',
    strategyName: 'flexibleRollout',
    parameters: { rollout: '50', stickiness: 'sessionId' },
    variants: [{ name, weight: 1000, stickiness: 'default' }],
  })),
};

test('all imports name the same doubts', async () => {
  const sources = [{ file: 'export.json', text: JSON.stringify(open) }];
  const { unmapped } = await importFiles({ ...options(), sources });
  const doubts = [
    'open in production: strategies',
    'dependencies',
    ...['groupId', 'stickiness', 'groupId', 'stickiness'],
  ];
  expect(unmapped.map(({ path }) => path)).toEqual(doubts.map((end) => expect.stringMatching(`${end}$`)));
  const plan = await instance.untouched(`${IMPORT}?dryRun=true`, { body: open });
  const messages = plan.body.warnings.map(({ message }: Stored) => message);
  expect(messages).toEqual(unmapped.map(({ path, advice }) => `${path}: ${advice}`));
  const { features, featureStrategies, featureEnvironments } = open;
  const rows = featureStrategies.map(({ strategyName: name, ...row }) => ({ ...row, name }));
  const data = { features, featureStrategies: rows, featureEnvironments };
  const body = { project: 'shop', environment: 'production', data };
  const batch = await instance.untouched('POST /features-batch/validate', { body });
  expect(batch.body.warnings).toEqual(unmapped.map(({ path, advice }) => ({ message: advice, affectedItems: [path] })));
  const { headers } = await instance.call(IMPORT, { body: open });
  expect(headers.get('warning')).toContain(
    '6 parts may mean something else than in Unleash, which a dry run explains: ',
  );
});

test('the same document again writes nothing', async () => {
  expect((await instance.untouched(`${IMPORT}?keep=false`, { body: exported })).status).toBe(202);
});

test('a flag of version 1 is on for everyone only if the document says that it has no strategies', async () => {
  const strategies = { own: { name: 'userWithId', parameters: { userIds: '7' } } };
  await instance.apply(aFlag(`${instance.home}/old`, { environments: { production: { strategies } } }));
  const flag = { name: 'old', project: 'shop', enabled: true };
  const request = `${IMPORT}?keep=false&environment=production`;
  await instance.call(request, { body: { features: [flag] } });
  expect((await instance.flagNamed('old')).spec.environments.production).toEqual({ enabled: true, strategies });
  await instance.call(request, { body: { features: [{ ...flag, strategies: [] }] } });
  expect((await instance.flagNamed('old')).spec.environments.production).toEqual({
    enabled: true,
    strategies: { 'imported-1': { name: 'default' } },
  });
});
