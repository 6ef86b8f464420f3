/** Strategy types: changing, deprecating and deleting those that are defined. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { StrategyDefinitionSpec } from '../../src/schema/strategy-definition.ts';
import { aFlag, aStrategyType } from '../support/builders.ts';
import { type Instance, startInstance } from '../support/instance.ts';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance('strategy-types-change');
});
afterAll(() => instance.stop());

const define = (name: string, spec: StrategyDefinitionSpec = {}) =>
  instance.apply(aStrategyType(`${instance.home}/${name}`, spec));
const storedIn = (name: string) => instance.specOf('strategydefinition', `${instance.home}/${name}`);
const put = (name: string, body: unknown) => instance.call(`PUT /strategies/${name}`, { body });
const shown = async (name: string) => (await instance.call(`GET /strategies/${name}`)).body;
const etagOf = async (name: string) => (await instance.call(`GET /strategies/${name}`)).headers.get('etag') ?? '';

const full = {
  displayName: 'Before',
  description: 'before',
  parameters: [
    { name: 'a', required: true },
    { name: 'b', type: 'list', description: 'b' },
  ],
} as const satisfies StrategyDefinitionSpec;

describe('changing', () => {
  test('200 with the answer of GET; the sent fields are stored', async () => {
    await define('changed', full);
    const parameters = [{ name: 'c', type: 'number', description: 'c', required: true }];
    const { status, body } = await put('changed', { displayName: 'After', description: 'after', parameters });
    expect(status).toBe(200);
    expect(body).toEqual({
      name: 'changed',
      displayName: 'After',
      description: 'after',
      parameters,
      editable: true,
      deprecated: false,
    });
    expect(await shown('changed')).toEqual(body);
    expect(await storedIn('changed')).toEqual({ displayName: 'After', description: 'after', parameters });
  });

  test.each<[string, object, StrategyDefinitionSpec]>([
    ['a new description alone', { description: 'after' }, { ...full, description: 'after' }],
    ['no parameters any more', { parameters: [] }, { ...full, parameters: [] }],
    ['null for the texts', { displayName: null, description: null }, { parameters: full.parameters }],
    [
      'a parameter more: the others keep their words',
      {
        parameters: [
          { name: 'b', type: 'list', description: 'b', required: false },
          { name: 'new', type: 'boolean' },
          { name: 'a', type: 'string', description: '', required: false },
        ],
      },
      { ...full, parameters: [full.parameters[1], { name: 'new', type: 'boolean' }, { name: 'a', required: false }] },
    ],
  ])('%s', async (what, body, want) => {
    const name = what.toLowerCase().replace(/[^a-z]+/g, '-');
    await define(name, full);
    expect((await put(name, body)).status).toBe(200);
    expect(await storedIn(name)).toEqual(want);
  });

  test('an answer of GET that is sent back writes nothing', async () => {
    for (const [name, spec] of Object.entries({
      'same-full': full,
      'same-bare': {},
      'same-old': { deprecated: true },
    })) {
      await define(name, spec);
      const { status, body } = await instance.untouched(`PUT /strategies/${name}`, { body: await shown(name) });
      expect([status, body]).toEqual([200, await shown(name)]);
    }
  });

  test('deprecated and editable are ignored by PUT', async () => {
    await define('marked', { deprecated: true });
    expect((await put('marked', { deprecated: false, editable: false })).body).toMatchObject({
      deprecated: true,
      editable: true,
    });
  });

  test('a definition under another object name', async () => {
    await define('object-of-it', { name: 'Wire.Name' });
    expect((await put('Wire.Name', { name: 'Wire.Name', description: 'after' })).status).toBe(200);
    expect(await storedIn('object-of-it')).toEqual({ name: 'Wire.Name', description: 'after' });
  });

  test('simultaneous changes are all stored', async () => {
    await define('raced');
    const bodies = [{ description: 'after' }, { displayName: 'After' }, { parameters: [{ name: 'a' }] }];
    const answers = await Promise.all(bodies.map((body) => put('raced', body)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await storedIn('raced')).toEqual({
      description: 'after',
      displayName: 'After',
      parameters: [{ name: 'a' }],
    });
  });

  test('flags report strategies that lack a newly required parameter in their status, and stay on', async () => {
    const { home } = instance;
    await define('stricter');
    const production = { enabled: true, strategies: { one: { name: 'stricter' } } };
    await instance.apply(aFlag(`${home}/lacks`, { environments: { production } }));
    await put('stricter', { parameters: [{ name: 'a', required: true }] });
    await expect
      .poll(async () => (await instance.flag(`${home}/lacks`)).status.problems)
      .toMatchObject([{ severity: 'Warning', reason: 'MissingParameter' }]);
    expect((await instance.flag(`${home}/lacks`)).status.enabledIn).toBe('production');
  });
});

describe('deprecating', () => {
  test('200 without a body, for both directions; only `deprecated` is written', async () => {
    await define('fading', full);
    for (const [verb, deprecated] of [
      ['deprecate', true],
      ['reactivate', false],
    ] as const) {
      const { status, text } = await instance.call(`POST /strategies/fading/${verb}`);
      expect([status, text]).toEqual([200, '']);
      expect((await shown('fading')).deprecated).toBe(deprecated);
      expect(await storedIn('fading')).toEqual({ ...full, deprecated });
    }
  });

  test.each([
    ['deprecate', { deprecated: true }],
    ['reactivate', { deprecated: false }],
    ['reactivate', {}],
  ])('%s of %j writes nothing', async (verb, spec) => {
    const name = `already-${verb}-${Object.keys(spec).length}`;
    await define(name, spec);
    expect((await instance.untouched(`POST /strategies/${name}/${verb}`)).status).toBe(200);
  });

  test('a deprecated type still works: its strategies are on, and new ones can be added', async () => {
    const { home } = instance;
    await define('retired');
    const production = { enabled: true, strategies: { one: { name: 'retired' } } };
    await instance.apply(aFlag(`${home}/faithful`, { environments: { production } }));
    await instance.call('POST /strategies/retired/deprecate');
    const strategies = '/projects/shop/features/faithful/environments/production/strategies';
    expect((await instance.call(`POST ${strategies}`, { body: { name: 'retired' } })).status).toBe(200);
    expect((await instance.flag(`${home}/faithful`)).status.enabledIn).toBe('production');
  });
});

describe('deleting', () => {
  const using = (name: string) => ({ production: { strategies: { one: { name } } } });

  test('200 without a body; the type is deleted, and its name is free', async () => {
    await define('object-of-gone', { name: 'Gone' });
    const { status, text } = await instance.call('DELETE /strategies/Gone');
    expect([status, text]).toEqual([200, '']);
    await instance.refuses('GET /strategies/Gone', { status: 404, name: 'NotFoundError' });
    await instance.refuses('DELETE /strategies/Gone', { status: 404, name: 'NotFoundError' });
    const { items } = await instance.cluster.getObject('fstrat', instance.home);
    expect(JSON.stringify(items)).not.toContain('object-of-gone');
    expect((await instance.call('POST /strategies', { body: { name: 'Gone' } })).status).toBe(201);
  });

  test('409 while flags use it, on or off, in any namespace; the message counts and names them', async () => {
    const { home, other } = instance;
    await define('needed');
    await instance.apply(
      aFlag(`${home}/needs-b`, { environments: using('needed') }),
      aFlag(`${other}/needs-a`, { project: 'pay', name: 'Needs-A', environments: using('needed') }),
      aFlag(`${home}/needs-another`, { environments: using('default') }),
    );
    const refused = { status: 409, name: 'InUseError' };
    const message = await instance.refuses('DELETE /strategies/needed', refused);
    expect(message).toContain('2 flags use it (Needs-A, needs-b)');
    expect(await instance.refuses('DELETE /strategies/needed?dryRun=true', refused)).toBe(message);
    const remove = 'DELETE /projects/shop/features/needs-b/environments/production/strategies/one';
    expect((await instance.call(remove)).status).toBe(200);
    expect(await instance.refuses('DELETE /strategies/needed', refused)).toContain('1 flag uses it (Needs-A)');
    await instance.call('DELETE /projects/pay/features/Needs-A/environments/production/strategies/one');
    expect((await instance.call('DELETE /strategies/needed')).status).toBe(200);
  });

  test('archived flags do not prevent it; a revived one cannot be switched on before its strategy is corrected', async () => {
    const { home } = instance;
    await define('outlived');
    await instance.apply(aFlag(`${home}/stowed`, { archived: true, environments: using('outlived') }));
    expect((await instance.call('DELETE /strategies/outlived')).status).toBe(200);
    expect((await instance.call('POST /archive/revive/stowed')).status).toBe(200);
    const on = 'POST /projects/shop/features/stowed/environments/production/on';
    expect(await instance.refuses(on, { status: 409, name: 'CannotEnableError' })).toContain('"outlived"');
  });

  test('kubectl can always delete it', async () => {
    const { home, cluster } = instance;
    await define('pulled');
    const production = { enabled: true, strategies: { one: { name: 'pulled' } } };
    await instance.apply(aFlag(`${home}/let-down`, { environments: { production } }));
    await cluster.deleteObject('fstrat/pulled', home);
    await expect
      .poll(async () => (await instance.flag(`${home}/let-down`)).status.problems)
      .toMatchObject([{ severity: 'Error', reason: 'UnknownStrategy' }]);
  });
});

type Row = readonly [string, string, unknown];
const writes: readonly Row[] = [
  ['PUT', '', { description: 'after' }],
  ['POST', '/deprecate', undefined],
  ['POST', '/reactivate', undefined],
  ['DELETE', '', undefined],
];

describe.each(writes)('%s /strategies/:strategyName%s', (method, rest, body) => {
  const own = `own-${method}${rest.replace('/', '-')}`.toLowerCase();
  const request = `${method} /strategies/${own}${rest}`;
  const before = { ...full, deprecated: rest === '/reactivate' };

  test('404 for an unknown name', async () => {
    const missing = { status: 404, name: 'NotFoundError', body };
    await instance.refuses(`${method} /strategies/no-such${rest}`, missing);
  });

  test('403 for a type that is built in', async () => {
    const refused = { status: 403, name: 'OperationDeniedError', body };
    const message = await instance.refuses(`${method} /strategies/flexibleRollout${rest}`, refused);
    expect(message).toContain('"flexibleRollout" is built in');
  });

  test('dryRun=true: nothing is written', async () => {
    await define(own, before);
    const dry = await instance.untouched(`${request}?dryRun=true`, { body });
    expect(dry.status).toBe(200);
    if (method === 'PUT') expect(dry.body.description).toBe('after');
    expect(await storedIn(own)).toEqual(before);
  });

  test('If-Match: 412 for another version, done for the present one', async () => {
    await define(own, before);
    const etag = await etagOf(own);
    const stale = { status: 412, name: 'PreconditionFailedError', body, headers: { 'if-match': '"something-else"' } };
    for (const word of ['"something-else"', etag]) expect(await instance.refuses(request, stale)).toContain(word);
    expect((await instance.call(request, { body, headers: { 'if-match': etag } })).status).toBe(200);
    const gone = method === 'DELETE';
    const again = { ...stale, headers: { 'if-match': etag } };
    await instance.refuses(request, gone ? { ...again, status: 404, name: 'NotFoundError' } : again);
  });
});

describe('not changed', () => {
  beforeAll(() => define('guarded', full));
  const refuse = (body: unknown) =>
    instance.refuses('PUT /strategies/guarded', { status: 400, name: 'ValidationError', body });

  test('another name: it is immutable', async () => {
    expect(await refuse({ name: 'renamed' })).toBe(
      'Cannot change the name of a strategy type. You sent "renamed", the strategy type is named "guarded".',
    );
  });

  test.each<[string, unknown, string[]]>([
    ['no body', '', ['body', 'required']],
    [
      'a type that parameters do not have',
      { parameters: [{ name: 'a', type: 'int' }] },
      ['`parameters.0.type`', '"int"'],
    ],
    [
      'two parameters of one name',
      { parameters: [{ name: 'x' }, { name: 'x' }] },
      ['`parameters.1`', 'Duplicate value'],
    ],
    ['a text that is too long', { description: 'x'.repeat(1001) }, ['`description`', '1000']],
  ])('%s', async (_, body, words) => {
    const message = await refuse(body);
    for (const word of words) expect(message).toContain(word);
  });
});
