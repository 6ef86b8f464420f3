/** Which objects a change enqueues. */
import { beforeEach, describe, expect, test } from 'vitest';
import { createNameClaims } from '../../../src/catalog/name-claim-store.ts';
import { claimKey, shardLinesOf, shardOf } from '../../../src/domain/name-claims/claim-shards.ts';
import { MAX_HIGH_PRIORITY } from '../../../src/kinds/enqueue.ts';
import { mapKinds } from '../../../src/kinds/registry.ts';
import { enqueueOnChanges, type Queues } from '../../../src/kinds/triggers.ts';
import type { KindName } from '../../../src/schema/kinds.ts';
import { aWorld, type World } from '../catalog/world.ts';

const on = { enabled: true, strategies: { all: { name: 'default' } } };
const COUNT_DELAY_MS = 700;
const LATER = { creationTimestamp: '2026-01-01T00:00:01Z' };

let world: World;
let woken: string[];

/**
 * Returns what the change enqueues, as `kind namespace/name`, with `later` in front if counts may lag behind. What is
 * enqueued twice is there twice.
 */
function enqueues(change: () => void): string[] {
  woken = [];
  change();
  return woken.toSorted();
}

beforeEach(() => {
  world = aWorld();
  woken = [];
  const queueOf = (kind: string) => ({
    add: (key: string) => woken.push(`${kind} ${key}`),
    addAfter(key: string, ms: number) {
      expect(ms).toBe(COUNT_DELAY_MS);
      woken.push(`later ${kind} ${key}`);
    },
  });
  const labels: Partial<Record<KindName, string>> = { environments: 'env', strategyTypes: 'strategy' };
  const queues = mapKinds<Queues>((_, name) => queueOf(labels[name] ?? name.slice(0, -1)));
  enqueueOnChanges(world.caches, { queues, countDelayMs: COUNT_DELAY_MS });
  world.project('home/shop');
  world.project('home/pay');
  world.flag('home/a', { environments: { production: on } });
  world.flag('home/b', { project: 'pay', environments: { development: on } });
  world.flag('away/c', { environments: { production: {} } });
});

test('at the start, changes that no replica has judged yet come before many other objects', async () => {
  const judged = (observedGeneration: number) => ({ generation: 2, status: { observedGeneration } });
  for (let n = 0; n < MAX_HIGH_PRIORITY; n += 1) world.flag(`home/judged-${n}`, {}, judged(2));
  world.flag('home/changed', {}, judged(1));
  const high = new Set<string>();
  const low = new Set<string>();
  const queue = {
    add: (key: string, { priority }: { priority?: string }) => void (priority === 'low' ? low : high).add(key),
    addAfter: () => expect.unreachable(),
  };
  const unused = { add: () => undefined, addAfter: () => undefined };
  const queues = mapKinds<Queues>((_, name) => (name === 'flags' ? queue : unused));
  await enqueueOnChanges(world.caches, { queues, countDelayMs: COUNT_DELAY_MS }).all('start');
  expect(high).toEqual(new Set(['home/changed']));
  expect(low).toContain('home/judged-0');
  expect(low).toContain('home/a');
});

test('each object is enqueued with the change, the claim or the event that concerns it', async () => {
  const reasons = new Map<string, string>();
  const queues = mapKinds<Queues>((_, name) => ({
    add: (key: string, { reason }: { reason: string }) => reasons.set(`${name} ${key}`, reason),
    addAfter: (key: string, _: number, { reason }: { reason: string }) => reasons.set(`${name} ${key}`, reason),
  }));
  const claims = createNameClaims();
  const { all } = enqueueOnChanges(world.caches, { queues, claims, countDelayMs: COUNT_DELAY_MS });
  await all('start');
  expect([reasons.size > 3, new Set(reasons.values())]).toEqual([true, new Set(['start'])]);
  world.flag('home/new', { project: 'pay' });
  expect(reasons.get('flags home/new')).toBe('FeatureFlag home/new created');
  expect(reasons.get('projects home/pay')).toBe('FeatureFlag home/new created');
  world.project('home/pay', { description: 'd' });
  expect(reasons.get('flags home/new')).toBe('Project home/pay updated');
  world.remove('FeatureFlag home/new');
  expect(reasons.get('projects home/pay')).toBe('FeatureFlag home/new deleted');
  const owned = shardLinesOf(new Map([[claimKey('projects', 'shop'), { namespace: 'away' }]]));
  claims.take(shardOf('shop'), owned);
  expect(reasons.get('flags home/a')).toBe('claim to shop of projects changed');
});

describe('a flag', () => {
  test('enqueues itself, and later the objects that count it', () => {
    expect(enqueues(() => world.flag('home/a', { description: 'd', environments: { production: on } }))).toEqual([
      'flag home/a',
      'later env home/production',
      'later project home/shop',
    ]);
  });

  test('enqueues the objects that counted it before, too', () => {
    expect(enqueues(() => world.flag('home/a', { environments: { development: on } }))).toEqual([
      'flag home/a',
      'later env home/development',
      'later env home/production',
      'later project home/shop',
    ]);
  });

  test('enqueues the flags that depend on it, when it is created, changed and deleted', () => {
    world.flag('home/child', { dependencies: [{ feature: 'a' }] });
    const all = ['flag home/a', 'flag home/child', 'later env home/production', 'later project home/shop'];
    expect(enqueues(() => world.flag('home/a', { archived: true, environments: { production: on } }))).toEqual(all);
  });

  test('enqueues the count of an environment when its status says that it went on or off with its parent', () => {
    const spec = { environments: { production: on } };
    world.flag('home/a', spec, { generation: 7 });
    const facts = { generation: 7, status: { enabledIn: 'production' } };
    expect(enqueues(() => world.flag('home/a', spec, facts))).toEqual(['flag home/a', 'later env home/production']);
    expect(enqueues(() => world.flag('home/a', spec, facts))).toEqual(['flag home/a']);
  });

  test('enqueues only itself when only its status changed', () => {
    expect(enqueues(() => world.touch('FeatureFlag home/a'))).toEqual(['flag home/a']);
  });

  test.each([
    ['comes', () => world.flag('away/twin', { name: 'a', project: 'pay' }, LATER)],
    [
      'goes',
      () => {
        world.flag('away/twin', { name: 'a', project: 'pay' }, LATER);
        woken = [];
        world.remove('FeatureFlag away/twin');
      },
    ],
  ])('that %s enqueues its namesakes, with the objects that count them', (_, change) => {
    expect(enqueues(change)).toEqual([
      'flag away/twin',
      'flag home/a',
      'later env home/production',
      'later project home/pay',
      'later project home/shop',
    ]);
  });
});

describe('a project', () => {
  const itself = ['flag home/a', 'later env home/development', 'later env home/production', 'project home/shop'];

  test.each([
    ['changes', () => world.project('home/shop', { environments: ['production'] })],
    ['goes', () => world.remove('Project home/shop')],
  ])('that %s enqueues its flags, and later the environments', (_, change) => {
    expect(enqueues(change)).toEqual(itself);
  });

  test('that is created enqueues the flags that waited for it', () => {
    expect(enqueues(() => world.project('away/late', { name: 'late' }))).not.toContain('flag away/c');
    world.remove('Project home/shop');
    expect(enqueues(() => world.project('away/shop'))).toContain('flag away/c');
  });

  test('enqueues its namesakes with their flags, because one of them may own the name now', () => {
    world.project('away/shop', {}, LATER);
    expect(enqueues(() => world.remove('Project home/shop'))).toEqual([
      'flag away/c',
      'flag home/a',
      'later env home/development',
      'later env home/production',
      'project away/shop',
      'project home/shop',
    ]);
  });

  test('enqueues only itself when only its status changed, and later, because its counts may change further', () => {
    expect(enqueues(() => world.touch('Project home/shop'))).toEqual(['later project home/shop']);
  });
});

describe('an environment', () => {
  test.each([
    ['changes', () => world.environment('home/production', { enabled: false })],
    ['goes', () => world.remove('Environment home/production')],
  ])('that %s enqueues the flags that name it, and later every project', (_, change) => {
    expect(enqueues(change)).toEqual([
      'env home/production',
      'flag away/c',
      'flag home/a',
      'later project home/pay',
      'later project home/shop',
    ]);
  });

  test('enqueues only itself when only its status changed, and later, because its counts may change further', () => {
    expect(enqueues(() => world.touch('Environment home/production'))).toEqual(['later env home/production']);
  });

  test('that wants a name which another one owns enqueues both', () => {
    expect(enqueues(() => world.environment('home/twin', { name: 'production' }, LATER))).toContain(
      'env home/production',
    );
  });
});

describe('a user', () => {
  const subjects = [{ kind: 'User', name: 'ada' }];

  beforeEach(() => {
    world.user('home/ada', { email: 'a@b', subjects }, { status: { id: 1 } });
    world.user('home/lin', {}, { status: { id: 2 } });
    world.project('home/shop', { members: { lin: 'owner' } });
  });

  test('that gets its id enqueues itself, and later the projects that name it', () => {
    world.user('home/new', {});
    world.project('home/pay', { members: { new: 'owner' } });
    expect(enqueues(() => world.number('FlagUser home/new', 3))).toEqual(['later project home/pay', 'user home/new']);
  });

  test('enqueues only itself when only the rest of its status changed', () => {
    expect(enqueues(() => world.touch('FlagUser home/lin'))).toEqual(['user home/lin']);
  });

  test('that is deleted enqueues the projects that name it', () => {
    expect(enqueues(() => world.remove('FlagUser home/lin'))).toEqual(['later project home/shop', 'user home/lin']);
  });

  test.each<[string, object]>([
    ['username', { username: 'ada' }],
    ['id', { id: 1 }],
    ['subject', { subjects }],
    ['e-mail address', { email: 'A@B' }],
  ])('that is created with the %s of another, or deleted, enqueues that one', (_, spec) => {
    expect(enqueues(() => world.user('home/twin', spec, LATER))).toEqual(['user home/ada', 'user home/twin']);
    expect(enqueues(() => world.remove('FlagUser home/twin'))).toEqual(['user home/ada', 'user home/twin']);
  });
});

describe('a role', () => {
  test('that is created, deleted or gets its id enqueues the users that name it, and later the projects', () => {
    world.user('home/ada', { rootRole: 'captain' });
    world.project('home/shop', { members: { lin: 'captain' } });
    const all = ['later project home/shop', 'role home/captain', 'user home/ada'];
    expect(enqueues(() => world.role('home/captain'))).toEqual(all);
    expect(enqueues(() => world.number('FlagRole home/captain', 6))).toEqual(all);
    expect(enqueues(() => world.touch('FlagRole home/captain'))).toEqual(['role home/captain']);
    expect(enqueues(() => world.remove('FlagRole home/captain'))).toEqual(all);
  });

  test('is enqueued by an environment that it names', () => {
    world.role('home/captain', { permissions: [{ name: 'UPDATE_FEATURE', environment: 'moon' }] });
    expect(enqueues(() => world.environment('home/moon'))).toContain('role home/captain');
  });

  test('enqueues those that want its id', () => {
    world.role('home/one', { id: 9 });
    expect(enqueues(() => world.role('home/two', { id: 9 }, LATER))).toEqual(['role home/one', 'role home/two']);
  });
});

describe('an API token', () => {
  const A = 'a'.repeat(64);

  test('enqueues itself, and later the environment that counts it', () => {
    const all = ['later env home/production', 'token home/t'];
    expect(enqueues(() => world.token('home/t'))).toEqual(all);
    expect(enqueues(() => world.touch('ApiToken home/t'))).toEqual(['token home/t']);
    expect(enqueues(() => world.remove('ApiToken home/t'))).toEqual(all);
  });

  test('enqueues those with its value when it gets it, changes it or is deleted', () => {
    world.token('home/one', {}, { status: { sha256: A } });
    world.token('home/two', { type: 'admin' });
    const both = ['token home/one', 'token home/two'];
    expect(
      enqueues(() => world.token('home/two', { type: 'admin' }, { generation: 1, status: { sha256: A } })),
    ).toEqual(both);
    expect(enqueues(() => world.token('home/two', { type: 'admin' }, { generation: 1 }))).toEqual(both);
    world.token('home/two', { type: 'admin' }, { generation: 1, status: { sha256: A } });
    expect(enqueues(() => world.remove('ApiToken home/two'))).toEqual(both);
  });

  test('enqueues those with its name', () => {
    world.token('home/one', { type: 'admin', name: 'n' });
    expect(enqueues(() => world.token('home/two', { type: 'admin', name: 'n' }, LATER))).toEqual([
      'token home/one',
      'token home/two',
    ]);
  });

  test('is enqueued by the user, the projects and the environment that it names', () => {
    world.token('home/hers', { type: 'personal', user: 'ada' });
    world.token('home/scoped', { environment: 'moon', projects: ['crater'] });
    expect(enqueues(() => world.user('home/ada'))).toContain('token home/hers');
    expect(enqueues(() => world.number('FlagUser home/ada', 1))).toContain('token home/hers');
    expect(enqueues(() => world.touch('FlagUser home/ada'))).not.toContain('token home/hers');
    expect(enqueues(() => world.project('away/crater'))).toContain('token home/scoped');
    expect(enqueues(() => world.environment('home/moon'))).toContain('token home/scoped');
    expect(enqueues(() => world.remove('Environment home/moon'))).toContain('token home/scoped');
  });
});

describe('a strategy type', () => {
  const uses = (name: string) => ({ environments: { production: { strategies: { s: { name } } } } });

  test('enqueues the flags that use it, and later the environments that count them', () => {
    world.flag('home/custom', uses('own'));
    world.flag('home/other', uses('default'));
    const all = ['flag home/custom', 'later env home/development', 'later env home/production', 'strategy home/own'];
    expect(enqueues(() => world.strategy('home/own'))).toEqual(all);
    expect(enqueues(() => world.touch('StrategyDefinition home/own'))).toEqual(['strategy home/own']);
    expect(enqueues(() => world.remove('StrategyDefinition home/own'))).toEqual(all);
  });
});

describe('a segment', () => {
  const uses = (name: string) => ({
    environments: { production: { strategies: { s: { name: 'default', segments: [name] } } } },
  });

  beforeEach(() => {
    world.flag('home/user', uses('beta'));
    world.flag('away/user-too', uses('beta'));
    world.flag('home/other', uses('gamma'));
  });

  test('enqueues the flags that use it when it is created, gets its id, changes and is deleted, but not for its counts', () => {
    const all = ['flag away/user-too', 'flag home/user', 'segment home/beta'];
    expect(enqueues(() => world.segment('home/beta'))).toEqual(all);
    expect(enqueues(() => world.number('Segment home/beta', 1))).toEqual(all);
    expect(enqueues(() => world.segment('home/beta', { description: 'd' }, { status: { id: 1 } }))).toEqual(all);
    expect(enqueues(() => world.touch('Segment home/beta'))).toEqual(['later segment home/beta']);
    expect(enqueues(() => world.remove('Segment home/beta'))).toEqual(all);
  });

  test('is enqueued later by a flag that begins or ends to use it', () => {
    world.segment('home/beta');
    world.segment('home/gamma');
    expect(enqueues(() => world.flag('home/user', uses('gamma')))).toEqual([
      'flag home/user',
      'later env home/production',
      'later project home/shop',
      'later segment home/beta',
      'later segment home/gamma',
    ]);
  });

  test('whose name belongs to another namespace now enqueues its flags and its namesakes', () => {
    world.segment('home/beta');
    const claims = createNameClaims();
    const queues = mapKinds<Queues>((_, name) => ({
      add: (key: string) => woken.push(`${name} ${key}`),
      addAfter: () => undefined,
    }));
    enqueueOnChanges(world.caches, { queues, claims, countDelayMs: COUNT_DELAY_MS });
    const owned = shardLinesOf(new Map([[claimKey('segments', 'beta'), { namespace: 'away' }]]));
    expect(enqueues(() => claims.take(shardOf('beta'), owned))).toEqual([
      'flags away/user-too',
      'flags home/user',
      'segments home/beta',
    ]);
  });

  test('is enqueued by its project, and enqueues those with its name or id', () => {
    world.segment('home/beta', { project: 'late' });
    expect(enqueues(() => world.project('home/late'))).toContain('segment home/beta');
    expect(enqueues(() => world.segment('home/twin', { name: 'beta' }, LATER))).toContain('segment home/beta');
    world.segment('home/one', { id: 9 });
    expect(enqueues(() => world.segment('home/two', { id: 9 }, LATER))).toEqual([
      'segment home/one',
      'segment home/two',
    ]);
  });
});
