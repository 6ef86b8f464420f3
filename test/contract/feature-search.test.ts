/** Flags of all projects: the search, the older list, whether a name is free; and the version of the server. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aFlag, anEnvironment, aProject, labelled } from '../support/builders.ts';
import { type Instance, startInstance } from '../support/instance.ts';

let instance: Instance;

const strategies = { all: { name: 'default' } };
const on = { enabled: true, strategies };

beforeAll(async () => {
  instance = await startInstance('search');
  const { home, other } = instance;
  await instance.apply(
    anEnvironment(`${home}/staging`, { sortOrder: 3 }),
    aProject(`${home}/strict`, { flagNaming: { pattern: 'team-.+', example: 'team-x' }, environments: ['staging'] }),
    aFlag(`${home}/alpha`, {
      type: 'experiment',
      tags: ['simple:checkout', 'team:cash'],
      environments: { production: on },
    }),
    labelled(
      aFlag(`${home}/beta`, { stale: true, tags: ['simple:checkout'], environments: { production: { strategies } } }),
      { team: 'cash' },
    ),
    aFlag(`${home}/gamma`, {
      description: 'Stops the Café',
      type: 'kill-switch',
      environments: { production: on, development: on },
    }),
    aFlag(`${home}/cafe`, { name: 'Cafe-Latte', tags: ['simple:Café'] }),
    aFlag(`${home}/gone`, { archived: true, tags: ['simple:checkout'] }),
    aFlag(`${other}/delta`, {
      ...{ project: 'pay', type: 'experiment', tags: ['simple:a%_b'] },
      environments: { development: { activeFrom: '2090-06-01T08:00:00Z' } },
    }),
    aFlag(`${home}/team-strict`, { project: 'strict', environments: { staging: on } }),
    aFlag(`${home}/orphan`, { project: 'no-such' }),
  );
});
afterAll(() => instance.stop());

const EVERY = ['Cafe-Latte', 'alpha', 'beta', 'delta', 'gamma', 'team-strict'];
const found = async (query: string): Promise<string[]> => {
  const { status, body, text } = await instance.call(`GET /search/features?sortBy=name${query && `&${query}`}`);
  expect(status, text).toBe(200);
  expect(body.total).toBe(body.features.length);
  return body.features.map(({ name }: { name: string }) => name);
};

describe('the search finds', () => {
  test.each<[string, readonly string[]]>([
    ['', EVERY],
    ['query=', EVERY],
    ['query=ALPH', ['alpha']],
    ['query=checkout', ['alpha', 'beta']],
    ['query=team', ['alpha', 'team-strict']],
    ['query=caf%C3%A9', ['Cafe-Latte']],
    ['query=cafe', ['Cafe-Latte']],
    ['query=cafe&descriptions=true', ['Cafe-Latte', 'gamma']],
    ['query=cafe&descriptions=false', ['Cafe-Latte']],
    ['query=%25', ['delta']],
    ['query=a%25_b', ['delta']],
    ['query=.*', []],
    ['name=IS_ANY_OF:alpha,delta,no-such', ['alpha', 'delta']],
    ['project=IS:shop', ['Cafe-Latte', 'alpha', 'beta', 'gamma']],
    ['project=IS_ANY_OF:pay,strict,no-such', ['delta', 'team-strict']],
    ['project=IS_NOT:shop', ['delta', 'team-strict']],
    ['project=IS_NONE_OF:shop,%20pay', ['team-strict']],
    ['project=IS:', EVERY],
    ['project=IS:no-such', []],
    ['state=IS:stale', ['beta']],
    ['state=IS_NOT:stale', EVERY.filter((name) => name !== 'beta')],
    ['type=IS:experiment', ['alpha', 'delta']],
    ['type=IS_NONE_OF:release,experiment', ['gamma']],
    ['tag=INCLUDE:simple:checkout', ['alpha', 'beta']],
    ['tag=INCLUDE_ANY_OF:team:cash,simple:a%25_b', ['alpha', 'delta']],
    ['tag=INCLUDE_ALL_OF:simple:checkout,team:cash', ['alpha']],
    ['tag=DO_NOT_INCLUDE:simple:checkout', ['Cafe-Latte', 'delta', 'gamma', 'team-strict']],
    ['tag=EXCLUDE_IF_ANY_OF:simple:checkout,simple:a%25_b', ['Cafe-Latte', 'gamma', 'team-strict']],
    ['tag=EXCLUDE_ALL:simple:checkout,team:cash', EVERY.filter((name) => name !== 'alpha')],
    ['segment=INCLUDE:any', []],
    ['segment=EXCLUDE_IF_ANY_OF:any', EVERY],
    ['switchOwner=KUBECTL', ['alpha', 'gamma', 'team-strict']],
    ['switchOwner=argocd', []],
    ['label=INCLUDE:team', ['beta']],
    ['label=INCLUDE:team=cash', ['beta']],
    ['label=DO_NOT_INCLUDE:team=cash&project=IS:shop', ['Cafe-Latte', 'alpha', 'gamma']],
    ['share=production:everyone', ['alpha', 'gamma']],
    ['share=development:part&share=staging:everyone', ['team-strict']],
    ['schedule=window', ['delta']],
    ['schedule=planned', []],
    ['schedule=ramp', []],
    ['status=production:enabled', ['alpha', 'gamma']],
    ['status=production:disabled', ['Cafe-Latte', 'beta', 'delta']],
    ['status=development:enabled&status=staging:enabled', ['gamma', 'team-strict']],
    ['status=no-such:disabled', []],
    ['createdAt=IS_ON_OR_AFTER:2020-01-01', EVERY],
    ['createdAt=IS_BEFORE:2020-01-01', []],
    ['favoritesFirst=true', EVERY],
    ['state=IS:active&type=IS:experiment&query=a', ['alpha', 'delta']],
    ['unknown=x', EVERY],
  ])('?%s', async (query, want) => {
    expect(await found(query)).toEqual(want);
  });
});

test('each is answered as in the list of its project, with its project', async () => {
  const { body } = await instance.call('GET /search/features?query=alpha');
  const [alpha] = (await instance.call('GET /projects/shop/features?namePrefix=alpha')).body.features;
  expect(body).toEqual({ features: [{ ...alpha, project: 'shop' }], total: 1 });
});

describe('order', () => {
  const names = async (query: string): Promise<string[]> =>
    (await instance.call(`GET /search/features?${query}`)).body.features.map(({ name }: { name: string }) => name);

  test.each<[string, readonly string[]]>([
    ['sortBy=name', EVERY],
    ['sortBy=name&sortOrder=desc', EVERY.toReversed()],
    ['sortBy=project', ['delta', 'Cafe-Latte', 'alpha', 'beta', 'gamma', 'team-strict']],
    ['sortBy=project&sortOrder=desc', ['team-strict', 'Cafe-Latte', 'alpha', 'beta', 'gamma', 'delta']],
    ['sortBy=type', ['alpha', 'delta', 'gamma', 'Cafe-Latte', 'beta', 'team-strict']],
    ['sortBy=state&sortOrder=desc', ['beta', 'Cafe-Latte', 'alpha', 'delta', 'gamma', 'team-strict']],
    ['sortBy=lastSeenAt', EVERY],
    ['sortBy=environment:production', ['Cafe-Latte', 'beta', 'delta', 'team-strict', 'alpha', 'gamma']],
    ['sortBy=environment:production&sortOrder=desc', ['alpha', 'gamma', 'Cafe-Latte', 'beta', 'delta', 'team-strict']],
    ['sortBy=environment:no-such', EVERY],
  ])('?%s', async (query, want) => {
    expect(await names(query)).toEqual(want);
  });

  test('by creation time by default, then by name', async () => {
    const { body } = await instance.call('GET /search/features');
    const keyOf = ({ createdAt, name }: { createdAt: string; name: string }) => `${createdAt} ${name}`;
    const inOrder = body.features.map(keyOf).toSorted();
    expect(body.features.map(keyOf)).toEqual(inOrder);
    expect(await names('sortBy=createdAt&sortOrder=asc')).toEqual(
      body.features.map(({ name }: { name: string }) => name),
    );
  });

  test('a change moves a flag in the order', async () => {
    await instance.call('PUT /projects/shop/features/alpha', { body: { type: 'permission' } });
    expect((await names('sortBy=type')).indexOf('alpha')).toBe(2);
    await instance.call('PUT /projects/shop/features/alpha', { body: { type: 'experiment' } });
    expect((await names('sortBy=type')).indexOf('alpha')).toBe(0);
  });
});

test.each<[string, string]>([
  ['project=shop', 'The operators are IS, IS_ANY_OF, IS_NOT, IS_NONE_OF'],
  ['project=INCLUDE:shop', 'The operators are'],
  ['project=IS:a%0Ab', 'The operators are'],
  [`project=IS:${Array.from({ length: 101 }, (_, n) => n).join()}`, 'more than 100 values'],
  ['state=IS:fresh', 'the values are active, stale'],
  ['type=IS:feature', 'the values are release, experiment'],
  ['tag=simple:checkout', 'The operators are INCLUDE'],
  ['status=production', 'enabled or disabled'],
  ['status=production:on', 'enabled or disabled'],
  ['share=production:some', 'everyone, part, none'],
  ['createdAt=2026-01-01', 'must be IS_BEFORE:YYYY-MM-DD'],
  ['createdAt=IS_BEFORE:2026-02-30', 'there is no such day'],
  ['limit=0', 'from 1 to 1000'],
  ['limit=1001', 'from 1 to 1000'],
  ['limit=ten', 'from 1 to 1000'],
  ['offset=-1', 'from 0 to'],
  ['sortBy=colour', 'must be one of name, type'],
  ['sortBy=environment:', 'must be one of name, type'],
  ['sortOrder=up', 'must be one of asc, desc'],
  ['favoritesFirst=yes', '`favoritesFirst`'],
  ['query=a&query=b', '`query`'],
])('?%s: 400 with the reason', async (query, want) => {
  const refused = { status: 400, name: 'ValidationError' };
  expect(await instance.refuses(`GET /search/features?${query}`, refused)).toContain(want);
});

test('the older list has all of them, by project and name', async () => {
  const { status, body } = await instance.call('GET /features');
  expect([status, body.version]).toEqual([200, 1]);
  expect(body.features.map(({ project, name }: { project: string; name: string }) => `${project} ${name}`)).toEqual([
    'pay delta',
    'shop Cafe-Latte',
    'shop alpha',
    'shop beta',
    'shop gamma',
    'strict team-strict',
  ]);
});

describe('whether a name is free', () => {
  const validate = (body: object) => instance.untouched('POST /features/validate', { body });

  test('200 without a body', async () => {
    for (const body of [
      { name: 'fresh' },
      { name: 'team-fresh', projectId: 'strict' },
      { name: 'x', projectId: null },
    ]) {
      const { status, text } = await validate(body);
      expect([status, text]).toEqual([200, '']);
    }
  });

  test.each<[string, object, number, string, string]>([
    [
      'one that a flag has, in whichever project',
      { name: 'delta', projectId: 'shop' },
      409,
      'NameExistsError',
      '"delta"',
    ],
    ['one that an archived flag has', { name: 'gone' }, 409, 'NameExistsError', 'An archived flag'],
    ['one that is not URL friendly', { name: 'a b' }, 400, 'ValidationError', 'URL friendly'],
    ['one that the pattern of the project refuses', { name: 'x', projectId: 'strict' }, 400, 'PatternError', 'team-x'],
    ['one in a project that is not there', { name: 'x', projectId: 'no-such' }, 404, 'NotFoundError', '"no-such"'],
  ])('%s', async (_, body, status, name, want) => {
    expect(await instance.refuses('POST /features/validate', { status, name, body })).toContain(want);
  });
});

test('ui-config names the server and its version', async () => {
  const { status, body } = await instance.call('GET /ui-config');
  expect(status).toBe(200);
  expect(body).toEqual({
    name: 'Vexil',
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    environment: 'Kubernetes',
    flags: {},
  });
});

describe('pages', () => {
  test('have the requested length, do not overlap, and each has the total', async () => {
    const pages = await Promise.all(
      [0, 2, 4, 6].map((offset) => instance.call(`GET /search/features?sortBy=name&limit=2&offset=${offset}`)),
    );
    expect(pages.map(({ body }) => body.features.map(({ name }: { name: string }) => name))).toEqual([
      EVERY.slice(0, 2),
      EVERY.slice(2, 4),
      EVERY.slice(4),
      [],
    ]);
    expect(pages.map(({ body }) => body.total)).toEqual([6, 6, 6, 6]);
  });

  test('have 50 flags by default', async () => {
    await instance.apply(
      aProject(`${instance.home}/many`),
      ...Array.from({ length: 51 }, (_, n) => aFlag(`${instance.home}/many-${n}`, { project: 'many' })),
    );
    const { body } = await instance.call('GET /search/features?project=IS:many');
    expect([body.features.length, body.total]).toEqual([50, 51]);
    const all = await instance.call('GET /search/features?project=IS:many&limit=1000');
    expect(all.body.features).toHaveLength(51);
  });
});
