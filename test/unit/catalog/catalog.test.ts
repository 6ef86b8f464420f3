/** Lookups across the caches, and how long they return the same objects. */
import { beforeEach, describe, expect, test } from 'vitest';
import { type Catalog, createCatalog } from '../../../src/catalog/catalog.ts';
import { wireNameOf } from '../../../src/domain/identity/names.ts';
import { CREATED, flagObject } from '../domain/objects.ts';
import { aWorld, type World } from './world.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const LATER = { creationTimestamp: '2026-01-01T00:00:01Z' };
const on = { enabled: true, strategies: { all: { name: 'default' } } };

let world: World;
let catalog: Catalog;
let now: number;

beforeEach(() => {
  world = aWorld();
  now = Date.parse(CREATED);
  catalog = createCatalog(world.caches, () => now, { home: 'home' });
});

const placeOf = (object: { metadata: { namespace: string; name: string } } | undefined) =>
  object && `${object.metadata.namespace}/${object.metadata.name}`;
const around = (namespace: string, project: string) =>
  catalog.flagContextOf(flagObject(`${namespace}/any`, { project }));
const flagsOf = (id: string) => catalog.view(id)?.flags.map(wireNameOf);

describe('names', () => {
  test('the older object owns the name, whatever their order of arrival', () => {
    world.project('b/shop', {}, LATER);
    world.project('a/elsewhere', { name: 'shop' });
    expect(placeOf(catalog.project('shop'))).toBe('a/elsewhere');
    expect(catalog.projectConflictWith(catalogObject('b/shop'))).toMatchObject({ namespace: 'a', name: 'elsewhere' });
    expect(catalog.projects().map(placeOf)).toEqual(['a/elsewhere']);
  });

  test('the younger one takes over when the older one is deleted', () => {
    world.project('b/shop', {}, LATER);
    world.project('a/elsewhere', { name: 'shop' });
    world.remove('Project a/elsewhere');
    expect(placeOf(catalog.project('shop'))).toBe('b/shop');
    expect(catalog.projectConflictWith(catalogObject('b/shop'))).toBeUndefined();
  });

  test('projects are ordered by id, environments by their place', () => {
    for (const name of ['b', 'a', 'C']) world.project(`home/${name.toLowerCase()}`, { name });
    world.environment('home/zero', { sortOrder: 0 });
    world.environment('home/last');
    expect(catalog.projects().map(wireNameOf)).toEqual(['C', 'a', 'b']);
    expect(catalog.environments().map(wireNameOf)).toEqual(['zero', 'development', 'production', 'last']);
  });

  function catalogObject(place: string) {
    const [namespace = '', name = ''] = place.split('/');
    const found = world.caches.projects.get({ namespace, name });
    if (!found) throw new Error(`there is no ${place}`);
    return found;
  }
});

describe('surroundings', () => {
  test("a flag's project is the one in its own namespace, if that one owns its id", () => {
    world.project('a/shop');
    world.project('b/shop', {}, LATER);
    expect(placeOf(around('a', 'shop').project)).toBe('a/shop');
    expect(around('b', 'shop').project).toBeUndefined();
    expect(around('a', 'pay').project).toBeUndefined();
    expect(around('b', 'shop').projectElsewhere).toBe('a');
    expect([around('a', 'shop').projectElsewhere, around('a', 'pay').projectElsewhere]).toEqual([undefined, undefined]);
  });

  test('is the same object until a project or an environment changes', () => {
    world.project('home/shop');
    const first = around('home', 'shop');
    world.flag('home/flag');
    world.touch('Project home/shop');
    world.touch('Environment home/production');
    expect(around('home', 'shop')).toBe(first);
    world.project('home/shop', { environments: ['production'] });
    const second = around('home', 'shop');
    expect(second.environments.map(wireNameOf)).toEqual(['production']);
    world.environment('home/production', { sortOrder: 5 });
    expect(around('home', 'shop')).not.toBe(second);
  });

  test('an object that was deleted and created again counts as another', () => {
    world.project('home/shop', {}, { uid: 'one', generation: 1 });
    const first = around('home', 'shop');
    world.remove('Project home/shop');
    world.project('home/shop', {}, { uid: 'two', generation: 1 });
    expect(around('home', 'shop').project).not.toBe(first.project);
  });
});

describe('views', () => {
  beforeEach(() => world.project('home/shop'));

  test('have the flags of the project in its namespace that own their names, by wire name', () => {
    world.flag('home/b');
    world.flag('home/a');
    world.flag('home/x', { name: 'B' });
    world.flag('home/other', { project: 'pay' });
    world.flag('away/elsewhere');
    world.flag('home/loser', { name: 'a' }, LATER);
    expect(flagsOf('shop')).toEqual(['B', 'a', 'b']);
    expect(catalog.view('pay')).toBeUndefined();
  });

  test('are the same object until something in them changes', () => {
    world.project('home/pay');
    world.flag('home/a');
    const first = catalog.view('shop');
    world.flag('home/b', { project: 'pay' });
    world.touch('Project home/shop');
    expect(catalog.view('shop')).toBe(first);
    world.flag('home/a', { description: 'd' });
    const second = catalog.view('shop');
    expect(second).not.toBe(first);
    world.project('home/shop', { displayName: 'Shop' });
    expect(catalog.view('shop')).not.toBe(second);
  });

  test.each([
    ['the namespace of the project', 'home/twin'],
    ['another namespace', 'away/twin'],
  ])('follow a contest for a name with a flag in %s', (_, place) => {
    world.flag('home/a', {}, LATER);
    expect(flagsOf('shop')).toEqual(['a']);
    world.flag(place, { name: 'a', project: 'pay' });
    expect(flagsOf('shop')).toEqual([]);
    world.remove(`FeatureFlag ${place}`);
    expect(flagsOf('shop')).toEqual(['a']);
  });

  test('follow a younger project that takes over, with the flags of its namespace', () => {
    world.project('away/shop', {}, LATER);
    world.flag('home/at-home');
    world.flag('away/far');
    expect(flagsOf('shop')).toEqual(['at-home']);
    world.remove('Project home/shop');
    expect(flagsOf('shop')).toEqual(['far']);
  });
});

describe('summaries', () => {
  const health = () => {
    const view = catalog.view('shop');
    return view && catalog.summaryOf(view);
  };

  test('are computed once, until the view changes or time does it', () => {
    world.project('home/shop');
    world.flag('home/a', { type: 'operational' });
    const first = health();
    expect(first?.health).toBe(100);
    now += 7 * DAY_MS - 1;
    expect(health()).toBe(first);
    now += 1;
    expect(health()?.health).toBe(0);
    world.flag('home/b');
    expect(health()?.health).toBe(50);
  });
});

describe('use of an environment', () => {
  test('sums up over the projects that use it', () => {
    world.project('home/shop');
    world.project('away/pay', { environments: ['production'] });
    world.flag('home/a', { environments: { development: on, production: on } });
    world.flag('home/off', { environments: { production: { ...on, enabled: false } } });
    world.flag('away/b', { project: 'pay', environments: { development: on, production: on } });
    world.flag('away/stray', { environments: { production: on } });
    expect(catalog.useOf('production')).toEqual({ projects: 2, apiTokens: 0, enabledFlags: 2 });
    expect(catalog.useOf('development')).toEqual({ projects: 1, apiTokens: 0, enabledFlags: 1 });
    expect(catalog.useOf('moon')).toEqual({ projects: 0, apiTokens: 0, enabledFlags: 0 });
  });

  test('a flag that loses its name counts no more', () => {
    world.project('home/shop');
    world.flag('home/a', { environments: { production: on } }, LATER);
    expect(catalog.useOf('production').enabledFlags).toBe(1);
    world.flag('away/a');
    expect(catalog.useOf('production').enabledFlags).toBe(0);
  });
});
