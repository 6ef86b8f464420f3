/** PATCH …/strategies/:strategyId: JSON Patch on a strategy. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Strategy } from '../../src/schema/strategy.ts';
import { ownedWithStamp } from '../support/author-policy.ts';
import { aFlag } from '../support/builders.ts';
import { type Instance, startInstance } from '../support/instance.ts';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance('strategy-patch');
});
afterAll(() => instance.stop());

const ID = '0fce2b2f-5d5d-4cf9-9b3e-3f6a7c0f1a11';

const path = (name: string, id = ID) => `/projects/shop/features/${name}/environments/production/strategies/${id}`;
const patch = (name: string, ...body: readonly object[]) => instance.call(`PATCH ${path(name)}`, { body });
const replace = (pointer: string, value: unknown) => ({ op: 'replace', path: pointer, value });
const storedIn = async (name: string) => (await instance.flag(`${instance.home}/${name}`)).spec.environments.production;

const full: Strategy = {
  name: 'flexibleRollout',
  title: 'before',
  sortOrder: 4,
  parameters: { rollout: 25, groupId: 'before', stickiness: 'userId' },
  constraints: [
    { contextName: 'userId', operator: 'IN', values: ['1'] },
    { contextName: 'age', operator: 'NUM_GT', value: '5' },
  ],
  variants: [{ name: 'b' }, { name: 'a', weightType: 'fix', weight: 100 }],
};

/** Creates a flag that is on with this one strategy. */
const setUp = (name: string, strategy: Strategy = full) =>
  instance.apply(
    aFlag(`${instance.home}/${name}`, {
      environments: { production: { enabled: true, strategies: { [ID]: strategy } } },
    }),
  );

describe('what changes', () => {
  beforeAll(async () => {
    await setUp('replaced');
    await setUp('removed', { ...full, disabled: true });
  });

  test('only that field is written, and vexil-api owns nothing else', async () => {
    await setUp('leaf');
    await patch('leaf', replace('/parameters/rollout', 50));
    const { spec, metadata } = await instance.flag(`${instance.home}/leaf`);
    const parameters = { ...full.parameters, rollout: 50 };
    expect(spec.environments.production).toEqual({ enabled: true, strategies: { [ID]: { ...full, parameters } } });
    const { fieldsV1 } = metadata.managedFields.find((one: { manager: string }) => one.manager === 'vexil-api');
    const strategies = { 'f:strategies': { [`f:${ID}`]: { 'f:parameters': { 'f:rollout': {} } } } };
    expect(fieldsV1).toEqual(ownedWithStamp({ 'f:environments': { 'f:production': strategies } }));
  });

  test.each<[string, unknown]>([
    ['/name', 'default'],
    ['/title', 'after'],
    ['/disabled', true],
    ['/sortOrder', 0],
    ['/parameters', { rollout: '12' }],
    ['/constraints', []],
    ['/variants', []],
  ])('replace of %s with %j, everything else stays', async (pointer, value) => {
    const field = pointer.slice(1);
    const before = (await instance.call(`GET ${path('replaced')}`)).body;
    const stored = (await storedIn('replaced')).strategies[ID];
    expect((await patch('replaced', replace(pointer, value))).body).toEqual({ ...before, [field]: value });
    expect((await storedIn('replaced')).strategies).toEqual({ [ID]: { ...stored, [field]: value } });
  });

  test.each<[string, unknown]>([
    ['/title', null],
    ['/disabled', false],
    ['/sortOrder', 0],
    ['/parameters', {}],
    ['/constraints', []],
    ['/variants', []],
  ])('remove of %s sets the default', async (pointer, value) => {
    const field = pointer.slice(1);
    const before = (await instance.call(`GET ${path('removed')}`)).body;
    expect(before[field]).not.toEqual(value);
    expect((await patch('removed', { op: 'remove', path: pointer })).body).toEqual({ ...before, [field]: value });
  });

  test('operations apply in order, into lists and parameters too', async () => {
    await setUp('in-order');
    const { body } = await patch(
      'in-order',
      { op: 'add', path: '/constraints/0/values/-', value: '2' },
      { op: 'add', path: '/constraints/-', value: { contextName: 'region', operator: 'IN', values: ['eu'] } },
      { op: 'remove', path: '/constraints/1' },
      { op: 'move', from: '/parameters/groupId', path: '/title' },
      { op: 'add', path: '/parameters/own', value: { deep: [1] } },
    );
    expect(body).toMatchObject({
      title: 'before',
      parameters: { rollout: 25, stickiness: 'userId', own: { deep: [1] } },
      constraints: [
        { contextName: 'userId', values: ['1', '2'] },
        { contextName: 'region', values: ['eu'] },
      ],
    });
    expect(body.parameters).not.toHaveProperty('groupId');
  });

  test('an index of variants refers to the answered order; weights follow', async () => {
    await setUp('variants');
    const { body } = await patch('variants', replace('/variants/0/weight', 300));
    expect(body.variants).toMatchObject([
      { name: 'a', weightType: 'fix', weight: 300 },
      { name: 'b', weightType: 'variable', weight: 700 },
    ]);
    const { variants } = (await storedIn('variants')).strategies[ID];
    expect(variants.map(({ name, weight }: { name: string; weight?: number }) => [name, weight])).toEqual([
      ['a', 300],
      ['b', undefined],
    ]);
  });

  test('disabling the last strategy that is not disabled switches the environment off in the same write', async () => {
    await setUp('last');
    const before = (await instance.flag(`${instance.home}/last`)).metadata.generation;
    await patch('last', replace('/disabled', true));
    expect(await storedIn('last')).toMatchObject({ enabled: false, strategies: { [ID]: { disabled: true } } });
    expect((await instance.flag(`${instance.home}/last`)).metadata.generation).toBe(before + 1);
  });

  test('a strategy of a missing type can be edited, and can get an existing type', async () => {
    await setUp('odd', { name: 'odd' });
    expect((await patch('odd', replace('/title', 'after'))).body).toMatchObject({ name: 'odd', title: 'after' });
    expect((await patch('odd', replace('/name', 'default'))).status).toBe(200);
  });

  test('callers that change different parts at the same time: all changes are stored', async () => {
    await setUp('contended');
    const answers = await Promise.all([
      patch('contended', replace('/title', 'after')),
      patch('contended', replace('/parameters/rollout', 75)),
      patch('contended', replace('/parameters/groupId', 'after')),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const parameters = { rollout: 75, groupId: 'after', stickiness: 'userId' };
    expect((await storedIn('contended')).strategies[ID]).toEqual({ ...full, title: 'after', parameters });
  });
});

describe('200, with nothing written', () => {
  beforeAll(() => setUp('still'));

  test.each<[string, object[]]>([
    ['no operations', []],
    ['id', [replace('/id', '00000000-0000-4000-8000-000000000000')]],
    ['an id that is removed', [{ op: 'remove', path: '/id' }]],
    ['what already is', [replace('/parameters/rollout', 25), replace('/disabled', false)]],
    ['there and back', [replace('/title', 'x'), replace('/title', 'before')]],
    ['no segments', [replace('/segments', [])]],
  ])('%s: nothing changes', async (_, body) => {
    const before = await instance.call(`GET ${path('still')}`);
    const answer = await instance.untouched(`PATCH ${path('still')}`, { body });
    expect([answer.status, answer.body]).toEqual([200, before.body]);
  });
});

describe('refused, with nothing written', () => {
  const request = `PATCH ${path('guarded')}`;
  const first = replace('/title', 'must not be written');

  beforeAll(async () => {
    const environments = { production: { strategies: { [ID]: full } } };
    await setUp('guarded');
    await instance.apply(aFlag(`${instance.home}/stowed`, { archived: true, environments }));
  });

  test.each<[string, object, string[]]>([
    ['replace of a missing member', replace('/parameters/nope', 1), ['operation 1', '/parameters/nope']],
    ['a missing parent', { op: 'add', path: '/nope/deeper', value: 1 }, ['operation 1', '/nope/deeper']],
    ['__proto__', { op: 'add', path: '/parameters/__proto__/polluted', value: true }, ['operation 1', '__proto__']],
    ['no name', { op: 'remove', path: '/name' }, ['`name`', 'required']],
    ['a type that there is not', replace('/name', 'odd'), ['Could not find strategy type with name odd']],
    ['a member that strategies do not have', { op: 'add', path: '/nope', value: 1 }, ['body', 'nope']],
    ['a member that constraints do not have', { op: 'add', path: '/constraints/0/nope', value: 1 }, ['nope']],
    ['a rollout above 100', replace('/parameters/rollout', 150), ['`parameters.rollout`', '100', '150']],
    [
      'a rollout with a fraction',
      replace('/parameters/rollout', 12.5),
      ['`parameters.rollout`', '12.5', 'a whole number'],
    ],
    ['an empty stickiness', replace('/parameters/stickiness', ''), ['`parameters.stickiness`', '""']],
    ['no values', replace('/constraints/0/values', []), ['`constraints.0`', 'at least one', '"values":[]']],
    ['fixed weights of 1000', replace('/variants/0/weight', 1000), ['`variants`', 'less than 1000', '"weight":1000']],
  ])('400 for %s, and no other operation is applied', async (_, operation, words) => {
    const body = [first, operation];
    const message = await instance.refuses(request, { status: 400, name: 'ValidationError', body });
    for (const word of words) expect(message).toContain(word);
    for (const word of ['spec.', '/apis/', '<nil>']) expect(message).not.toContain(word);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  test('400 for a body that is not a list', async () => {
    for (const body of [first, null, '"text"']) {
      await instance.refuses(request, { status: 400, name: 'ValidationError', body });
    }
  });

  test('400 ArchivedFeatureError for an archived flag', async () => {
    const refused = { status: 400, name: 'ArchivedFeatureError', body: [first] };
    await instance.refuses(`PATCH ${path('stowed')}`, refused);
  });

  test('404 for a missing id, environment, flag or segment, and for a flag of another project', async () => {
    const missing = { status: 404, name: 'NotFoundError', body: [first] };
    await instance.refuses(`PATCH ${path('guarded', 'no-such')}`, missing);
    await instance.refuses(`PATCH ${path('no-such')}`, missing);
    await instance.refuses(`PATCH ${path('guarded').replace('/shop/', '/pay/')}`, missing);
    await instance.refuses(`PATCH ${path('guarded').replace('/production/', '/development/')}`, missing);
    await instance.refuses(`PATCH ${path('guarded').replace('/production/', '/moon/')}`, missing);
    const segment = [first, { op: 'add', path: '/segments/-', value: 999 }];
    expect(await instance.refuses(request, { ...missing, body: segment })).toContain('segment');
  });
});
