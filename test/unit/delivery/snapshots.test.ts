/** Snapshots: the right flags, the same bytes for as long as nothing in them changes. */
import { beforeEach, expect, test, vi } from 'vitest';
import { createCatalog } from '../../../src/catalog/catalog.ts';
import { createSnapshots, type Snapshots } from '../../../src/delivery/snapshots.ts';
import type { SnapshotQuery } from '../../../src/wire/client/document.ts';
import { aWorld, type World } from '../catalog/world.ts';

const on = { environments: { production: { enabled: true, strategies: { all: { name: 'default' } } } } };
let world: World;
let snapshots: Snapshots;

beforeEach(() => {
  world = aWorld();
  snapshots = createSnapshots(createCatalog(world.caches, Date.now));
  for (const project of ['shop', 'pay']) world.project(`home/${project}`);
  world.flag('home/b', { ...on, tags: ['simple:xx'] });
  world.flag('home/a', on);
  world.flag('home/p', { ...on, project: 'pay' });
  world.flag('home/lost', { ...on, project: 'nowhere' });
});

const bytes = (query: Partial<SnapshotQuery> = {}) =>
  snapshots.source({ environment: 'production', projects: undefined, ...query }).current().bytes;
const document = (query?: Partial<SnapshotQuery>) => JSON.parse(`${bytes(query)}`);
const names = (query?: Partial<SnapshotQuery>) =>
  document(query).features.map(({ name }: { readonly name: string }) => name);

test('holds the flags of each project by name, and says what was asked', () => {
  expect(names()).toEqual(['p', 'a', 'b']);
  expect(document({ projects: ['shop'] })).toMatchObject({
    version: 2,
    segments: [],
    query: { environment: 'production', project: ['shop'] },
  });
  expect(names({ projects: ['shop'] })).toEqual(['a', 'b']);
  expect(names({ tags: ['simple:yy', 'simple:xx'] })).toEqual(['b']);
  expect(names({ namePrefix: 'a' })).toEqual(['a']);
  expect(document({ tags: ['simple:a:b'], namePrefix: 'a' }).query).toMatchObject({
    tag: [['simple', 'a:b']],
    namePrefix: 'a',
  });
});

test('a flag that is off is there, an archived one is not', () => {
  world.flag('home/a', {});
  expect(document({ projects: ['shop'] }).features).toMatchObject([
    { name: 'a', enabled: false },
    { name: 'b', enabled: true },
  ]);
  world.flag('home/a', { ...on, archived: true });
  expect(names({ projects: ['shop'] })).toEqual(['b']);
});

test('the bytes stay the same object while nothing in them changes, and follow each change', () => {
  const [shop, pay] = [bytes({ projects: ['shop'] }), bytes({ projects: ['pay'] })];
  world.touch('FeatureFlag home/a');
  world.flag('home/p', { project: 'pay' });
  expect(bytes({ projects: ['shop'] })).toBe(shop);
  expect(bytes({ projects: ['pay'] })).not.toBe(pay);
  world.remove('FeatureFlag home/a');
  expect(names({ projects: ['shop'] })).toEqual(['b']);
  world.remove('Project home/pay');
  expect(names()).toEqual(['b']);
  world.project('home/shop', { environments: ['development'] });
  expect(document().features).toMatchObject([{ name: 'b', enabled: false }]);
});

test('one flag alone, for who may read it', () => {
  const one = (name: string, projects?: readonly string[]) =>
    snapshots.feature(name, { environment: 'production', projects })?.toString();
  expect(JSON.parse(one('a') ?? '')).toEqual(document({ projects: ['shop'] }).features[0]);
  expect(one('a', ['shop'])).toBe(one('a'));
  expect([one('a', ['pay']), one('none'), one('lost')]).toEqual([undefined, undefined, undefined]);
});

test('the bytes of many flags are made in turns with other work, once for all who ask', async () => {
  for (let number = 0; number < 20; number += 1) world.flag(`home/many-${number}`, on);
  let time = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
    time += 1;
    return time;
  });
  const ask = () => snapshots.source({ environment: 'production', projects: undefined });
  const source = ask();
  const prepared = source.prepare();
  expect(ask().prepare()).toBe(prepared);
  let turns = 0;
  const take = () => {
    turns += 1;
    if (source.prepare() === prepared) setImmediate(take);
  };
  setImmediate(take);
  await prepared;
  clock.mockRestore();
  expect(turns).toBeGreaterThan(2);
  expect(names()).toHaveLength(23);
  expect(source.prepare()).toBeUndefined();
  world.flag('home/a', {});
  await source.prepare();
  expect(document({ namePrefix: 'a' }).features).toMatchObject([{ name: 'a', enabled: false }]);
});
