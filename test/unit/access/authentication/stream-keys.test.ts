/** Keys of event streams: the users that they admit, and their lifetime. */
import { beforeEach, expect, test } from 'vitest';
import { streamKeyOf, uidOfStreamKey } from '../../../../src/access/authentication/stream-keys.ts';
import { type Catalog, createCatalog } from '../../../../src/catalog/catalog.ts';
import { aWorld, type World } from '../../catalog/world.ts';

const HOUR_MS = 3_600_000;
const NOW = Date.parse('2026-01-01T12:00:00Z');
const DIGEST = 'a'.repeat(64);
const PLACE = 'home/page';
const holding = (sha256: string) => ({ uid: '0f8fad5b-d9cb-469f-a165-70867728950e', status: { sha256 } });
const spec = { type: 'frontend', environment: 'production' };
let world: World;
let catalog: Catalog;

beforeEach(() => {
  world = aWorld();
  catalog = createCatalog(world.caches, () => NOW, { home: 'home' });
  world.token(PLACE, spec, holding(DIGEST));
});

function keyAt(now: number): string {
  const token = catalog.tokenByHash(DIGEST);
  if (!token) throw new Error('there is no token');
  return streamKeyOf(token.metadata.uid, DIGEST, now);
}

const uidOf = (key: string, now: number, { tokenByUid }: Catalog) =>
  uidOfStreamKey(key, (uid) => tokenByUid(uid)?.status?.sha256, now);
const isAdmitted = (key: string, now = NOW) => uidOf(key, now, catalog) !== undefined;

test('a key is valid for half an hour to an hour, and is the same for half an hour', () => {
  const key = keyAt(NOW);
  expect([0, HOUR_MS - 1, HOUR_MS].map((ms) => isAdmitted(key, NOW + ms))).toEqual([true, true, false]);
  expect(keyAt(NOW + HOUR_MS / 2 - 1)).toBe(key);
  const next = keyAt(NOW + HOUR_MS / 2);
  expect([next === key, isAdmitted(next, NOW + HOUR_MS)]).toEqual([false, true]);
});

test('another replica, which has the same digest, admits the key', () => {
  const key = keyAt(NOW);
  const other = createCatalog(world.caches, () => NOW, { home: 'home' });
  expect(uidOf(key, NOW, other)).toBe(other.tokenByHash(DIGEST)?.metadata.uid);
});

test('a key of a token that is deleted, expired or has another value is refused', () => {
  const key = keyAt(NOW);
  world.token(PLACE, spec, holding('b'.repeat(64)));
  expect(isAdmitted(key)).toBe(false);
  world.token(PLACE, { ...spec, expiresAt: '2026-01-01T11:59:59Z' }, holding(DIGEST));
  expect(isAdmitted(key)).toBe(false);
  world.token(PLACE, spec, holding(DIGEST));
  expect(isAdmitted(key)).toBe(true);
  world.remove(`ApiToken ${PLACE}`);
  expect(isAdmitted(key)).toBe(false);
});

test('a key is refused with any byte changed, added or removed', () => {
  const bytes = Buffer.from(keyAt(NOW), 'base64url');
  for (const index of bytes.keys()) {
    const changed = Buffer.from(bytes);
    changed.writeUInt8(bytes.readUInt8(index) ^ 1, index);
    expect(isAdmitted(changed.toString('base64url')), `byte ${index}`).toBe(false);
  }
  for (const other of ['', 'x', `${keyAt(NOW)}AAAA`, bytes.subarray(0, -1).toString('base64url')]) {
    expect(isAdmitted(other)).toBe(false);
  }
});
