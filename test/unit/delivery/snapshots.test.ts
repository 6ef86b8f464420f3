/** Snapshots: the right flags, and the same bytes as long as nothing in them changes. */
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { createCatalog } from '../../../src/catalog/catalog.ts';
import { createCatalogOrigin } from '../../../src/delivery/catalog-origin.ts';
import { createSnapshots, type Snapshots } from '../../../src/delivery/snapshots.ts';
import type { SnapshotQuery } from '../../../src/wire/client/document.ts';
import { aWorld, type World } from '../catalog/world.ts';

const on = { environments: { production: { enabled: true, strategies: { all: { name: 'default' } } } } };
let world: World;
let snapshots: Snapshots;

beforeEach(() => {
  world = aWorld();
  snapshots = createSnapshots(createCatalogOrigin(createCatalog(world.caches, Date.now, { home: 'home' })));
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

test('a snapshot has the flags of each project by name, and the parameters of the request', () => {
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

test('a flag that is off is included, an archived one is not', () => {
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

test('one flag alone, for tokens that may read it', () => {
  const one = (name: string, projects?: readonly string[]) =>
    snapshots.feature(name, { environment: 'production', projects })?.toString();
  expect(JSON.parse(one('a') ?? '')).toEqual(document({ projects: ['shop'] }).features[0]);
  expect(one('a', ['shop'])).toBe(one('a'));
  expect([one('a', ['pay']), one('none'), one('lost')]).toEqual([undefined, undefined, undefined]);
});

test('the bytes of many flags are built in turns with other work, once for all requests', async () => {
  for (let number = 0; number < 40; number += 1) world.flag(`home/many-${number}`, on);
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
  expect(names()).toHaveLength(43);
  expect(source.prepare()).toBeUndefined();
  world.flag('home/a', {});
  await source.prepare();
  expect(document({ namePrefix: 'a' }).features).toMatchObject([{ name: 'a', enabled: false }]);
});

describe('segments', () => {
  const constraint = { contextName: 'userId', operator: 'IN', values: ['1'] };
  const shown = { ...constraint, inverted: false, caseInsensitive: false };
  const uses = (...segments: readonly string[]) => ({
    environments: {
      production: { enabled: true, strategies: { some: { name: 'default', constraints: [constraint], segments } } },
    },
  });
  const strategyOf = (query?: Partial<SnapshotQuery>) =>
    document(query).features.find(({ name }: { readonly name: string }) => name === 'b')?.strategies[0];

  beforeEach(() => {
    world.flag('home/b', uses('beta', 'all'));
    world.segment('home/all', {}, { status: { id: 9 } });
    world.segment('home/beta', { constraints: [constraint] }, { status: { id: 10 } });
    world.segment('home/unused', { constraints: [constraint] }, { status: { id: 11 } });
  });

  test('are next to the flags that name their ids: the used ones, each once', () => {
    const { production } = uses('beta').environments;
    const disabled = { name: 'default', disabled: true, segments: ['unused'] };
    const strategies = { ...production.strategies, disabled };
    const development = { strategies: { some: { name: 'default', segments: ['unused'] } } };
    world.flag('home/a', { environments: { production: { ...production, strategies }, development } });
    expect(document().segments).toEqual([
      { id: 9, name: 'all', constraints: [] },
      { id: 10, name: 'beta', constraints: [shown] },
    ]);
    expect(strategyOf()).toMatchObject({ constraints: [shown], segments: [10, 9] });
    expect(document().query.inlineSegmentConstraints).toBe(false);
    expect(document({ projects: ['pay'] }).segments).toEqual([]);
  });

  test('become constraints for SDKs that do not know segments', () => {
    const old = { inlinesSegments: true };
    expect(document(old)).not.toHaveProperty('segments');
    expect(strategyOf(old)).toEqual({ name: 'default', parameters: {}, constraints: [shown, shown], variants: [] });
    expect(document(old).query.inlineSegmentConstraints).toBe(true);
    expect(`${snapshots.feature('b', { environment: 'production', projects: undefined, ...old })}`).not.toContain(
      'segments',
    );
  });

  test('that change affect the payload; a deleted one switches the flag off', () => {
    const before = bytes();
    world.segment('home/unused', { description: 'd' }, { status: { id: 11 } });
    world.touch('Segment home/beta');
    expect(bytes()).toBe(before);
    world.segment('home/beta', { constraints: [{ ...constraint, values: ['2'] }] }, { status: { id: 10 } });
    expect(document().segments[1].constraints).toEqual([{ ...shown, values: ['2'] }]);
    world.remove('Segment home/beta');
    expect(document().features).toMatchObject([
      { name: 'p' },
      { name: 'a' },
      { name: 'b', enabled: false, strategies: [] },
    ]);
    expect(document().segments).toEqual([]);
  });

  test('with constraints that SDKs cannot receive switch their flags off', () => {
    const odd = { contextName: 'version', operator: 'SEMVER_GT', value: '1.2.3-01' };
    world.segment('home/beta', { constraints: [odd] }, { status: { id: 10 } });
    expect(document().segments).toEqual([]);
    expect(document().features.find(({ name }: { readonly name: string }) => name === 'b')).toMatchObject({
      enabled: false,
      strategies: [],
    });
  });
});
