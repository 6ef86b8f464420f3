/** PUT …/strategies/:strategyId: overwriting a strategy. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Strategy } from '../../src/schema/strategy.ts';
import { ownedWithStamp } from '../support/author-policy.ts';
import { aFlag } from '../support/builders.ts';
import { type Instance, startInstance } from '../support/instance.ts';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance('strategy-update');
});
afterAll(() => instance.stop());

const ID = '0fce2b2f-5d5d-4cf9-9b3e-3f6a7c0f1a11';

const path = (name: string, id = ID) => `/projects/shop/features/${name}/environments/production/strategies/${id}`;
const put = (name: string, body: unknown) => instance.call(`PUT ${path(name)}`, { body });
const storedIn = async (name: string) => (await instance.flag(`${instance.home}/${name}`)).spec.environments.production;

const full: Strategy = {
  name: 'flexibleRollout',
  title: 'before',
  disabled: false,
  sortOrder: 4,
  parameters: { rollout: 25, groupId: 'before', stickiness: 'userId' },
  constraints: [{ contextName: 'userId', operator: 'IN', values: ['1'] }],
  variants: [{ name: 'b' }, { name: 'a' }, { name: 'c' }],
};

/** Creates a flag that is on with this one strategy. */
const setUp = (name: string, strategy: Strategy = full) =>
  instance.apply(
    aFlag(`${instance.home}/${name}`, {
      environments: { production: { enabled: true, strategies: { [ID]: strategy } } },
    }),
  );

describe('what changes', () => {
  test('name, parameters and constraints become the sent values, and 200 with the strategy as GET answers it', async () => {
    await setUp('whole');
    const constraints = [{ contextName: 'region', operator: 'NOT_IN', values: ['eu'] }];
    const sent = { name: 'userWithId', parameters: { userIds: '1,2' }, constraints };
    const { status, body } = await put('whole', sent);
    expect(status).toBe(200);
    expect(body).toMatchObject({ id: ID, ...sent });
    expect((await instance.call(`GET ${path('whole')}`)).body).toEqual(body);
  });

  test('parameters are replaced as a whole', async () => {
    await setUp('parameters');
    const { body } = await put('parameters', { name: 'flexibleRollout', parameters: { rollout: 50 } });
    expect(body.parameters).toEqual({ rollout: 50 });
    expect((await storedIn('parameters')).strategies[ID].parameters).toEqual({ rollout: 50 });
  });

  test('constraints and variants that are left out are cleared; everything else that is left out stays', async () => {
    await setUp('left-out');
    const { status, body } = await put('left-out', {});
    expect(status).toBe(200);
    const { name, title, disabled, sortOrder, parameters } = full;
    const kept = { name, title, disabled, sortOrder, parameters };
    expect(body).toEqual({ id: ID, ...kept, constraints: [], variants: [], segments: [] });
  });

  test('null clears title and parameters, and means left out for a name', async () => {
    await setUp('nulls');
    const nulls = { name: null, title: null, parameters: null, constraints: null, variants: null, segments: null };
    const { body } = await put('nulls', { ...nulls, disabled: null, sortOrder: null });
    expect(body).toEqual({
      id: ID,
      name: 'flexibleRollout',
      title: null,
      disabled: false,
      sortOrder: 4,
      parameters: {},
      constraints: [],
      variants: [],
      segments: [],
    });
    expect((await storedIn('nulls')).strategies[ID]).not.toHaveProperty('title');
  });

  test('id and order stay, whatever the body says', async () => {
    await setUp('fixed');
    const { body } = await put('fixed', { id: 'another', name: 'default', sortOrder: 99 });
    expect(body).toMatchObject({ id: ID, sortOrder: 4 });
    expect(Object.keys((await storedIn('fixed')).strategies)).toEqual([ID]);
  });

  test('an answer of GET can be sent back, and writes nothing', async () => {
    await setUp('back', { ...full, parameters: { rollout: '12' } });
    await setUp('bare', { name: 'default' });
    for (const name of ['back', 'bare']) {
      const { body } = await instance.call(`GET ${path(name)}`);
      const answer = await instance.untouched(`PUT ${path(name)}`, { body });
      expect([answer.status, answer.body]).toEqual([200, body]);
    }
  });

  test("a strategy with a key of the user's choice is found by the answered id, and by the key", async () => {
    const { home } = instance;
    const production = { strategies: { 'staff-first': { name: 'default' } } };
    await instance.apply(aFlag(`${home}/chosen`, { environments: { production } }));
    const [shown] = (await instance.call(`GET ${path('chosen', '')}`)).body;
    for (const [title, id] of Object.entries({ one: shown.id, two: 'staff-first' })) {
      const { body } = await instance.call(`PUT ${path('chosen', id)}`, { body: { title } });
      expect(body).toEqual({ ...shown, title });
      expect((await storedIn('chosen')).strategies).toEqual({ 'staff-first': { name: 'default', title } });
    }
  });

  test('a strategy in the other namespace is changed there', async () => {
    const { other } = instance;
    const production = { strategies: { [ID]: { name: 'default' } } };
    await instance.apply(aFlag(`${other}/there`, { project: 'pay', environments: { production } }));
    const request = `PUT /projects/pay/features/there/environments/production/strategies/${ID}`;
    expect((await instance.call(request, { body: { title: 'after' } })).body.title).toBe('after');
  });
});

describe('field ownership', () => {
  test('only changed fields are written, and vexil-api owns nothing but those', async () => {
    await setUp('leaves');
    const { constraints, variants } = full;
    const parameters = { ...full.parameters, rollout: 50 };
    await put('leaves', { ...full, parameters, constraints, variants });
    const { spec, metadata } = await instance.flag(`${instance.home}/leaves`);
    expect(spec.environments.production).toEqual({ enabled: true, strategies: { [ID]: { ...full, parameters } } });
    const { fieldsV1 } = metadata.managedFields.find((one: { manager: string }) => one.manager === 'vexil-api');
    const fieldWithOwners = { 'f:parameters': { 'f:rollout': {} } };
    const strategies = { 'f:strategies': { [`f:${ID}`]: fieldWithOwners } };
    expect(fieldsV1).toEqual(ownedWithStamp({ 'f:environments': { 'f:production': strategies } }));
  });

  test('another field of the strategy that another user sets meanwhile stays', async () => {
    const { home, cluster } = instance;
    await setUp('meanwhile', { name: 'default' });
    const merge = {
      spec: { environments: { production: { strategies: { [ID]: { title: 'theirs' } } } } },
    };
    await cluster.patchObject('ff/meanwhile', home, merge);
    const { body } = await put('meanwhile', { parameters: { a: 1 } });
    expect(body).toMatchObject({ title: 'theirs', parameters: { a: 1 } });
  });
});

describe('the switch', () => {
  const others = { second: { name: 'default' } };

  test('disabling the last strategy that is not disabled switches the environment off in the same write', async () => {
    await setUp('last');
    const before = (await instance.flag(`${instance.home}/last`)).metadata.generation;
    const { body } = await put('last', { disabled: true });
    expect(body.disabled).toBe(true);
    expect(await storedIn('last')).toMatchObject({ enabled: false, strategies: { [ID]: { disabled: true } } });
    expect((await instance.flag(`${instance.home}/last`)).metadata.generation).toBe(before + 1);
    await put('last', { disabled: false });
    expect(await storedIn('last')).toMatchObject({ enabled: false, strategies: { [ID]: { disabled: false } } });
  });

  test('disabling one of several leaves the switch on', async () => {
    const strategies = { [ID]: full, ...others };
    await instance.apply(
      aFlag(`${instance.home}/several`, { environments: { production: { enabled: true, strategies } } }),
    );
    await put('several', { disabled: true });
    expect((await storedIn('several')).enabled).toBe(true);
  });

  test('if the environment is off, or has no switch, disabling the last one does not change that', async () => {
    const strategies = { [ID]: full };
    const environments = { production: { strategies }, development: { enabled: true, strategies: others } };
    await instance.apply(aFlag(`${instance.home}/silent`, { environments }));
    await put('silent', { disabled: true });
    expect(await storedIn('silent')).not.toHaveProperty('enabled');
    expect((await instance.flag(`${instance.home}/silent`)).spec.environments.development.enabled).toBe(true);
  });
});

describe('refused, with nothing written', () => {
  const request = `PUT ${path('guarded')}`;

  beforeAll(async () => {
    const environments = { production: { strategies: { [ID]: full } } };
    await setUp('guarded');
    await instance.apply(aFlag(`${instance.home}/stowed`, { archived: true, environments }));
  });

  test.each<[string, unknown, string[]]>([
    ['no body', '', ['body', 'required']],
    ['a list', [], ['body', '[]']],
    ['a type that there is not', { name: 'odd' }, ['Could not find strategy type with name odd']],
    ['a field that there is not', { enabled: true }, ['body', 'enabled']],
    ['a rollout above 100', { parameters: { rollout: 101 } }, ['`parameters.rollout`', '100', '101']],
    ['a rollout with a fraction', { parameters: { rollout: 0.5 } }, ['`parameters.rollout`', '0.5', 'a whole number']],
    ['an empty stickiness', { parameters: { stickiness: '' } }, ['`parameters.stickiness`', '""', '"default"']],
    ['a title of 201 characters', { title: 'x'.repeat(201) }, ['`title`', '200', 'xxx']],
    [
      'SEMVER without a version',
      { constraints: [{ contextName: 'v', operator: 'SEMVER_GT', value: 'v1' }] },
      ['`constraints.0`', 'semantic version', '"v1"'],
    ],
    [
      'two variants of one name',
      { variants: [{ name: 'a' }, { name: 'a' }] },
      ['`variants`', 'name of its own', '"a"'],
    ],
  ])('400 for %s, naming property and value', async (_, body, words) => {
    const message = await instance.refuses(request, { status: 400, name: 'ValidationError', body });
    for (const word of words) expect(message).toContain(word);
    for (const word of ['spec.', '/apis/', '<nil>']) expect(message).not.toContain(word);
  });

  test('400 ArchivedFeatureError for an archived flag', async () => {
    const refused = { status: 400, name: 'ArchivedFeatureError', body: { title: 'x' } };
    await instance.refuses(`PUT ${path('stowed')}`, refused);
  });

  test.each(['no-such', '__proto__', ID.toUpperCase()])('404 for the id %s that no strategy has', async (id) => {
    const refused = { status: 404, name: 'NotFoundError', body: { title: 'x' } };
    const message = await instance.refuses(`PUT ${path('guarded', id)}`, refused);
    expect(message).toContain(`Could not find strategy with id=${decodeURIComponent(id)}`);
  });

  test('404 for the id of a strategy of another flag, project or environment', async () => {
    const missing = { status: 404, name: 'NotFoundError', body: { title: 'x' } };
    await setUp('another', { name: 'default' });
    const elsewhere = '2b0a5c1e-55a0-4f0a-8a57-0d3b1f7f7d01';
    const development = { strategies: { [elsewhere]: { name: 'default' } } };
    await instance.apply(aFlag(`${instance.home}/here`, { environments: { development } }));
    await instance.refuses(`PUT ${path('another', elsewhere)}`, missing);
    await instance.refuses(`PUT ${path('here', elsewhere)}`, missing);
    await instance.refuses(`PUT /projects/pay/features/here/environments/development/strategies/${elsewhere}`, missing);
    await instance.refuses(`PUT /projects/shop/features/here/environments/moon/strategies/${elsewhere}`, missing);
    await instance.refuses(`PUT ${path('no-such')}`, missing);
  });

  test('404 for a missing segment', async () => {
    const refused = { status: 404, name: 'NotFoundError', body: { segments: [999] } };
    expect(await instance.refuses(request, refused)).toContain('No segment exists with ID "999"');
  });
});
