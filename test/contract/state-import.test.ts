/** POST /state/import: what keep and drop do, what is refused and with which place, what a dry run tells. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aFlag, anEnvironment, aProject, aStrategyType, aToken } from '../support/builders.ts';
import { type Instance, type Stored, startInstance } from '../support/instance.ts';
import { complaintsAbout, expectNoComplaints } from '../support/rows.ts';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance('import');
  const { home, apply } = instance;
  await apply(
    anEnvironment(`${home}/default`, { sortOrder: 5 }),
    aProject(`${home}/default`),
    aProject(`${home}/named`, { flagNaming: { pattern: '[a-z-]+' } }),
    aStrategyType(`${home}/country`, { parameters: [{ name: 'countries', type: 'list', required: true }] }),
    aToken(`${home}/keeper`),
  );
});
afterAll(() => instance.stop());

const IMPORT = 'POST /state/import';
const INVALID = { status: 400, name: 'ValidationError' };

/** What the flag is, everywhere: as an export of it alone would say. */
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
      variants: [{ name: 'a' }],
      environments: { default: { enabled: true, strategies: { 'imported-1': strategy } } },
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

  test('version 2: what was global is in the environment default', async () => {
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
    // The sections win over what the flag says of itself.
    const { environments, variants } = await spec('of-three');
    expect([Object.keys(environments), variants]).toEqual([['production'], [{ name: 'v' }]]);
  });

  test('version 4: segments become constraints of the strategies that have them', async () => {
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
        { id: 2, name: 'two', constraints: [constraint('two')] },
      ],
      featureStrategySegments: [{ featureStrategyId: id, segmentId: 1 }],
    });
    const { strategies, environments } = await rowsOf('of-four');
    expect(strategies[0].constraints.map((one: Stored) => one.contextName)).toEqual(['own', 'two', 'one']);
    expect(environments.map((one: Stored) => [one.environment, one.enabled, one.variants.length])).toEqual([
      ['development', false, 0],
      ['production', true, 1],
      ['default', false, 0],
    ]);
  });

  test('an empty document is taken, and does nothing, whatever the query', async () => {
    for (const query of ['', '?drop=true', '?keep=false&drop=1', '?dryRun=true']) {
      expect((await instance.untouched(`${IMPORT}${query}`, { body: {} })).status).toBe(202);
    }
  });

  test('environments and projects that are not there are created, those that are stay as they are', async () => {
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

describe('what is there already', () => {
  const document = (name: string, description = 'imported') => ({ features: [{ name, project: 'shop', description }] });

  test('keep, which is usual, leaves it; without it the flag is written over in place', async () => {
    await instance.apply(aFlag(`${instance.home}/kept`, { description: 'mine', stale: true, tags: ['simple:mine'] }));
    const { metadata } = await instance.flagNamed('kept');
    for (const query of ['', '?keep=true', '?keep=1', '?keep=TRUE']) {
      expect((await instance.untouched(`${IMPORT}${query}`, { body: document('kept') })).status).toBe(202);
    }
    await accepted(document('kept'), '?keep=no');
    const after = await instance.flagNamed('kept');
    expect(after.metadata.uid).toBe(metadata.uid);
    // What the document does not speak of stays.
    expect(after.spec).toEqual({ project: 'shop', description: 'imported', stale: true, tags: ['simple:mine'] });
  });

  test('strategy types too; those that are built in stay as they are', async () => {
    const type = (description: string) => ({
      strategies: [
        { name: 'kept-type', description, parameters: [] },
        { name: 'default', description, parameters: [] },
      ],
    });
    await accepted(type('first'));
    expect((await instance.untouched(IMPORT, { body: type('second') })).status).toBe(202);
    await accepted(type('third'), '?keep=0');
    expect((await instance.call('GET /strategies/kept-type')).body.description).toBe('third');
    expect((await instance.call('GET /strategies/default')).body.description).toBe('On for everyone.');
  });

  test('an archived flag has the name: kept, refused without keep, replaced with drop', async () => {
    await instance.apply(aFlag(`${instance.home}/away`, { archived: true }));
    expect((await instance.untouched(IMPORT, { body: document('away') })).status).toBe(202);
    const refused = { status: 409, name: 'NameExistsError', body: document('away') };
    const message = await instance.refuses(`${IMPORT}?keep=false`, refused);
    expect(message).toContain('The flag "away" cannot be written over: it is archived');
  });

  test('a flag of another project cannot be moved: refused, whatever the mode', async () => {
    await instance.apply(aFlag(`${instance.other}/elsewhere`, { project: 'pay' }));
    for (const query of ['?keep=false', '?drop=true']) {
      const refused = { status: 409, name: 'NameExistsError', body: document('elsewhere') };
      expect(await instance.refuses(`${IMPORT}${query}`, refused)).toContain(
        'it is in project "pay", and not in "shop"',
      );
    }
    const plan = await instance.untouched(`${IMPORT}?keep=false&dryRun=true`, { body: document('elsewhere') });
    expect([plan.status, plan.body.conflicts]).toEqual([
      202,
      [{ path: '/body/features/0/name', message: expect.stringContaining('"elsewhere"') }],
    ]);
  });
});

describe('a bad document changes nothing, and the message says where and which value', () => {
  const good = { name: 'good-one', project: 'shop' };
  const place = { featureName: 'good-one', environment: 'production' };
  const row = { ...place, strategyName: 'default' };
  const constraint = { contextName: 'x', operator: 'IN', values: ['1'] };
  const id = '3f2c1a7e-5b7d-4c1a-9a51-0c6f2a3b4c5d';
  const withStrategy = (strategy: object) => ({ features: [good], featureStrategies: [{ ...row, ...strategy }] });
  const rows: readonly (readonly [string, unknown, ...string[]])[] = [
    ['a list', [1], 'body', '[1]'],
    ['an unknown section', { zz: 1 }, 'zz'],
    ['a version to come', { version: 5 }, '`version`', '5'],
    ['a name that is no name', { features: [good, { name: 'a b' }] }, '`features[1].name`', 'URL friendly', '"a b"'],
    ['no name', { features: [{}] }, '`features[0].name`', 'required'],
    ['a number as a name', { features: [{ name: 7 }] }, '`features[0].name`', '7'],
    ['a type that there is not', { features: [{ ...good, type: 'x' }] }, '`features[0].type`', 'release', '"x"'],
    ['a flag twice', { features: [good, good] }, '`features[1].name`', 'more than once', '"good-one"'],
    [
      'a project that there is not',
      { features: [{ name: 'f', project: 'nowhere' }] },
      '`features[0].project`',
      '"nowhere"',
    ],
    [
      'an environment that there is not',
      { features: [good], featureStrategies: [{ ...row, environment: 'moon' }] },
      '`featureStrategies[0].environment`',
      '"moon"',
    ],
    [
      'a row of no flag',
      { features: [good], featureEnvironments: [{ featureName: 'who', environment: 'production' }] },
      '`featureEnvironments[0].featureName`',
      '"who"',
    ],
    [
      'a tag of no flag',
      { featureTags: [{ featureName: 'who', tagType: 'simple', tagValue: 'xy' }] },
      '`featureTags[0].featureName`',
      '"who"',
    ],
    [
      'a place twice',
      { features: [good], featureEnvironments: [place, place] },
      '`featureEnvironments[1]`',
      'more than once',
    ],
    [
      'an unknown key of a place',
      { features: [good], featureEnvironments: [{ ...place, zz: 1 }] },
      '`featureEnvironments[0]`',
      'zz',
    ],
    [
      'on without a strategy',
      { features: [good], featureEnvironments: [{ ...place, enabled: true }] },
      '`featureEnvironments[0].enabled`',
      'true',
    ],
    [
      'on with a strategy that is disabled',
      { features: [{ ...good, enabled: true, strategies: [{ name: 'default', disabled: true }] }] },
      '`features[0].enabled`',
    ],
    [
      'a strategy type that there is not',
      withStrategy({ strategyName: 'magic' }),
      '`featureStrategies[0]`',
      '"magic"',
      'flexibleRollout',
    ],
    [
      'what a type requires is missing',
      withStrategy({ strategyName: 'country' }),
      '`featureStrategies[0].parameters.countries`',
      '"country"',
    ],
    [
      'a rollout beyond the whole',
      withStrategy({ parameters: { rollout: 101 } }),
      '`featureStrategies[0].parameters.rollout`',
      '101',
    ],
    [
      'an operator that there is not',
      withStrategy({ constraints: [{ ...constraint, operator: 'LIKE' }] }),
      '`featureStrategies[0].constraints[0].operator`',
      '"LIKE"',
    ],
    [
      'a constraint without values',
      withStrategy({ constraints: [{ ...constraint, values: [] }] }),
      '`featureStrategies[0].constraints[0]`',
      'at least one entry',
    ],
    [
      'an unknown key of a constraint',
      withStrategy({ constraints: [{ ...constraint, zz: 1 }] }),
      '`featureStrategies[0].constraints[0]`',
      'zz',
    ],
    ['an id that is none', withStrategy({ id: 'Nope' }), '`featureStrategies[0].id`', '"Nope"'],
    [
      'an id twice',
      {
        features: [good],
        featureStrategies: [
          { ...row, id },
          { ...row, id },
        ],
      },
      '`featureStrategies[1].id`',
      id,
    ],
    [
      'no variable variant',
      { features: [{ ...good, variants: [{ name: 'v', weightType: 'fix', weight: 1 }] }] },
      '`features[0].variants`',
      'variable',
    ],
    [
      'a variant twice',
      { features: [good], featureEnvironments: [{ ...place, variants: [{ name: 'v' }, { name: 'v' }] }] },
      '`featureEnvironments[0].variants[1].name`',
      '"v"',
    ],
    [
      'too much that is fixed',
      withStrategy({ variants: [{ name: 'v', weightType: 'fix', weight: 1000 }, { name: 'w' }] }),
      '`featureStrategies[0].variants`',
      '1000',
    ],
    [
      'a payload that does not parse',
      { features: [{ ...good, variants: [{ name: 'v', payload: { type: 'json', value: '{' } }] }] },
      '`features[0].variants[0].payload.value`',
      '"{"',
    ],
    ['a segment that there is not', withStrategy({ segments: [9] }), '`featureStrategies[0].segments[0]`', '9'],
    [
      'a segment of no strategy',
      { featureStrategySegments: [{ featureStrategyId: 'x', segmentId: 1 }] },
      '`featureStrategySegments[0].featureStrategyId`',
      '"x"',
    ],
    [
      'a tag with a blank in its type',
      { features: [good], featureTags: [{ featureName: 'good-one', tagType: 'a b', tagValue: 'xy' }] },
      '`featureTags[0].tagType`',
      '"a b"',
    ],
    ['a project without a name', { projects: [{ id: 'p' }] }, '`projects[0].name`', 'required'],
    ['an environment without a type', { environments: [{ name: 'e' }] }, '`environments[0].type`', 'required'],
    ['a strategy type without parameters', { strategies: [{ name: 's' }] }, '`strategies[0].parameters`', 'required'],
    [
      'a strategy type whose name is nearly built in',
      { strategies: [{ name: 'Default', parameters: [] }] },
      '`strategies[0]`',
      'built-in',
    ],
    [
      'a parameter twice',
      { strategies: [{ name: 's', parameters: [{ name: 'p' }, { name: 'p' }] }] },
      '`strategies[0]`',
      'p',
    ],
  ];

  test('each of them', async () => {
    const before = await instance.everything();
    const complaints = await complaintsAbout(
      rows.map(([what, document, ...words]) => ({
        what,
        check: async () => {
          // A good flag before the bad one must not be written either.
          const body = Array.isArray(document) ? document : { features: [good], ...(document as object) };
          const answer = await instance.call(`${IMPORT}?keep=false`, { body });
          expect([answer.status, answer.body?.name], answer.text).toEqual([INVALID.status, INVALID.name]);
          for (const word of words) expect(answer.body.message).toContain(word);
        },
      })),
      4,
    );
    expect(await instance.everything()).toEqual(before);
    expectNoComplaints(complaints);
  });

  test('every finding is told, with its path in the request', async () => {
    const body = { features: [{ name: 'a b' }, { name: 'c d' }] };
    const answer = await instance.untouched(IMPORT, { body });
    expect(answer.body.details.map(({ path }: Stored) => path)).toEqual([
      '/body/features/0/name',
      '/body/features/1/name',
    ]);
  });

  test('what only the API server finds is found before the first write', async () => {
    const many = Array.from({ length: 101 }, (_, n) => ({
      featureName: 'second',
      tagType: 'simple',
      tagValue: `tag-${n}`,
    }));
    const body = {
      features: [
        { name: 'first', project: 'shop' },
        { name: 'second', project: 'shop' },
      ],
      featureTags: many,
    };
    const message = await instance.refuses(IMPORT, { ...INVALID, body });
    for (const word of ['Nothing was imported', '`features[1]`', 'spec.tags']) expect(message).toContain(word);
  });

  test('a name against the pattern of its project: 400, and none of the others is created', async () => {
    const body = {
      features: [
        { name: 'fine', project: 'named' },
        { name: 'Not-Fine', project: 'named' },
      ],
    };
    const message = await instance.refuses(IMPORT, { status: 400, name: 'PatternError', body });
    for (const word of ['`features[1]`', 'Not-Fine', '[a-z-]+']) expect(message).toContain(word);
  });
});

describe('drop', () => {
  test('flags and types that the document does not have go, if it has such a section; nothing else does', async () => {
    const scratch = await startInstance('drop');
    try {
      const { home, other, apply, call } = scratch;
      await apply(
        anEnvironment(`${home}/unused`),
        aStrategyType(`${home}/used`),
        aStrategyType(`${home}/unneeded`),
        aToken(`${home}/keeper`),
        aFlag(`${home}/one`, { stale: true, environments: { production: { strategies: { a: { name: 'used' } } } } }),
        aFlag(`${other}/two`, { project: 'pay' }),
        aFlag(`${home}/three`, { archived: true }),
      );
      const inUse = { status: 409, name: 'InUseError', body: { strategies: [] } };
      expect(await scratch.refuses(`${IMPORT}?drop=true`, inUse)).toContain('"used" cannot be deleted');

      const document = { features: [{ name: 'one', project: 'shop', description: 'new' }] };
      const { metadata } = await scratch.flagNamed('one');
      const plan = await scratch.untouched(`${IMPORT}?drop=true&dryRun=true`, { body: document });
      expect(plan.body).toMatchObject({
        changed: { features: ['one'] },
        deleted: { environments: [], projects: [], strategies: [], features: expect.arrayContaining(['two', 'three']) },
      });
      expect((await call(`${IMPORT}?drop=true`, { body: document })).status).toBe(202);
      const one = await scratch.flagNamed('one');
      expect([one.metadata.uid, one.spec]).toEqual([
        metadata.uid,
        { project: 'shop', description: 'new', stale: false, environments: {} },
      ]);
      expect([await scratch.flagsNamed('two'), await scratch.flagsNamed('three')]).toEqual([[], []]);

      expect((await call(`${IMPORT}?drop=true`, { body: { strategies: [] } })).status).toBe(202);
      const { strategies, environments, projects } = (await call('GET /state/export')).body;
      expect([strategies, environments.length, projects.length]).toEqual([[], 3, 2]);
      expect((await call('GET /api-tokens')).body.tokens.map(({ tokenName }: Stored) => tokenName)).toEqual(['keeper']);
    } finally {
      await scratch.stop();
    }
  });
});

test('a dry run tells all that would be done, by name', async () => {
  await instance.apply(
    aFlag(`${instance.home}/known`, { description: 'd' }),
    aFlag(`${instance.home}/other`, { description: 'x' }),
  );
  const body = {
    environments: [
      { name: 'moon', type: 'test' },
      { name: 'production', type: 'production' },
    ],
    projects: [{ id: 'apollo', name: 'Apollo' }],
    strategies: [{ name: 'tide', parameters: [] }],
    features: [
      { name: 'known', project: 'shop', description: 'd' },
      { name: 'other', project: 'shop', description: 'y' },
      { name: 'eagle', project: 'apollo', enabled: true, strategies: [{ name: 'tide' }] },
    ],
  };
  const answer = await instance.untouched(`${IMPORT}?keep=false&dryRun=true&environment=moon`, { body });
  expect([answer.status, answer.body]).toEqual([
    202,
    {
      created: { environments: ['moon'], projects: ['apollo'], strategies: ['tide'], features: ['eagle'] },
      changed: { environments: [], projects: [], strategies: [], features: ['other'] },
      deleted: { environments: [], projects: [], strategies: [], features: [] },
      skipped: { environments: ['production'], projects: [], strategies: [], features: ['known'] },
      conflicts: [],
    },
  ]);
});

test('each write is told in the history by its author', async () => {
  await accepted(
    { features: [{ name: 'told', project: 'shop', enabled: true, strategies: [{ name: 'default' }] }] },
    '?environment=production',
  );
  const found = await instance.served('GET /search/events?feature=IS:told');
  expect(found.status).toBe(200);
  const { metadata } = await instance.flagNamed('told');
  expect(metadata.annotations).toMatchObject({ 'vexil.dev/created-by': 'unknown' });
});
