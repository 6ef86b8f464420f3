/** What searches of the past know about the writes of other kinds. */
import { expect, test } from 'vitest';
import { createSharedSearch, EVENTS } from '../../../../src/kube/cache/shared-search.ts';

const EVERYTHING = { base: 0n, end: 1_000_000n };

test('the writes outside of a scope are those of the other scopes within the range', () => {
  const shared = createSharedSearch();
  shared.remember('flags/', [1n, 2n, 3n]);
  shared.remember('projects/', [4n, 5n]);
  shared.remember('users/', [6n]);
  expect(shared.writesOutside('projects/', EVERYTHING)).toEqual([1n, 2n, 3n, 6n]);
  expect(shared.writesOutside('segments/', { base: 2n, end: 5n })).toEqual([3n, 4n, 5n]);
});

test('the oldest are forgotten when there are too many', () => {
  const shared = createSharedSearch();
  const versions = Array.from({ length: 70_000 }, (_, index) => BigInt(index + 1));
  shared.remember('flags/', versions);
  const known = shared.writesOutside('projects/', EVERYTHING);
  expect(known).toHaveLength(65_536);
  expect(new Set(known)).toEqual(new Set(versions.slice(-65_536)));
});

test('a cluster that is older than a known write was restored: everything is forgotten', () => {
  const shared = createSharedSearch();
  shared.remember('flags/', [100n, 200n]);
  shared.forgetIfRestored(200n);
  expect(shared.writesOutside('projects/', EVERYTHING)).toEqual([100n, 200n]);
  shared.forgetIfRestored(199n);
  expect(shared.writesOutside('projects/', EVERYTHING)).toEqual([]);
  shared.remember('flags/', [150n]);
  shared.forgetIfRestored(150n);
  expect(shared.writesOutside('projects/', EVERYTHING)).toEqual([150n]);
});

test('versions of Events are known writes, unless Events are in an etcd of their own', () => {
  const shared = createSharedSearch();
  shared.remember('flags/', [1n, 3n]);
  for (const version of ['2', '5', 'opaque']) shared.rememberVersion(EVENTS, version);
  expect(shared.writesOutside('projects/', EVERYTHING)).toEqual([2n, 5n, 1n, 3n]);
  expect(shared.writesOutside('flags/', EVERYTHING)).toEqual([2n, 5n]);
  shared.rememberVersion(EVENTS, '3');
  expect(shared.writesOutside('projects/', EVERYTHING)).toEqual([1n, 3n]);
  expect(shared.writesOutside('flags/', EVERYTHING)).toEqual([]);
});

test('an Event says nothing about the age of the cluster', () => {
  const shared = createSharedSearch();
  shared.remember('flags/', [100n]);
  shared.rememberVersion(EVENTS, '900');
  shared.forgetIfRestored(100n);
  expect(shared.writesOutside('projects/', EVERYTHING)).toEqual([900n, 100n]);
});
