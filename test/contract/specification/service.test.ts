/**
 * Chapters "What the service does" and "Versioning": the rules that hold for the whole service.
 *
 * Two rows of the specification have no test. "Versioning" 1 (available since version 4.3) is about the past, and that
 * PATCH …/variants is no longer maintained asks for nothing.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { routes } from '../../../src/http/routes/all.ts';
import { aFlag, aUser } from '../../support/builders.ts';
import { waitUntil } from '../../support/control-plane/wait-until.ts';
import { type Instance, startInstance } from '../../support/instance.ts';
import type { Stored } from '../../support/stored.ts';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance('service');
  const { home } = instance;
  const rollout = (value: number) => ({ s: { name: 'flexibleRollout', parameters: { rollout: value } } });
  await instance.apply(
    aFlag(`${home}/flag`, {
      variants: [{ name: 'blue' }, { name: 'red', weightType: 'fix', weight: 10 }],
      environments: {
        development: { enabled: true, strategies: rollout(100) },
        production: { enabled: false, strategies: rollout(5) },
      },
    }),
  );
});
afterAll(() => instance.stop());

const get = async (path: string): Promise<Stored> => (await instance.call(`GET ${path}`)).body;
const flag = () => get('/projects/shop/features/flag');

describe('What the service does', () => {
  test('1. Every feature flag belongs to exactly one project', async () => {
    expect((await flag()).project).toBe('shop');
    const listedIn = async (project: string) =>
      (await get(`/projects/${project}/features`)).features.map(({ name }: Stored) => name);
    expect([await listedIn('shop'), await listedIn('pay')]).toEqual([['flag'], []]);
    await instance.refuses('GET /projects/pay/features/flag', { status: 404, name: 'NotFoundError' });
  });

  test('2. A feature flag exists across all environments', async () => {
    await instance.call('POST /projects/shop/features', { body: { name: 'fresh' } });
    const { environments } = await get('/projects/shop/features/fresh');
    expect(environments.map(({ name }: Stored) => name)).toEqual(['development', 'production']);
    await instance.call('DELETE /projects/shop/features/fresh');
  });

  test('3. A feature flag can carry a different configuration per environment: strategies and an on/off switch', async () => {
    expect((await flag()).environments).toMatchObject([
      { name: 'development', enabled: true, strategies: [{ parameters: { rollout: 100 } }] },
      { name: 'production', enabled: false, strategies: [{ parameters: { rollout: 5 } }] },
    ]);
  });

  test('4. Flags can carry variants, each with a weight', async () => {
    expect((await flag()).variants).toMatchObject([
      { name: 'blue', weight: 990 },
      { name: 'red', weight: 10 },
    ]);
  });

  test('5. Projects have members. Each member holds one role in the project', async () => {
    const { home } = instance;
    await instance.apply(aUser(`${home}/ada`, { id: 7 }));
    const path = '/projects/shop/users/7/roles';
    await waitUntil({ what: 'ada is a user' }, async () => (await get('/user-admin/search?q=ada')).users.length === 1);
    expect((await instance.call(`POST ${path}/4`)).status).toBe(200);
    expect((await instance.call(`POST ${path}/5`)).status).toBe(400);
    expect((await instance.specOf('project', `${home}/shop`)).members).toEqual({ ada: 'owner' });
    expect((await get('/projects/shop')).members).toBe(1);
  });

  test('9. A deprecated state export/import API exists', async () => {
    const exported = await instance.call('GET /state/export');
    const imported = await instance.call('POST /state/import?dryRun=true', { body: exported.body });
    expect([exported.status, imported.status]).toEqual([200, 202]);
  });

  test('8. Users can be searched', async () => {
    await instance.apply(aUser(`${instance.home}/ada`), aUser(`${instance.home}/lin`));
    expect((await get('/user-admin/search?q=ada')).users).toMatchObject([{ username: 'ada' }]);
  });
});

describe('Versioning', () => {
  test('2. Variants are tied to an environment', async () => {
    const path = '/projects/shop/features/flag/environments/production/variants';
    await instance.call(`PUT ${path}`, { body: [{ name: 'only-here' }] });
    const { environments } = await get('/projects/shop/features/flag?variantEnvironments=true');
    const names = environments.map(({ variants }: Stored) => variants.map(({ name }: Stored) => name));
    expect(names).toEqual([['blue', 'red'], ['only-here']]);
    await instance.call('PUT /projects/shop/features/flag/variants', {
      body: [{ name: 'blue' }, { name: 'red', weightType: 'fix', weight: 10 }],
    });
  });

  test.each([
    ['a number in the project overview', '/projects/shop', 1],
    ['a number in the flag list', '/projects/shop/features', 1],
    ['a number in the state document', '/state/export', 4],
    ['a string in the variants response', '/projects/shop/features/flag/variants', '1'],
  ])('4. Response bodies carry a schema version field: %s', async (_, path, version) => {
    expect((await get(path)).version).toBe(version);
  });

  test('3. The state API is deprecated: its answers say so, refusals too', async () => {
    for (const request of ['GET /state/export', 'GET /state/export?format=xml', 'POST /state/import']) {
      const { headers } = await instance.call(request, request.startsWith('GET') ? {} : { body: {} });
      expect(headers.get('deprecation'), request).toMatch(/^@\d+$/);
      expect(headers.get('link'), request).toContain('rel="deprecation"');
    }
  });

  test('5. Paths carry no version segment', () => {
    expect(routes.map(({ path }) => path).filter((path) => /\/v?\d/.test(path))).toEqual([]);
  });
});
