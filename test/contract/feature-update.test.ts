/** PUT …/features/:featureName: replacing the metadata of a flag. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ownedWithStamp } from '../support/author-policy.ts';
import { aFlag } from '../support/builders.ts';
import { type Instance, startInstance } from '../support/instance.ts';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance('update');
});
afterAll(() => instance.stop());

const put = (name: string, body: unknown) => instance.call(`PUT /projects/shop/features/${name}`, { body });

const everyone = { all: { name: 'default' } };
const said = { type: 'experiment', description: 'before', stale: true, impressionData: true } as const;

describe('what changes', () => {
  test('description, type, stale and impressionData become the sent values, and the answer is the flag object', async () => {
    await instance.apply(aFlag(`${instance.home}/whole`));
    const sent = { description: 'after', type: 'operational', stale: true, impressionData: true };
    const { status, body } = await put('whole', { name: 'whole', ...sent });
    expect(status).toBe(200);
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
    const merge = ['patch', 'ff', 'meanwhile', '-n', home, '--type', 'merge', '-p'];
    await cluster.kubectlOrThrow([...merge, '{"spec":{"tags":["simple:new"]}}']);
    await put('meanwhile', { description: 'after' });
    const { spec } = await instance.flag(`${home}/meanwhile`);
    expect(spec).toEqual({ project: 'shop', tags: ['simple:new'], description: 'after' });
  });

  test('two simultaneous callers: both changes are stored', async () => {
    await instance.apply(aFlag(`${instance.home}/contended`));
    for (const description of ['first', 'second', 'third']) {
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
