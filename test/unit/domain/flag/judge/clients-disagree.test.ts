/** Values that SDKs read in different ways: those without a form that all SDKs read alike are not in effect. */
import { describe, expect, test } from 'vitest';
import { effectOf } from '../../../../../src/domain/flag/effect.ts';
import { judgeFlag } from '../../../../../src/domain/flag/judge/judge-flag.ts';
import { laterRows } from '../../../schema/strategy-rows.ts';
import { dependents } from '../../dependents.ts';
import { flagObject } from '../../objects.ts';

const NOW = Date.parse('2026-01-02T00:00:00Z');

function problemsOf(spec: object) {
  const [flag, flagContext] = [flagObject('home/flag', spec), dependents()];
  const { status } = judgeFlag({ flag, flagContext, effect: effectOf(flag, flagContext) }, NOW);
  const reported = (status.problems ?? []).map(({ severity, path, reason }) => `${severity} ${path} ${reason}`);
  return {
    reported,
    ready: status.conditions?.[0]?.status,
    enabledIn: status.enabledIn,
    messages: (status.problems ?? []).map(({ message }) => message),
  };
}

const withConstraint = (constraint: object) => ({
  environments: {
    production: {
      enabled: true,
      strategies: { s: { name: 'default', constraints: [{ contextName: 'ip', ...constraint }] } },
    },
  },
});
const at = 'spec.environments.production.strategies.s';

/** Values with another form, which SDKs receive. */
const WITH_ANOTHER_FORM = /^rollout |^NUM_EQ |^DATE_AFTER 2026-01-(31|01T24)/;

const [normalised, unservable] = [true, false].map((wanted) =>
  laterRows.filter(({ title }) => WITH_ANOTHER_FORM.test(title) === wanted),
);

test.each(normalised ?? [])('a stored flag with $title gets one warning and stays ready', ({ spec }) => {
  const { reported, ready } = problemsOf(spec as object);
  expect(reported).toEqual([
    expect.stringMatching(/^Warning spec[.]environments[.]production[.]strategies[.]s[.]\S+ ClientsDisagree$/),
  ]);
  expect(ready).toBe('True');
});

test.each(unservable ?? [])('a stored flag with $title has the strategy off, which is an error', ({ spec }) => {
  const { reported, ready, messages } = problemsOf(spec as object);
  expect(reported).toEqual([
    expect.stringMatching(/^Error spec[.]environments[.]production[.]strategies[.]s[.]\S+ ClientsDisagree$/),
  ]);
  expect(messages[0]).toMatch(/; the strategy is not in effect$/);
  expect(ready).toBe('False');
});

describe('a value that the API server cannot check', () => {
  test.each<[object, string]>([
    [{ operator: 'NUM_GT', value: '1e400' }, 'SDKs disagree about the number 1e400, which is too large'],
    [{ operator: 'SEMVER_GT', value: '99999999999999999999.0.0' }, 'the version 99999999999999999999.0.0'],
    [
      { contextName: 'currentTime', operator: 'DATE_AFTER', value: '2030-02-30T00:00:00Z' },
      'the time 2030-02-30T00:00:00Z does',
    ],
    [{ contextName: 'currentTime', operator: 'DATE_AFTER', value: '2030-04-31T00:00:00Z' }, 'does not exist'],
    [{ contextName: 'currentTime', operator: 'DATE_AFTER', value: '2030-04-30T00:00:00+99:00' }, 'does not exist'],
    [{ operator: 'REGEX', value: 'a\\\\' }, 'value must not end with a backslash'],
  ])('%j is an error', (constraint, message) => {
    const { reported, messages, enabledIn, ready } = problemsOf(withConstraint(constraint));
    expect(reported).toEqual([`Error ${at}.constraints.0.value ClientsDisagree`]);
    expect(messages[0]).toContain(message);
    expect([enabledIn, ready]).toEqual([undefined, 'False']);
  });

  test('does not affect another strategy', () => {
    const odd = { name: 'default', constraints: [{ contextName: 'v', operator: 'NUM_GT', value: '1e400' }] };
    const strategies = (other: object) => ({
      environments: { production: { enabled: true, strategies: { odd, other } } },
    });
    expect(problemsOf(strategies({ name: 'default' }))).toMatchObject({ enabledIn: 'production', ready: 'False' });
    expect(problemsOf(strategies({ name: 'default', disabled: true })).enabledIn).toBeUndefined();
    expect(problemsOf(strategies(odd)).enabledIn).toBeUndefined();
  });

  test('in a disabled strategy is a warning', () => {
    const strategy = { name: 'default', disabled: true, parameters: { groupId: 'a"b' } };
    const { reported, ready } = problemsOf({ environments: { production: { strategies: { s: strategy } } } });
    expect(reported).toEqual([`Warning ${at}.parameters.groupId ClientsDisagree`]);
    expect(ready).toBe('True');
  });
});

describe('parts that SDKs receive in another form are warnings:', () => {
  const variants = (...stickiness: (string | undefined)[]) =>
    stickiness.map((one, index) => ({ name: `v${index}`, ...(one !== undefined && { stickiness: one }) }));

  test.each<[string, object, string | undefined]>([
    [
      'a user whose id ends with a backslash',
      { name: 'userWithId', parameters: { userIds: 'a,b\\' } },
      'parameters.userIds ClientsDisagree: SDKs do not get b\\:',
    ],
    [
      'an address with a quote',
      { name: 'remoteAddress', parameters: { IPs: ['::1', 'a"b'] } },
      'parameters.IPs ClientsDisagree: SDKs do not get a"b:',
    ],
    [
      'a host with a backslash',
      { name: 'applicationHostname', parameters: { hostNames: 'a\\b' } },
      'parameters.hostNames ClientsDisagree:',
    ],
    ['a good list', { name: 'userWithId', parameters: { userIds: 'a"b,c\\d' } }, undefined],
    ['no rollout', { name: 'flexibleRollout' }, 'parameters MissingParameter: without rollout'],
    ['a ramp without a rollout before', { name: 'flexibleRollout', ramp: {} }, undefined],
    [
      'an empty groupId',
      { name: 'flexibleRollout', parameters: { rollout: 5, groupId: '' } },
      'parameters MissingParameter: all flags with an empty groupId',
    ],
    [
      'variants with another stickiness',
      { name: 'flexibleRollout', parameters: { rollout: 5 }, variants: variants('userId') },
      'variants ClientsDisagree: all variants of a strategy get one stickiness, "default"',
    ],
    [
      'variants with that of the strategy',
      {
        name: 'flexibleRollout',
        parameters: { rollout: 5, stickiness: 'userId' },
        variants: variants('userId', undefined),
      },
      undefined,
    ],
    [
      'variants that differ',
      { name: 'default', variants: variants('userId', undefined) },
      'variants ClientsDisagree: all variants of a strategy get one stickiness, that of the first',
    ],
    ['variants that are alike', { name: 'default', variants: variants('userId', 'userId') }, undefined],
  ])('%s', (_, strategy, wanted) => {
    const { reported, messages, ready } = problemsOf({ environments: { production: { strategies: { s: strategy } } } });
    const seen = reported.map((one, index) => `${one}: ${messages[index]}`);
    expect(seen).toEqual(wanted === undefined ? [] : [expect.stringContaining(`Warning ${at}.${wanted}`)]);
    expect(ready).toBe('True');
  });
});

test('the warning names the field and the behaviour of clients', () => {
  const { reported, messages } = problemsOf({
    environments: { production: { strategies: { s: { name: 'flexibleRollout', parameters: { rollout: '12.5' } } } } },
  });
  expect(reported).toEqual([`Warning ${at}.parameters.rollout ClientsDisagree`]);
  expect(messages).toEqual(['rollout must be a whole number from 0 to 100: no SDK applies decimals']);
});

describe('the entries of IN_CIDR', () => {
  const ranges = (...values: string[]) => withConstraint({ operator: 'IN_CIDR', values });

  test.each(['10.0.0.1', '10.0.0.0/8', '0.0.0.0/0', '10.1.2.3/32', '::1', '2001:db8::/32', '::/128'])(
    '%s is valid',
    (value) => {
      expect(problemsOf(ranges(value)).reported).toEqual([]);
    },
  );

  test.each(['ten', '10.0.0', '10.0.0.0/33', '::/129', '10.0.0.0/', '10.0.0.0/8/8', '/8', '10.0.0.0/-1', '10.0.0.0/a'])(
    '%s is invalid, and clients skip it',
    (value) => {
      const { reported, messages } = problemsOf(ranges('10.0.0.1', value));
      expect(reported).toEqual([`Warning ${at}.constraints.0.values ClientsDisagree`]);
      expect(messages).toEqual([`SDKs skip ${value}: write an address or a range such as 10.0.0.0/8`]);
    },
  );

  test('the first five invalid ones are named', () => {
    const { messages } = problemsOf(ranges('a', 'b', 'c', 'd', 'e', 'f'));
    expect(messages).toEqual([expect.stringMatching(/^SDKs skip a, b, c, d, e: /)]);
  });
});
