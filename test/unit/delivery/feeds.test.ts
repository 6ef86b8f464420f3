/** Feeds: applying their events in turn gives what a snapshot has, however flags change. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createCatalog } from '../../../src/catalog/catalog.ts';
import { createCatalogOrigin } from '../../../src/delivery/catalog-origin.ts';
import { createFeeds, type Events, type Feed, type Feeds } from '../../../src/delivery/feeds.ts';
import type { TouchedNames } from '../../../src/delivery/flag-origin.ts';
import type { ServedFlag } from '../../../src/delivery/served-flag.ts';
import { createSnapshots, type Snapshots } from '../../../src/delivery/snapshots.ts';
import { seededRandom } from '../../../src/model/seeded-random.ts';
import type { SnapshotQuery } from '../../../src/wire/client/document.ts';
import { clientDelta } from '../../../src/wire/client/shapes.ts';
import { collectGarbage } from '../../support/collect-garbage.ts';
import { settled } from '../../support/fake-clock.ts';
import { aWorld, type World } from '../catalog/world.ts';

const on = { environments: { production: { enabled: true, strategies: { all: { name: 'default' } } } } };
const everything: SnapshotQuery = { environment: 'production', projects: undefined };
let world: World;
let snapshots: Snapshots;
let feeds: Feeds;

beforeEach(() => {
  world = aWorld();
  const catalog = createCatalog(world.caches, Date.now, { home: 'home' });
  const origin = createCatalogOrigin(catalog);
  snapshots = createSnapshots(origin);
  feeds = createFeeds({ origin, snapshots, idPrefix: 'p' });
  for (const project of ['shop', 'pay']) world.project(`home/${project}`);
  world.flag('home/a', on);
  world.flag('home/b', { ...on, tags: ['simple:xx'] });
  world.flag('home/p', { ...on, project: 'pay' });
});

afterEach(() => vi.restoreAllMocks());

const textOf = ({ pieces }: Events) => Buffer.concat(pieces).toString();
const eventsOf = (events: Events | undefined) => events && clientDelta.parse(JSON.parse(textOf(events))).events;

interface Client {
  readonly flags: Map<string, unknown>;
  readonly segments: Map<number, unknown>;
}

type ReadEvent = NonNullable<ReturnType<typeof eventsOf>>[number];

/** Applies an event to what a client has. */
function apply({ flags, segments }: Client, event: ReadEvent): void {
  if (event.type === 'hydration') {
    flags.clear();
    for (const feature of event.features) flags.set(feature.name, feature);
    for (const segment of event.segments) segments.set(segment.id, segment);
  } else if (event.type === 'feature-updated') flags.set(event.feature.name, event.feature);
  else if (event.type === 'segment-updated') segments.set(event.segment.id, event.segment);
  else flags.delete(event.featureName);
}

const startOf = (feed: Feed) => feed.hydration().head;

const staffOf = (team: string) => ({ contextName: 'team', operator: 'IN' as const, values: [team] });
const uses = (...segments: readonly string[]) => ({
  environments: { production: { enabled: true, strategies: { some: { name: 'default', segments } } } },
});

describe('since a number, a feed has', () => {
  test('a segment that has changed, before the flag that uses it, and its constraints where it is inlined', () => {
    const segment = (team: string) =>
      world.segment('home/staff', { constraints: [staffOf(team)] }, { status: { id: 7 } });
    segment('x');
    world.flag('home/a', uses('staff'));
    const feed = feeds.of(everything);
    const inlining = feeds.of({ ...everything, inlinesSegments: true });
    const start = startOf(feed);
    segment('y');
    expect(eventsOf(feed.since(start))).toMatchObject([
      { type: 'segment-updated', segment: { id: 7, constraints: [{ values: ['y'] }] } },
      { type: 'feature-updated', feature: { name: 'a', strategies: [{ segments: [7] }] } },
    ]);
    expect(eventsOf(inlining.since(start))).toMatchObject([
      { feature: { name: 'a', strategies: [{ constraints: [{ values: ['y'] }] }] } },
    ]);
  });

  test('an update of a flag that is switched, and nothing where nothing has changed', () => {
    const feed = feeds.of(everything);
    const start = startOf(feed);
    expect(feed.since(start)).toMatchObject({ isEmpty: true });
    world.flag('home/a', {});
    expect(eventsOf(feed.since(start))).toMatchObject([
      { type: 'feature-updated', feature: { name: 'a', enabled: false } },
    ]);
  });

  test('a removal of a flag that is archived, deleted or moved to a project that is not requested', () => {
    const feed = feeds.of({ ...everything, projects: ['shop'] });
    const start = startOf(feed);
    world.flag('home/a', { ...on, archived: true });
    world.flag('home/b', { ...on, project: 'pay' });
    expect(eventsOf(feed.since(start))).toMatchObject([
      { type: 'feature-removed', featureName: 'a', project: 'shop' },
      { type: 'feature-removed', featureName: 'b', project: 'shop' },
    ]);
    world.remove('FeatureFlag home/p');
    expect(eventsOf(feeds.of(everything).since(start))?.at(-1)).toMatchObject({ featureName: 'p', project: 'pay' });
  });

  test('nothing of a status, of other projects and of tags that are not requested', () => {
    const feed = feeds.of({ ...everything, projects: ['shop'] });
    const start = startOf(feed);
    world.touch('FeatureFlag home/a');
    world.flag('home/p', { project: 'pay' });
    world.flag('home/b', on);
    expect(feed.since(start)).toMatchObject({ isEmpty: true });
  });

  test('one event for a flag that has changed many times', () => {
    const feed = feeds.of(everything);
    const start = startOf(feed);
    for (const spec of [{}, on, {}]) {
      world.flag('home/a', spec);
      startOf(feed);
    }
    expect(eventsOf(feed.since(start))).toMatchObject([{ feature: { name: 'a', enabled: false } }]);
  });

  test('an update of a child whose parent is archived', () => {
    world.flag('home/child', { ...on, dependencies: [{ feature: 'a' }] });
    const feed = feeds.of(everything);
    const start = startOf(feed);
    world.flag('home/a', { ...on, archived: true });
    expect(eventsOf(feed.since(start))?.map((event) => event.type)).toEqual(['feature-removed', 'feature-updated']);
  });

  test('no events if the changes are too many, or too large', () => {
    const feed = feeds.of(everything);
    const start = startOf(feed);
    for (let turn = 0; turn <= 1_000; turn += 1) {
      world.flag('home/a', turn % 2 === 0 ? {} : on);
      startOf(feed);
    }
    expect([feed.keeps(start), feed.since(start)]).toEqual([false, undefined]);
    expect(feed.keeps(start + 1)).toBe(true);
    const later = startOf(feed);
    const value = 'x'.repeat(60_000);
    for (let turn = 0; turn < 80; turn += 1) {
      world.flag('home/a', { ...on, variants: [{ name: `v${turn}`, payload: { type: 'string', value } }] });
      startOf(feed);
    }
    expect(feed.since(later)).toBeUndefined();
  });

  test('no events if inlined segments are too large', () => {
    const values = Array.from({ length: 250 }, (_, index) => `${'x'.repeat(90)}${index}`);
    const constraints = Array.from({ length: 5 }, () => ({ ...staffOf('x'), values }));
    world.segment('home/large', { constraints }, { status: { id: 8 } });
    const feed = feeds.of(everything);
    const start = startOf(feed);
    for (let turn = 0; turn < 100; turn += 1) {
      world.flag('home/a', turn % 2 === 0 ? uses('large') : on);
      startOf(feed);
    }
    expect(feed.since(start)).toBeUndefined();
  });
});

test('readers of the same feed receive the same bytes', () => {
  const feed = feeds.of(everything);
  const start = startOf(feed);
  world.flag('home/a', {});
  expect(feed.since(start)).toBe(feed.since(start));
  expect(feed.hydration()).toBe(feed.hydration());
  expect(feeds.of({ ...everything })).toBe(feed);
});

test('readers receive the same bytes of events above the bound of what is kept', () => {
  const bytes = Buffer.from('{}');
  const plain: ServedFlag = {
    ...{ name: 'f', project: 'shop', tags: [], bytes, inlined: bytes, segments: [], forEdges: () => '' },
  };
  let served = plain;
  const touch: ((names: TouchedNames) => void)[] = [];
  const parts: Pick<Snapshots, 'served' | 'everyServed'> = { served: () => served, everyServed: () => [served] };
  const feed = createFeeds({
    origin: { onTouched: (listener) => void touch.push(listener) },
    snapshots: parts as Snapshots,
    idPrefix: 'q',
  }).of(everything);
  const start = feed.head();
  const after = Buffer.from('{"enabled":true}');
  const constraints = [{ ...staffOf('x'.repeat(17 * 1024 * 1024)), inverted: false, caseInsensitive: false }];
  served = { ...plain, bytes: after, inlined: after, segments: [{ id: 1, constraints }] };
  for (const report of touch) report(['f']);
  const events = feed.since(start);
  expect(events?.pieces[0]?.length).toBeGreaterThan(17 * 1024 * 1024);
  // Not with `toBe`, which would print both.
  expect(feed.since(start) === events).toBe(true);
});

test('events of a state that has passed are not kept', async () => {
  const feed = feeds.of(everything);
  const start = startOf(feed);
  const refer = (events: Events | undefined) => {
    if (!events) throw new Error('the feed has no events');
    return new WeakRef(events);
  };
  const events = refer(feed.since(start));
  // A WeakRef holds its target until the next turn.
  await settled();
  world.flag('home/a', {});
  feed.since(start);
  collectGarbage();
  expect(events.deref()).toBeUndefined();
});

test('a reader of a feed that nobody has asked for in an hour still gets its changes', async () => {
  let time = performance.now();
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => time);
  const feed = feeds.of(everything);
  const start = startOf(feed);
  time += 2 * 3_600_000;
  feeds.of({ ...everything, environment: 'development' });
  clock.mockRestore();
  await settled();
  collectGarbage();
  world.flag('home/a', {});
  expect(eventsOf(feed.since(start))).toMatchObject([{ type: 'feature-updated', feature: { name: 'a' } }]);
  expect(feeds.of(everything)).not.toBe(feed);
});

test('an id is valid only for its own feed', () => {
  const feed = feeds.of(everything);
  const { id, head } = feed.hydration();
  expect(feed.numberOf(id)).toBe(head);
  for (const other of ['', '1', `x${id}`, `${id}-1`, `${id}x`, '"*"']) expect(feed.numberOf(other)).toBeUndefined();
  expect(feeds.of({ ...everything, projects: ['shop'] }).numberOf(id)).toBeUndefined();
  expect(feed.since(head + 1)).toBeUndefined();
});

const aClient = (): Client => ({ flags: new Map(), segments: new Map() });

const queries: readonly SnapshotQuery[] = [
  everything,
  { ...everything, projects: ['shop'] },
  { ...everything, projects: ['pay', 'shop'], tags: ['simple:xx'] },
  { ...everything, namePrefix: 'a' },
  { environment: 'development', projects: undefined },
  { ...everything, inlinesSegments: true },
];

interface Follower extends Client {
  readonly query: SnapshotQuery;
  readonly feed: Feed;
  at: number;
}

/** Brings the client up to date and compares it with the snapshot. Segments that no flag uses may stay. */
function catchUp(client: Follower): void {
  const { feed, query, flags, at } = client;
  const events = (at >= 0 ? feed.since(at) : undefined) ?? feed.hydration();
  client.at = events.head;
  for (const event of eventsOf(events) ?? []) apply(client, event);
  const { features, segments = [] } = JSON.parse(`${snapshots.source(query).current().bytes}`);
  expect(segments.map(({ id }: { readonly id: number }) => client.segments.get(id))).toEqual(segments);
  const wanted = new Map(features.map((feature: { readonly name: string }) => [feature.name, feature]));
  expect(Object.fromEntries(flags), JSON.stringify(query)).toEqual(Object.fromEntries(wanted));
}

test.each([1, 2, 3, 4, 5])('after any changes, a client has the content of the snapshot (seed %i)', (seed) => {
  const random = seededRandom(seed);
  const anyOf = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const clients = queries.map((query): Follower => ({ query, feed: feeds.of(query), at: -1, ...aClient() }));
  const names = ['a', 'ab', 'b', 'p'];
  const anySpec = () => ({
    ...anyOf([
      on,
      {},
      uses('staff'),
      uses('beta', 'staff'),
      { environments: { development: on.environments.production } },
    ]),
    project: anyOf(['shop', 'pay', 'nowhere']),
    ...anyOf([{}, { archived: true }, { tags: ['simple:xx'] }, { dependencies: [{ feature: anyOf(names) }] }]),
  });
  const changes = [
    () => world.flag(`${anyOf(['home', 'other'])}/${anyOf(names)}`, anySpec()),
    () => world.flag('home/renamed', { ...anySpec(), name: anyOf(names) }),
    () => world.project('home/pay', { environments: [anyOf(['production', 'development'])] }),
    () => world.project('other/shop'),
    () => world.environment('home/production', { sortOrder: 2, enabled: random() < 0.5 }),
    () => world.flag('home/b', on),
    () => world.remove('FeatureFlag home/b'),
    () => world.project('home/pay'),
    () => world.remove('Project home/pay'),
    () => world.segment('home/staff', { constraints: [staffOf(anyOf(['x', 'y']))] }, { status: { id: 1 } }),
    () => world.segment('home/beta', { constraints: [staffOf('z')] }, { status: { id: anyOf([1, 2]) } }),
    () => world.remove('Segment home/staff'),
  ];
  for (let turn = 0; turn < 200; turn += 1) {
    const tried = anyOf(changes);
    try {
      tried();
    } catch {
      // The object does not exist, so it cannot be removed.
    }
    for (const client of clients.filter(() => random() < 0.5)) catchUp(client);
  }
});

test('the first log and hydration are built in turns with other work', async () => {
  for (let number = 0; number < 20; number += 1) world.flag(`home/many-${number}`, {});
  let time = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
    time += 1;
    return time;
  });
  let isReady = false;
  const ready = feeds.ready(everything, undefined).finally(() => {
    isReady = true;
  });
  let turns = 0;
  const take = () => {
    turns += 1;
    if (!isReady) setImmediate(take);
  };
  setImmediate(take);
  const feed = await ready;
  clock.mockRestore();
  expect(turns).toBeGreaterThan(2);
  expect(feed).toBe(feeds.of(everything));
  expect(await feeds.ready(everything, feed.hydration().id)).toBe(feed);
});
