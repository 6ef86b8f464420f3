/** Flags whose result no context changes, which answers about all flags do not evaluate. */
import { expect, test } from 'vitest';
import type { ClientFeature, ClientStrategy } from '../../../src/evaluation/client-document.ts';
import { compileFlag } from '../../../src/evaluation/compile.ts';
import { aSituation } from '../../support/evaluation/answers.ts';

const empty = { parameters: {}, constraints: [], variants: [] };
const forAll = { ...empty, name: 'default' };
const constraint = { contextName: 'userId', operator: 'IN', values: ['7'], inverted: false, caseInsensitive: false };
const rollout = (parameters: ClientStrategy['parameters']) => ({ ...empty, name: 'flexibleRollout', parameters });
const variant = (name: string) => ({ name, weight: 1 });
const overridden = { ...variant('a'), overrides: [{ contextName: 'userId', values: ['7'] }] };

function compiled(feature: Partial<ClientFeature>) {
  const base = { name: 'flag', type: 'release', enabled: true, project: 'shop', stale: false, impressionData: false };
  return compileFlag({ ...base, description: null, strategies: [], variants: [], ...feature }, { segments: new Map() });
}

test.each<[string, Partial<ClientFeature>]>([
  ['off', { enabled: false, strategies: [rollout({ rollout: '50' })], dependencies: [{ feature: 'parent' }] }],
  ['on without strategies', {}],
  ['on for all', { strategies: [forAll, rollout({ rollout: '50' })] }],
  ['on for 100 %', { strategies: [rollout({ rollout: '100' })] }],
  ['on with one variant', { strategies: [rollout({ rollout: '100' })], variants: [variant('a')] }],
  ['on with the variant of a strategy', { strategies: [{ ...forAll, variants: [variant('b')] }], variants: [] }],
])('a flag that is %s has one result, which contexts get too', (_, feature) => {
  const { constant, evaluate } = compiled(feature);
  expect(constant).toBeDefined();
  expect(evaluate(aSituation(new Map(), { userId: '7' }))).toBe(constant);
});

test.each<[string, Partial<ClientFeature>]>([
  ['a parent', { dependencies: [{ feature: 'parent' }] }],
  ['a constraint', { strategies: [{ ...forAll, constraints: [constraint] }, forAll] }],
  ['a segment', { strategies: [{ ...forAll, segments: [1] }] }],
  ['a percentage', { strategies: [rollout({ rollout: '99' })] }],
  ['100 % of those with an id', { strategies: [rollout({ rollout: '100', stickiness: 'userId' })] }],
  ['a list of users', { strategies: [{ ...empty, name: 'userWithId', parameters: { userIds: '7' } }] }],
  ['two variants', { variants: [variant('a'), variant('b')] }],
  ['a variant for a user', { variants: [overridden] }],
])('%s makes the result depend on the context', (_, feature) => {
  expect(compiled(feature).constant).toBeUndefined();
});
