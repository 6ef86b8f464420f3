/** Evaluation of the flags in the caches: the right flags, prepared once. */
import { beforeEach, expect, test } from 'vitest';
import { createCatalog } from '../../../src/catalog/catalog.ts';
import { createCatalogOrigin } from '../../../src/delivery/catalog-origin.ts';
import { createEvaluations, type Evaluations } from '../../../src/delivery/evaluations.ts';
import { aWorld, type World } from '../catalog/world.ts';

const on = { environments: { production: { enabled: true, strategies: { all: { name: 'default' } } } } };
let world: World;
let evaluations: Evaluations;

beforeEach(() => {
  world = aWorld();
  evaluations = createEvaluations(
    createCatalogOrigin(createCatalog(world.caches, Date.now, { home: 'home' })),
    Math.random,
  );
  for (const project of ['shop', 'pay']) world.project(`home/${project}`);
  world.flag('home/b', on);
  world.flag('home/a', {});
  world.flag('home/old', { ...on, archived: true });
  world.flag('home/p', { ...on, project: 'pay' });
});

const inProduction = (projects?: readonly string[]) => ({ environment: 'production', projects });
const flags = (projects?: readonly string[]) => evaluations.flags(inProduction(projects));
const names = (projects?: readonly string[]) => flags(projects).map(({ feature }) => feature.name);

test('flags of all projects by name, including those that are off, without archived ones', () => {
  expect(names()).toEqual(['a', 'b', 'p']);
  expect(names(['shop'])).toEqual(['a', 'b']);
  expect(flags().map(({ feature }) => feature.enabled)).toEqual([false, true, true]);
});

test('a flag is compiled again only after a change of it, and the list only after a change in it', () => {
  const [a, b, p] = flags();
  const shop = flags(['shop']);
  world.flag('home/p', { project: 'pay' });
  expect(flags(['shop'])).toBe(shop);
  expect(flags().map((flag, index) => flag === [a, b, p][index])).toEqual([true, true, false]);
  expect(evaluations.flag('b', inProduction())).toBe(b);
  world.flag('home/a', on);
  expect(flags(['shop'])).not.toBe(shop);
  expect(flags(['shop']).map(({ feature }) => feature.enabled)).toEqual([true, true]);
});

test('a flag of another project does not exist, not even as a parent', () => {
  expect(evaluations.flag('p', inProduction(['shop']))).toBeUndefined();
  expect(evaluations.flag('old', inProduction())).toBeUndefined();
  const { flags: parents } = evaluations.situation(inProduction(['shop']), new Map());
  expect([parents.get('b')?.hasParents, parents.get('p'), parents.get('old')]).toEqual([false, undefined, undefined]);
});

test('a flag follows its parent at once', () => {
  world.flag('home/child', { ...on, dependencies: [{ feature: 'b' }] });
  const isOn = () => {
    const scope = inProduction(['shop']);
    return evaluations.flag('child', scope)?.evaluate(evaluations.situation(scope, new Map())).enabled;
  };
  expect(isOn()).toBe(true);
  world.flag('home/b', {});
  expect(isOn()).toBe(false);
});
