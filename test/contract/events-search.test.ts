/** GET /search/events: what each parameter finds, in which order, on which page; the two older lists. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { NewEntry } from '../../src/domain/history/entry.ts';
import { kinds } from '../../src/schema/kinds.ts';
import { aFlag } from '../support/builders.ts';
import { type RecordingInstance, startRecordingInstance } from '../support/recording-instance.ts';
import type { Stored } from '../support/stored.ts';

let instance: RecordingInstance;

/** A project that the operator does not have: the operator may record its own changes too. */
const PROJECT = 'recorded';
const day = (text: string, time = '12:00:00.000') => Date.parse(`${text}T${time}Z`);

/** Entries named by their flag, in the order of time. Some have the same time. */
const entries: readonly Partial<NewEntry>[] = [
  { featureName: 'a', type: 'feature-created', createdAt: day('2026-01-30', '23:59:59.999'), createdByUserId: 1 },
  { featureName: 'b', environment: 'production', createdAt: day('2026-01-31', '00:00:00.000'), createdByUserId: -42 },
  { featureName: 'c', environment: 'development', createdAt: day('2026-01-31', '23:59:59.999'), createdByUserId: -1 },
  { featureName: 'd', createdAt: day('2026-02-01', '00:00:00.000'), data: { text: '100%_Größe "q" \\ x' } },
  { featureName: 'e', createdAt: day('2026-02-02'), data: null, preData: { text: 'Before' } },
  { featureName: 'f', createdAt: day('2026-02-02'), data: null, tags: [{ type: 'simple', value: 'Chéckout' }] },
  { featureName: 'g', createdAt: day('2026-02-02'), data: null, project: PROJECT.toUpperCase() },
  { featureName: 'G', createdAt: day('2026-02-03'), data: null, type: 'feature-archived', createdBy: 'unsearched' },
];

beforeAll(async () => {
  instance = await startRecordingInstance('events');
  await instance.report(...entries.map((entry) => ({ project: PROJECT, data: { is: 'plain' }, ...entry })));
});
afterAll(() => instance.stop());

const ALL = 'Gfedcba';

const search = (query: Readonly<Record<string, string>>) =>
  instance.call(`GET /search/events?${new URLSearchParams({ project: `IS:${PROJECT}`, ...query })}`);

/** The names of the flags as one word, in the order of the answer. */
async function found(query: Readonly<Record<string, string>>): Promise<string> {
  const { status, body, text } = await search(query);
  expect(status, text).toBe(200);
  expect(body.total).toBe(body.events.length);
  return body.events.map(({ featureName }: Stored) => featureName).join('');
}

describe('a parameter', () => {
  test.each<[string, Readonly<Record<string, string>>, string]>([
    ['none: the newest first, and of one time the later recorded', {}, ALL],
    ['a flag', { feature: 'IS:a' }, 'a'],
    ['flags, by either word', { feature: 'IS:a,b' }, 'ba'],
    ['flags', { feature: 'IS_ANY_OF: c , no-such,a' }, 'ca'],
    ['a flag in its own letters only', { feature: 'IS:G' }, 'G'],
    ['no flag at all', { feature: 'IS:' }, ALL],
    ['a flag without events', { feature: 'IS:no-such' }, ''],
    ['a part of a name', { feature: 'IS:%' }, ''],
    ['a project', { project: `IS:${PROJECT.toUpperCase()}` }, 'g'],
    ['projects', { project: `IS:${PROJECT},${PROJECT.toUpperCase()}`, from: 'IS:2026-02-02' }, 'Ggfe'],
    ['a type', { type: 'IS:feature-created' }, 'a'],
    ['types', { type: 'IS_ANY_OF:feature-created,feature-archived' }, 'Ga'],
    ['a user', { createdBy: 'IS:-42' }, 'b'],
    ['users', { createdBy: 'IS_ANY_OF:-42,-1' }, 'cb'],
    ['an author', { author: 'UNSEARCH' }, 'G'],
    ['an author that there is not', { author: 'no-such' }, ''],
    ['no author at all', { author: '' }, ALL],
    ['an environment', { environment: 'IS:production' }, 'b'],
    ['environments', { environment: 'IS:production,development' }, 'cb'],
    ['from a day', { from: 'IS:2026-02-01' }, 'Gfed'],
    ['to a day', { to: 'IS:2026-01-31' }, 'cba'],
    ['one day, from its first to its last ms', { from: 'IS:2026-01-31', to: 'IS:2026-01-31' }, 'cb'],
    ['days in the wrong order', { from: 'IS:2026-02-01', to: 'IS:2026-01-31' }, ''],
    ['all together', { feature: 'IS:a,b', type: 'IS:feature-created', createdBy: 'IS:1', to: 'IS:2026-01-30' }, 'a'],
    ['all together, one of which does not hold', { feature: 'IS:a', createdBy: 'IS:2' }, ''],
    ['unknown parameters', { sort: 'up', ids: 'IS:1', groupId: 'IS:1' }, ALL],
  ])('%s', async (_, query, want) => {
    expect(await found(query)).toBe(want);
  });
});

describe('query', () => {
  test.each<[string, string, string]>([
    ['is in data', 'plain', 'cba'],
    ['whatever its case', 'PLAIN', 'cba'],
    ['is in preData', 'before', 'e'],
    ['is in tags', 'chéck', 'f'],
    ['of one character', 'ö', 'd'],
    ['of two characters', 'öS', ''],
    ['of two characters that are there', 'Öß', 'd'],
    ['a percent sign', '%', 'd'],
    ['an underscore', '_', 'd'],
    ['both, in their order', '%_', 'd'],
    ['a percent sign that would stand for anything', 'p%n', ''],
    ['an underscore that would stand for one character', 'p_ain', ''],
    ['the name of a property, as JSON', '"is":"pl', 'cba'],
    ['a quote inside of a value, as JSON', '\\"q\\"', 'd'],
    ['a backslash, as JSON', '\\\\ x', 'd'],
    ['words of a query language', 'plain OR before', ''],
    ['a star and a minus', 'pl*', ''],
    ['nothing', '', ALL],
    ['NUL', '\0', ''],
    ['is not looked for in the type', 'feature-archived', ''],
    ['nor in the author', 'unsearched', ''],
  ])('%s: %j', async (_, query, want) => {
    expect(await found({ query })).toBe(want);
  });

  test('together with another parameter', async () => {
    expect(await found({ query: 'plain', environment: 'IS:production' })).toBe('b');
  });
});

describe('pages', () => {
  const page = async (query: Readonly<Record<string, string>>) => {
    const { body } = await search({ type: 'IS:feature-tagged', ...query });
    return { total: body.total, ids: body.events.map(({ id }: Stored) => id) as number[] };
  };

  // There are more entries than a page holds, and many have the same time: only their ids distinguish them.
  beforeAll(() =>
    instance.report(
      ...Array.from({ length: 1203 }, (_, n) => ({
        project: PROJECT,
        type: 'feature-tagged' as const,
        createdAt: day('2020-01-01') + Math.floor(n / 100),
      })),
    ),
  );

  test.each<[Readonly<Record<string, string>>, number]>([
    [{}, 50],
    [{ exactTotal: 'false' }, 50],
    [{ limit: '7' }, 7],
    [{ limit: '1000' }, 1000],
    [{ limit: '1001' }, 50],
    [{ limit: '0' }, 50],
    [{ limit: '-3' }, 50],
    [{ limit: 'many' }, 50],
    [{ offset: '1200' }, 3],
    [{ offset: '1203' }, 0],
    [{ offset: '9007199254740991' }, 0],
    [{ offset: '-1', limit: '1' }, 1],
  ])('%j: %i of 1203', async (query, want) => {
    const { total, ids } = await page(query);
    expect([total, ids.length]).toEqual([1203, want]);
  });

  test('pages together hold every event once, the newest first', async () => {
    const pages: number[][] = [];
    for (let offset = 0; offset < 1203; offset += 170) {
      pages.push((await page({ offset: `${offset}`, limit: '170' })).ids);
    }
    const ids = pages.flat();
    expect(ids).toHaveLength(1203);
    expect(ids).toEqual(ids.toSorted((a, b) => b - a));
    expect(new Set(ids).size).toBe(1203);
  });
});

test('an event has every field, and null for a field without a value', async () => {
  await instance.apply(aFlag(`${instance.home}/whole`));
  await instance.report(
    {
      featureName: 'whole',
      type: 'feature-strategy-add',
      project: 'shop',
      environment: 'production',
      data: { name: 'default', title: null, parameters: { a: [1, { b: null }] } },
      preData: { name: 'before' },
      tags: [{ type: 'simple', value: 'checkout' }],
      createdBy: 'ada@example.com',
      createdByUserId: 7,
      ip: '203.0.113.7',
      ...{ channel: 'console', reason: 'Sale' },
      createdAt: day('2026-03-01', '09:30:00.120'),
    },
    {
      resource: 'flagroles',
      featureName: null,
      project: null,
      type: 'role-deleted',
      data: null,
      createdBy: 'nobody',
      createdByUserId: 4712,
    },
  );
  const { body } = await instance.call('GET /search/events?feature=IS:whole&type=IS:feature-strategy-add');
  expect(body).toEqual({
    events: [
      {
        id: expect.any(Number),
        createdAt: '2026-03-01T09:30:00.120Z',
        type: 'feature-strategy-add',
        createdBy: 'ada@example.com',
        createdByUserId: 7,
        environment: 'production',
        project: 'shop',
        featureName: 'whole',
        data: { name: 'default', title: null, parameters: { a: [1, { b: null }] } },
        preData: { name: 'before' },
        tags: [{ type: 'simple', value: 'checkout' }],
        label: 'Flag strategy added',
        summary:
          '**ada@example.com** added strategy **default** to **[whole](/projects/shop/features/whole)** for the **production** environment in project **[shop](/projects/shop)**',
        ip: '203.0.113.7',
        ...{ channel: 'console', fieldManager: null, reason: 'Sale' },
      },
    ],
    total: 1,
  });
  const { events } = (await instance.call('GET /search/events?createdBy=IS:4712')).body;
  expect(events).toEqual([
    {
      id: expect.any(Number),
      createdAt: '1970-01-01T00:00:01.000Z',
      type: 'role-deleted',
      createdBy: 'nobody',
      createdByUserId: 4712,
      ...{ environment: null, project: null, featureName: null, data: null, preData: null, ip: null, tags: [] },
      ...{ channel: null, fieldManager: null, reason: null },
      label: 'role-deleted',
      summary: '**nobody** triggered **role-deleted**',
    },
  ]);
});

describe('links', () => {
  const summaryOf = async (name: string) =>
    (await instance.call(`GET /search/events?feature=IS:${name}&project=IS:shop&createdBy=IS:4713`)).body.events[0]
      .summary;
  const eventsOf = (featureName: string) =>
    instance.report({ featureName, project: 'shop', type: 'feature-created', createdBy: 'ada', createdByUserId: 4713 });

  test('lead to a flag until it is archived, moved to another project, or deleted', async () => {
    const { home, other } = instance;
    await instance.apply(aFlag(`${home}/living`), aFlag(`${home}/stowed`, { archived: true }));
    await instance.apply(aFlag(`${other}/moved`, { project: 'pay' }));
    for (const name of ['living', 'stowed', 'moved', 'gone']) await eventsOf(name);
    expect(await summaryOf('living')).toBe(
      '**ada** created **[living](/projects/shop/features/living)** in project **[shop](/projects/shop)**',
    );
    for (const name of ['stowed', 'moved', 'gone']) {
      expect(await summaryOf(name)).toBe(`**ada** created **${name}** in project **[shop](/projects/shop)**`);
    }
  });

  test('are escaped if a name has characters that end a link', async () => {
    await instance.apply(aFlag(`${instance.home}/odd`, { name: "(a)_*'" }));
    await eventsOf("(a)_*'");
    expect(await summaryOf(encodeURIComponent("(a)_*'"))).toContain(
      "**[(a)\\_\\*'](/projects/shop/features/%28a%29_%2a%27)**",
    );
  });
});

describe('the older lists', () => {
  test('GET /events: the newest 100, of one project if requested', async () => {
    const { body } = await instance.call(`GET /events?project=${PROJECT}`);
    expect([body.version, body.events.length, body.totalEvents]).toEqual([1, 100, 1210]);
    expect(body.events[0]).toMatchObject({ featureName: 'G', label: 'Flag archived' });
    const everything = (await instance.call('GET /events?project=')).body;
    expect(everything.totalEvents).toBeGreaterThan(1210);
    expect((await instance.call('GET /events?project=no-such')).body).toEqual({
      version: 1,
      events: [],
      totalEvents: 0,
    });
  });

  test('GET /events/:featureName: the newest 100 of a flag', async () => {
    const { body } = await instance.call('GET /events/d');
    expect(body).toMatchObject({ version: 1, toggleName: 'd', events: [{ featureName: 'd' }], totalEvents: 1 });
    const many = (await instance.call('GET /events/checkout')).body;
    expect([many.events.length, many.totalEvents]).toEqual([100, 1203]);
  });

  test.each(['no-such', '%00', 'a%2Fb', '%F0%9F%9A%A9'])('the flag %s has no events', async (name) => {
    const { status, body } = await instance.call(`GET /events/${name}`);
    const toggleName = decodeURIComponent(name);
    expect([status, body]).toEqual([200, { version: 1, toggleName, events: [], totalEvents: 0 }]);
  });
});

test('if VEXIL_PUBLIC_URL is set, links begin with it', async () => {
  const linked = await startRecordingInstance('events-linked', { VEXIL_PUBLIC_URL: 'https://flags.example.com/vexil' });
  await linked.report({ type: 'project-created', project: 'shop', featureName: null, createdBy: 'ada' });
  const { body } = await linked.call('GET /search/events?createdBy=IS:1');
  await linked.stop();
  expect(body.events[0].summary).toBe(
    '**ada** created project **[shop](https://flags.example.com/vexil/projects/shop)**',
  );
});

test('without authentication every caller sees entries of every kind, and of namespaces that are not watched', async () => {
  const ofNone = { project: null, featureName: null, createdByUserId: 4711 };
  await instance.report(
    { ...ofNone, project: 'shop', featureName: 'mover', namespace: 'unwatched' },
    ...kinds.map(({ plural }) => ({ ...ofNone, resource: plural })),
  );
  expect((await instance.call('GET /search/events?createdBy=IS:4711')).body.total).toBe(kinds.length + 1);
});
