/** What searches of the past know about the writes of other kinds. */
import { expect, test } from 'vitest';
import { createSharedSearch, EVENTS } from '../../../../src/kube/replay/shared-search.ts';

const SIGNAL = new AbortController().signal;
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

/** A change at this version, in a cluster whose past may contain it. */
const change = (version: string, isThere = true) => ({ version, isInPast: async () => isThere });

test('a cluster whose past does not contain the newest change was restored: everything is forgotten', async () => {
  const shared = createSharedSearch();
  shared.rememberChange('flags/', change('100'));
  shared.rememberChange('users/', change('200', false));
  shared.rememberChange('flags/', change('150'));
  await shared.forgetUnconfirmed(SIGNAL);
  expect(shared.writesOutside('projects/', EVERYTHING)).toEqual([]);
});

test('writes after the newest change may be of another past', async () => {
  const shared = createSharedSearch();
  for (const version of ['100', '200', 'opaque']) shared.rememberChange('flags/', change(version));
  shared.rememberVersion(EVENTS, '150');
  shared.rememberVersion(EVENTS, '250');
  shared.rememberVersion('users/', '260');
  await shared.forgetUnconfirmed(SIGNAL);
  expect(shared.writesOutside('projects/', EVERYTHING)).toEqual([150n, 100n, 200n]);
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
