/** A strategy of a defined type must have the parameters that the type requires. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aFlag, aStrategyType } from '../support/builders.ts';
import { type Instance, startInstance } from '../support/instance.ts';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance('required-parameters');
  await instance.apply(
    aStrategyType(`${instance.home}/country`, {
      parameters: [{ name: 'countries', type: 'list', required: true }, { name: 'hint' }],
    }),
    aStrategyType(`${instance.home}/strict`, {
      parameters: [
        { name: 'size', type: 'number', required: true },
        { name: 'on', type: 'boolean', required: true },
      ],
    }),
  );
});
afterAll(() => instance.stop());

const path = (flag: string) => `/projects/shop/features/${flag}/environments/production/strategies`;
const flagWith = (flag: string, strategies: object) =>
  instance.apply(
    aFlag(`${instance.home}/${flag}`, { environments: { production: { strategies: { ...strategies } } } }),
  );
const invalid = (body: unknown) => ({ status: 400, name: 'ValidationError', body });
const lacking = (parameter: string, type = 'country') =>
  `The strategy type "${type}" requires the parameter "${parameter}", which is missing or empty.`;

describe('adding', () => {
  beforeAll(() => flagWith('added', {}));

  test.each<[string, object]>([
    ['no parameters', { name: 'country' }],
    ['null', { name: 'country', parameters: null }],
    ['others only', { name: 'country', parameters: { hint: 'x', Countries: 'SE' } }],
    ['an empty text', { name: 'country', parameters: { countries: '' } }],
    ['null for it', { name: 'country', parameters: { countries: null } }],
  ])('%s: 400 names parameter and type, with nothing written', async (_, body) => {
    expect(await instance.refuses(`POST ${path('added')}`, invalid(body))).toBe(lacking('countries'));
  });

  test('all missing ones are named, each with its place', async () => {
    const { body } = await instance.call(`POST ${path('added')}`, { body: { name: 'strict' } });
    expect(body.details).toMatchObject([
      { path: '/body/parameters/size', message: lacking('size', 'strict') },
      { path: '/body/parameters/on', message: lacking('on', 'strict') },
    ]);
  });

  test.each<[string, object]>([
    ['with it', { name: 'country', parameters: { countries: 'SE' } }],
    ['zero and false are values', { name: 'strict', parameters: { size: 0, on: false } }],
    ['built-in types require none', { name: 'flexibleRollout' }],
    ['nor do those that are said to', { name: 'remoteAddress' }],
  ])('%s: 200', async (_, body) => {
    expect((await instance.call(`POST ${path('added')}`, { body })).status).toBe(200);
  });
});

describe('changing: the resulting strategy is checked', () => {
  const plain = { name: 'default' };
  const good = { name: 'country', parameters: { countries: 'SE', hint: 'x' } };
  const lacks = { name: 'country' };
  const patch = (...operations: object[]) => operations;
  const remove = (place: string) => ({ op: 'remove', path: place });
  const set = (place: string, value: unknown) => ({ op: 'add', path: place, value });

  beforeAll(() => flagWith('kept', { plain, good, lacks }));

  test.each<[string, string, string, unknown]>([
    ['to a type that requires it', 'PUT', 'plain', { name: 'country' }],
    ['by other parameters', 'PUT', 'good', { parameters: { hint: 'y' } }],
    ['of one that lacks it already', 'PUT', 'lacks', { title: 't' }],
    ['to a type that requires it', 'PATCH', 'plain', patch(set('/name', 'country'))],
    ['that takes it away', 'PATCH', 'good', patch(remove('/parameters/countries'))],
    ['that empties it', 'PATCH', 'good', patch(set('/parameters/countries', ''))],
    ['of one that lacks it already', 'PATCH', 'lacks', patch(set('/title', 't'))],
  ])('%s: 400 (%s %s)', async (_, method, key, body) => {
    const message = await instance.refuses(`${method} ${path('kept')}/${key}`, invalid(body));
    expect(message).toBe(lacking('countries'));
  });

  test.each<[string, string, object, string, unknown]>([
    ['to a type that requires it, with it', 'mended-a', plain, 'PUT', good],
    ['of the title alone', 'mended-b', good, 'PUT', { title: 't' }],
    ['that adds what was missing', 'mended-c', lacks, 'PUT', { parameters: { countries: 'SE' } }],
    [
      'to a type that requires it, with it',
      'mended-d',
      plain,
      'PATCH',
      patch(set('/parameters/countries', 'SE'), set('/name', 'country')),
    ],
    ['that adds what was missing', 'mended-e', lacks, 'PATCH', patch(set('/parameters/countries', 'SE'))],
    ['to a type that does not ask for it', 'mended-f', lacks, 'PATCH', patch(set('/name', 'default'))],
  ])('%s: 200 (%s)', async (_, flag, strategy, method, body) => {
    await flagWith(flag, { one: strategy });
    const answer = await instance.call(`${method} ${path(flag)}/one`, { body });
    expect(answer.status, answer.text).toBe(200);
  });
});

test('a strategy without it can be reordered, switched on and off, copied with its flag and removed', async () => {
  await flagWith('lacking', { one: { name: 'country' }, two: { name: 'default' } });
  const environment = '/projects/shop/features/lacking/environments/production';
  const order = [{ id: 'one', sortOrder: 3 }];
  for (const [request, body, status] of [
    [`POST ${path('lacking')}/set-sort-order`, order, 200],
    [`POST ${environment}/on`, undefined, 200],
    [`POST ${environment}/off`, undefined, 200],
    ['POST /projects/shop/features/lacking/clone', { name: 'lacking-too' }, 201],
    [`DELETE ${path('lacking')}/one`, undefined, 200],
  ] as const) {
    const answer = await instance.call(request, { body });
    expect([request, answer.status]).toEqual([request, status]);
  }
});

test('the present requirements of a type apply', async () => {
  await flagWith('current', {});
  await instance.call('POST /strategies', { body: { name: 'moving' } });
  const body = { name: 'moving' };
  expect((await instance.call(`POST ${path('current')}`, { body })).status).toBe(200);
  await instance.call('PUT /strategies/moving', { body: { parameters: [{ name: 'a', required: true }] } });
  // The status of the flag changes meanwhile, because its strategy now lacks the parameter.
  const refused = await instance.call(`POST ${path('current')}`, { body });
  expect([refused.status, refused.body.message]).toEqual([400, lacking('a', 'moving')]);
  expect((await instance.call(`GET ${path('current')}`)).body).toHaveLength(1);
});
