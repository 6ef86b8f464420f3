/** The catalog of names that belong to namespaces. */
import { beforeEach, describe, expect, test } from 'vitest';
import { type Catalog, createCatalog } from '../../../src/catalog/catalog.ts';
import { createNameClaims, type NameClaimStore } from '../../../src/catalog/name-claim-store.ts';
import { wireNameOf } from '../../../src/domain/identity/names.ts';
import { claimKey, shardLinesOf, shardOf } from '../../../src/domain/name-claims/claim-shards.ts';
import type { ClaimedKind, NameClaim } from '../../../src/domain/name-claims/name-claims.ts';
import { aWorld, type World } from './world.ts';

const LATER = { creationTimestamp: '2026-06-01T00:00:00Z' };
const UNTIL = '2026-07-01T00:00:00Z';

let world: World;
let claims: NameClaimStore;
let catalog: Catalog;

beforeEach(() => {
  world = aWorld();
  claims = createNameClaims();
  catalog = createCatalog(world.caches, () => Date.parse('2026-06-02T00:00:00Z'), { home: 'home', claims });
  world.project('a/shop');
  world.project('b/shop', {}, LATER);
  world.flag('a/f', { project: 'shop' });
  world.flag('b/f', { project: 'shop' }, LATER);
});

function claim(kind: ClaimedKind, name: string, ...[to]: readonly NameClaim[]): void {
  const index = shardOf(name);
  const all = new Map(claims.shard(index));
  if (to) all.set(claimKey(kind, name), to);
  else all.delete(claimKey(kind, name));
  claims.take(index, shardLinesOf(all));
}

const flag = (place: string) => {
  const [namespace = '', name = ''] = place.split('/');
  const found = world.caches.flags.get({ namespace, name });
  if (!found) throw new Error(`there is no ${place}`);
  return found;
};
const placeOf = (found: { metadata: { namespace: string } } | undefined) => found?.metadata.namespace;
const flagsOf = (id: string) => catalog.view(id)?.flags.map((one) => `${placeOf(one)}/${wireNameOf(one)}`);

describe('a name that belongs to a namespace', () => {
  test('is owned by the object there, also by a younger one, at once when the claim changes', () => {
    expect([placeOf(catalog.project('shop')), placeOf(catalog.flag('f')), flagsOf('shop')]).toEqual([
      'a',
      'a',
      ['a/f'],
    ]);
    claim('projects', 'shop', { namespace: 'b' });
    expect([placeOf(catalog.project('shop')), flagsOf('shop')]).toEqual(['b', []]);
    claim('featureflags', 'f', { namespace: 'b' });
    expect([placeOf(catalog.flag('f')), flagsOf('shop')]).toEqual(['b', ['b/f']]);
    expect(catalog.projects().map(placeOf)).toEqual(['b']);
    expect(catalog.effectOf(flag('b/f')).findings).toEqual([]);
    expect(catalog.effectOf(flag('a/f')).findings.map(({ reason }) => reason)).toEqual([
      'NameConflict',
      'ProjectNotFound',
    ]);
    expect(catalog.flagDuplicates(flag('b/f'))).toMatchObject([{ namespace: 'a', name: 'f' }]);
    expect(catalog.flagDuplicates(flag('a/f'))).toEqual([]);
  });

  test('of a segment: its flags find the segment there, and no other', () => {
    const strategies = { some: { name: 'default', segments: ['s'] } };
    const uses = { environments: { production: { enabled: true, strategies } } };
    world.flag('a/f', uses);
    world.segment('a/s', {}, { status: { id: 1 } });
    world.segment('b/s', {}, { ...LATER, status: { id: 2 } });
    const found = () => catalog.flagContextOf(flag('a/f')).segments?.get('s');
    expect(found()).toMatchObject({ id: 1 });
    const before = catalog.version();
    claim('segments', 's', { namespace: 'b' });
    expect([found(), catalog.version() > before]).toEqual(['not-found', true]);
    expect(placeOf(catalog.segmentNamed('s'))).toBe('b');
  });

  test('has no owner while no object there has it', () => {
    claim('projects', 'shop', { namespace: 'c', until: UNTIL });
    claim('featureflags', 'f', { namespace: 'c', until: UNTIL });
    expect([catalog.project('shop'), catalog.flag('f'), catalog.view('shop'), catalog.projects()]).toEqual([
      undefined,
      undefined,
      undefined,
      [],
    ]);
    const messages = catalog.effectOf(flag('a/f')).findings.map(({ message }) => message);
    expect(messages).toEqual([
      `the flag name "f" belongs to the namespace c until ${UNTIL}, as it was used there: choose another name`,
      'the project "shop" is in namespace c and this flag is not: create the flag there, or under another project',
    ]);
    claim('projects', 'shop');
    claim('featureflags', 'f');
    expect([placeOf(catalog.project('shop')), flagsOf('shop')]).toEqual(['a', ['a/f']]);
  });

  test('stays known when its ConfigMap is deleted', () => {
    claim('featureflags', 'f', { namespace: 'b' });
    claims.take(shardOf('f'), undefined);
    expect(placeOf(catalog.flag('f'))).toBe('b');
  });
});

describe('a flag is not among those of its project', () => {
  test('while a claim that was there before it gives its name to another namespace', () => {
    claim('featureflags', 'g', { namespace: 'b' });
    world.flag('a/g', { project: 'shop' });
    expect(flagsOf('shop')).toEqual(['a/f']);
    claim('featureflags', 'g');
    expect(flagsOf('shop')).toEqual(['a/f', 'a/g']);
  });

  test('if another flag had its name before the catalog was made, until that flag is gone', () => {
    world.flag('b/g', { project: 'shop' });
    world.flag('a/g', { project: 'shop' }, LATER);
    catalog = createCatalog(world.caches, () => Date.parse('2026-06-02T00:00:00Z'), { home: 'home', claims });
    expect(flagsOf('shop')).toEqual(['a/f']);
    world.remove('FeatureFlag b/g');
    expect(flagsOf('shop')).toEqual(['a/f', 'a/g']);
  });

  test('until an older flag of its name is recreated with another name', () => {
    world.flag('b/old', { name: 'g', project: 'shop' });
    world.flag('a/g', { project: 'shop' }, LATER);
    expect(flagsOf('shop')).toEqual(['a/f']);
    world.flag('b/old', { name: 'h', project: 'shop' }, { uid: 'another' });
    expect(flagsOf('shop')).toEqual(['a/f', 'a/g']);
  });
});
