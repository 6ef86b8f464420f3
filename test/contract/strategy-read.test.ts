/** Reading the strategies of a flag: one, all, and the flag in an environment. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aFlag, aProject } from '../support/builders.ts';
import { type Instance, startInstance } from '../support/instance.ts';

let instance: Instance;

const ID = '0fce2b2f-5d5d-4cf9-9b3e-3f6a7c0f1a11';
const strategies = {
  [ID]: { name: 'flexibleRollout', sortOrder: 2, parameters: { rollout: 25 } },
  'staff-first': { name: 'default', title: 'Für das Team 🚀', sortOrder: 1 },
};

beforeAll(async () => {
  instance = await startInstance('strategy-read');
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
afterAll(() => instance.stop());

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

describe.each(['', '/strategies', `/strategies/${ID}`])('404 on %s', (rest) => {
  test.each<[string, string]>([
    ['a flag that there is not', '/projects/shop/features/no-such/environments/production'],
    ['a flag of another project', '/projects/pay/features/read/environments/production'],
    ['a project that there is not', '/projects/no-such/features/read/environments/production'],
    ['an archived flag', '/projects/shop/features/stowed/environments/production'],
    ['an environment that there is not', '/projects/shop/features/read/environments/moon'],
    ['an environment that the project does not use', '/projects/small/features/small/environments/production'],
    ['an environment named as members of objects are', '/projects/shop/features/read/environments/__proto__'],
  ])('for %s', async (_, path) => {
    await instance.refuses(`GET ${path}${rest}`, { status: 404, name: 'NotFoundError' });
  });
});

test.each(['no-such', 'constructor', '__proto__', 'set-sort-order'])('404 for the id %s', async (id) => {
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
