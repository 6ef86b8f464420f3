/** Strategy types: the list, reading one, and defining new ones. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aFlag, aStrategyType } from '../support/builders.ts';
import { type Instance, startInstance } from '../support/instance.ts';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance('strategy-types');
});
afterAll(() => instance.stop());

const post = (body: unknown) => instance.call('POST /strategies', { body });
const storedIn = (name: string) => instance.specOf('strategydefinition', `${instance.home}/${name}`);
const parameter = { name: 'countries', type: 'list', description: 'Codes such as SE.', required: true } as const;

describe('reading', () => {
  test('the built-in ones first, then the others by name, each with every field', async () => {
    const { home } = instance;
    await instance.apply(
      aStrategyType(`${home}/zebra`),
      aStrategyType(`${home}/by-country`, {
        name: 'Country',
        displayName: 'By country',
        description: 'On in some countries.',
        deprecated: true,
        parameters: [parameter, { name: 'hint' }],
      }),
    );
    const { status, body } = await instance.call('GET /strategies');
    expect(status).toBe(200);
    expect(body.version).toBe(1);
    const builtIn = [
      'default',
      'flexibleRollout',
      'userWithId',
      'remoteAddress',
      'applicationHostname',
      'gradualRolloutUserId',
      'gradualRolloutSessionId',
      'gradualRolloutRandom',
    ];
    expect(body.strategies.map(({ name }: { name: string }) => name)).toEqual([...builtIn, 'Country', 'zebra']);
    expect(body.strategies.map(({ editable }: { editable: boolean }) => editable)).toEqual([
      ...builtIn.map(() => false),
      true,
      true,
    ]);
    expect(body.strategies.slice(3)).toMatchObject([
      {
        name: 'remoteAddress',
        displayName: 'IPs',
        parameters: [{ name: 'IPs', type: 'list', required: true }],
        deprecated: false,
      },
      { name: 'applicationHostname' },
      { name: 'gradualRolloutUserId', parameters: [{ name: 'percentage' }, { name: 'groupId' }], deprecated: true },
      { name: 'gradualRolloutSessionId' },
      { name: 'gradualRolloutRandom', parameters: [{ name: 'percentage' }] },
      {},
      {},
    ]);
    expect(body.strategies.slice(8)).toEqual([
      {
        name: 'Country',
        displayName: 'By country',
        description: 'On in some countries.',
        parameters: [parameter, { name: 'hint', type: 'string', description: '', required: false }],
        editable: true,
        deprecated: true,
      },
      { name: 'zebra', displayName: 'zebra', description: '', parameters: [], editable: true, deprecated: false },
    ]);
    for (const listed of body.strategies) {
      const one = await instance.call(`GET /strategies/${listed.name}`);
      expect([one.status, one.body]).toEqual([200, listed]);
    }
  });

  test('by the name on the wire only; 404 names the missing one', async () => {
    const missing = { status: 404, name: 'NotFoundError' };
    await instance.apply(aStrategyType(`${instance.home}/its-object`, { name: "Odd.One_1!~*'()" }));
    expect((await instance.call("GET /strategies/Odd.One_1!~*'()")).status).toBe(200);
    expect(await instance.refuses('GET /strategies/its-object', missing)).toBe(
      'Could not find strategy type with name its-object.',
    );
    await instance.refuses('GET /strategies/Default', missing);
  });

  test('of two definitions with one name the older is shown', async () => {
    const { home, cluster } = instance;
    await instance.apply(aStrategyType(`${home}/elder`, { name: 'Contested', description: 'older' }));
    await instance.apply(aStrategyType(`${home}/a-younger`, { name: 'Contested', description: 'younger' }));
    const shown = (await instance.call('GET /strategies/Contested')).body.description;
    const created = async (name: string) =>
      (await cluster.getObject(`fstrat/${name}`, home)).metadata.creationTimestamp;
    const [elder, younger] = [await created('elder'), await created('a-younger')];
    // Within one second, the object with the smaller name counts as the older one.
    expect(shown).toBe(elder < younger ? 'older' : 'younger');
  });

  test('a definition in a watched namespace other than the operator namespace has no effect', async () => {
    const { other, cluster } = instance;
    await cluster.apply([aStrategyType(`${other}/elsewhere`)]);
    await instance.apply(aFlag(`${instance.home}/afterwards`));
    expect((await instance.call('GET /strategies')).text).not.toContain('elsewhere');
  });
});

describe('creating', () => {
  test('201 with the answer of GET; only the sent fields are stored, under its name', async () => {
    const { status, body } = await post({ name: 'said-little', description: 'd', parameters: [{ name: 'a' }] });
    expect(status).toBe(201);
    expect(body).toEqual({
      name: 'said-little',
      displayName: 'said-little',
      description: 'd',
      parameters: [{ name: 'a', type: 'string', description: '', required: false }],
      editable: true,
      deprecated: false,
    });
    expect((await instance.call('GET /strategies/said-little')).body).toEqual(body);
    expect(await storedIn('said-little')).toEqual({ description: 'd', parameters: [{ name: 'a' }] });
  });

  test.each([
    ['the name alone', { name: 'alone' }],
    ['null everywhere', { name: 'nulls', displayName: null, description: null, parameters: null }],
  ])('%s is enough', async (_, body) => {
    expect((await post(body)).status).toBe(201);
    expect(await storedIn(body.name)).toEqual({});
  });

  test('null in a parameter means left out', async () => {
    const bare = { name: 'a', type: null, description: null, required: null };
    expect((await post({ name: 'bare-parameter', parameters: [bare] })).status).toBe(201);
    expect(await storedIn('bare-parameter')).toEqual({ parameters: [{ name: 'a' }] });
  });

  test('an answer of GET about another type can be sent; fields that the API decides are ignored', async () => {
    const { body } = await instance.call('GET /strategies/userWithId');
    const answer = await post({ ...body, name: 'copied' });
    expect(answer.body).toEqual({ ...body, name: 'copied', editable: true, deprecated: false });
  });

  test.each([
    ["a~name!(that)'is*no.object_NAME", /^a-name-that-is-no-object-name-[0-9a-f]{10}$/],
    ['__proto__', /^proto-[0-9a-f]{10}$/],
    ['plain.one', /^plain\.one$/],
  ])('%s becomes an object with a name that matches %s', async (name, want) => {
    const answer = await post({ name });
    expect([answer.status, answer.body.name]).toEqual([201, name]);
    const { items } = await instance.cluster.getObject('fstrat', instance.home);
    const found = items.find(
      ({ metadata, spec }: { metadata: { name: string }; spec: { name?: string } }) =>
        (spec.name ?? metadata.name) === name,
    );
    expect(found.metadata.name).toMatch(want);
    expect((await instance.call(`GET /strategies/${name}`)).body).toEqual(answer.body);
  });

  test('if another type has the object name, the next one is used', async () => {
    await instance.apply(aStrategyType(`${instance.home}/occupied`, { name: 'Somebody' }));
    expect((await post({ name: 'occupied', description: 'mine' })).status).toBe(201);
    expect((await instance.call('GET /strategies/occupied')).body.description).toBe('mine');
    expect(await storedIn('occupied')).toEqual({ name: 'Somebody' });
  });

  test('strategies of it can be added to a flag at once, and are in effect', async () => {
    const { home } = instance;
    await instance.apply(aFlag(`${home}/uses-new`));
    expect((await post({ name: 'Brand-New' })).status).toBe(201);
    const place = '/projects/shop/features/uses-new/environments/production';
    const { status } = await instance.call(`POST ${place}/strategies`, { body: { name: 'Brand-New' } });
    expect(status).toBe(200);
    expect((await instance.call(`POST ${place}/on`)).status).toBe(200);
    expect((await instance.flag(`${home}/uses-new`)).status.enabledIn).toBe('production');
  });

  test('of simultaneous creations of one name one succeeds, the others get 409', async () => {
    const answers = await Promise.all(['a', 'b', 'c', 'd'].map((description) => post({ name: 'Raced', description })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409]);
    const winner = answers.find(({ status }) => status === 201);
    expect((await instance.call('GET /strategies/Raced')).body).toEqual(winner?.body);
  });

  test('dryRun=true: the answer of a creation, with nothing written', async () => {
    const dry = await instance.untouched('POST /strategies?dryRun=true', {
      body: { name: 'Dry', parameters: [parameter] },
    });
    expect([dry.status, dry.body.name, dry.body.parameters]).toEqual([201, 'Dry', [parameter]]);
    expect((await instance.call('GET /strategies/Dry')).status).toBe(404);
  });
});

describe('not created', () => {
  const refuse = (body: unknown, status: number, name: string) =>
    instance.refuses('POST /strategies', { status, name, body });

  test.each(['default', 'remoteAddress'])('%s: the name of a built-in type', async (name) => {
    const message = await refuse({ name }, 409, 'NameExistsError');
    expect(message).toBe(`A strategy type with the name "${name}" already exists. Choose another name.`);
  });

  test('a used name, whatever its object name', async () => {
    await instance.apply(aStrategyType(`${instance.home}/some-object`, { name: 'taken' }));
    await refuse({ name: 'taken' }, 409, 'NameExistsError');
  });

  test.each<[string, object, string[]]>([
    ['a built-in name in other letters', { name: 'flexiblerollout' }, ['`name`', 'built-in', '"flexiblerollout"']],
    ['no name', { description: 'd' }, ['`name`', 'required']],
    ['a name that is no name', { name: 'a b' }, ['`name`', 'URL friendly', '"a b"']],
    [
      'a type that parameters do not have',
      { name: 'x', parameters: [{ name: 'a', type: 'int' }] },
      ['`parameters.0.type`', 'string, percentage, list, number, boolean', '"int"'],
    ],
    ['a parameter without a name', { name: 'x', parameters: [{ type: 'list' }] }, ['`parameters.0.name`', 'required']],
    ['a field that parameters do not have', { name: 'x', parameters: [{ name: 'a', require: true }] }, ['require']],
    [
      'two parameters of one name',
      { name: 'x', parameters: [{ name: 'a' }, { name: 'b' }, { name: 'a' }] },
      ['`parameters.2`', 'Duplicate value', '{"name":"a"}'],
    ],
    ['parameters as an object', { name: 'x', parameters: { a: 'list' } }, ['`parameters`']],
  ])('%s', async (_, body, words) => {
    const message = await refuse(body, 400, 'ValidationError');
    for (const word of words) expect(message).toContain(word);
  });
});
