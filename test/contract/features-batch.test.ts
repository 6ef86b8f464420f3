/** /features-batch: flags of one environment are exported, checked and imported, as scripts for Unleash do. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aFlag, aSegment } from '../support/builders.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import type { Stored } from '../support/stored.ts';
import { writersOf } from '../support/written-as.ts';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance('batch');
  const { home, other } = instance;
  const parameters = { rollout: '50', groupId: 'one', stickiness: 'default' };
  const strategies = {
    first: { name: 'default', title: 'first', segments: ['vip'], sortOrder: 1 },
    second: { name: 'flexibleRollout', parameters, sortOrder: 2 },
  };
  await instance.apply(
    aSegment(`${home}/vip`, { id: 7, constraints: [{ contextName: 'userId', operator: 'IN', values: ['1'] }] }),
    aFlag(`${home}/one`, {
      description: 'd',
      tags: ['simple:batch', 'team:web'],
      environments: {
        development: { enabled: true, strategies, variants: [{ name: 'blue', weight: 1000 }] },
        production: { enabled: false, strategies: { own: { name: 'default', title: 'before' } } },
      },
    }),
    aFlag(`${home}/two`, { dependencies: [{ feature: 'one' }], environments: { development: { strategies } } }),
    aFlag(`${home}/away`, { archived: true }),
    aFlag(`${other}/far`, { project: 'pay' }),
  );
  await instance.served('GET /segments/7');
});
afterAll(() => instance.stop());

const EXPORT = 'POST /features-batch/export';
const VALIDATE = 'POST /features-batch/validate';
const IMPORT = 'POST /features-batch/import';
const environment = 'development';

const exported = async (body: object): Promise<Stored> => {
  const answer = await instance.call(EXPORT, { body: { environment, ...body } });
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
};
const into = (data: object, more: object = {}) => ({ project: 'shop', environment: 'production', data, ...more });
const inProduction = async (name: string) => (await instance.flagNamed(name)).spec.environments?.production;

describe('export', () => {
  test('answers the sections of Unleash, with the order of strategies', async () => {
    const body = { environment, features: ['one', 'two'] };
    const { featureStrategies, ...rest } = (await instance.untouched(EXPORT, { body })).body;
    const [flag, variant] = [{ type: 'release', project: 'shop', stale: false, impressionData: false }, 'blue'];
    expect(rest).toEqual({
      features: [
        { name: 'one', description: 'd', archived: false, ...flag },
        { name: 'two', description: '', archived: false, ...flag },
      ],
      featureEnvironments: [
        expect.objectContaining({ name: 'one', featureName: 'one', environment, enabled: true }),
        { name: 'two', featureName: 'two', environment, enabled: false, variants: [] },
      ],
      contextFields: [],
      featureTags: [
        { featureName: 'one', tagType: 'simple', tagValue: 'batch' },
        { featureName: 'one', tagType: 'team', tagValue: 'web' },
      ],
      segments: [{ id: 7, name: 'vip' }],
      tagTypes: expect.arrayContaining([expect.objectContaining({ name: 'simple' })]),
      dependencies: [{ feature: 'two', dependencies: [{ feature: 'one', enabled: true }] }],
    });
    expect(rest.featureEnvironments[0].variants[0].name).toBe(variant);
    expect(featureStrategies).toHaveLength(4);
    expect(featureStrategies[0]).toEqual({
      id: expect.any(String),
      featureName: 'one',
      name: 'default',
      title: 'first',
      disabled: false,
      sortOrder: 1,
      parameters: {},
      constraints: [],
      variants: [],
      segments: [7],
    });
  });

  test.each([
    [{ tag: 'batch' }, ['one']],
    [{ tag: 'team:web' }, ['one']],
    [{ tag: 'no-such' }, []],
    [{ project: 'shop' }, ['one', 'two']],
    [{ features: [] }, ['far', 'one', 'two']],
  ])('%j chooses %j', async (body, names) => {
    expect((await exported(body)).features.map(({ name }: Stored) => name)).toEqual(names);
  });

  test.each([
    [{ environment, features: ['no-such'] }, 404, 'There is no flag named "no-such"'],
    [{ environment: 'moon', features: ['one'] }, 404, 'moon'],
    [{ environment }, 400, 'must have features, tag or project'],
  ])('%j is refused', async (body, status, words) => {
    const answer = await instance.call(EXPORT, { body });
    expect([answer.status, answer.body.message]).toEqual([status, expect.stringContaining(words)]);
  });
});

describe('import', () => {
  test('replaces one environment, and nothing else; again it writes nothing', async () => {
    const body = into(await exported({ features: ['one'] }));
    const checked = await instance.untouched(VALIDATE, { body });
    const overwritten = 'The following features already exist in this project and will be overwritten:';
    expect([checked.status, checked.body]).toEqual([
      200,
      { errors: [], warnings: [{ message: overwritten, affectedItems: ['one'] }], permissions: [] },
    ]);
    const before = (await instance.flagNamed('one')).spec;
    const done = await instance.call(IMPORT, { body });
    expect([done.status, done.body]).toEqual([200, checked.body]);
    const after = (await instance.flagNamed('one')).spec;
    expect(after.environments.development).toEqual(before.environments.development);
    expect(after.environments.production).toMatchObject({
      enabled: true,
      strategies: {
        'imported-1': { name: 'default', title: 'first', segments: ['vip'] },
        'imported-2': { name: 'flexibleRollout', parameters: { rollout: '50' } },
      },
      variants: [{ name: 'blue' }],
    });
    expect(await instance.specOf('segment', `${instance.home}/vip`)).toMatchObject({
      constraints: [{ values: ['1'] }],
    });
    expect((await instance.untouched(IMPORT, { body })).status).toBe(200);
  });

  const flag = (name: string) => ({ name, type: 'release' });
  const on = (featureName: string) => ({ name: featureName, featureName, environment, enabled: true });
  const strategy = (featureName: string) => ({ featureName, name: 'default', parameters: {}, constraints: [] });

  test('does not believe that every flag is on, as Unleash 6 says it, unless the caller does', async () => {
    const names = ['six-a', 'six-b'];
    const data = {
      features: names.map(flag),
      featureEnvironments: names.map(on),
      featureStrategies: names.map(strategy),
      dependencies: [],
    };
    const { body } = await instance.call(IMPORT, { body: into(data) });
    expect(body.warnings.map(({ affectedItems }: Stored) => affectedItems)).toEqual([
      ['flag six-a in production'],
      ['flag six-b in production'],
    ]);
    expect((await inProduction('six-a')).enabled ?? false).toBe(false);
    const trusted = await instance.call(`${IMPORT}?trustSwitches=true`, { body: into(data) });
    expect(trusted.status, trusted.text).toBe(200);
    expect((await inProduction('six-a')).enabled).toBe(true);
  });

  test('leaves a flag without strategies off, leaves archived flags out, and names both', async () => {
    const rows = { featureEnvironments: [on('bare')], featureStrategies: [], dependencies: [] };
    const data = { features: ['bare', 'away'].map(flag), ...rows };
    const { body } = await instance.call(IMPORT, { body: into(data) });
    expect(body.warnings).toEqual([
      { message: expect.stringContaining('currently archived'), affectedItems: ['away'] },
      { message: expect.stringContaining('on without a strategy'), affectedItems: ['flag bare in production'] },
    ]);
    expect((await inProduction('bare'))?.enabled ?? false).toBe(false);
    expect((await instance.flagNamed('away')).spec.archived).toBe(true);
  });

  test.each<[string, object, string]>([
    [
      'an unknown type',
      { featureStrategies: [{ ...strategy('new'), name: 'magic' }] },
      'of flag new in production has',
    ],
    ['an unknown segment', { segments: [{ id: 1, name: 'no-such' }] }, 'must be the name of an existing segment'],
    ['a wrong name', { features: [flag('a b')] }, '"a b"'],
    ['a flag of another project', { features: [flag('far')] }, 'it is in project "pay"'],
  ])('%s is an error of the validation, and refused', async (_, more, words) => {
    const data = { features: [flag('new')], featureEnvironments: [on('new')], featureStrategies: [strategy('new')] };
    const rest = 'features' in more ? { featureEnvironments: [], featureStrategies: [] } : {};
    const body = into({ ...data, ...rest, ...more });
    const checked = await instance.untouched(VALIDATE, { body });
    expect([checked.status, checked.body.errors]).toEqual([
      200,
      [{ message: expect.stringContaining(words), affectedItems: [] }],
    ]);
    const refused = await instance.untouched(IMPORT, { body });
    expect([400, 409], refused.text).toContain(refused.status);
    expect(refused.body.message).toContain(words);
  });

  test.each([
    [{ project: 'no-such' }, 404, 'no-such'],
    [{ environment: 'moon' }, 404, 'moon'],
  ])('%j is refused', async (more, status, words) => {
    const body = into({ features: [], featureStrategies: [] }, more);
    for (const request of [VALIDATE, IMPORT]) {
      const answer = await instance.untouched(request, { body });
      expect([answer.status, answer.body.message]).toEqual([status, expect.stringContaining(words)]);
    }
  });

  test('a flag that Git owns stays, and no other flag is written', async () => {
    const writers = writersOf(instance.cluster);
    const production = { strategies: { own: { name: 'default' } } };
    await writers.apply('kustomize-controller', aFlag(`${instance.home}/of-git`, { environments: { production } }));
    writers.close();
    await instance.served('GET /projects/shop/features/of-git');
    const names = ['aa-new', 'of-git'];
    const data = { features: names.map(flag), featureEnvironments: [], featureStrategies: names.map(strategy) };
    const refused = { status: 409, name: 'FieldManagedError', body: into(data) };
    expect(await instance.refuses(IMPORT, refused)).toContain('(flag of-git)');
    expect((await instance.untouched(VALIDATE, { body: into(data) })).body.errors).toEqual([
      { message: expect.stringContaining('kustomize-controller'), affectedItems: [] },
    ]);
    expect(await instance.flagsNamed('aa-new')).toEqual([]);
  });
});
