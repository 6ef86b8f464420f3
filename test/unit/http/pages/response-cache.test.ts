/** Cached answers show every change at once. */
import { expect, test } from 'vitest';
import { createCatalog } from '../../../../src/catalog/catalog.ts';
import { createPages } from '../../../../src/http/pages/response-cache.ts';
import type { FeatureFlag } from '../../../../src/schema/feature-flag.ts';
import { withoutUsage } from '../../../../src/wire/admin/flag/feature-usage.ts';
import { aWorld } from '../../catalog/world.ts';

test('the overview of a project has its present members, also within a second of an earlier answer', () => {
  const world = aWorld();
  const now = () => Date.parse('2026-03-01T09:30:00Z');
  const catalog = createCatalog(world.caches, now, { home: 'home' });
  const usages = {
    versionOf: () => undefined,
    shown: () => expect.unreachable(),
    lastSeenAt: () => undefined,
    lifecycleOf: () => expect.unreachable(),
  };
  const pages = createPages({ catalog, ownersAt: () => [], usages, usageAgeMs: 60_000, evidenceIn: () => [], now });
  const membersShown = () => {
    const view = catalog.view('shop');
    return view && JSON.parse(pages.overview(view).bytes.toString()).members;
  };

  world.project('home/shop', { members: { ada: 'owner' } });
  expect(membersShown()).toBe(0);
  world.user('home/ada', {}, { status: { id: 1 } });
  expect(membersShown()).toBe(1);
  world.remove('FlagUser home/ada');
  expect(membersShown()).toBe(0);
});

test('a list with usage that always changes is built once per allowed age of the usage', () => {
  const world = aWorld();
  let now = Date.parse('2026-03-01T09:30:00Z');
  const catalog = createCatalog(world.caches, () => now, { home: 'home' });
  const usages = {
    versionOf: () => `${now}`,
    shown: (flag: FeatureFlag) => ({ ...withoutUsage(flag), lastAt: now }),
    lastSeenAt: () => now,
    lifecycleOf: () => expect.unreachable(),
  };
  const pages = createPages({
    catalog,
    ownersAt: () => [],
    usages,
    usageAgeMs: 60_000,
    evidenceIn: () => [],
    now: () => now,
  });
  world.project('home/shop');
  world.flag('home/f', { project: 'shop' });
  const listed = () => {
    const view = catalog.view('shop') ?? expect.unreachable();
    const [list, overview] = [pages.flags(view), pages.overview(view)];
    return { list, overview, seen: JSON.parse(list.bytes.toString()).features[0].lastSeenAt };
  };
  const first = listed();
  now += 59_000;
  const later = listed();
  expect([later.list === first.list, later.overview === first.overview]).toEqual([true, true]);
  now += 1_000;
  const [next, tagOfFirst] = [listed(), first.list.etag];
  expect([next.seen, next.list.etag === tagOfFirst]).toEqual(['2026-03-01T09:31:00.000Z', true]);
  world.flag('home/f', { project: 'shop', description: 'changed' });
  expect(JSON.parse(listed().list.bytes.toString()).features[0].description).toBe('changed');
});
