/** The strategies of a flag in an environment: read, put in order, removed. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FlagEnvironment, MAX_STRATEGIES } from '../../src/schema/feature-flag.ts';
import { ownedWithStamp } from '../support/author-policy.ts';
import { aFlag, aProject } from '../support/builders.ts';
import { type Instance, startInstance } from '../support/instance.ts';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance('strategy-list');
});
afterAll(() => instance.stop());

describe('reading', () => {
  const ID = '0fce2b2f-5d5d-4cf9-9b3e-3f6a7c0f1a11';
  const strategies = {
    [ID]: { name: 'flexibleRollout', sortOrder: 2, parameters: { rollout: 25 } },
    'staff-first': { name: 'default', title: 'Für das Team 🚀', sortOrder: 1 },
  };

  beforeAll(async () => {
    const { home, other } = instance;
    const environments = { production: { enabled: true, strategies } };
    await instance.apply(
      aProject(`${home}/small`, { environments: ['development'] }),
      aFlag(`${home}/read`, { environments }),
      aFlag(`${home}/small`, { project: 'small', environments }),
      aFlag(`${home}/stowed`, { archived: true, environments }),
      aFlag(`${home}/empty`, { environments: { production: { enabled: true } } }),
      aFlag(`${other}/there`, { project: 'pay', environments }),
    );
  });

  const environment = '/projects/shop/features/read/environments/production';

  test('the list: the strategies in their order, as the flag shows them', async () => {
    const { status, body } = await instance.call(`GET ${environment}/strategies`);
    expect(status).toBe(200);
    expect(body.map(({ title, id }: { title: string; id: string }) => title ?? id)).toEqual(['Für das Team 🚀', ID]);
    const { environments } = (await instance.call('GET /projects/shop/features/read')).body;
    expect(body).toEqual(environments[1].strategies);
  });

  test('one strategy, by the answered id and by the key that a user chose', async () => {
    const [chosen, generated] = (await instance.call(`GET ${environment}/strategies`)).body;
    expect((await instance.call(`GET ${environment}/strategies/${ID}`)).body).toEqual(generated);
    expect((await instance.call(`GET ${environment}/strategies/${chosen.id}`)).body).toEqual(chosen);
    expect((await instance.call(`GET ${environment}/strategies/staff-first`)).body).toEqual(chosen);
  });

  test('the flag in an environment: its name, whether it is really on there, its strategies', async () => {
    const list = (await instance.call(`GET ${environment}/strategies`)).body;
    const { status, body } = await instance.call(`GET ${environment}`);
    expect(status).toBe(200);
    expect(body).toEqual({ name: 'read', environment: 'production', enabled: true, strategies: list });
    const elsewhere = await instance.call('GET /projects/shop/features/read/environments/development');
    expect(elsewhere.body).toEqual({ name: 'read', environment: 'development', enabled: false, strategies: [] });
  });

  test('switched on without a strategy is not on', async () => {
    const { body } = await instance.call('GET /projects/shop/features/empty/environments/production');
    expect(body).toEqual({ name: 'empty', environment: 'production', enabled: false, strategies: [] });
  });

  test('a flag in the other namespace is read as well', async () => {
    const { body } = await instance.call('GET /projects/pay/features/there/environments/production');
    expect(body).toMatchObject({ enabled: true, strategies: [{ title: 'Für das Team 🚀' }, { id: ID }] });
  });

  test.each(['', '/strategies', `/strategies/${ID}`])(
    '%s has a strong ETag, and answers 304 to a request with it',
    async (rest) => {
      const { headers } = await instance.call(`GET ${environment}${rest}`);
      const etag = headers.get('etag') ?? '';
      expect(etag).toMatch(/^"[\w-]+"$/);
      const fresh = await instance.call(`GET ${environment}${rest}`, { headers: { 'if-none-match': etag } });
      expect([fresh.status, fresh.text]).toEqual([304, '']);
    },
  );

  test.each<[string, string]>([
    ['a flag that there is not', '/projects/shop/features/no-such/environments/production'],
    ['a flag of another project', '/projects/pay/features/read/environments/production'],
    ['a project that there is not', '/projects/no-such/features/read/environments/production'],
    ['an archived flag', '/projects/shop/features/stowed/environments/production'],
    ['an environment that there is not', '/projects/shop/features/read/environments/moon'],
    ['an environment that the project does not use', '/projects/small/features/small/environments/production'],
    ['an environment named as members of objects are', '/projects/shop/features/read/environments/__proto__'],
  ])('404 for %s', async (_, path) => {
    for (const rest of ['', '/strategies', `/strategies/${ID}`]) {
      const { status, body } = await instance.call(`GET ${path}${rest}`);
      expect([rest, status, body.name]).toEqual([rest, 404, 'NotFoundError']);
    }
  });

  test.each(['__proto__', 'set-sort-order'])('404 for the id %s', async (id) => {
    const message = await instance.refuses(`GET ${environment}/strategies/${id}`, {
      status: 404,
      name: 'NotFoundError',
    });
    expect(message).toContain(`Could not find strategy with id=${id}`);
  });

  test.each<[string, string]>([
    ['', 'GET, HEAD, OPTIONS'],
    ['/strategies', 'GET, HEAD, POST, OPTIONS'],
    // This is also the path of a strategy with that id.
    ['/strategies/set-sort-order', 'POST, GET, HEAD, PUT, PATCH, DELETE, OPTIONS'],
    [`/strategies/${ID}`, 'GET, HEAD, PUT, PATCH, DELETE, OPTIONS'],
  ])('OPTIONS %s: 204 with its methods', async (rest, allow) => {
    const { status, headers } = await instance.call(`OPTIONS ${environment}${rest}`);
    expect([status, headers.get('allow')]).toEqual([204, allow]);
  });
});

describe('set-sort-order', () => {
  const ID = '0fce2b2f-5d5d-4cf9-9b3e-3f6a7c0f1a11';
  const strategies = {
    [ID]: { name: 'default', sortOrder: 1 },
    b: { name: 'default', title: 'b', sortOrder: 2 },
    c: { name: 'default', title: 'c' },
  };

  const path = (name: string) => `/projects/shop/features/${name}/environments/production/strategies`;
  const setUp = (name: string) =>
    instance.apply(aFlag(`${instance.home}/${name}`, { environments: { production: { enabled: true, strategies } } }));
  const storedIn = async (name: string) =>
    (await instance.flag(`${instance.home}/${name}`)).spec.environments.production;
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
});

describe('DELETE …/strategies/:strategyId', () => {
  const plain = { name: 'default' };
  const disabled = { name: 'default', disabled: true };

  const path = (name: string, id: string) => `/projects/shop/features/${name}/environments/production/strategies/${id}`;
  const setUp = (name: string, production: FlagEnvironment) =>
    instance.apply(aFlag(`${instance.home}/${name}`, { environments: { production } }));
  const storedIn = async (name: string) =>
    (await instance.flag(`${instance.home}/${name}`)).spec.environments.production;

  test('a strategy is also found by the answered id', async () => {
    await setUp('shown', { strategies: { a: plain, b: plain } });
    const [{ id }] = (await instance.call('GET /projects/shop/features/shown/environments/production/strategies')).body;
    await instance.call(`DELETE ${path('shown', id)}`);
    expect(Object.keys((await storedIn('shown')).strategies)).toEqual(['b']);
  });

  test('any content type is accepted, and a body is not read', async () => {
    await setUp('typed', { strategies: { a: plain } });
    const headers = { 'content-type': 'text/plain' };
    const { status } = await instance.call(`DELETE ${path('typed', 'a')}`, { headers, body: 'not { json' });
    expect(status).toBe(200);
  });

  describe('the switch', () => {
    test.each<[string, FlagEnvironment, FlagEnvironment]>([
      [
        'the last strategy that is not disabled goes: off',
        { enabled: true, strategies: { a: plain } },
        { enabled: false, strategies: {} },
      ],
      [
        'only disabled ones are left: off',
        { enabled: true, strategies: { a: plain, b: disabled } },
        { enabled: false, strategies: { b: disabled } },
      ],
      [
        'a disabled one goes: stays on',
        { enabled: true, strategies: { a: disabled, b: plain } },
        { enabled: true, strategies: { b: plain } },
      ],
      ['off already: stays as it is', { enabled: false, strategies: { a: plain } }, { enabled: false, strategies: {} }],
      ['says nothing: goes on saying nothing', { strategies: { a: plain } }, { strategies: {} }],
    ])('%s, in one write', async (title, before, after) => {
      const name = `switch-${title.split(/\W/).slice(0, 4).join('-').toLowerCase()}`;
      await setUp(name, before);
      const { generation } = (await instance.flag(`${instance.home}/${name}`)).metadata;
      expect((await instance.call(`DELETE ${path(name, 'a')}`)).status).toBe(200);
      expect(await storedIn(name)).toEqual(after);
      expect((await instance.flag(`${instance.home}/${name}`)).metadata.generation).toBe(generation + 1);
    });

    test('the other environments stay on', async () => {
      const production = { enabled: true, strategies: { a: plain } };
      const environments = { production, development: production };
      await instance.apply(aFlag(`${instance.home}/apart`, { environments }));
      await instance.call(`DELETE ${path('apart', 'a')}`);
      expect((await instance.flag(`${instance.home}/apart`)).spec.environments.development).toEqual(production);
    });

    test('callers that remove the last two at the same time leave the switch off', async () => {
      await setUp('raced', { enabled: true, strategies: { a: plain, b: plain } });
      const answers = await Promise.all(['a', 'b'].map((id) => instance.call(`DELETE ${path('raced', id)}`)));
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      expect(await storedIn('raced')).toEqual({ enabled: false, strategies: {} });
    });
  });

  describe('refused, with nothing written', () => {
    const strategies = { a: plain };
    const missing = { status: 404, name: 'NotFoundError' };

    beforeAll(async () => {
      const { home } = instance;
      await setUp('guarded', { enabled: true, strategies });
      await instance.apply(aFlag(`${home}/stowed`, { archived: true, environments: { production: { strategies } } }));
      await instance.apply(aFlag(`${home}/bare`));
    });

    test.each(['__proto__', 'A'])('404 for the id %s that no strategy has', async (id) => {
      const message = await instance.refuses(`DELETE ${path('guarded', id)}`, missing);
      expect(message).toContain(`Could not find strategy with id=${id}`);
    });

    test('404 for a strategy of another flag, project or environment', async () => {
      await instance.refuses(`DELETE ${path('bare', 'a')}`, missing);
      await instance.refuses(`DELETE ${path('no-such', 'a')}`, missing);
      await instance.refuses(`DELETE ${path('guarded', 'a').replace('/shop/', '/pay/')}`, missing);
      await instance.refuses(`DELETE ${path('guarded', 'a').replace('/production/', '/development/')}`, missing);
      await instance.refuses(`DELETE ${path('guarded', 'a').replace('/production/', '/moon/')}`, missing);
    });

    test('400 ArchivedFeatureError for an archived flag', async () => {
      await instance.refuses(`DELETE ${path('stowed', 'a')}`, { status: 400, name: 'ArchivedFeatureError' });
    });
  });
});
