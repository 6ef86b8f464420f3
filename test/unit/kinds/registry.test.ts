/** The declarations of every kind, and what does not compile. */
import { expect, expectTypeOf, test } from 'vitest';
import type { Cached } from '../../../src/catalog/cached.ts';
import { type CatalogCaches, createCatalog } from '../../../src/catalog/catalog.ts';
import { type IndexedCaches, type Resources, registry } from '../../../src/kinds/registry.ts';
import { kindsByName } from '../../../src/schema/kinds.ts';
import type { Project } from '../../../src/schema/project.ts';
import { aWorld } from '../catalog/world.ts';

test('the registry has every kind of the schema, under the same name', () => {
  const found = Object.entries(registry).map(([name, { kind }]) => [name, kind.kind]);
  expect(found).toEqual(Object.entries(kindsByName).map(([name, { kind }]) => [name, kind]));
});

test('every kind is found by its wire name', () => {
  const lacking = Object.values(registry).filter(({ indexes }) => !('wireName' in indexes));
  expect(lacking).toEqual([]);
});

test('the name of an index, a cache or a kind that does not exist does not compile', () => {
  const { caches } = aWorld();
  const { flags, projects } = caches;
  expect(flags.by('project', 'home/shop')).toEqual([]);
  // @ts-expect-error Flags have an index `environment`, not `environments`.
  expect(() => flags.by('environments', 'production')).toThrow('no index environments');
  // @ts-expect-error Projects have no index of flags.
  expect(() => projects.by('strategyType', 'default')).toThrow('no index strategyType');
  // @ts-expect-error The cache is called `flags`.
  expect(caches.featureFlags).toBeUndefined();
});

test('a cache does not pass for one with more indexes', () => {
  const { caches } = aWorld();
  const byName: Cached<Project> = caches.projects;
  // @ts-expect-error It may be asked by wire name only.
  const byMember: Cached<Project, 'wireName' | 'member'> = byName;
  expect(byMember).toBe(byName);
  // @ts-expect-error The catalog asks flags by their project.
  expect(() => createCatalog({ ...caches, flags: caches.projects }, Date.now, { home: 'home' })).not.toThrow();
  expectTypeOf<IndexedCaches>().toExtend<CatalogCaches>();
  expectTypeOf<Resources>().toExtend<IndexedCaches>();
});
