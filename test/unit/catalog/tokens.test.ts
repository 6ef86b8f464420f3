/** The owner of a token value, by the caches and the clock of a replica. */
import { beforeEach, describe, expect, test } from 'vitest';
import { type Catalog, createCatalog } from '../../../src/catalog/catalog.ts';
import { CREATED } from '../domain/objects.ts';
import { aWorld, type World } from './world.ts';

const LATER = { creationTimestamp: '2026-01-01T00:00:01Z' };
const [A, B] = ['a'.repeat(64), 'b'.repeat(64)];

let world: World;
let catalog: Catalog;
let now: number;

beforeEach(() => {
  world = aWorld();
  now = Date.parse(CREATED);
  catalog = createCatalog(world.caches, () => now, { home: 'home' });
});

const names = () => catalog.tokens().map(({ metadata }) => metadata.name);
const named = (digest: string) => catalog.tokenByHash(digest)?.metadata.name;

describe('the digest of a value', () => {
  test('leads to its token from the moment the status has it until the token is deleted', () => {
    world.token('home/t');
    expect(named(A)).toBeUndefined();
    world.token('home/t', {}, { generation: 1, status: { sha256: A } });
    expect([named(A), named(B)]).toEqual(['t', undefined]);
    world.token('home/t', {}, { generation: 1, status: { sha256: B } });
    expect([named(A), named(B)]).toEqual([undefined, 't']);
    world.remove('ApiToken home/t');
    expect(named(B)).toBeUndefined();
  });

  test('is invalid after its expiry, although no object has changed', () => {
    world.token('home/t', { expiresAt: '2026-01-01T00:01:00Z' }, { status: { sha256: A } });
    now += 59_999;
    expect(named(A)).toBe('t');
    now += 1;
    expect(named(A)).toBeUndefined();
  });

  test('of two tokens belongs to the older one, even after that one has expired', () => {
    world.token('home/b', { expiresAt: '2026-01-01T00:01:00Z' }, { status: { sha256: A } });
    world.token('home/a', {}, { ...LATER, status: { sha256: A } });
    expect(named(A)).toBe('b');
    now += 60_000;
    expect(named(A)).toBeUndefined();
    world.remove('ApiToken home/b');
    expect(named(A)).toBe('a');
  });

  test('leads nowhere while the token is being deleted', () => {
    world.token('home/t', {}, { deletionTimestamp: CREATED, status: { sha256: A } });
    expect(named(A)).toBeUndefined();
  });

  test('of a token without a name of its own leads nowhere', () => {
    world.token('home/first', { name: 'CI' }, { status: { sha256: A } });
    world.token('home/second', { name: 'CI' }, { ...LATER, status: { sha256: B } });
    expect([named(A), named(B)]).toEqual(['first', undefined]);
  });

  test('of a personal token leads to it while its user exists, with an id', () => {
    world.token('home/t', { type: 'personal', user: 'ada' }, { status: { sha256: A } });
    expect(named(A)).toBeUndefined();
    world.user('home/ada');
    expect(named(A)).toBeUndefined();
    world.number('FlagUser home/ada', 1);
    expect(named(A)).toBe('t');
    world.remove('FlagUser home/ada');
    expect(named(A)).toBeUndefined();
  });
});

test('tokens are listed by their age, then by name; those without a name of their own are not', () => {
  world.token('home/c', {}, LATER);
  world.token('home/b', { name: 'z' });
  world.token('home/a', { name: 'c' }, LATER);
  expect(names()).toEqual(['b', 'a']);
  world.remove('ApiToken home/a');
  expect(names()).toEqual(['b', 'c']);
});

test('an environment counts the tokens that name it, and a project those of them that include it', () => {
  world.token('home/all', { environment: 'production' });
  world.token('home/shop', { environment: 'production', projects: ['shop'] });
  world.token('home/elsewhere', { environment: 'development' });
  world.token('home/twin', { name: 'all', environment: 'production' }, LATER);
  world.token('home/admin', { type: 'admin' });
  expect(catalog.useOf('production').apiTokens).toBe(2);
  expect([catalog.tokenCount('production', 'shop'), catalog.tokenCount('production', 'pay')]).toEqual([2, 1]);
});
