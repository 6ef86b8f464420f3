/** Whether the parents of a flag can decide, and the effect on the flag. */
import { expect, test } from 'vitest';
import type { Parents } from '../../../../src/domain/flag/dependencies.ts';
import { touchedByFlag } from '../../../../src/domain/flag/edit/environments-touched.ts';
import { effectOf } from '../../../../src/domain/flag/effect.ts';
import { judgeFlag } from '../../../../src/domain/flag/judge/judge-flag.ts';
import { dependents } from '../dependents.ts';
import { flagObject } from '../objects.ts';

const NOW = Date.parse('2026-01-02T00:00:00Z');
const environments = {
  production: { enabled: true, strategies: { all: { name: 'default' } } },
  development: { enabled: true, strategies: { all: { name: 'default' } } },
};
const fine = { archived: false, hasParents: false, work: new Map() };

function judge(parents: Parents | undefined, ...features: string[]) {
  const flag = flagObject('home/flag', { environments, dependencies: features.map((feature) => ({ feature })) });
  const flagContext = { ...dependents(), parents };
  const effect = effectOf(flag, flagContext);
  const { status } = judgeFlag({ flag, flagContext, effect }, NOW);
  return {
    on: [...effect.enabledIn],
    state: status.conditions?.find(({ type }) => type !== 'Ready')?.type,
    reported: (status.problems ?? []).map(({ path, reason }) => `${path} ${reason}`),
  };
}

test.each<[string, Parents | undefined, readonly string[], ReturnType<typeof judge>]>([
  ['no dependency', undefined, [], { on: ['production', 'development'], state: undefined, reported: [] }],
  [
    'a parent that exists',
    new Map([['a', fine]]),
    ['a'],
    { on: ['production', 'development'], state: undefined, reported: [] },
  ],
  [
    'a parent that is missing beside one that exists',
    new Map([['a', fine]]),
    ['a', 'b'],
    { on: [], state: 'Reconciling', reported: ['spec.dependencies.1.feature ParentNotFound'] },
  ],
  [
    'parents that nobody looked up',
    undefined,
    ['a'],
    { on: [], state: 'Reconciling', reported: ['spec.dependencies.0.feature ParentNotFound'] },
  ],
  [
    'an archived parent',
    new Map([['a', { ...fine, archived: true }]]),
    ['a'],
    { on: [], state: 'Reconciling', reported: ['spec.dependencies.0.feature ParentNotFound'] },
  ],
  [
    'a parent with parents',
    new Map([['a', { ...fine, hasParents: true }]]),
    ['a'],
    { on: [], state: 'Stalled', reported: ['spec.dependencies.0.feature DependencyChain'] },
  ],
  [
    'itself, where the rule of the API server was bypassed',
    new Map([['flag', fine]]),
    ['flag'],
    { on: [], state: 'Stalled', reported: ['spec.dependencies.0.feature DependencyChain'] },
  ],
])('a flag with %s', (_, parents, features, want) => {
  expect(judge(parents, ...features)).toEqual(want);
});

test('a change of the dependencies affects every environment that the flag names', () => {
  const after = { environments, dependencies: [{ feature: 'a' }] };
  expect(touchedByFlag({ before: { environments }, after })).toEqual(['production', 'development']);
  expect(touchedByFlag({ before: after, after })).toEqual([]);
});
