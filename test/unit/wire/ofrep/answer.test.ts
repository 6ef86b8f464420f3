/** The answer of OFREP for one flag: its value, its variant, its reason. */
import { describe, expect, test } from 'vitest';
import { ofrepAnswerText } from '../../../../src/wire/ofrep/answer.ts';
import { aSituation, compileDocument, type GivenContext } from '../../../support/evaluation/answers.ts';
import { aFeature } from '../../../support/evaluation/documents.ts';

type Sparse = Parameters<typeof aFeature>[0];

function textOf(feature: Sparse, context: GivenContext = { userId: '7' }): string {
  const parents = [aFeature({ name: 'on' }), aFeature({ name: 'off', enabled: false })];
  const flags = compileDocument({ features: [...parents, aFeature({ name: 'flag', ...feature })], segments: [] });
  const flag = flags.get('flag');
  if (!flag) throw new Error('there is no flag');
  return ofrepAnswerText(flag.feature, flag.evaluate(aSituation(flags, context)), 'production');
}

const answerTo = (feature: Sparse, context?: GivenContext) => JSON.parse(textOf(feature, context));
const variant = (name: string, more: object = {}) => ({ name, weight: 500, ...more });
const withPayload = (type: string, value: string) => [variant('one', { payload: { type, value } })];

describe('without payloads, the value is whether the flag is on', () => {
  test.each([
    ['on', {}, { value: true, variant: 'enabled' }],
    ['off, as a kill switch', { enabled: false }, { value: false, variant: 'disabled' }],
    ['on with a variant', { variants: [variant('blue')] }, { value: true, variant: 'blue' }],
    ['off with a variant', { enabled: false, variants: [variant('blue')] }, { value: false, variant: 'disabled' }],
  ])('%s', (_, feature, expected) => {
    expect(answerTo(feature)).toMatchObject(expected);
  });

  test('the other members of an answer', () => {
    expect(answerTo({ project: 'shop', stale: true })).toEqual({
      key: 'flag',
      reason: 'STATIC',
      variant: 'enabled',
      value: true,
      metadata: {
        ...{ enabled: true, environment: 'production', project: 'shop', stale: true },
        ...{ flagSetId: 'shop/production', version: expect.stringMatching(/^[0-9a-f]{12}$/) },
      },
    });
  });

  test('a flag that changes has another version, and the same flag has the same one everywhere', () => {
    const versionOf = (feature: Sparse) => answerTo(feature).metadata.version;
    expect(versionOf({ stale: true })).toBe(versionOf({ stale: true }));
    expect(versionOf({ stale: true })).not.toBe(versionOf({ stale: false }));
  });
});

describe('with a payload, the value is the payload unchanged', () => {
  test.each([
    ['string', 'a "text"', '"a \\"text\\""'],
    ['string', '', '""'],
    ['csv', 'a,b', '"a,b"'],
    ['number', '5', '5'],
    ['number', ' 5.0 ', '5.0'],
    ['number', '-1.5e3', '-1.5e3'],
    ['number', '.5', '0.5'],
    ['number', '+5', '5'],
    ['json', ' {"a": [1, 2.0]} ', '{"a": [1, 2.0]}'],
    ['json', '[]', '[]'],
    ['json', 'true', 'true'],
  ])('%s %j', (type, value, expected) => {
    expect(textOf({ variants: withPayload(type, value) })).toMatch(new RegExp(`,"value":${RegExp.escape(expected)}}$`));
  });

  test.each([
    ['off', { enabled: false, variants: withPayload('string', 'a') }],
    ['a number that is none', { variants: withPayload('number', 'five') }],
    ['a number beyond all', { variants: withPayload('number', '1e999') }],
    ['JSON null', { variants: withPayload('json', 'null') }],
    ['JSON that is none', { variants: withPayload('json', '{') }],
    [
      'another variant without payload',
      { variants: [variant('plain'), variant('one', { weight: 0, payload: { type: 'string', value: 'a' } })] },
    ],
    [
      'a strategy that does not apply has the payload',
      { strategies: [{ name: 'userWithId', parameters: { userIds: '1' }, variants: withPayload('string', 'a') }, {}] },
    ],
  ])('%s: no value, so that the application uses its default', (_, feature) => {
    expect(Object.hasOwn(answerTo(feature as Sparse), 'value')).toBe(false);
  });
});

describe('the reason', () => {
  const rollout = (share: string) => ({
    name: 'flexibleRollout',
    parameters: { rollout: share, stickiness: 'userId' },
  });
  const users = (ids: string) => ({ name: 'userWithId', parameters: { userIds: ids } });
  const german = { constraints: [{ contextName: 'country', values: ['de'] }] };
  test.each<[string, Sparse, string]>([
    ['off', { enabled: false, strategies: [rollout('50')] }, 'STATIC'],
    ['on for everyone', {}, 'STATIC'],
    ['a rollout to everyone', { strategies: [rollout('100')] }, 'STATIC'],
    ['a rollout to nobody', { strategies: [rollout('0')] }, 'STATIC'],
    ['a share', { strategies: [rollout('50')] }, 'SPLIT'],
    [
      'an old kind of share',
      { strategies: [{ name: 'gradualRolloutRandom', parameters: { percentage: '50' } }] },
      'SPLIT',
    ],
    ['a share after others', { strategies: [users('1'), rollout('99')] }, 'SPLIT'],
    ['a listed user', { strategies: [users('7')] }, 'TARGETING_MATCH'],
    ['a user who is not listed', { strategies: [users('1')] }, 'TARGETING_MATCH'],
    ['a constraint that does not hold', { strategies: [german] }, 'TARGETING_MATCH'],
    ['a list, or else everyone', { strategies: [users('1'), {}] }, 'STATIC'],
    ['a parent that is on', { dependencies: [{ feature: 'on' }] }, 'TARGETING_MATCH'],
    ['a parent that is off', { dependencies: [{ feature: 'off' }] }, 'TARGETING_MATCH'],
    ['variants by weight', { variants: [variant('a'), variant('b')] }, 'SPLIT'],
    ['the only variant', { variants: [variant('a'), variant('b', { weight: 0 })] }, 'STATIC'],
    ['variants of the strategy by weight', { strategies: [{ variants: [variant('a'), variant('b')] }] }, 'SPLIT'],
  ])('%s', (_, feature, reason) => {
    expect(answerTo(feature).reason).toBe(reason);
  });
});
