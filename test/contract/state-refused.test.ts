/** POST /state/import of a bad document: nothing is written, and the message names the place and the value. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { anEnvironment, aProject, aStrategyType } from '../support/builders.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { complaintsAbout, expectNoComplaints } from '../support/rows.ts';
import type { Stored } from '../support/stored.ts';

let instance: Instance;

beforeAll(async () => {
  // No document here is large: nothing is refused after a line of progress.
  instance = await startInstance('refused', { settings: { VEXIL_IMPORT_PROGRESS_INTERVAL: '30s' } });
  const { home, apply } = instance;
  await apply(
    anEnvironment(`${home}/default`, { sortOrder: 5 }),
    aProject(`${home}/default`),
    aProject(`${home}/named`, { flagNaming: { pattern: '[a-z-]+' } }),
    aStrategyType(`${home}/country`, { parameters: [{ name: 'countries', type: 'list', required: true }] }),
  );
});
afterAll(() => instance.stop());

const IMPORT = 'POST /state/import';
const INVALID = { status: 400, name: 'ValidationError' };

describe('a bad document changes nothing, and the message names the place and the value', () => {
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
      '`featureEnvironments[0].enabled` property of flag good-one in production',
      'true',
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
    ['an id that is too long', withStrategy({ id: 'x'.repeat(101) }), '`featureStrategies[0].id`', 'xxx'],
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
    ['a segment without a name', { segments: [{ id: 1 }] }, '`segments[0].name`', 'required'],
    [
      'a segment twice',
      {
        segments: [
          { id: 1, name: 'a' },
          { id: 1, name: 'b' },
        ],
      },
      '`segments[1].id`',
      '1',
    ],
    [
      'two segments of one name',
      {
        segments: [
          { id: 1, name: 'a' },
          { id: 2, name: 'a' },
        ],
      },
      '`segments[1].name`',
      '"a"',
    ],
    [
      'a segment of a project that there is not',
      { segments: [{ id: 1, name: 'a', project: 'no-such' }] },
      '`segments[0].project`',
      '"no-such"',
    ],
    [
      'a segment of another project than the flag’s',
      { ...withStrategy({ segments: [1] }), segments: [{ id: 1, name: 'far', project: 'pay' }] },
      '`featureStrategies[0].segments`',
      '"far"',
    ],
    [
      'six segments of one strategy',
      {
        ...withStrategy({ segments: [1, 2, 3, 4, 5, 6] }),
        segments: [1, 2, 3, 4, 5, 6].map((id) => ({ id, name: `s${id}` })),
      },
      '`featureStrategies[0].segments`',
      'more than 5',
    ],
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
      'a strategy type whose name resembles a built-in one',
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

  test('each document', async () => {
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
    expectNoComplaints(complaints);
    expect(await instance.everything()).toEqual(before);
  });

  test('every finding is reported, with its path in the request', async () => {
    const body = { features: [{ name: 'a b' }, { name: 'c d' }] };
    const answer = await instance.untouched(IMPORT, { body });
    expect(answer.body.details.map(({ path }: Stored) => path)).toEqual([
      '/body/features/0/name',
      '/body/features/1/name',
    ]);
  });

  test('refusals of the API server come before the first write', async () => {
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
    for (const word of ['Nothing was imported', '`features[1]` (flag second)', 'spec.tags'])
      expect(message).toContain(word);
  });

  test('a name that does not match the pattern of its project: 400, and no other flag is created', async () => {
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

test('a flag beyond what etcd takes is refused before anything is written', async () => {
  const strategy = { featureName: 'too-large', environment: 'production', strategyName: 'default' };
  const body = {
    features: [
      { name: 'first', project: 'shop' },
      { name: 'too-large', project: 'shop' },
    ],
    featureStrategies: [{ ...strategy, parameters: { zz: 'x'.repeat(1_600_000) } }],
  };
  const refusal = { status: 413, name: 'PayloadTooLargeError', body };
  const message = await instance.refuses(IMPORT, refusal);
  expect(message).toContain('`features[1]` (flag too-large): The object has 16');
  expect(message).toContain('etcd accepts 1572864 by default: make it smaller');
});

test('a document that is refused before the first line of progress has the status of its error', async () => {
  const headers = { accept: 'application/x-ndjson' };
  const body = { features: [{ name: 'a b', project: 'shop' }] };
  await instance.refuses(IMPORT, { ...INVALID, headers, body });
});
