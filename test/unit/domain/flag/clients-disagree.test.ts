/** Warnings about stored values that SDKs read in different ways. */
import { describe, expect, test } from 'vitest';
import { effectOf } from '../../../../src/domain/flag/effect.ts';
import { judgeFlag } from '../../../../src/domain/flag/judge-flag.ts';
import { laterRows } from '../../schema/strategy-rows.ts';
import { dependents } from '../dependents.ts';
import { flagObject } from '../objects.ts';

const NOW = Date.parse('2026-01-02T00:00:00Z');

function problemsOf(spec: object) {
  const [flag, flagContext] = [flagObject('home/flag', spec), dependents()];
  const { status } = judgeFlag({ flag, flagContext, effect: effectOf(flag, flagContext) }, NOW);
  const reported = (status.problems ?? []).map(({ severity, path, reason }) => `${severity} ${path} ${reason}`);
  return {
    reported,
    ready: status.conditions?.[0]?.status,
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

test.each(laterRows)('a stored flag with $title gets one warning and stays ready', ({ spec }) => {
  const { reported, ready } = problemsOf(spec as object);
  expect(reported).toEqual([
    expect.stringMatching(/^Warning spec[.]environments[.]production[.]strategies[.]s[.]\S+ ClientsDisagree$/),
  ]);
  expect(ready).toBe('True');
});

test('the warning names the field and says what clients do', () => {
  const { reported, messages } = problemsOf({
    environments: { production: { strategies: { s: { name: 'flexibleRollout', parameters: { rollout: '12.5' } } } } },
  });
  expect(reported).toEqual([`Warning ${at}.parameters.rollout ClientsDisagree`]);
  expect(messages).toEqual(['rollout must be a whole number from 0 to 100: no SDK applies decimals']);
});

describe('the entries of IN_CIDR', () => {
  const ranges = (...values: string[]) => withConstraint({ operator: 'IN_CIDR', values });

  test.each(['10.0.0.1', '10.0.0.0/8', '0.0.0.0/0', '10.1.2.3/32', '::1', '2001:db8::/32', '::/128'])(
    '%s is one',
    (value) => {
      expect(problemsOf(ranges(value)).reported).toEqual([]);
    },
  );

  test.each(['ten', '10.0.0', '10.0.0.0/33', '::/129', '10.0.0.0/', '10.0.0.0/8/8', '/8', '10.0.0.0/-1', '10.0.0.0/a'])(
    '%s is none, which clients skip',
    (value) => {
      const { reported, messages } = problemsOf(ranges('10.0.0.1', value));
      expect(reported).toEqual([`Warning ${at}.constraints.0.values ClientsDisagree`]);
      expect(messages).toEqual([`SDKs skip ${value}: write an address or a range such as 10.0.0.0/8`]);
    },
  );

  test('names the first five of many', () => {
    const { messages } = problemsOf(ranges('a', 'b', 'c', 'd', 'e', 'f'));
    expect(messages).toEqual([expect.stringMatching(/^SDKs skip a, b, c, d, e: /)]);
  });
});
