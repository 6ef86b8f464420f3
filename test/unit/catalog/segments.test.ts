/** The segments that flags use, and the changes that affect a flag. */
import { beforeEach, expect, test } from 'vitest';
import { type Catalog, createCatalog } from '../../../src/catalog/catalog.ts';
import { aWorld, type World } from './world.ts';

const uses = (...segments: readonly string[]) => ({
  environments: { production: { enabled: true, strategies: { some: { name: 'default', segments } } } },
});
const LATER = { creationTimestamp: '2026-01-02T00:00:00Z' };
let world: World;
let catalog: Catalog;

beforeEach(() => {
  world = aWorld();
  catalog = createCatalog(world.caches, Date.now, { home: 'home' });
  world.project('home/shop');
  world.project('away/pay');
  world.flag('home/near', uses('beta'));
  world.flag('away/far', { project: 'pay', ...uses('beta') });
  world.flag('home/plain', uses());
});

const flagAt = (place: string) => {
  const [namespace = '', name = ''] = place.split('/');
  const flag = world.caches.flags.get({ namespace, name });
  if (!flag) throw new Error(`there is no ${place}`);
  return flag;
};
const found = (place: string) => catalog.flagContextOf(flagAt(place)).segments?.get('beta');
const isOn = (place: string) => catalog.effectOf(flagAt(place)).enabledIn.has('production');

test('a flag finds a segment when it has its id, and is off before', () => {
  expect([found('home/near'), isOn('home/near')]).toEqual(['not-found', false]);
  world.segment('home/beta');
  expect([found('home/near'), isOn('home/near')]).toEqual(['not-ready', false]);
  world.number('Segment home/beta', 3);
  expect(found('home/near')).toEqual({ id: 3, name: 'beta', constraints: [] });
  expect([isOn('home/near'), isOn('away/far')]).toEqual([true, true]);
  world.remove('Segment home/beta');
  expect([isOn('home/near'), isOn('away/far')]).toEqual([false, false]);
});

test('a segment of another namespace than the operator namespace is for flags of its own', () => {
  world.segment('away/beta', {}, { status: { id: 1 } });
  expect([isOn('home/near'), isOn('away/far')]).toEqual([false, true]);
});

test('a segment of a project is for its flags', () => {
  world.segment('home/beta', { project: 'pay' }, { status: { id: 1 } });
  expect([isOn('home/near'), isOn('away/far')]).toEqual([false, true]);
});

test('of two segments with one name or id flags find the one that owns it', () => {
  world.segment('home/beta', { description: 'older' }, { status: { id: 1 } });
  world.segment('away/beta', {}, { ...LATER, status: { id: 2 } });
  expect(found('away/far')).toMatchObject({ id: 1 });
  world.segment('home/other', { id: 1 }, { ...LATER, status: { id: 1 } });
  world.flag('home/mistaken', uses('other'));
  expect(found('home/near')).toMatchObject({ id: 1 });
  expect(catalog.flagContextOf(flagAt('home/mistaken')).segments?.get('other')).toBe('not-ready');
  expect(catalog.segmentNamed('other')?.metadata.name).toBe('other');
  expect(catalog.segment(1)?.metadata.name).toBe('beta');
  expect(catalog.segment(2)).toBeUndefined();
});

test('the context of a flag is replaced when a segment of its own changes, and by nothing else', () => {
  world.segment('home/beta', {}, { status: { id: 1 } });
  const [near, plain] = [flagAt('home/near'), flagAt('home/plain')].map(catalog.flagContextOf);
  world.segment('home/other', {}, { status: { id: 2 } });
  world.touch('Segment home/beta');
  expect(catalog.flagContextOf(flagAt('home/near'))).toBe(near);
  const before = catalog.version();
  world.segment(
    'home/beta',
    { constraints: [{ contextName: 'a', operator: 'IN', values: ['b'] }] },
    { status: { id: 1 } },
  );
  expect(catalog.version()).toBeGreaterThan(before);
  expect(catalog.flagContextOf(flagAt('home/near'))).not.toBe(near);
  expect(catalog.flagContextOf(flagAt('home/plain'))).toBe(plain);
});

test('the counts of a project follow the segments of its flags', () => {
  const enabled = () => {
    const view = catalog.view('shop');
    return view && catalog.summaryOf(view).enabled.get('production');
  };
  expect(enabled()).toBe(1);
  world.segment('home/beta', {}, { status: { id: 1 } });
  expect(enabled()).toBe(2);
});

test('the flags of a segment: those that contain its name and may use it', () => {
  world.segment('home/beta', { project: 'shop' });
  world.flag('home/stowed', { ...uses('beta'), archived: true });
  world.flag('home/twin', { name: 'near', ...uses('beta') }, LATER);
  const segment = catalog.segmentNamed('beta');
  expect(segment && catalog.flagsOfSegment(segment).map(({ metadata }) => metadata.name)).toEqual(['near', 'stowed']);
});

test('the project of a segment: any for the operator namespace, otherwise one of its own', () => {
  world.segment('home/beta', { project: 'pay' });
  world.segment('away/gamma', { project: 'shop' });
  world.segment('away/delta', { project: 'pay' });
  const lookup = (name: string) => {
    const segment = catalog.segmentNamed(name);
    return segment && catalog.projectOfSegment(segment);
  };
  expect([lookup('beta'), lookup('gamma'), lookup('delta')]).toEqual([
    { exists: true },
    { exists: false, elsewhere: 'home' },
    { exists: true, elsewhere: undefined },
  ]);
});

test('the highest id of a segment stays known after the segment is deleted', () => {
  world.segment('home/beta', {}, { status: { id: 41 } });
  world.remove('Segment home/beta');
  expect(catalog.highestIds()['segments']).toBe(41);
});

test('a segment is used where flags use it, and where open requests to change flags that may use it would', () => {
  world.segment('away/beta', {}, { status: { id: 1 } });
  const used = () => {
    const segment = catalog.segmentNamed('beta');
    return segment && catalog.environmentsOfSegment(segment);
  };
  const asked = { environments: { development: uses('beta').environments.production } };
  world.request('home/foreign', 'near', asked);
  expect(used()).toEqual(['production']);
  world.request('away/asked', 'far', asked);
  expect(used()).toEqual(['development', 'production']);
  world.request('away/asked', 'far', asked, { status: { phase: 'Expired' } });
  expect(used()).toEqual(['production']);
});
