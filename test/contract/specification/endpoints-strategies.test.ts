/** Chapter "Endpoints": strategies, switching per environment and variants, rows 9 to 16. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FlagEnvironment, FlagSpec } from '../../../src/schema/feature-flag.ts';
import type { Variant } from '../../../src/schema/variant.ts';
import { aFlag } from '../../support/builders.ts';
import { type Instance, startInstance } from '../../support/instance.ts';
import type { Stored } from '../../support/stored.ts';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance('endpoints-strategies');
});
afterAll(() => instance.stop());

describe('strategies and switches', () => {
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
});

describe('variants', () => {
  const path = (name: string) => `/projects/shop/features/${name}/variants`;
  const have = (name: string, spec: FlagSpec = {}) => instance.apply(aFlag(`${instance.home}/${name}`, spec));
  const put = (name: string, body: readonly Variant[]) => instance.call(`PUT ${path(name)}`, { body });
  const stored = async (name: string) => (await instance.flag(`${instance.home}/${name}`)).spec.variants;
  const shown = async (name: string) => (await instance.call(`GET /projects/shop/features/${name}`)).body.variants;
  const weightsOf = (variants: readonly { name: string; weight: number }[]) =>
    Object.fromEntries(variants.map(({ name, weight }) => [name, weight]));

  const fix = (name: string, weight: number) => ({ name, weightType: 'fix' as const, weight });
  const variable = (name: string) => ({ name, weightType: 'variable' as const, weight: 0 });
  const invalid = { status: 400, name: 'ValidationError' };

  describe('15. PUT /projects/:projectId/features/:featureName/variants', () => {
    test('200: variants response; the array replaces the current variants', async () => {
      await have('replaced', { variants: [{ name: 'old' }] });
      const { status, body } = await put('replaced', [variable('blue'), fix('red', 250)]);
      expect(status).toBe(200);
      const defaults = { stickiness: 'default', overrides: [] };
      const variants = [
        { name: 'blue', weightType: 'variable', weight: 750, ...defaults },
        { name: 'red', weightType: 'fix', weight: 250, ...defaults },
      ];
      expect(body).toEqual({ version: '1', variants });
      expect((await stored('replaced')).map(({ name }: Variant) => name)).toEqual(['blue', 'red']);
      expect(await shown('replaced')).toEqual(variants);
      expect((await instance.call(`GET ${path('replaced')}`)).body).toEqual(body);
    });

    test('payload, stickiness and overrides are optional, and kept where they are sent', async () => {
      await have('optional');
      const said = {
        payload: { type: 'string' as const, value: 'x' },
        stickiness: 'userId',
        overrides: [{ contextName: 'userId', values: ['7'] }],
      };
      const { body } = await put('optional', [{ ...variable('blue'), ...said }, variable('red')]);
      expect(body.variants[0]).toMatchObject(said);
      expect(body.variants[1]).not.toHaveProperty('payload');
      expect((await stored('optional'))[0]).toMatchObject(said);
    });

    test('rule 1: when the array is non-empty, at least one variant must have weightType variable', async () => {
      await have('rule-one', { variants: [{ name: 'old' }] });
      const message = await instance.refuses(`PUT ${path('rule-one')}`, { ...invalid, body: [fix('blue', 100)] });
      expect(message).toContain('at least one variant must have weightType variable');
      expect((await put('rule-one', [])).body).toEqual({ version: '1', variants: [] });
      expect(await shown('rule-one')).toEqual([]);
    });

    test('rule 2: the sum of the weights of variants with weightType fix must be below 1000', async () => {
      await have('rule-two', { variants: [{ name: 'old' }] });
      const sum = (total: number) => [fix('blue', 500), fix('red', total - 500), variable('rest')];
      for (const total of [1000, 1001]) {
        const message = await instance.refuses(`PUT ${path('rule-two')}`, { ...invalid, body: sum(total) });
        expect(message).toContain('must add up to less than 1000');
      }
      expect(weightsOf((await put('rule-two', sum(999))).body.variants)).toEqual({ blue: 500, red: 499, rest: 1 });
    });

    test('rule 3: the remaining weight up to 1000 is distributed among the variable variants', async () => {
      await have('rule-three');
      const { body } = await put('rule-three', [fix('blue', 100), variable('green'), variable('red')]);
      expect(weightsOf(body.variants)).toEqual({ blue: 100, green: 450, red: 450 });
      expect(weightsOf(await shown('rule-three'))).toEqual({ blue: 100, green: 450, red: 450 });
    });
  });

  describe('16. PATCH /projects/:projectId/features/:featureName/variants', () => {
    test('200: variants response, for example add at path /1 with a variant as value', async () => {
      await have('patched-list', { variants: [{ name: 'a' }, { name: 'c' }] });
      const operations = [{ op: 'add', path: '/1', value: fix('b', 100) }];
      const { status, body } = await instance.call(`PATCH ${path('patched-list')}`, { body: operations });
      expect([status, body.version]).toEqual([200, '1']);
      expect(weightsOf(body.variants)).toEqual({ a: 450, b: 100, c: 450 });
      expect((await stored('patched-list')).map(({ name }: Variant) => name)).toEqual(['a', 'b', 'c']);
      expect(await shown('patched-list')).toEqual(body.variants);
      expect((await instance.call(`GET ${path('patched-list')}`)).body).toEqual(body);
    });
  });

  describe('Endpoints 15 and 16', () => {
    test.each<[string, unknown]>([
      ['PUT', [{ name: 'new' }]],
      ['PATCH', [{ op: 'add', path: '/0', value: { name: 'new' } }]],
    ])('%s acts on all environments at once', async (method, body) => {
      const name = `${method.toLowerCase()}-everywhere`;
      await have(name, { variants: [{ name: 'old' }], environments: { production: { variants: [{ name: 'own' }] } } });
      const { variants } = (await instance.call(`${method} ${path(name)}`, { body })).body;
      const query = '?variantEnvironments=true';
      const { environments } = (await instance.call(`GET /projects/shop/features/${name}${query}`)).body;
      expect(variants).toContainEqual(expect.objectContaining({ name: 'new' }));
      for (const environment of environments) expect(environment.variants).toEqual(variants);
    });
  });

  describe('Limit', () => {
    test('total variant weight, of the variants of a flag: 1000', async () => {
      await have('total');
      const lists = [[variable('a')], [variable('a'), variable('b'), variable('c')], [fix('a', 999), variable('b')]];
      for (const list of lists) {
        const weights: number[] = Object.values(weightsOf((await put('total', list)).body.variants));
        expect(weights.reduce((sum, one) => sum + one, 0)).toBe(1000);
      }
      await instance.refuses(`PUT ${path('total')}`, { ...invalid, body: [{ ...variable('a'), weight: 1001 }] });
    });

    test('sum of fixed weights, of variants of type fix: below 1000, also for a patch', async () => {
      await have('fixed', { variants: [{ name: 'a' }, fix('b', 500)] });
      const adding = (weight: number) => [{ op: 'add', path: '/-', value: fix('c', weight) }];
      await instance.refuses(`PATCH ${path('fixed')}`, { ...invalid, body: adding(500) });
      const { status } = await instance.call(`PATCH ${path('fixed')}`, { body: adding(499) });
      expect(status).toBe(200);
    });
  });
});
