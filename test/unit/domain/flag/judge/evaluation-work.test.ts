/** Flags whose rules prescribe more work than an evaluation may take: they are off, and nobody is sent the rules. */
import { expect, test } from 'vitest';
import { effectOf } from '../../../../../src/domain/flag/effect.ts';
import { compileFlag } from '../../../../../src/evaluation/compile.ts';
import type { FlagSpec } from '../../../../../src/schema/feature-flag.ts';
import { presentClientFeature } from '../../../../../src/wire/client/feature.ts';
import { costliestFlags, evaluationOf } from '../../../../support/costliest-flags.ts';
import { quietMsOf } from '../../../../support/cpu-time.ts';
import { aSituation } from '../../../../support/evaluation/answers.ts';
import { dependents } from '../../dependents.ts';
import { flagObject } from '../../objects.ts';

type Constraint = { readonly operator: string; readonly value?: string; readonly values?: readonly string[] };

function presented(constraints: readonly Constraint[], { strategies = 1, disabled = false } = {}) {
  const strategy = {
    name: 'default',
    constraints: constraints.map((one) => ({ contextName: 'userId', ...one })),
  };
  const keys = Array.from({ length: strategies }, (_, index) => [`s${index}`, { ...strategy, disabled }]);
  const always = { name: 'default', sortOrder: 1000 };
  const spec = {
    environments: { production: { enabled: true, strategies: { ...Object.fromEntries(keys), always } } },
  };
  const flag = flagObject('home/flag', spec);
  const effect = effectOf(flag, dependents());
  return { effect, feature: presentClientFeature({ flag, effect }, 'production') };
}

const list = (length: number) => Array.from({ length: 250 }, () => 'a'.repeat(length));

test.each([
  ['one large pattern', [{ operator: 'REGEX', value: `(${'a'.repeat(42)}){999}` }], 1],
  ['many small patterns', [{ operator: 'REGEX', value: '^[a-z]{30}$' }], 29],
  ['long lists of parts', [{ operator: 'STR_CONTAINS', values: list(100) }], 20],
])('%s keep the flag off, and are sent to nobody', (_, constraints, strategies) => {
  const { effect, feature } = presented(constraints, { strategies });
  expect(effect.findings).toEqual([
    expect.objectContaining({
      severity: 'Error',
      path: ['environments', 'production', 'strategies'],
      reason: 'EvaluationTooCostly',
      message: expect.stringMatching(/^an evaluation takes \d+ units of work, and 500000 are allowed: /),
    }),
  ]);
  expect(effect.enabledIn).toEqual(new Set());
  expect(feature).toMatchObject({ enabled: false, strategies: [] });
});

test.each([
  ['lists of whole values', [{ operator: 'IN', values: list(100) }], {}],
  ['lists of beginnings', [{ operator: 'STR_STARTS_WITH', values: list(100) }], { strategies: 29 }],
  ['a usual pattern', [{ operator: 'REGEX', value: '^[a-z.]+@(example|test)[.](com|org)$' }], { strategies: 10 }],
  ['a disabled strategy', [{ operator: 'REGEX', value: '(a{30}){30}' }], { disabled: true }],
])('%s are evaluated', (_, constraints, options) => {
  const { effect } = presented(constraints, options);
  expect(effect.findings).toEqual([]);
  expect(effect.enabledIn).toEqual(new Set(['production']));
});

test.each([
  [499_960, []],
  [499_961, ['an evaluation takes 500001 units of work (499961 for its parents), and 500000 are allowed']],
])('a child counts the %i units of its parent', (units, wanted) => {
  const strategies = { always: { name: 'default' }, more: { name: 'default' } };
  const spec = { dependencies: [{ feature: 'parent' }], environments: { production: { enabled: true, strategies } } };
  const work = new Map([['production', units]]);
  const parents = new Map([['parent', { archived: false, hasParents: false, work }]]);
  const { findings } = effectOf(flagObject('home/flag', spec), { ...dependents(), parents });
  expect(findings.map(({ message }) => message.split(':')[0])).toEqual(wanted);
});

test('a flag at the limit takes little time for the longest value', () => {
  const { feature } = presented([{ operator: 'STR_CONTAINS', values: list(99).map((one) => `${one}b`) }], {
    strategies: 9,
  });
  expect(feature.enabled).toBe(true);
  const flag = compileFlag(feature, { segments: new Map() });
  const situation = () => aSituation(new Map(), { userId: 'a'.repeat(2_000) });
  expect(flag.evaluate(situation()).strategy).toBe(9);
  expect(quietMsOf(() => flag.evaluate(situation()), 5)).toBeLessThan(100);
});

const many = (count: number, value: (index: number) => string) => Array.from({ length: count }, (_, i) => value(i));
/** Of 45 characters. */
const address = (index: number) => `2001:0db8:0001:0002:0003:${(0xa000 + index).toString(16)}:192.168.100.201`;
const listOf = (name: string, parameters: Readonly<Record<string, unknown>>) => ({
  strategies: { all: { name, parameters } },
});

test.each([
  ['addresses', 7_142, (count: number) => listOf('remoteAddress', { IPs: many(count, address).join() })],
  ['a list of addresses', 7_142, (count: number) => listOf('remoteAddress', { IPs: many(count, address) })],
  ['users', 99_996, (count: number) => listOf('userWithId', { userIds: many(count, (index) => `u${index}`).join() })],
])('%s are read in little time, or never', (_, max, withValues) => {
  const effectWith = (count: number) => {
    const environments = { production: { enabled: true, ...withValues(count) } };
    const flag = flagObject('home/flag', { environments } as FlagSpec);
    const effect = effectOf(flag, dependents());
    return { effect, feature: presentClientFeature({ flag, effect }, 'production') };
  };
  const tooCostly = [expect.objectContaining({ reason: 'EvaluationTooCostly' })];
  expect(effectWith(max + 1).effect.findings).toEqual(tooCostly);
  const { effect, feature } = effectWith(max);
  expect(effect.findings).toEqual([]);
  expect(quietMsOf(() => compileFlag(feature, { segments: new Map() }))).toBeLessThan(100);
});

test.each(['a', 'İ'])('no flag within the budget takes long, whatever its operators, for many %s', (letter) => {
  const user = letter.repeat(2_000);
  const [costliest] = costliestFlags(user);
  expect(costliest).toMatchObject({ costMs: expect.any(Number) });
  expect(quietMsOf(evaluationOf(costliest?.spec ?? {}, user), 5), costliest?.what).toBeLessThan(100);
});
