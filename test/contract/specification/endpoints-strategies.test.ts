/** Chapter "Endpoints", strategies and switching per environment: rows 9 to 14. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FlagEnvironment } from '../../../src/schema/feature-flag.ts';
import { aFlag } from '../../support/builders.ts';
import { type Instance, startInstance } from '../../support/instance.ts';
import type { Stored } from '../../support/stored.ts';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance('endpoints-strategies');
});
afterAll(() => instance.stop());

const ID = '0fce2b2f-5d5d-4cf9-9b3e-3f6a7c0f1a11';
const strategy = { name: 'flexibleRollout', parameters: { rollout: 25, groupId: 'checkout', stickiness: 'default' } };
const strategies = { [ID]: strategy };

const inProduction = (name: string) => `/projects/shop/features/${name}/environments/production`;
const one = (name: string) => `${inProduction(name)}/strategies/${ID}`;
const have = (name: string, production: FlagEnvironment) =>
  instance.apply(aFlag(`${instance.home}/${name}`, { environments: { production } }));
const stored = async (name: string): Promise<FlagEnvironment> =>
  (await instance.flag(`${instance.home}/${name}`)).spec.environments.production;
/** The answer of GET …/features/:featureName for the environment. */
const shown = async (name: string): Promise<Stored> =>
  (await instance.call(`GET /projects/shop/features/${name}`)).body.environments[1];

describe('9. POST …/environments/:environment/strategies', () => {
  test('200: strategy object with generated id and constraints as an empty array by default', async () => {
    await have('added', { enabled: false });
    const { status, body } = await instance.call(`POST ${inProduction('added')}/strategies`, { body: strategy });
    expect(status).toBe(200);
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      ...strategy,
      title: null,
      disabled: false,
      sortOrder: 0,
      constraints: [],
      variants: [],
      segments: [],
    });
    expect((await stored('added')).strategies).toMatchObject({ [body.id]: strategy });
    expect((await shown('added')).strategies).toEqual([body]);
    const path = `${inProduction('added')}/strategies`;
    expect((await instance.call(`GET ${path}/${body.id}`)).body).toEqual(body);
    expect((await instance.call(`GET ${path}`)).body).toEqual([body]);
  });
});

describe('10. PUT …/environments/:environment/strategies/:strategyId', () => {
  test('200: strategy object; overwrites the strategy', async () => {
    await have('overwritten', {
      strategies: { [ID]: { ...strategy, constraints: [{ contextName: 'userId', operator: 'IN', values: ['1'] }] } },
    });
    const sent = { name: 'userWithId', parameters: { userIds: '1,2' } };
    const { status, body } = await instance.call(`PUT ${one('overwritten')}`, { body: sent });
    expect([status, body]).toEqual([200, expect.objectContaining({ id: ID, ...sent, constraints: [] })]);
    expect((await stored('overwritten')).strategies).toEqual({ [ID]: { ...sent, constraints: [] } });
    expect((await shown('overwritten')).strategies).toEqual([body]);
  });
});

describe('11. PATCH …/environments/:environment/strategies/:strategyId', () => {
  test('200: strategy object with the patch applied, for example replace of /parameters/rollout', async () => {
    await have('patched', { strategies });
    const [before] = (await shown('patched')).strategies;
    const operations = [{ op: 'replace', path: '/parameters/rollout', value: 50 }];
    const { status, body } = await instance.call(`PATCH ${one('patched')}`, { body: operations });
    const parameters = { ...strategy.parameters, rollout: 50 };
    expect([status, body]).toEqual([200, { ...before, parameters }]);
    expect((await stored('patched')).strategies).toEqual({ [ID]: { ...strategy, parameters } });
    expect((await shown('patched')).strategies).toEqual([body]);
  });
});

describe('12. DELETE …/environments/:environment/strategies/:strategyId', () => {
  test('200, no body', async () => {
    const kept = { name: 'default' };
    await have('removed', { enabled: true, strategies: { ...strategies, kept } });
    const { status, text } = await instance.call(`DELETE ${one('removed')}`);
    expect([status, text]).toEqual([200, '']);
    expect(await stored('removed')).toEqual({ enabled: true, strategies: { kept } });
    expect((await shown('removed')).strategies).toMatchObject([kept]);
    await instance.refuses(`DELETE ${one('removed')}`, { status: 404, name: 'NotFoundError' });
  });
});

describe('13. POST …/environments/:environment/on', () => {
  test('200, no body', async () => {
    await have('on', { strategies });
    const { status, text } = await instance.call(`POST ${inProduction('on')}/on`);
    expect([status, text]).toEqual([200, '']);
    expect(await stored('on')).toEqual({ enabled: true, strategies });
    expect((await shown('on')).enabled).toBe(true);
  });

  test('409 if the environment has no strategies for the flag', async () => {
    await have('bare', {});
    await instance.refuses(`POST ${inProduction('bare')}/on`, { status: 409, name: 'CannotEnableError' });
    expect((await shown('bare')).enabled).toBe(false);
  });
});

describe('14. POST …/environments/:environment/off', () => {
  test('200, no body', async () => {
    await have('off', { enabled: true, strategies });
    const { status, text } = await instance.call(`POST ${inProduction('off')}/off`);
    expect([status, text]).toEqual([200, '']);
    expect(await stored('off')).toEqual({ enabled: false, strategies });
    expect((await shown('off')).enabled).toBe(false);
  });
});
