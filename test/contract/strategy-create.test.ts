/** POST …/strategies: adding a strategy to a flag in an environment. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MAX_STRATEGIES } from '../../src/schema/feature-flag.ts';
import { aFlag, anEnvironment, aProject } from '../support/builders.ts';
import { type Instance, startInstance } from '../support/instance.ts';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance('strategy-create');
});
afterAll(() => instance.stop());

const path = (name: string) => `/projects/shop/features/${name}/environments/production/strategies`;
const post = (name: string, body: unknown) => instance.call(`POST ${path(name)}`, { body });
const storedIn = async (place: string) => (await instance.flag(place)).spec.environments.production;

const rollout = { rollout: 25, groupId: 'checkout', stickiness: 'default' };

describe('the answer', () => {
  beforeAll(() => instance.apply(aFlag(`${instance.home}/answered`)));

  test('every field of a strategy is in the answer', async () => {
    await instance.apply(aFlag(`${instance.home}/everything`));
    const said = {
      name: 'flexibleRollout',
      title: 'Fünf von 🍎',
      disabled: true,
      sortOrder: 7,
      parameters: { ...rollout, rollout: '12', own: { deep: [1.5, null, 'x'] }, nothing: null, yes: true },
      constraints: [
        { contextName: 'userId', operator: 'IN', values: ['1', '2'], inverted: true },
        { contextName: 'age', operator: 'NUM_GT', values: [], value: '5' },
      ],
      variants: [
        { name: 'fixed', weightType: 'fix', weight: 100, stickiness: 'userId', payload: { type: 'json', value: '{}' } },
        { name: 'rest', stickiness: 'default' },
      ],
      segments: [],
    };
    const { body } = await post('everything', said);
    const [fixed, rest] = said.variants;
    const shown = [
      { ...fixed, overrides: [] },
      { ...rest, weightType: 'variable', weight: 900, overrides: [] },
    ];
    expect(body).toEqual({ ...said, id: body.id, variants: shown });
    expect((await instance.call(`GET ${path('everything')}/${body.id}`)).body).toEqual(body);
  });

  test.each([0, 100, '100', '07'])('rollout %j stays in the form that was sent', async (value) => {
    const { body } = await post('answered', { name: 'flexibleRollout', parameters: { rollout: value } });
    expect(body.parameters).toEqual({ rollout: value });
  });

  test('an empty stickiness becomes default', async () => {
    const { body } = await post('answered', { name: 'flexibleRollout', parameters: { rollout: 5, stickiness: '' } });
    expect(body.parameters).toEqual({ rollout: 5, stickiness: 'default' });
  });

  test('a number as operand is read as its text', async () => {
    const constraints = [{ contextName: 'age', operator: 'NUM_LT', value: 18.5 }];
    const { body } = await post('answered', { name: 'default', constraints });
    expect(body.constraints).toEqual([{ contextName: 'age', operator: 'NUM_LT', value: '18.5', values: [] }]);
  });

  test('an id in the body is ignored, so that an answer can be sent again', async () => {
    await instance.apply(aFlag(`${instance.home}/again`));
    const first = (await post('again', { name: 'default' })).body;
    const second = (await post('again', { ...first, sortOrder: 3 })).body;
    expect(second).toEqual({ ...first, id: second.id, sortOrder: 3 });
    expect(second.id).not.toBe(first.id);
  });
});

describe('the stored strategy', () => {
  test('has the id as its key, and only the sent fields', async () => {
    const { home } = instance;
    await instance.apply(aFlag(`${home}/stored`, { environments: { production: { enabled: false } } }));
    const sent = { name: 'flexibleRollout', title: null, constraints: null, variants: null, parameters: rollout };
    const { id } = (await post('stored', sent)).body;
    const wanted = { name: 'flexibleRollout', sortOrder: 0, parameters: rollout };
    expect(await storedIn(`${home}/stored`)).toEqual({ enabled: false, strategies: { [id]: wanted } });
  });

  test('leaves the switch unchanged, also if it is absent', async () => {
    const { home } = instance;
    await instance.apply(aFlag(`${home}/switch`));
    const { id } = (await post('switch', { name: 'default' })).body;
    expect(await storedIn(`${home}/switch`)).toEqual({ strategies: { [id]: { name: 'default', sortOrder: 0 } } });
  });

  test('each next strategy is last in the order', async () => {
    const { home } = instance;
    const strategies = { high: { name: 'default', sortOrder: 9 }, low: { name: 'default' } };
    await instance.apply(aFlag(`${home}/ordered`, { environments: { production: { strategies } } }));
    expect((await post('ordered', { name: 'default' })).body.sortOrder).toBe(10);
    expect((await post('ordered', { name: 'default', sortOrder: 0 })).body.sortOrder).toBe(0);
    expect((await post('ordered', { name: 'default' })).body.sortOrder).toBe(11);
  });

  test('after the highest possible order, gets the same order', async () => {
    const strategies = { high: { name: 'default', sortOrder: 2147483647 } };
    await instance.apply(aFlag(`${instance.home}/highest`, { environments: { production: { strategies } } }));
    expect((await post('highest', { name: 'default' })).body.sortOrder).toBe(2147483647);
  });

  test('the order is counted in each environment', async () => {
    await instance.apply(aFlag(`${instance.home}/apart`));
    await post('apart', { name: 'default' });
    const request = 'POST /projects/shop/features/apart/environments/development/strategies';
    expect((await instance.call(request, { body: { name: 'default' } })).body.sortOrder).toBe(0);
  });

  test('strategies that are added at the same time are all stored, each with its own order', async () => {
    await instance.apply(aFlag(`${instance.home}/raced`));
    const answers = await Promise.all(['a', 'b', 'c'].map((title) => post('raced', { name: 'default', title })));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const { body } = await instance.call(`GET ${path('raced')}`);
    expect(body.map(({ sortOrder }: { sortOrder: number }) => sortOrder)).toEqual([0, 1, 2]);
    expect(body.map(({ title }: { title: string }) => title).toSorted()).toEqual(['a', 'b', 'c']);
  });

  test('a flag in the other namespace gets its strategy there', async () => {
    await instance.apply(aFlag(`${instance.other}/there`, { project: 'pay' }));
    const request = 'POST /projects/pay/features/there/environments/production/strategies';
    const { body } = await instance.call(request, { body: { name: 'default' } });
    expect((await storedIn(`${instance.other}/there`)).strategies).toEqual({
      [body.id]: { name: 'default', sortOrder: 0 },
    });
  });

  test('an environment named like a member of every object is an ordinary environment', async () => {
    const { home } = instance;
    await instance.apply(
      anEnvironment(`${home}/odd`, { name: 'constructor', enabled: false }),
      aProject(`${home}/odd`, { environments: ['constructor'] }),
      aFlag(`${home}/odd`, { project: 'odd' }),
    );
    const environment = '/projects/odd/features/odd/environments/constructor';
    expect((await instance.call(`GET ${environment}`)).body).toMatchObject({ enabled: false, strategies: [] });
    const { body } = await instance.call(`POST ${environment}/strategies`, { body: { name: 'default' } });
    expect((await instance.call(`POST ${environment}/on`)).status).toBe(200);
    expect((await instance.call(`GET ${environment}`)).body).toMatchObject({ enabled: true, strategies: [body] });
  });
});

describe('refused, with nothing written', () => {
  const request = `POST ${path('guarded')}`;

  beforeAll(async () => {
    const { home } = instance;
    const full = Array.from({ length: MAX_STRATEGIES }, (_, index) => [`s${index}`, { name: 'default' }]);
    await instance.apply(
      aProject(`${home}/small`, { environments: ['development'] }),
      aFlag(`${home}/guarded`),
      aFlag(`${home}/stowed`, { archived: true }),
      aFlag(`${home}/small`, { project: 'small' }),
      aFlag(`${home}/full`, { environments: { production: { strategies: Object.fromEntries(full) } } }),
    );
  });

  const withRollout = (value: unknown) => ({ name: 'flexibleRollout', parameters: { rollout: value } });
  const constrained = (constraint: object) => ({
    name: 'default',
    constraints: [
      { contextName: 'userId', operator: 'IN', values: ['1'] },
      { contextName: 'x', ...constraint },
    ],
  });
  const varied = (...variants: readonly object[]) => ({ name: 'default', variants });

  test.each<[string, unknown, string[]]>([
    ['no body', '', ['body', 'required']],
    ['a list', [], ['body', '[]']],
    ['no name', {}, ['`name`', 'required']],
    ['a name that is no name', { name: 'a b' }, ['`name`', '"a b"', 'URL friendly']],
    ['a type that there is not', { name: 'odd' }, ['Could not find strategy type with name odd', 'flexibleRollout']],
    ['a type named like a member of objects', { name: 'constructor' }, ['strategy type with name constructor']],
    ['a field that there is not', { name: 'default', rollout: 5 }, ['body', 'rollout']],
    ['parameters that are a list', { name: 'default', parameters: [] }, ['`parameters`', '[]']],
    ['a rollout above 100', withRollout(150), ['`parameters.rollout`', '100', '150']],
    ['a rollout below 0', withRollout(-1), ['`parameters.rollout`', '0', '-1']],
    ['a rollout that is no number', withRollout('many'), ['`parameters.rollout`', 'from 0 to 100', '"many"']],
    ['a rollout with a fraction', withRollout(12.5), ['`parameters.rollout`', '12.5', 'a whole number']],
    ['a title that is a number', { name: 'default', title: 5 }, ['`title`', '5']],
    ['disabled as text', { name: 'default', disabled: 'yes' }, ['`disabled`', '"yes"']],
    ['an order below 0', { name: 'default', sortOrder: -1 }, ['`sortOrder`', '-1']],
    ['an order that is no whole number', { name: 'default', sortOrder: 1.5 }, ['`sortOrder`', '1.5']],
    ['segments that are text', { name: 'default', segments: ['x'] }, ['`segments.0`', '"x"']],
    ['an operator that there is not', constrained({ operator: 'LIKE' }), ['`constraints.1.operator`', 'IN', '"LIKE"']],
    ['a field that constraints do not have', constrained({ operator: 'IN', values: ['1'], x: 1 }), ['1', 'x']],
    ['IN without values', constrained({ operator: 'IN' }), ['`constraints.1`', 'at least one', '"operator":"IN"']],
    ['a NUM operand', constrained({ operator: 'NUM_EQ', value: 'five' }), ['`constraints.1`', 'a number', '"five"']],
    ['31 constraints', { name: 'default', constraints: Array(31).fill(constrained({}).constraints[0]) }, ['31', '30']],
    ['only fixed variants', varied({ name: 'a', weightType: 'fix', weight: 1 }), ['`variants`', 'variable', '"a"']],
    ['fixed weights of 1000', varied({ name: 'a', weightType: 'fix', weight: 1000 }, { name: 'b' }), ['1000', '"a"']],
    ['a weight above 1000', varied({ name: 'a', weight: 1001 }), ['`variants.0.weight`', '1001']],
    ['a field that variants do not have', varied({ name: 'a', colour: 'blue' }), ['`variants.0`', 'colour']],
    ['a field that payloads do not have', varied({ name: 'a', payload: { type: 'string', value: '', x: 1 } }), ['x']],
  ])('400 for %s, naming property and value', async (_, body, words) => {
    const message = await instance.refuses(request, { status: 400, name: 'ValidationError', body });
    for (const word of words) expect(message).toContain(word);
    for (const word of ['spec.', '/apis/', '<nil>']) expect(message).not.toContain(word);
  });

  test('the details name the places in the body', async () => {
    const { body } = await post('guarded', constrained({ operator: 'IN' }));
    expect(body.details).toMatchObject([{ path: '/body/constraints/1' }]);
  });

  test(`400 for more than ${MAX_STRATEGIES} strategies in an environment`, async () => {
    const refused = { status: 400, name: 'ValidationError', body: { name: 'default' } };
    const message = await instance.refuses(`POST ${path('full')}`, refused);
    for (const word of ['production', 'strategies', 'Too many', '31', '30']) expect(message).toContain(word);
    for (const word of ['/apis/', '<nil>']) expect(message).not.toContain(word);
  });

  test('404 for a missing environment, and nothing is written there', async () => {
    const request = 'POST /projects/shop/features/stored/environments/no-such/strategies';
    for (const body of [{ name: 'default' }, { name: 'default', sortOrder: 3 }]) {
      await instance.refuses(request, { status: 404, name: 'NotFoundError', body });
    }
  });

  test('400 for an environment that the project does not use', async () => {
    const refused = { status: 400, name: 'ValidationError', body: { name: 'default' } };
    const message = await instance.refuses(
      'POST /projects/small/features/small/environments/production/strategies',
      refused,
    );
    expect(message).toContain('You have not added the current environment to the project');
  });

  test('400 ArchivedFeatureError for an archived flag', async () => {
    await instance.refuses(`POST ${path('stowed')}`, {
      status: 400,
      name: 'ArchivedFeatureError',
      body: { name: 'default' },
    });
  });

  test('404 for a missing environment, flag or project, and for a flag of another project', async () => {
    const missing = { status: 404, name: 'NotFoundError', body: { name: 'default' } };
    const at = (project: string, flag: string, environment: string) =>
      `POST /projects/${project}/features/${flag}/environments/${environment}/strategies`;
    expect(await instance.refuses(at('shop', 'guarded', 'moon'), missing)).toContain('"moon"');
    expect(await instance.refuses(at('shop', 'guarded', '__proto__'), missing)).toContain('"__proto__"');
    await instance.refuses(at('shop', 'no-such', 'production'), missing);
    await instance.refuses(at('pay', 'guarded', 'production'), missing);
    await instance.refuses(at('no-such', 'guarded', 'production'), missing);
  });

  test('404 for a missing environment, also for a strategy with a sortOrder', async () => {
    for (const environment of ['nowhere', '__proto__']) {
      const request = `POST /projects/shop/features/full/environments/${environment}/strategies`;
      const body = { name: 'default', sortOrder: 0 };
      const message = await instance.refuses(request, { status: 404, name: 'NotFoundError', body });
      expect(message).toContain(`"${environment}"`);
    }
  });

  test('404 for a missing segment', async () => {
    const refused = { status: 404, name: 'NotFoundError', body: { name: 'default', segments: [999] } };
    expect(await instance.refuses(request, refused)).toContain('No segment exists with ID "999"');
  });

  test('415 for a body with a content type other than JSON', async () => {
    const headers = { 'content-type': 'text/plain' };
    await instance.refuses(request, { status: 415, name: 'ContentTypeError', body: { name: 'default' }, headers });
  });
});
