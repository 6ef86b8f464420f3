/** When claims to names are written, and which objects they enqueue. */
import { expect, test } from 'vitest';
import { createNameClaims } from '../../../src/catalog/name-claim-store.ts';
import { CLAIM_SHARDS, type ShardLines, shardOf } from '../../../src/domain/name-claims/claim-shards.ts';
import { RELEASE_ANNOTATION } from '../../../src/domain/name-claims/name-claims.ts';
import { type ClaimShard, enqueueNameClaims, nameClaimsReconciler } from '../../../src/kinds/name-claims.ts';
import { mapKinds } from '../../../src/kinds/registry.ts';
import { enqueueOnChanges, type Queues } from '../../../src/kinds/triggers.ts';
import { aWorld } from '../catalog/world.ts';

const DAY = 24 * 3_600_000;
const START = Date.parse('2026-06-01T00:00:00Z');

function setUp() {
  const world = aWorld();
  const store = createNameClaims();
  const data: (ShardLines | undefined)[] = [];
  const writes: number[] = [];
  const shards = Array.from(
    { length: CLAIM_SHARDS },
    (_, index): ClaimShard => ({
      get claims() {
        return store.shard(index);
      },
      get data() {
        return data[index];
      },
      async write(next) {
        writes.push(index);
        data[index] = next;
        store.take(index, next);
      },
    }),
  );
  let now = START;
  const { flags, projects, segments } = world.caches;
  const caches = { featureflags: flags, projects, segments };
  const full: number[] = [];
  const onFull = (names: number) => void full.push(names);
  const reconcile = nameClaimsReconciler({
    caches,
    shards,
    tenureMs: 7 * DAY,
    claimDelayMs: 2000,
    now: () => now,
    onFull,
  });
  const woken: [key: string, ms: number][] = [];
  const queue = {
    add: (key: string) => void woken.push([key, 0]),
    addAfter: (key: string, ms: number) => void woken.push([key, ms]),
  };
  return {
    ...{ world, store, data, writes, shards, woken, full },
    wake: () => enqueueNameClaims({ caches, shards, onShard: store.onShard }, queue),
    reconcile: (name: string) => reconcile(`${shardOf(name)}`),
    /** Reconciles twice, so that a used name is claimed. */
    async settle(name: string) {
      await reconcile(`${shardOf(name)}`);
      now += 2000;
      return reconcile(`${shardOf(name)}`);
    },
    pass: (ms: number) => {
      now += ms;
    },
    claimOf: (name: string) => store.of('featureflags').claimOf(name),
  };
}

test('a new name is written once; a change without a new name writes nothing', async () => {
  const { world, writes, reconcile, settle, claimOf } = setUp();
  world.flag('shop/one');
  expect(await settle('one')).toEqual({});
  expect(claimOf('one')).toEqual({ namespace: 'shop' });
  world.flag('shop/one', { description: 'changed' });
  await reconcile('one');
  expect(writes).toEqual([shardOf('one')]);
});

test('the claim to an unused name ends by itself after the configured tenure, and then belongs to the next one', async () => {
  const { world, reconcile, settle, pass, claimOf } = setUp();
  world.flag('shop/one');
  await settle('one');
  world.remove('FeatureFlag shop/one');
  world.flag('away/one');
  expect(await reconcile('one')).toEqual({ again: { afterMs: 7 * DAY } });
  expect(claimOf('one')).toEqual({ namespace: 'shop', until: '2026-06-08T00:00:02Z' });
  pass(7 * DAY - 1);
  expect(await reconcile('one')).toEqual({ again: { afterMs: 1 } });
  pass(1);
  expect(await reconcile('one')).toEqual({});
  expect(claimOf('one')).toEqual({ namespace: 'away' });
});

test('a name is claimed two seconds after it was first found in use, and not for an object that is deleted by then', async () => {
  const { world, writes, reconcile, pass, claimOf } = setUp();
  world.flag('shop/one');
  expect(await reconcile('one')).toEqual({ again: { afterMs: 2000 } });
  pass(1999);
  world.flag('away/one', {}, { creationTimestamp: '2026-06-01T00:00:01Z' });
  world.remove('FeatureFlag shop/one');
  expect(await reconcile('one')).toEqual({ again: { afterMs: 1 } });
  expect(writes).toEqual([]);
  pass(1);
  expect(await reconcile('one')).toEqual({});
  expect(claimOf('one')).toEqual({ namespace: 'away' });
});

test('an object that is created, deleted or renamed, or a shard that is read, enqueues that shard after a while', () => {
  const { world, woken, wake, store } = setUp();
  world.flag('shop/one');
  const stop = wake();
  expect(woken.splice(0).map(([key]) => key)).toEqual(['0', '1', '2', '3', '4', '5', '6', '7']);
  const key = `${shardOf('one')}`;
  world.touch('FeatureFlag shop/one');
  world.flag('shop/one', { description: 'changed' });
  expect(woken.splice(0)).toEqual([]);
  world.flag('shop/one', {}, { annotations: { [RELEASE_ANNOTATION]: 'true' } });
  expect(woken.splice(0)).toContainEqual([key, 1000]);
  world.remove('FeatureFlag shop/one');
  expect(woken.splice(0)).toEqual([[key, 1000]]);
  store.take(shardOf('one'), undefined);
  expect(woken.splice(0)).toEqual([[key, 1000]]);
  stop();
  world.flag('shop/one');
  expect(woken).toEqual([]);
});

test('a large part is written less often', () => {
  const { world, woken, wake, data } = setUp();
  data[shardOf('one')] = { 'shop.featureflags': 'x'.repeat(150_000) };
  const stop = wake();
  woken.splice(0);
  world.flag('shop/one');
  expect(woken).toEqual([[`${shardOf('one')}`, 3000]]);
  stop();
});

test('a claim enqueues the affected objects, and no others', () => {
  const { world, store } = setUp();
  world.project('shop/store');
  world.flag('shop/one', { project: 'store' });
  world.flag('away/one', { project: 'store' });
  world.flag('shop/sole', { project: 'store' });
  const woken: string[] = [];
  const queueOf = (kind: string) => ({
    add: (key: string) => void woken.push(`${kind} ${key}`),
    addAfter: () => undefined,
  });
  const queues = mapKinds<Queues>((_, name) => queueOf(name.slice(0, -1)));
  const { stop } = enqueueOnChanges(world.caches, { queues, claims: store, countDelayMs: 1 });
  woken.splice(0);
  store.take(shardOf('sole'), { 'shop.featureflags': 'sole\n' });
  expect(woken).toEqual([]);
  store.take(shardOf('one'), { 'away.featureflags': 'one\n', 'shop.featureflags': 'sole\n' });
  expect(woken.sort()).toEqual(['flag away/one', 'flag shop/one']);
  woken.splice(0);
  store.take(shardOf('store'), {
    ...{ 'away.projects': 'store\n' },
    'shop.featureflags': 'sole\n',
    'away.featureflags': 'one\n',
  });
  expect(woken).toEqual(expect.arrayContaining(['project shop/store', 'flag shop/one', 'flag shop/sole']));
  stop();
});

test('a name in use whose claim does not fit is claimed when it is deleted, or when another namespace wants it', async () => {
  const { world, full, settle, reconcile, claimOf } = setUp();
  const names: string[] = [];
  for (let index = 0; names.length < 9_600; index += 1) {
    const name = `${'x'.repeat(90)}${index}`;
    if (shardOf(name) === shardOf('one')) names.push(name);
  }
  for (const name of names) world.flag(`greedy/${name}`);
  await settle('one');
  expect(full.at(-1)).toBeGreaterThan(0);
  const [deleted = '', wanted = '', other = ''] = names.filter((name) => claimOf(name) === undefined);
  world.remove(`FeatureFlag greedy/${deleted}`);
  world.flag(`shop/${wanted}`);
  await reconcile('one');
  expect(claimOf(deleted)).toEqual({ namespace: 'greedy', until: '2026-06-08T00:00:02Z' });
  expect(claimOf(wanted)).toEqual({ namespace: 'greedy' });
  expect(claimOf(other)).toBeUndefined();
});
