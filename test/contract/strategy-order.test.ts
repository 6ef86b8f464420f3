/** `set-sort-order`: the order of the strategies of a flag in an environment. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MAX_STRATEGIES } from '../../src/schema/feature-flag.ts';
import { ownedWithStamp } from '../support/author-policy.ts';
import { aFlag } from '../support/builders.ts';
import { type Instance, startInstance } from '../support/instance.ts';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance('strategy-order');
});
afterAll(() => instance.stop());

const ID = '0fce2b2f-5d5d-4cf9-9b3e-3f6a7c0f1a11';
const strategies = {
  [ID]: { name: 'default', sortOrder: 1 },
  b: { name: 'default', title: 'b', sortOrder: 2 },
  c: { name: 'default', title: 'c' },
};

const path = (name: string) => `/projects/shop/features/${name}/environments/production/strategies`;
const setUp = (name: string) =>
  instance.apply(aFlag(`${instance.home}/${name}`, { environments: { production: { enabled: true, strategies } } }));
const storedIn = async (name: string) => (await instance.flag(`${instance.home}/${name}`)).spec.environments.production;
const shownIn = async (name: string) => (await instance.call(`GET ${path(name)}`)).body;

test('200 without a body; the answer has the new order, and strategies that are not named keep their place', async () => {
  await setUp('ordered');
  const [c, first, b] = await shownIn('ordered');
  expect([c.title, first.id, b.title]).toEqual(['c', ID, 'b']);
  const body = [
    { id: ID, sortOrder: 5 },
    { id: b.id, sortOrder: 4 },
  ];
  const { status, text } = await instance.call(`POST ${path('ordered')}/set-sort-order`, { body });
  expect([status, text]).toEqual([200, '']);
  expect(await shownIn('ordered')).toEqual([c, { ...b, sortOrder: 4 }, { ...first, sortOrder: 5 }]);
  expect(await storedIn('ordered')).toEqual({
    enabled: true,
    strategies: { ...strategies, [ID]: { name: 'default', sortOrder: 5 }, b: { ...strategies.b, sortOrder: 4 } },
  });
});

test('only orders that change are written, and an absent one with the same meaning stays absent', async () => {
  await setUp('leaves');
  const order = [
    { id: ID, sortOrder: 1 },
    { id: 'b', sortOrder: 9 },
    { id: 'c', sortOrder: 0 },
  ];
  await instance.call(`POST ${path('leaves')}/set-sort-order`, { body: order });
  const { metadata } = await instance.flag(`${instance.home}/leaves`);
  const { fieldsV1 } = metadata.managedFields.find((one: { manager: string }) => one.manager === 'vexil-api');
  const fieldWithOwners = { 'f:production': { 'f:strategies': { 'f:b': { 'f:sortOrder': {} } } } };
  expect(fieldsV1).toEqual(ownedWithStamp({ 'f:environments': fieldWithOwners }));
  expect((await storedIn('leaves')).strategies.c).not.toHaveProperty('sortOrder');
});

test.each<[string, unknown]>([
  ['no strategies', []],
  ['the order that is', [{ id: ID, sortOrder: 1 }]],
])('200, with nothing written, for %s', async (_, body) => {
  await setUp('same');
  const { status } = await instance.untouched(`POST ${path('same')}/set-sort-order`, { body });
  expect(status).toBe(200);
});

test('nothing is written for a flag that does not configure the environment', async () => {
  await instance.apply(aFlag(`${instance.home}/bare`));
  const { status } = await instance.untouched(`POST ${path('bare')}/set-sort-order`, { body: [] });
  expect(status).toBe(200);
});

describe('refused, with nothing written', () => {
  const request = `POST ${path('guarded')}/set-sort-order`;
  const first = { id: ID, sortOrder: 7 };

  beforeAll(async () => {
    await setUp('guarded');
    const environments = { production: { strategies } };
    await instance.apply(aFlag(`${instance.home}/stowed`, { archived: true, environments }));
  });

  test('404 for ids that no strategy has, naming each of them', async () => {
    const body = [first, { id: 'no-such', sortOrder: 1 }, { id: '__proto__', sortOrder: 2 }];
    const message = await instance.refuses(request, { status: 404, name: 'NotFoundError', body });
    expect(message).toContain('Could not find strategy with id=no-such, id=__proto__');
  });

  test.each<[string, unknown, string[]]>([
    ['one strategy twice', [first, { id: ID, sortOrder: 8 }], [ID, 'more than once']],
    ['no body', '', ['body', 'required']],
    ['no list', first, ['body', ID]],
    ['no id', [{ sortOrder: 1 }], ['`0.id`', 'required']],
    ['no order', [{ id: ID }], ['`0.sortOrder`', 'required']],
    ['an order below 0', [{ id: ID, sortOrder: -1 }], ['`0.sortOrder`', '-1']],
    ['an order that is text', [{ id: ID, sortOrder: '1' }], ['`0.sortOrder`', '"1"']],
    ['a field that there is not', [{ ...first, title: 'x' }], ['`0`', 'title']],
    ['more than there can be', Array.from({ length: MAX_STRATEGIES + 1 }, () => first), ['body', '30']],
  ])('400 for %s, naming property and value', async (_, body, words) => {
    const message = await instance.refuses(request, { status: 400, name: 'ValidationError', body });
    for (const word of words) expect(message).toContain(word);
  });

  test('400 for one strategy named by both of its ids', async () => {
    const shown = (await shownIn('guarded')).find(({ title }: { title: string }) => title === 'b');
    const body = [
      { id: 'b', sortOrder: 1 },
      { id: shown.id, sortOrder: 2 },
    ];
    await instance.refuses(request, { status: 400, name: 'ValidationError', body });
  });

  test('404 for a missing environment or flag, 400 ArchivedFeatureError for an archived flag', async () => {
    const missing = { status: 404, name: 'NotFoundError', body: [first] };
    await instance.refuses(request.replace('/production/', '/moon/'), missing);
    await instance.refuses(request.replace('/guarded/', '/no-such/'), missing);
    await instance.refuses(request.replace('/shop/', '/pay/'), missing);
    const archived = { status: 400, name: 'ArchivedFeatureError', body: [first] };
    await instance.refuses(request.replace('/guarded/', '/stowed/'), archived);
  });
});
