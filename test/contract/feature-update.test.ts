/** Changing the metadata of a flag: PUT …/features/:featureName replaces it, PATCH applies a JSON Patch. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FlagSpec } from '../../src/schema/feature-flag.ts';
import { ownedWithStamp } from '../support/author-policy.ts';
import { aFlag } from '../support/builders.ts';
import { type Instance, startInstance } from '../support/instance.ts';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance('update');
});
afterAll(() => instance.stop());

const said: FlagSpec = { type: 'experiment', description: 'before', stale: true, impressionData: true };

describe('PUT', () => {
  const put = (name: string, body: unknown) => instance.call(`PUT /projects/shop/features/${name}`, { body });

  const everyone = { all: { name: 'default' } };

  describe('what changes', () => {
    test('description, type, stale and impressionData become the sent values with one write, and the answer is the flag object', async () => {
      await instance.apply(aFlag(`${instance.home}/whole`));
      const sent = { description: 'after', type: 'operational', stale: true, impressionData: true };
      const writes = await instance.writes();
      const { status, body } = await put('whole', { name: 'whole', ...sent });
      expect(status).toBe(200);
      const write = 'PATCH featureflags';
      expect(await instance.writes()).toEqual(new Map([...writes, [write, (writes.get(write) ?? 0) + 1]]));
      const shown = (await instance.call('GET /projects/shop/features/whole')).body;
      const { environments: _, children: __, dependencies: ___, lifecycle: ____, ...fields } = shown;
      expect(body).toEqual(fields);
      expect(body).toMatchObject({ name: 'whole', ...sent });
    });

    test('type, stale and impressionData that are left out get their defaults; a description stays', async () => {
      await instance.apply(aFlag(`${instance.home}/reset`, said));
      const { body } = await put('reset', {});
      expect(body).toMatchObject({ type: 'release', stale: false, impressionData: false, description: 'before' });
    });

    test('null is read as left out, and clears a description', async () => {
      await instance.apply(aFlag(`${instance.home}/nulls`, said));
      const { body } = await put('nulls', {
        name: null,
        type: null,
        stale: null,
        impressionData: null,
        description: null,
      });
      expect(body).toMatchObject({ type: 'release', stale: false, impressionData: false, description: '' });
    });

    test('name, project, createdAt and lastSeen cannot be changed by this call, nor archived, tags, variants, environments', async () => {
      await instance.apply(aFlag(`${instance.home}/fixed`, { description: 'before', tags: ['simple:kept'] }));
      const before = await instance.flag(`${instance.home}/fixed`);
      const { status, body } = await put('fixed', {
        description: 'after',
        project: 'pay',
        createdAt: '2020-01-01T00:00:00.000Z',
        lastSeenAt: '2020-01-01T00:00:00.000Z',
        lastSeen: '2020-01-01T00:00:00.000Z',
        archived: true,
        variants: [{ name: 'x' }],
        tags: [],
        environments: [],
      });
      expect(status).toBe(200);
      expect(body).toMatchObject({ project: 'shop', lastSeenAt: null, archived: false, variants: [] });
      const { spec } = await instance.flag(`${instance.home}/fixed`);
      expect(spec).toEqual({ ...before.spec, description: 'after' });
    });

    test('an unchanged body writes nothing', async () => {
      await instance.apply(aFlag(`${instance.home}/same`, said));
      const body = { ...said };
      const { status } = await instance.untouched('PUT /projects/shop/features/same', { body });
      expect(status).toBe(200);
    });

    test('a default that is absent stays absent', async () => {
      await instance.apply(aFlag(`${instance.home}/absent`));
      const body = { type: 'release', stale: false, impressionData: false, description: '' };
      await instance.untouched('PUT /projects/shop/features/absent', { body });
    });

    test('a flag in the other namespace is changed there', async () => {
      await instance.apply(aFlag(`${instance.other}/there`, { project: 'pay' }));
      const { body } = await instance.call('PUT /projects/pay/features/there', { body: { description: 'after' } });
      expect(body.description).toBe('after');
      expect((await instance.flag(`${instance.other}/there`)).spec.description).toBe('after');
    });
  });

  describe('field ownership', () => {
    test('an edit writes only its own field, and vexil-api owns only that field', async () => {
      const { home } = instance;
      const environments = { production: { enabled: true, strategies: everyone } };
      await instance.apply(
        aFlag(`${home}/leaf`, { description: 'before', stale: true, environments, variants: [{ name: 'a' }] }),
      );
      const before = await instance.flag(`${home}/leaf`);
      await put('leaf', { description: 'after', stale: true });
      const after = await instance.flag(`${home}/leaf`);

      const { resourceVersion: _, generation: __, managedFields: fields, ...metadata } = before.metadata;
      expect(after.metadata).toMatchObject(metadata);
      expect(after.spec).toEqual({ ...before.spec, description: 'after' });
      const ownedBy = (list: readonly Record<string, unknown>[], manager: string) =>
        list.filter((one) => one['manager'] === manager).map(({ fieldsV1 }) => fieldsV1);
      expect(ownedBy(fields, 'vexil-api')).toEqual([]);
      expect(ownedBy(after.metadata.managedFields, 'vexil-api')).toEqual([ownedWithStamp({ 'f:description': {} })]);
      const kubectl = 'kubectl-client-side-apply';
      const [owned] = ownedBy(fields, kubectl) as Record<string, Record<string, unknown>>[];
      const { 'f:description': gone, ...kept } = owned?.['f:spec'] ?? {};
      expect(gone).toEqual({});
      expect(ownedBy(after.metadata.managedFields, kubectl)).toEqual([{ ...owned, 'f:spec': kept }]);
    });

    test('a field that the caller does not send keeps the value that another user has just set', async () => {
      const { home, cluster } = instance;
      await instance.apply(aFlag(`${home}/meanwhile`));
      await cluster.patchObject('ff/meanwhile', home, { spec: { tags: ['simple:new'] } });
      await put('meanwhile', { description: 'after' });
      const { spec } = await instance.flag(`${home}/meanwhile`);
      expect(spec).toEqual({ project: 'shop', tags: ['simple:new'], description: 'after' });
    });

    test('two simultaneous callers: both changes are stored', async () => {
      await instance.apply(aFlag(`${instance.home}/contended`));
      for (const description of ['first', 'second']) {
        const answers = await Promise.all([
          put('contended', { description, type: 'experiment' }),
          instance.call('PATCH /projects/shop/features/contended', {
            body: [{ op: 'replace', path: '/type', value: 'experiment' }],
          }),
        ]);
        expect(answers.map(({ status }) => status)).toEqual([200, 200]);
        const { spec } = await instance.flag(`${instance.home}/contended`);
        expect(spec).toEqual({ project: 'shop', description, type: 'experiment' });
        await put('contended', {});
      }
    });
  });

  describe('refused, with nothing written', () => {
    beforeAll(async () => {
      await instance.apply(aFlag(`${instance.home}/guarded`), aFlag(`${instance.home}/stowed`, { archived: true }));
    });
    const request = 'PUT /projects/shop/features/guarded';

    test('400 for another name, naming both', async () => {
      const refused = { status: 400, name: 'ValidationError', body: { name: 'renamed', description: 'x' } };
      const message = await instance.refuses(request, refused);
      for (const word of ['name', '"renamed"', '"guarded"']) expect(message).toContain(word);
    });

    test.each<[string, unknown, string[]]>([
      ['a type that there is not', { type: 'x' }, ['`type`', '"x"', 'kill-switch']],
      ['a description that is a number', { description: 5 }, ['`description`', '5']],
      ['stale as text', { stale: 'true' }, ['`stale`', '"true"']],
      ['impressionData as a list', { impressionData: [] }, ['`impressionData`', '[]']],
      ['a list', [], ['body', '[]']],
    ])('400 for %s, naming property and value', async (_, body, words) => {
      const message = await instance.refuses(request, { status: 400, name: 'ValidationError', body });
      for (const word of words) expect(message).toContain(word);
    });

    const missing = { status: 404, name: 'NotFoundError', body: { description: 'x' } };

    test('404 for an archived flag, which stays archived', async () => {
      await instance.refuses('PUT /projects/shop/features/stowed', { ...missing, body: { archived: false } });
    });

    test('404 for a flag that does not exist, is in another project, or whose project does not exist', async () => {
      await instance.refuses('PUT /projects/shop/features/no-such', missing);
      await instance.refuses('PUT /projects/pay/features/guarded', missing);
      await instance.refuses('PUT /projects/no-such/features/guarded', missing);
    });
  });
});

describe('PATCH', () => {
  const patch = (name: string, ...body: readonly object[]) =>
    instance.call(`PATCH /projects/shop/features/${name}`, { body });

  describe('what changes', () => {
    test('replace of each field, everything else stays', async () => {
      await instance.apply(aFlag(`${instance.home}/replaced`, said));
      const wanted: Record<string, unknown> = { ...said };
      const values = { type: 'permission', stale: false, impressionData: false, description: '' };
      for (const [field, value] of Object.entries(values)) {
        wanted[field] = value;
        const { body } = await patch('replaced', { op: 'replace', path: `/${field}`, value });
        expect(body).toMatchObject(wanted);
        expect((await instance.flag(`${instance.home}/replaced`)).spec).toEqual({ project: 'shop', ...wanted });
      }
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

    test('remove of each field sets its default', async () => {
      await instance.apply(aFlag(`${instance.home}/removed`, said));
      const wanted: Record<string, unknown> = { ...said };
      const defaults = { description: '', type: 'release', stale: false, impressionData: false };
      for (const [field, value] of Object.entries(defaults)) {
        wanted[field] = value;
        expect((await patch('removed', { op: 'remove', path: `/${field}` })).body).toMatchObject(wanted);
      }
    });

    test('move takes the value from its former place', async () => {
      await instance.apply(aFlag(`${instance.home}/moved`, { description: 'before' }));
      const { body } = await patch('moved', { op: 'move', from: '/description', path: '/scratch' });
      expect(body.description).toBe('');
      expect(body).not.toHaveProperty('scratch');
    });

    test('an operation only writes its own field', async () => {
      const environments = { production: { enabled: true, strategies: { all: { name: 'default' } } } };
      await instance.apply(aFlag(`${instance.home}/single-field`, { ...said, environments, tags: ['simple:kept'] }));
      const before = await instance.flag(`${instance.home}/single-field`);
      await patch('single-field', { op: 'replace', path: '/description', value: 'after' });
      const after = await instance.flag(`${instance.home}/single-field`);
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
      ['createdAt', [{ op: 'replace', path: '/createdAt', value: '2020-01-01T00:00:00.000Z' }]],
      ['archived', [{ op: 'replace', path: '/archived', value: true }]],
      ['a member that flags do not have', [{ op: 'add', path: '/nonsense', value: { a: [1] } }]],
      ['what already is', [{ op: 'replace', path: '/description', value: 'before' }]],
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
      [
        'a path that is no pointer',
        { op: 'remove', path: 'description' },
        ['`1.path`', '"description"', 'JSON Pointer'],
      ],
      ['remove of a missing member', { op: 'remove', path: '/nope' }, ['operation 1', '/nope', 'unresolvable']],
      ['__proto__', { op: 'add', path: '/__proto__/polluted', value: true }, ['operation 1', '__proto__']],
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
});
