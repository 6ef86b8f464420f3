/** PATCH …/features/:featureName: JSON Patch on a flag. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FlagSpec } from '../../src/schema/feature-flag.ts';
import { ownedWithStamp } from '../support/author-policy.ts';
import { aFlag } from '../support/builders.ts';
import { type Instance, startInstance } from '../support/instance.ts';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance('patch');
});
afterAll(() => instance.stop());

const patch = (name: string, ...body: readonly object[]) =>
  instance.call(`PATCH /projects/shop/features/${name}`, { body });

const said: FlagSpec = { type: 'experiment', description: 'before', stale: true, impressionData: true };

describe('what changes', () => {
  test.each([
    ['/type', 'permission'],
    ['/stale', false],
    ['/impressionData', false],
    ['/description', ''],
  ])('replace of %s with %j, everything else stays', async (path, value) => {
    const field = path.slice(1);
    const name = `replace-${field.toLowerCase()}`;
    await instance.apply(aFlag(`${instance.home}/${name}`, said));
    const { body } = await patch(name, { op: 'replace', path, value });
    expect(body).toMatchObject({ ...said, [field]: value });
    const { spec } = await instance.flag(`${instance.home}/${name}`);
    expect(spec).toEqual({ project: 'shop', ...said, [field]: value });
  });

  test('several operations apply in order, each to the result of the one before', async () => {
    await instance.apply(aFlag(`${instance.home}/in-order`, said));
    const { body } = await patch(
      'in-order',
      { op: 'copy', from: '/name', path: '/description' },
      { op: 'replace', path: '/type', value: 'release' },
      { op: 'copy', from: '/type', path: '/description' },
      { op: 'add', path: '/stale', value: false },
    );
    expect(body).toMatchObject({ description: 'release', type: 'release', stale: false, impressionData: true });
  });

  test.each([
    ['/description', { description: '' }],
    ['/type', { type: 'release' }],
    ['/stale', { stale: false }],
    ['/impressionData', { impressionData: false }],
  ])('remove of %s sets the default', async (path, wanted) => {
    const name = `remove-${path.slice(1).toLowerCase()}`;
    await instance.apply(aFlag(`${instance.home}/${name}`, said));
    expect((await patch(name, { op: 'remove', path })).body).toMatchObject({ ...said, ...wanted });
  });

  test('move takes the value from its former place', async () => {
    await instance.apply(aFlag(`${instance.home}/moved`, { description: 'before' }));
    const { body } = await patch('moved', { op: 'move', from: '/description', path: '/scratch' });
    expect(body.description).toBe('');
    expect(body).not.toHaveProperty('scratch');
  });

  test('an operation only writes its own field', async () => {
    const environments = { production: { enabled: true, strategies: { all: { name: 'default' } } } };
    await instance.apply(aFlag(`${instance.home}/leaf`, { ...said, environments, tags: ['simple:kept'] }));
    const before = await instance.flag(`${instance.home}/leaf`);
    await patch('leaf', { op: 'replace', path: '/description', value: 'after' });
    const after = await instance.flag(`${instance.home}/leaf`);
    expect(after.spec).toEqual({ ...before.spec, description: 'after' });
    const { fieldsV1 } = after.metadata.managedFields.find((one: { manager: string }) => one.manager === 'vexil-api');
    expect(fieldsV1).toEqual(ownedWithStamp({ 'f:description': {} }));
  });
});

describe('200, with nothing written', () => {
  beforeAll(() => instance.apply(aFlag(`${instance.home}/immutable`, said)));

  test.each<[string, object[]]>([
    ['no operations', []],
    ['name', [{ op: 'replace', path: '/name', value: 'renamed' }]],
    ['project', [{ op: 'replace', path: '/project', value: 'pay' }]],
    ['createdAt', [{ op: 'replace', path: '/createdAt', value: '2020-01-01T00:00:00.000Z' }]],
    ['lastSeenAt', [{ op: 'replace', path: '/lastSeenAt', value: '2020-01-01T00:00:00.000Z' }]],
    ['archived', [{ op: 'replace', path: '/archived', value: true }]],
    ['a member that flags do not have', [{ op: 'add', path: '/nonsense', value: { a: [1] } }]],
    ['the member -', [{ op: 'add', path: '/-', value: 1 }]],
    ['what already is', [{ op: 'replace', path: '/description', value: 'before' }]],
    ['a name that is a number', [{ op: 'replace', path: '/name', value: 7 }]],
  ])('%s: nothing changes', async (_, body) => {
    const before = (await instance.call('GET /projects/shop/features/immutable')).text;
    const { status } = await instance.untouched('PATCH /projects/shop/features/immutable', { body });
    expect(status).toBe(200);
    expect((await instance.call('GET /projects/shop/features/immutable')).text).toBe(before);
  });
});

describe('refused, with nothing written', () => {
  const request = 'PATCH /projects/shop/features/abused';

  beforeAll(() =>
    instance.apply(
      aFlag(`${instance.home}/abused`, { ...said, variants: [{ name: 'blue' }] }),
      aFlag(`${instance.home}/stowed`, { archived: true }),
    ),
  );

  const first = { op: 'replace', path: '/description', value: 'must not be written' };

  test.each<[string, object, string[]]>([
    ['a test that fails', { op: 'test', path: '/name', value: 'x' }, ['operation 1', 'the value is "abused"']],
    ['an op that there is not', { op: 'increment', path: '/name', value: 1 }, ['`1.op`', '"increment"']],
    ['no op', { path: '/name', value: 1 }, ['`1.op`', 'required']],
    ['no path', { op: 'remove' }, ['`1.path`', 'required']],
    ['no value', { op: 'add', path: '/description' }, ['`1.value`', 'required']],
    ['no from', { op: 'copy', path: '/description' }, ['`1.from`', 'required']],
    ['a path that is no pointer', { op: 'remove', path: 'description' }, ['`1.path`', '"description"', 'JSON Pointer']],
    ['a wrong escape', { op: 'remove', path: '/a~2b' }, ['`1.path`', '"/a~2b"']],
    ['the whole document', { op: 'replace', path: '', value: {} }, ['`1.path`', '""']],
    ['a path that is a number', { op: 'remove', path: 3 }, ['`1.path`', '3']],
    ['an operation that is text', 'remove' as never, ['`1`', '"remove"']],
    ['remove of a missing member', { op: 'remove', path: '/nope' }, ['operation 1', '/nope', 'unresolvable']],
    ['replace of a missing member', { op: 'replace', path: '/nope', value: 1 }, ['operation 1', '/nope']],
    ['a missing parent', { op: 'add', path: '/nope/deeper', value: 1 }, ['operation 1', '/nope/deeper']],
    ['a parent that is text', { op: 'add', path: '/name/x', value: 1 }, ['operation 1', '/name/x']],
    ['the end of what is no list', { op: 'add', path: '/description/-', value: 1 }, ['operation 1', '/description/-']],
    ['copy of a missing member', { op: 'copy', from: '/nope', path: '/description' }, ['operation 1', 'from']],
    ['copy from a missing parent', { op: 'copy', from: '/nope/x', path: '/description' }, ['operation 1', 'from']],
    ['move of a missing member', { op: 'move', from: '/nope', path: '/description' }, ['operation 1', 'from']],
    ['__proto__', { op: 'add', path: '/__proto__/polluted', value: true }, ['operation 1', '__proto__']],
    ['constructor', { op: 'add', path: '/constructor/prototype/polluted', value: 1 }, ['operation 1', 'constructor']],
    ['copy from __proto__', { op: 'copy', from: '/__proto__/toString', path: '/description' }, ['operation 1']],
    ['an inherited member', { op: 'copy', from: '/toString', path: '/description' }, ['operation 1', '/toString']],
    [
      'a result of the wrong type',
      { op: 'replace', path: '/description', value: { a: 1 } },
      ['`description`', '{"a":1}'],
    ],
    ['a type that there is not', { op: 'replace', path: '/type', value: 'x' }, ['`type`', '"x"']],
    ['stale as text', { op: 'replace', path: '/stale', value: 'yes' }, ['`stale`', '"yes"']],
  ])('400 for %s, and no other operation is applied', async (_, operation, words) => {
    const body = [first, operation];
    const message = await instance.refuses(request, { status: 400, name: 'ValidationError', body });
    for (const word of words) expect(message).toContain(word);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  test('400 for a body that is not a list', async () => {
    for (const body of [first, null, '"text"', { 0: first, length: 1 }]) {
      await instance.refuses(request, { status: 400, name: 'ValidationError', body });
    }
  });

  test('400 for more than 1000 operations', async () => {
    const body = Array.from({ length: 1001 }, () => ({ op: 'add', path: '/x', value: 1 }));
    const message = await instance.refuses(request, { status: 400, name: 'ValidationError', body });
    expect(message).toContain('1000');
    expect((await instance.untouched(request, { body: body.slice(1) })).status).toBe(200);
  });

  test('400 for copies that would double the document each time', async () => {
    const copies = Array.from({ length: 100 }, () => ({ op: 'copy', from: '/x', path: '/x/-' }));
    const body = [{ op: 'add', path: '/x', value: ['grows'] }, ...copies];
    const message = await instance.refuses(request, { status: 400, name: 'ValidationError', body });
    expect(message).toContain('the copies are larger than');
  });

  test.each<[string, object]>([
    ['the list', { op: 'replace', path: '/variants', value: [] }],
    ['an item', { op: 'add', path: '/variants/-', value: { name: 'red' } }],
    ['a field of an item', { op: 'replace', path: '/variants/0/name', value: 'red' }],
    ['removing it by a move', { op: 'move', from: '/variants/0/name', path: '/description' }],
    ['copying into it', { op: 'copy', from: '/name', path: '/variants/0/name' }],
  ])('403 OperationDeniedError for /variants: %s', async (_, operation) => {
    const message = await instance.refuses(request, { status: 403, name: 'OperationDeniedError', body: [operation] });
    expect(message).toContain('variants');
  });

  test('404 for a flag that is archived, does not exist, or is in another project', async () => {
    const missing = { status: 404, name: 'NotFoundError', body: [first] };
    await instance.refuses('PATCH /projects/shop/features/stowed', missing);
    await instance.refuses('PATCH /projects/shop/features/no-such', missing);
    await instance.refuses('PATCH /projects/pay/features/abused', missing);
  });
});
