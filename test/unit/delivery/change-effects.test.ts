/** What users get before and after a change that is asked for. */

import { beforeEach, expect, test } from 'vitest';
import { type Catalog, createCatalog } from '../../../src/catalog/catalog.ts';
import {
  askedChange,
  dependentsOf,
  effectsOfChanges,
  timeOfRequest,
  timesOfChange,
} from '../../../src/delivery/change-effects.ts';
import { effectsOfRequest, hasEffects } from '../../../src/delivery/request-effects.ts';
import { turnsOfRequest } from '../../../src/runtime/turns.ts';
import type { FeatureFlag, FlagSpec } from '../../../src/schema/feature-flag.ts';
import { presentChangeEffects } from '../../../src/wire/playground/change-effects.ts';
import { aWorld, type World } from '../catalog/world.ts';

const NOW = Date.UTC(2026, 10, 22);
const everyone = { all: { name: 'default' } };
const share = (rollout: number, more: object = {}) => ({
  gradual: { name: 'flexibleRollout', parameters: { rollout, stickiness: 'userId', ...more } },
});

let world: World;
let catalog: Catalog;
beforeEach(() => {
  world = aWorld();
  world.project('home/shop');
  catalog = createCatalog(world.caches, () => NOW, { home: 'home' });
});

interface Options {
  readonly at?: number;
  readonly readsSegment?: () => boolean;
  readonly readsParents?: boolean;
  readonly dependencies?: readonly object[];
}

/** The effects of a change of the production environment, or of the whole spec. */
async function effectsOf(
  present: object,
  wanted: object,
  { at = NOW, readsSegment = () => true, readsParents = true, dependencies = [] }: Options = {},
) {
  world.flag('home/checkout', { dependencies, environments: { production: present } });
  const before = catalog.flag('checkout') as FeatureFlag;
  const environments = { production: wanted };
  const after = { ...before, spec: { ...before.spec, environments, ...('spec' in wanted && (wanted.spec as object)) } };
  const change = { before, after: after as FeatureFlag & { spec: FlagSpec }, environments: ['production'] };
  const readsFlagsOf = () => readsParents;
  const flags = await effectsOfChanges([change], { catalog, at, readsSegment, readsFlagsOf, turn: turnsOfRequest() });
  const times = timesOfChange(change, { catalog, from: NOW });
  const dependents = dependentsOf(change, catalog);
  const shown = presentChangeEffects({ at, times, dependents, flags, segment: undefined }, readsSegment);
  const [production] = shown.environments;
  if (!production) throw new Error('there is an environment');
  return { ...shown, ...production };
}

test('a switch changes what every user gets', async () => {
  const strategies = everyone;
  const { groups, same, contexts } = await effectsOf({ enabled: false, strategies }, { enabled: true, strategies });
  expect(same).toBe(0);
  expect(groups).toMatchObject([
    {
      contexts: [{}],
      count: contexts,
      byChance: false,
      before: { enabled: false, strategy: null, why: expect.stringContaining('not switched on') },
      after: { enabled: true, strategy: 'all', variant: null },
    },
  ]);
});

test('a larger share: the users between the percentages, by the field that matters', async () => {
  const [enabled, region] = [true, { contextName: 'region', operator: 'IN', values: ['eu'] }];
  const staff = { staff: { name: 'default', constraints: [region] } };
  const { groups, same, before, after } = await effectsOf(
    { enabled, strategies: { ...share(10), ...staff } },
    { enabled, strategies: { ...share(50), ...staff } },
  );
  const off = groups.find((one) => !one.before.enabled);
  expect(off).toMatchObject({ after: { enabled: true, strategy: 'gradual' } });
  for (const context of off?.contexts ?? []) expect(Object.keys(context)).toEqual(['userId']);
  expect(same).toBeGreaterThan(0);
  expect([before, after].map(({ strategies }) => strategies[0]?.parameters['rollout'])).toEqual([10, 50]);
});

test('variants: who gets another one, and the payload', async () => {
  const of = (value: string) => [{ name: 'blue', weight: 1000, payload: { type: 'string', value } }];
  const strategies = everyone;
  const { groups } = await effectsOf(
    { enabled: true, strategies, variants: of('old') },
    { enabled: true, strategies, variants: of('new') },
  );
  expect(groups).toMatchObject([
    { before: { variant: { name: 'blue', payload: 'old' } }, after: { variant: { name: 'blue', payload: 'new' } } },
  ]);
});

test('a change of nothing that users get has no groups', async () => {
  const strategies = everyone;
  const { groups, same, contexts } = await effectsOf(
    { enabled: true, strategies },
    { enabled: true, strategies: { all: { name: 'default', title: 'All' } } },
  );
  expect([groups, same]).toEqual([[], contexts]);
});

test('a share of requests, not of users, says that chance decides', async () => {
  const random = { stickiness: 'random' };
  const { groups } = await effectsOf(
    { enabled: true, strategies: share(10, random) },
    { enabled: true, strategies: share(60, random) },
  );
  expect(groups).toMatchObject([{ byChance: true, before: { enabled: false }, after: { enabled: true } }]);
  const [context = {}] = groups[0]?.contexts ?? [];
  expect(Object.keys(context)).toEqual(['userId', 'sessionId']);
});

test('a parent decides on either side, and the flags that depend on the flag are named', async () => {
  world.flag('home/parent', { environments: { production: { enabled: true, strategies: share(50) } } });
  const production = { enabled: true, strategies: everyone };
  world.flag('home/child', { dependencies: [{ feature: 'checkout' }], environments: { production } });
  const { groups, dependents } = await effectsOf(production, {
    ...production,
    spec: { dependencies: [{ feature: 'parent' }] },
  });
  expect(groups).toMatchObject([
    { before: { enabled: true }, after: { enabled: false, why: expect.stringContaining('parent "parent" is off') } },
  ]);
  expect(dependents).toEqual(['child']);
});

test('an archived flag is off for everyone', async () => {
  const production = { enabled: true, strategies: everyone };
  const { groups } = await effectsOf(production, { ...production, spec: { archived: true } });
  expect(groups).toMatchObject([{ contexts: [{}], before: { enabled: true }, after: { enabled: false } }]);
});

test('a ramp has the percentage of the time, and later times are named', async () => {
  const steps = [{ rollout: 20, for: '1h' }, { rollout: 100 }];
  const startAt = new Date(NOW + 3_600_123).toISOString();
  const { gradual } = share(0);
  const [present, wanted] = [
    { enabled: true, strategies: share(0) },
    { enabled: true, strategies: { gradual: { ...gradual, ramp: { steps, startAt } } } },
  ];
  const now = await effectsOf(present, wanted);
  expect(now.groups).toEqual([]);
  expect(now.times).toEqual([1, 2].map((hours) => new Date(NOW + hours * 3_600_000 + 123).toISOString()));
  const { after, groups } = await effectsOf(present, wanted, { at: Date.parse(now.times[1] ?? '') });
  expect(after.strategies[0]?.parameters['rollout']).toBe(100);
  expect(groups).toMatchObject([{ contexts: [{ userId: 'user-1' }, {}, {}], after: { enabled: true } }]);
});

test('contexts have no values of a segment that the caller may not read', async () => {
  world.segment('home/staff', { constraints: [{ contextName: 'userId', operator: 'IN', values: ['secret-1'] }] });
  world.number('Segment home/staff', 7);
  const strategies = { staff: { name: 'default', segments: ['staff'] } };
  const [present, wanted] = [
    { enabled: false, strategies },
    { enabled: true, strategies },
  ];
  const seen = await effectsOf(present, wanted);
  expect(seen.groups).toMatchObject([{ contexts: [{ userId: 'secret-1' }] }]);
  const hidden = await effectsOf(present, wanted, { readsSegment: () => false });
  expect(hidden).toMatchObject({ groups: [], notReached: 1 });
  expect(JSON.stringify(hidden)).not.toContain('secret');
});

test('contexts have no values of a parent that the caller may not read', async () => {
  const secret = { name: 'default', constraints: [{ contextName: 'company', operator: 'IN', values: ['secret-2'] }] };
  world.flag('home/parent', { environments: { production: { enabled: true, strategies: { secret } } } });
  const strategies = everyone;
  const dependencies = [{ feature: 'parent' }];
  const [present, wanted] = [
    { enabled: false, strategies },
    { enabled: true, strategies },
  ];
  const seen = await effectsOf(present, wanted, { dependencies });
  expect(seen.groups).toMatchObject([{ contexts: [{ company: 'secret-2' }], after: { enabled: true } }]);
  const hidden = await effectsOf(present, wanted, { dependencies, readsParents: false });
  expect(hidden.groups).toEqual([]);
  expect(JSON.stringify(hidden)).not.toContain('secret');
});

test('many different effects are cut, with their number', async () => {
  const strategies = Object.fromEntries(
    Array.from({ length: 14 }, (_, n) => [
      `s${n}`,
      { name: 'default', constraints: [{ contextName: 'plan', operator: 'IN', values: [`p${n}`] }] },
    ]),
  );
  const { groups, moreGroups, notReached } = await effectsOf(
    { enabled: false, strategies },
    { enabled: true, strategies },
  );
  expect([groups.length, moreGroups, notReached]).toEqual([10, 4, 0]);
});

test('a request replaces what cannot be read, and is made at applyAt', () => {
  world.flag('home/checkout', {
    variants: 7,
    environments: { production: { strategies: 7 }, development: { enabled: 7 } },
  });
  const applyAt = new Date(NOW + 60_000).toISOString();
  world.request('home/checkout-1', 'checkout', { applyAt });
  const request = catalog.changeRequest({ namespace: 'home', name: 'checkout-1' });
  const flag = catalog.flag('checkout');
  if (!request || !flag) throw new Error('both are there');
  const { before, after, environments } = askedChange(flag, request);
  expect(environments).toEqual(['production']);
  const places = [before, after].map(({ defects }) => defects.map(({ path }) => path.slice(0, 2).join('.')).sort());
  expect(places).toEqual([
    ['environments.development', 'environments.production', 'variants'],
    ['environments.development'],
  ]);
  expect([NOW, NOW + 90_000].map((now) => timeOfRequest(request, now))).toEqual([NOW + 60_000, undefined]);
});

const users = (...values: string[]) => [{ contextName: 'userId', operator: 'IN', values }];

/** The effects of a request for the segment `testers`, whose constraints are those present, to `wanted`. */
async function effectsOfSegment(wanted: readonly object[], readsFlagsOf = (_project: string) => true) {
  world.segment('home/testers', { constraints: users('ada') });
  world.number('Segment home/testers', 7);
  const target = { kind: 'Segment', name: 'testers' };
  world.request('home/testers-1', 'testers', { target, environments: undefined, segment: { constraints: wanted } });
  const request = catalog.changeRequest({ namespace: 'home', name: 'testers-1' });
  const found = request && catalog.targetOf(request);
  if (!request || !hasEffects(found)) throw new Error('both are there');
  const readsSegment = () => true;
  const parts = { catalog, at: undefined, readsSegment, readsFlagsOf, turn: turnsOfRequest() };
  const { environments, segment } = presentChangeEffects(await effectsOfRequest(found, request, parts), readsSegment);
  expect(environments).toEqual([]);
  return segment ?? expect.fail('it is about a segment');
}

const testers = { all: { name: 'default', segments: ['testers'] } };

test('a segment: who gets something else of each flag that uses it, where it does; flags that are on come first', async () => {
  const production = { enabled: true, strategies: testers };
  world.flag('home/a-off', { environments: { production: { enabled: false, strategies: testers } } });
  world.flag('home/b-on', { environments: { production, development: { enabled: true, strategies: everyone } } });
  world.flag('home/archived', { archived: true, environments: { production } });
  world.flag('home/other', { environments: { production: { enabled: true, strategies: everyone } } });
  const { usedBy, flags, otherFlags } = await effectsOfSegment(users('lin'));
  expect([usedBy, otherFlags]).toEqual([2, []]);
  expect(flags.map(({ name, environments }) => [name, environments.map(({ environment }) => environment)])).toEqual([
    ['b-on', ['production']],
    ['a-off', ['production']],
  ]);
  expect(flags[0]?.environments[0]?.groups).toMatchObject([
    { contexts: [{ userId: 'ada' }], before: { enabled: true }, after: { enabled: false } },
    { contexts: [{ userId: 'lin' }], before: { enabled: false }, after: { enabled: true } },
  ]);
  expect(flags[1]?.environments[0]?.groups).toEqual([]);
});

test('a segment that a parent uses too: the parent is as it would be', async () => {
  world.flag('home/parent', { environments: { production: { enabled: true, strategies: testers } } });
  const environments = { production: { enabled: true, strategies: testers } };
  world.flag('home/child', { dependencies: [{ feature: 'parent' }], environments });
  const { flags } = await effectsOfSegment([]);
  const child = flags.find(({ name }) => name === 'child');
  const off = { before: { enabled: false }, after: { enabled: true } };
  expect(child?.environments[0]?.groups).toMatchObject([off]);
});

test('of a segment that many flags use, some are evaluated, others named, and those of other projects counted', async () => {
  world.project('home/pay');
  const environments = { production: { strategies: testers } };
  for (let n = 10; n < 35; n += 1) world.flag(`home/flag-${n}`, { environments });
  world.flag('home/secret', { project: 'pay', environments });
  const { usedBy, flags, otherFlags } = await effectsOfSegment(users('lin'), (project) => project === 'shop');
  expect([usedBy, flags.length, otherFlags]).toEqual([26, 20, [30, 31, 32, 33, 34].map((n) => `flag-${n}`)]);
});
