/** Contexts are made so that every branch of every flag is reached, and comparisons see each difference. */
import { describe, expect, test } from 'vitest';
import { compareDocuments } from '../../../../cli/compare/compare.ts';
import { sdkDoubts } from '../../../../cli/compare/sdk-doubts.ts';
import { createCoverage } from '../../../../src/evaluation/contexts/coverage.ts';
import { documentFlags } from '../../../../src/evaluation/contexts/document-flags.ts';
import { fieldValues } from '../../../../src/evaluation/contexts/field-values.ts';
import { makeContexts } from '../../../../src/evaluation/contexts/make-contexts.ts';
import { seededRandom } from '../../../../src/model/seeded-random.ts';
import { type ClientDocument, readDocument } from '../../../../src/wire/client/read-document.ts';

const AT = Date.parse('2026-06-01T00:00:00Z');

function documentOf(features: readonly object[], segments: readonly object[] = []): ClientDocument {
  const read = readDocument({ features, segments });
  if ('problem' in read) throw new Error(read.problem);
  return read.value;
}

const share = (rollout: string, more: object = {}) => ({
  name: 'flexibleRollout',
  parameters: { rollout, groupId: 'g', stickiness: 'company' },
  ...more,
});
const constraint = (contextName: string, operator: string, more: object) => ({ contextName, operator, ...more });
const flag = (name: string, strategies: readonly object[], more: object = {}) => ({
  name,
  enabled: true,
  strategies,
  ...more,
});

const document = documentOf(
  [
    flag('narrow', [share('1')]),
    flag('and', [
      {
        name: 'default',
        constraints: [constraint('plan', 'NUM_EQ', { value: '5.5' }), constraint('region', 'IN', { values: ['eu'] })],
      },
      { name: 'default', constraints: [constraint('version', 'SEMVER_LT', { value: '1.2.3' })] },
    ]),
    flag('text', [{ name: 'default', constraints: [constraint('company', 'STR_ENDS_WITH', { values: ['Acme'] })] }]),
    flag('late', [
      { name: 'default', constraints: [constraint('currentTime', 'DATE_AFTER', { value: '2027-01-01T00:00:00Z' })] },
    ]),
    flag('listed', [{ name: 'userWithId', parameters: { userIds: 'zoe, ann' } }]),
    flag('address', [{ name: 'remoteAddress', parameters: { IPs: '10.0.0.0/8' } }]),
    flag('segment', [{ name: 'default', segments: [1] }]),
    flag('variants', [{ name: 'default' }], {
      variants: [
        { name: 'rare', weight: 10 },
        { name: 'rest', weight: 990 },
        { name: 'forced', weight: 0, overrides: [{ contextName: 'region', values: ['mars'] }] },
      ],
    }),
  ],
  [{ id: 1, constraints: [constraint('region', 'NOT_IN', { values: ['us'] })] }],
);

const made = (of: ClientDocument, count: number) => {
  const coverage = createCoverage([documentFlags(of, 'production', AT)]);
  return { coverage, contexts: makeContexts({ coverage, values: fieldValues([of]), count, random: seededRandom(1) }) };
};

test('every branch is reached, also that of one user in a hundred', () => {
  const { contexts, coverage } = made(document, 300);
  expect(contexts.length).toBe(300);
  expect(coverage.missing().map(({ name }) => name)).toEqual([]);
  expect(coverage.size).toBe(18);
});

test('each of many strategies is reached that ask for a combination of the same fields', () => {
  const strategies = Array.from({ length: 30 }, (_, n) => ({
    name: 'default',
    constraints: ['plan', 'region', 'company', 'app'].map((name) =>
      constraint(name, 'IN', { values: [`${name}-${n}`] }),
    ),
  }));
  expect(made(documentOf([flag('many', strategies)]), 100).coverage.missing()).toEqual([]);
});

test('the same seed makes the same contexts', () => {
  expect(made(document, 50).contexts).toEqual(made(document, 50).contexts);
});

test('what cannot be reached is named', () => {
  const never = documentOf([flag('never', [{ name: 'default', constraints: [constraint('x', 'UNKNOWN', {})] }])]);
  expect(
    made(never, 20)
      .coverage.missing()
      .map(({ name }) => name),
  ).toEqual(['never in production: strategy 1 decides']);
});

describe('a difference', () => {
  const compared = (other: ClientDocument) => {
    const [a, b] = [documentFlags(document, 'production', AT), documentFlags(other, 'production', AT)];
    return compareDocuments({ environment: 'production', a, b, contexts: made(document, 300).contexts });
  };
  const changed = (name: string, more: object) =>
    documentOf(
      document.features.map((one) => (one.name === name ? { ...one, ...more } : one)),
      document.segments,
    );

  test('of no document is found', () => {
    expect(compared(document)).toEqual([]);
  });

  test.each([
    ['a switch', 'listed', { enabled: false }, 'on', 'off', 'the flag is off'],
    ['a share of one percent', 'narrow', { strategies: [share('0')] }, 'on', 'off', 'above the limit 0'],
    [
      'a weight',
      'variants',
      { variants: document.features.at(-1)?.variants.filter(({ name }) => name !== 'rare') },
      'on, variant rare',
      'on, variant rest',
      'applies',
    ],
  ])('of %s is found, with users and the reason', (_, name, more, a, b, why) => {
    const [difference] = compared(changed(name, more));
    expect(difference).toMatchObject({ flag: name, where: 'document' });
    const [user] = difference?.users ?? [];
    expect([user?.a, user?.b, user?.whyB]).toEqual([a, b, expect.stringContaining(why)]);
  });

  test('of a flag that is missing is found', () => {
    const fewer = documentOf(
      document.features.filter(({ name }) => name !== 'text'),
      document.segments,
    );
    expect(compared(fewer)).toMatchObject([{ flag: 'text', count: 300, users: [{ b: 'absent' }, {}, {}] }]);
  });

  test('that only some SDKs see is named', () => {
    const { parameters } = share('50');
    const [withGroup, without] = [{ ...parameters }, { rollout: '50', stickiness: 'company' }].map((one) =>
      documentFlags(documentOf([flag('f', [{ name: 'flexibleRollout', parameters: one }])]), 'production', AT),
    );
    if (!withGroup || !without) throw new Error('there are two');
    expect(sdkDoubts('production', withGroup, withGroup)).toEqual([]);
    expect(sdkDoubts('production', withGroup, without)).toMatchObject([
      { flag: 'f', message: expect.stringContaining('groupId') },
    ]);
  });
});
