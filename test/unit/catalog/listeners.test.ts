/** Listeners of the catalog that throw: the others, and the catalog, have all changes. */
import { beforeEach, expect, test } from 'vitest';
import { type Catalog, createCatalog } from '../../../src/catalog/catalog.ts';
import { createNameClaims, type NameClaimStore } from '../../../src/catalog/name-claim-store.ts';
import { type Claims, claimKey, shardLinesOf, shardOf } from '../../../src/domain/name-claims/claim-shards.ts';
import { aWorld, type World } from './world.ts';

const START = Date.parse('2026-03-01T00:00:00Z');
const mistake = new Error('mistake');
const fail = () => {
  throw mistake;
};

let world: World;
let claims: NameClaimStore;
let catalog: Catalog;
let faults: unknown[];
let now: number;

beforeEach(() => {
  world = aWorld();
  faults = [];
  now = START;
  const onFault = (error: unknown) => faults.push(error);
  claims = createNameClaims(onFault);
  catalog = createCatalog(world.caches, () => now, { home: 'home', claims, onFault });
  world.project('home/shop');
});

test('a shard of claims is announced as a whole', () => {
  const index = shardOf('a');
  const names = Array.from({ length: 40 }, (_, number) => `n${number}`)
    .filter((name) => shardOf(name) === index)
    .toSorted();
  const shard: Claims = new Map(names.map((name) => [claimKey('featureflags', name), { namespace: 'home' }]));
  const announced: unknown[] = [];
  claims.of('featureflags').onClaim(fail);
  claims.of('featureflags').onClaim((name) => announced.push(name));
  claims.onShard(fail);
  claims.onShard((taken) => announced.push(taken));
  claims.take(index, shardLinesOf(shard));
  expect(names.length).toBeGreaterThan(1);
  expect(announced).toEqual([...names, index]);
  expect(faults).toEqual([...names, index].map(() => mistake));
});

test('a change reaches every listener to touched flags', () => {
  const touched: unknown[] = [];
  catalog.onTouched(fail);
  catalog.onTouched((names) => touched.push(names));
  world.flag('home/f');
  expect([touched, faults]).toEqual([[['f']], [mistake]]);
});

test('a new version of a flag is planned after a moment of the one before', () => {
  const opensAt = (second: number) => {
    const activeFrom = new Date(START + second * 1000).toISOString();
    const environments = { production: { enabled: true, strategies: { all: { name: 'default' } }, activeFrom } };
    world.flag('home/f', { environments });
  };
  const passed: unknown[] = [];
  catalog.moments.onPassed(fail);
  catalog.moments.onPassed((names) => passed.push(names));
  opensAt(5);
  now = START + 6000;
  opensAt(60);
  expect([passed, faults]).toEqual([[['f']], [mistake]]);
  expect(catalog.moments.nextAt()).toBe(START + 60_000);
  now = START + 60_000;
  expect(catalog.moments.notifyPassed).not.toThrow();
  expect(passed).toEqual([['f'], ['f']]);
});
