/** The reconcilers: a status is written when it says something new, at no other time. */
import { describe, expect, test } from 'vitest';
import { createCatalog } from '../../../src/catalog/catalog.ts';
import { atRest } from '../../../src/domain/clone-progress.ts';
import { environmentReconciler } from '../../../src/reconcilers/environment.ts';
import { flagReconciler } from '../../../src/reconcilers/flag.ts';
import { projectReconciler } from '../../../src/reconcilers/project.ts';
import type { Outcome } from '../../../src/runtime/outcome.ts';
import type { CustomObject, Ref } from '../../../src/schema/object.ts';
import { aWorld } from '../catalog/world.ts';
import { CREATED } from '../domain/objects.ts';

const NOW = Date.parse(CREATED);
const DAY_MS = 24 * 60 * 60 * 1000;
const ref = { namespace: 'home', name: 'shop' };

interface Written {
  readonly place: Ref;
  readonly status: unknown;
}

function setUp() {
  const world = aWorld();
  const catalog = createCatalog(world.caches, () => NOW);
  const written: Written[] = [];
  const recorded = <S, T>(cache: { get(at: Ref): CustomObject<S, T> | undefined }) => ({
    get: cache.get,
    async applyStatus({ metadata }: CustomObject<S, T>, status: T) {
      written.push({ place: { namespace: metadata.namespace, name: metadata.name }, status });
    },
  });
  const { flags, projects, environments } = world.caches;
  const parts = { catalog, publish: async () => undefined, now: () => NOW };
  const reconcile: Readonly<Record<string, (at: Ref) => Promise<Outcome>>> = {
    flag: flagReconciler({ ...parts, flags: recorded(flags) }),
    project: projectReconciler({ ...parts, projects: recorded(projects) }),
    environment: environmentReconciler({
      ...parts,
      environments: recorded(environments),
      cloneStep: async () => atRest(undefined),
    }),
  };
  return { world, written, reconcile };
}

describe.each(['flag', 'project', 'environment'] as const)('%s', (kind) => {
  test('that is gone is done', async () => {
    const { reconcile, written } = setUp();
    expect(await reconcile[kind]?.(ref)).toEqual({});
    expect(written).toEqual([]);
  });

  test('has its status written once: what is there already is not written again', async () => {
    const { world, reconcile, written } = setUp();
    world[kind]('home/shop', { project: 'shop' });
    await reconcile[kind]?.(ref);
    expect(written.map(({ place }) => place)).toEqual([ref]);
    world[kind]('home/shop', { project: 'shop' }, { generation: 1, status: structuredClone(written[0]?.status) });
    await reconcile[kind]?.(ref);
    expect(written).toHaveLength(1);
  });

  test('is written again when someone else wrote its status', async () => {
    const { world, reconcile, written } = setUp();
    world[kind]('home/shop', {}, { status: { observedGeneration: 1, conditions: [] } });
    await reconcile[kind]?.(ref);
    expect(written).toHaveLength(1);
  });

  test('that cannot be written throws, so that it is tried again', async () => {
    const { world } = setUp();
    const catalog = createCatalog(world.caches, () => NOW);
    world.flag('home/shop');
    const flags = { get: world.caches.flags.get, applyStatus: () => Promise.reject(new Error('away')) };
    await expect(
      flagReconciler({ flags, catalog, publish: async () => undefined, now: () => NOW })(ref),
    ).rejects.toThrow('away');
  });
});

test('an outcome says when time alone changes the status', async () => {
  const { world, reconcile } = setUp();
  world.project('home/shop');
  world.flag('home/shop', { type: 'operational' });
  expect(await reconcile['flag']?.(ref)).toEqual({ again: { afterMs: 7 * DAY_MS } });
  expect(await reconcile['project']?.(ref)).toEqual({ again: { afterMs: 7 * DAY_MS } });
});

test('a project that does not hold its id counts nothing', async () => {
  const { world, reconcile, written } = setUp();
  world.project('away/shop');
  world.project('home/shop', {}, { creationTimestamp: '2026-01-01T00:00:01Z' });
  world.flag('home/flag');
  world.flag('away/flag2');
  await reconcile['project']?.(ref);
  expect(written[0]?.status).toMatchObject({ flags: 0, health: 100, problems: [{ reason: 'NameConflict' }] });
});

test('an environment that does not hold its name is used by nobody', async () => {
  const { world, reconcile, written } = setUp();
  world.project('home/shop');
  world.environment('home/shop', { name: 'production' }, { creationTimestamp: '2026-01-01T00:00:01Z' });
  await reconcile['environment']?.(ref);
  expect(written[0]?.status).toMatchObject({ projectCount: 0, problems: [{ reason: 'NameConflict' }] });
});
