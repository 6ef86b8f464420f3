/** The reconcilers write a status when it changes, and at no other time. */
import { describe, expect, test } from 'vitest';
import { createCatalog } from '../../../src/catalog/catalog.ts';
import type { JudgeParts, TermResources } from '../../../src/kinds/definition.ts';
import { createIds } from '../../../src/kinds/integer-ids.ts';
import { reconciler } from '../../../src/kinds/reconciler.ts';
import { mapKinds } from '../../../src/kinds/registry.ts';
import type { Secret } from '../../../src/kube/api/secrets.ts';
import { type AnyObject, type CustomObject, keyOf, type Ref } from '../../../src/model/object.ts';
import type { Outcome } from '../../../src/runtime/outcome.ts';
import type { KindName } from '../../../src/schema/kinds.ts';
import { aWorld } from '../catalog/world.ts';
import { CREATED } from '../domain/objects.ts';
import { observedLogger } from '../runtime/observed.ts';

const { logger } = observedLogger();

const NOW = Date.parse(CREATED);
const DAY_MS = 24 * 60 * 60 * 1000;
const ref = { namespace: 'home', name: 'shop' };

interface Written {
  readonly place: Ref;
  readonly status: unknown;
}

const noSinks: JudgeParts['sinks'] = {
  secretOf: async () => ({ state: 'none' }),
  progressOf: () => undefined,
  home: 'home',
  refusalOf: () => undefined,
  isServed: () => true,
  statusMs: 10_000,
};

/** `refuse` throws the error of a write of a status. */
function setUp(refuse: () => void = () => undefined) {
  const world = aWorld();
  const written: Written[] = [];
  const removed: string[] = [];
  const resources = mapKinds<TermResources>((_, name) => ({
    ...world.caches[name],
    ownedIn: ({ metadata: { labels } }: AnyObject) => (labels ? [{ path: 'spec', owners: [] }] : []),
    remove: async ({ metadata }: AnyObject) => removed.push(metadata.name),
    live: async (at: Ref) => world.caches[name].get(at),
    async applyStatus({ metadata }: CustomObject<unknown, unknown>, status: unknown) {
      refuse();
      written.push({ place: { namespace: metadata.namespace, name: metadata.name }, status });
    },
  }));
  const catalog = createCatalog(world.caches, () => NOW, { home: 'home' });
  const parts: JudgeParts = {
    ...{ catalog, resources },
    ...stored(),
    usageConditions: () => [],
    sinks: noSinks,
    requests: { retentionMs: 90 * DAY_MS, recordedUntil: () => NOW },
    allows: async () => true,
    now: () => NOW,
  };
  const reconcile = mapKinds<Readonly<Record<KindName, (at: Ref) => Promise<Outcome>>>>(({ judge }, name) => {
    const run = reconciler({ resource: resources[name], judge: judge(parts), publish: async () => undefined });
    return (at: Ref) => run(at, logger);
  });
  return { world, written, removed, reconcile };
}

/** The state of the judges outside of custom resources, in memory. */
function stored(): Pick<JudgeParts, 'ids' | 'secrets' | 'newDigits'> {
  let highest = {};
  const ids = createIds({
    kept: {
      read: async () => ({ highest }),
      async write(next) {
        highest = next;
        return { highest };
      },
    },
    highestIds: () => ({}),
  });
  const secrets = new Map<string, Secret>();
  return {
    ids,
    newDigits: () => 'a'.repeat(56),
    secrets: {
      read: async (at) => secrets.get(keyOf(at)),
      async create({ ref: at, labels, owner, value }) {
        const secret = { labels, owners: owner ? [owner.uid] : [], managers: ['vexil'], value };
        secrets.set(keyOf(at), secret);
        return secret;
      },
    },
  };
}

const rows = [
  ['flags', 'flag', { project: 'shop' }],
  ['projects', 'project', {}],
  ['environments', 'environment', {}],
  ['users', 'user', {}],
  ['roles', 'role', {}],
  ['tokens', 'token', {}],
  ['strategyTypes', 'strategy', {}],
  ['segments', 'segment', {}],
] as const satisfies readonly (readonly [KindName, ...unknown[]])[];

describe.each(rows)('%s', (name, add, spec) => {
  test('a missing object is done', async () => {
    const { reconcile, written } = setUp();
    expect(await reconcile[name](ref)).toEqual({});
    expect(written).toEqual([]);
  });

  test('a status is written once: the same status is not written again', async () => {
    const { world, reconcile, written } = setUp();
    world[add]('home/shop', spec);
    await reconcile[name](ref);
    expect(written.map(({ place }) => place)).toEqual([ref]);
    world[add]('home/shop', spec, { generation: 1, status: structuredClone(written[0]?.status) });
    await reconcile[name](ref);
    expect(written).toHaveLength(1);
  });

  test('a status is written again when another user has written it', async () => {
    const { world, reconcile, written } = setUp();
    world[add]('home/shop', spec, { status: { observedGeneration: 1, conditions: [] } });
    await reconcile[name](ref);
    expect(written).toHaveLength(1);
  });

  test('a status that cannot be written throws, so that the write is retried', async () => {
    const { world, reconcile } = setUp(() => {
      throw new Error('away');
    });
    world[add]('home/shop', spec);
    await expect(reconcile[name](ref)).rejects.toThrow('away');
  });
});

test('an outcome has the time at which time alone changes the status', async () => {
  const { world, reconcile } = setUp();
  world.project('home/shop');
  world.flag('home/shop', { type: 'operational' });
  expect(await reconcile.flags(ref)).toEqual({ again: { afterMs: 7 * DAY_MS } });
  expect(await reconcile.projects(ref)).toEqual({ again: { afterMs: 7 * DAY_MS } });
});

test('a project that does not own its id counts nothing', async () => {
  const { world, reconcile, written } = setUp();
  world.project('away/shop');
  world.project('home/shop', {}, { creationTimestamp: '2026-01-01T00:00:01Z' });
  world.flag('home/flag');
  world.flag('away/flag2');
  await reconcile.projects(ref);
  expect(written[0]?.status).toMatchObject({ flags: 0, health: 100, problems: [{ reason: 'NameConflict' }] });
});

test('an environment that does not own its name is unused', async () => {
  const { world, reconcile, written } = setUp();
  world.project('home/shop');
  world.environment('home/shop', { name: 'production' }, { creationTimestamp: '2026-01-01T00:00:01Z' });
  await reconcile.environments(ref);
  expect(written[0]?.status).toMatchObject({ projectCount: 0, problems: [{ reason: 'NameConflict' }] });
});

describe('after their time', () => {
  const long = new Date(NOW - 91 * DAY_MS).toISOString();
  const status = { phase: 'Expired', endedAt: long };

  test('a request that has ended and a decision on a request that is gone are removed, and not judged', async () => {
    const { world, reconcile, removed, written } = setUp();
    world.request('home/shop', 'checkout', {}, { status, creationTimestamp: long });
    world.approval('home/shop', { name: 'gone', uid: 'gone' }, {}, { creationTimestamp: long });
    await reconcile.changeRequests(ref);
    await reconcile.changeApprovals(ref);
    expect([removed, written]).toEqual([['shop', 'shop'], []]);
  });

  test('those that a GitOps tool would make again stay, and decisions on requests that are there', async () => {
    const { world, reconcile, removed } = setUp();
    const labels = { tool: 'flux' };
    world.request('home/shop', 'checkout', {}, { status, labels });
    world.approval('home/shop', { name: 'gone', uid: 'gone' }, {}, { labels, creationTimestamp: long });
    world.approval('home/on-it', { name: 'shop', uid: 'home/shop' }, {}, { creationTimestamp: long });
    await reconcile.changeRequests(ref);
    await reconcile.changeApprovals(ref);
    await reconcile.changeApprovals({ namespace: 'home', name: 'on-it' });
    expect(removed).toEqual([]);
  });
});
