/** Chapter "Errors": each row of the table as status, condition and body, with nothing written. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { errorBody } from '../../support/admin-client.ts';
import { aFlag, aProject, aUser } from '../../support/builders.ts';
import { type Instance, startInstance } from '../../support/instance.ts';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance('errors');
  const { home, other } = instance;
  await instance.apply(
    aFlag(`${home}/present`, { environments: { production: { strategies: { s: { name: 'default' } } } } }),
    aFlag(`${home}/bare`),
    aFlag(`${other}/theirs`, { project: 'pay' }),
    aUser(`${home}/ada`, { id: 7 }),
    aUser(`${home}/lin`, { id: 8 }),
    aProject(`${home}/owned`, { members: { ada: 'owner', lin: 'member' } }),
  );
});
afterAll(() => instance.stop());

const features = '/projects/shop/features';
const inProduction = `${features}/present/environments/production`;

describe('400: request payload does not match the expected schema', () => {
  const wrong = { op: 'replace', path: '/description', value: 7 };

  test.each<[string, unknown, string, string]>([
    [`POST ${features}`, { name: 'new', type: 'forever' }, '`type`', '"forever"'],
    [`PUT ${features}/present`, { impressionData: 'yes' }, '`impressionData`', '"yes"'],
    [`PATCH ${features}/present`, [wrong], '`description`', '7'],
    [`POST ${features}/present/clone`, { name: 5 }, '`name`', '5'],
    [`POST ${inProduction}/strategies`, { name: 'default', parameters: 'x' }, '`parameters`', '"x"'],
    [`PUT ${inProduction}/strategies/s`, { name: 'default', constraints: 3 }, '`constraints`', '3'],
    [`PATCH ${inProduction}/strategies/s`, [{ op: 'add', path: '/disabled', value: 'no' }], '`disabled`', '"no"'],
    [`PUT ${features}/present/variants`, [{ name: 'a', weight: -1 }], 'weight`', '-1'],
    [`PATCH ${features}/present/variants`, [{ op: 'increment', path: '/0' }], '`0.op`', '"increment"'],
  ])('%s: ValidationError; the message names the offending property and the value received', async (...row) => {
    const [request, body, property, value] = row;
    const message = await instance.refuses(request, { status: 400, name: 'ValidationError', body });
    expect(message).toContain(property);
    expect(message).toContain(value);
  });
});

describe('400: array of objects with msg, and nothing is written', () => {
  test.each([
    ['adding a user already in the project', 'POST', 'users/8/roles/5', 'User already has access to project=owned'],
    ['changing the role of the only owner', 'PUT', 'users/7/roles/5', 'A project must have at least one owner.'],
    ['removing the only owner', 'DELETE', 'users/7/roles/4', 'A project must have at least one owner.'],
  ])('%s', async (_, method, place, msg) => {
    const { status, body } = await instance.untouched(`${method} /projects/owned/${place}`);
    expect([status, body]).toEqual([400, [{ msg }]]);
  });
});

describe('404: flag not found by name and project', () => {
  const body = { name: 'default' };

  test.each<[string, unknown]>([
    ['GET FLAG', undefined],
    ['PUT FLAG', {}],
    ['PATCH FLAG', []],
    ['POST FLAG/clone', { name: 'copy' }],
    ['DELETE FLAG', undefined],
    ['POST FLAG/environments/production/strategies', body],
    ['PUT FLAG/environments/production/strategies/s', body],
    ['PATCH FLAG/environments/production/strategies/s', []],
    ['DELETE FLAG/environments/production/strategies/s', undefined],
    ['POST FLAG/environments/production/on', undefined],
    ['POST FLAG/environments/production/off', undefined],
    ['PUT FLAG/variants', []],
    ['PATCH FLAG/variants', []],
  ])('%s: by the name of a flag of another project', async (request, sent) => {
    const refused = { status: 404, name: 'NotFoundError', body: sent };
    expect(await instance.refuses(request.replace('FLAG', `${features}/theirs`), refused)).toContain('"theirs"');
  });

  test.each(['GET', 'DELETE'])('%s: by an unknown name', async (method) => {
    const refused = { status: 404, name: 'NotFoundError' };
    expect(await instance.refuses(`${method} ${features}/no-such`, refused)).toContain('"no-such"');
  });
});

describe('409', () => {
  test.each([
    ['creating', `POST ${features}`],
    ['cloning', `POST ${features}/bare/clone`],
  ])('%s a flag under a name that already exists', async (_, request) => {
    for (const name of ['present', 'theirs']) {
      await instance.refuses(request, { status: 409, name: 'NameExistsError', body: { name } });
    }
  });

  test('enabling a flag in an environment that has no strategies', async () => {
    const request = `POST ${features}/bare/environments/production/on`;
    const message = await instance.refuses(request, { status: 409, name: 'CannotEnableError' });
    expect(message).toContain('no enabled strategy');
  });
});

describe('Body', () => {
  test.each([
    [400, `POST ${features}`, { name: '' }],
    [404, `GET ${features}/no-such`, undefined],
    [409, `POST ${features}`, { name: 'present' }],
    [409, `POST ${features}/bare/environments/production/on`, undefined],
  ])('of a %i: the error object with id, name and message', async (status, request, body) => {
    const answer = await instance.call(request, { body });
    expect(answer.status).toBe(status);
    expect(errorBody.safeParse(answer.body).error).toBeUndefined();
  });
});
