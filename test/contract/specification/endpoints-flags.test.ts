/**
 * Chapter "Endpoints", projects and flags: rows 1 to 8, each with its request, its response and the state afterwards.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FlagSpec } from '../../../src/schema/feature-flag.ts';
import { aFlag } from '../../support/builders.ts';
import { type Instance, startInstance } from '../../support/instance.ts';
import type { Stored } from '../../support/stored.ts';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance('endpoints-flags');
});
afterAll(() => instance.stop());

const features = '/projects/shop/features';
const path = (name: string) => `${features}/${name}`;
const have = (name: string, spec: FlagSpec = {}) => instance.apply(aFlag(`${instance.home}/${name}`, spec));
const get = async (name: string): Promise<Stored> => (await instance.call(`GET ${path(name)}`)).body;

/** The flag object without the members that only GET …/features/:featureName answers. */
const flagObject = ({ environments: _, dependencies: __, children: ___, lifecycle: ____, ...fields }: Stored) => fields;

const taken = { status: 409, name: 'NameExistsError' };

describe('1. GET /projects/:projectId', () => {
  test('200: project overview', async () => {
    await have('overviewed');
    const { status, body } = await instance.call('GET /projects/shop');
    expect(status).toBe(200);
    expect(body).toMatchObject({ name: 'shop', description: '', members: 0, version: 1 });
    expect(body.features).toContainEqual(expect.objectContaining({ name: 'overviewed' }));
  });
});

describe('2. GET /projects/:projectId/features', () => {
  test('200: object with features (array of feature summary) and version (number)', async () => {
    await have('listed');
    const { status, body } = await instance.call(`GET ${features}`);
    expect(status).toBe(200);
    expect(Object.keys(body).toSorted()).toEqual(['features', 'version']);
    expect(body.version).toBe(1);
    expect(body.features).toContainEqual(expect.objectContaining({ name: 'listed' }));
  });
});

describe('3. POST /projects/:projectId/features', () => {
  test('201: flag object; description is an empty string, impressionData false and type release unless sent', async () => {
    const { status, body } = await instance.call(`POST ${features}`, { body: { name: 'only-a-name' } });
    expect(status).toBe(201);
    const { metadata, spec } = await instance.flagNamed('only-a-name');
    expect(body).toEqual({
      name: 'only-a-name',
      project: 'shop',
      description: '',
      type: 'release',
      stale: false,
      archived: false,
      archivedAt: null,
      createdAt: metadata.creationTimestamp.replace('Z', '.000Z'),
      lastSeenAt: null,
      impressionData: false,
      variants: [],
    });
    expect(spec).toEqual({ project: 'shop' });
    expect(flagObject(await get('only-a-name'))).toEqual(body);
  });

  test('201: name, description, impressionData and type as they are sent', async () => {
    const sent = { name: 'all-fields', description: 'One page', impressionData: true, type: 'kill-switch' };
    const { status, body } = await instance.call(`POST ${features}`, { body: sent });
    expect([status, body]).toEqual([201, expect.objectContaining(sent)]);
    const { name: _, ...said } = sent;
    expect((await instance.flagNamed('all-fields')).spec).toEqual({ project: 'shop', ...said });
  });

  test('name is required', async () => {
    const refused = { status: 400, name: 'ValidationError', body: { description: 'nameless' } };
    expect(await instance.refuses(`POST ${features}`, refused)).toContain('The `name` property is required');
  });

  test('409 if the name already exists', async () => {
    await have('taken');
    const message = await instance.refuses(`POST ${features}`, { ...taken, body: { name: 'taken' } });
    expect(message).toContain('A flag with the name "taken" already exists');
  });
});

describe('4. GET /projects/:projectId/features/:featureName', () => {
  test('200: flag object with environments and their strategies', async () => {
    await have('read', { environments: { production: { enabled: true, strategies: { all: { name: 'default' } } } } });
    const { status, body } = await instance.call(`GET ${path('read')}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ name: 'read', project: 'shop' });
    expect(body.environments).toMatchObject([
      { name: 'development', enabled: false, strategies: [] },
      { name: 'production', enabled: true, strategies: [{ name: 'default', parameters: {}, constraints: [] }] },
    ]);
  });

  test('404 if the flag is not found', async () => {
    await instance.refuses(`GET ${path('no-such')}`, { status: 404, name: 'NotFoundError' });
  });
});

const immutable = {
  name: 'renamed',
  project: 'pay',
  createdAt: '2020-01-01T00:00:00.000Z',
  lastSeenAt: '2020-01-01T00:00:00.000Z',
};

describe('5. PUT /projects/:projectId/features/:featureName', () => {
  test('200: flag object; description and type become what is sent', async () => {
    await have('replaced', { description: 'before' });
    const sent = { name: 'replaced', description: 'after', type: 'operational' };
    const { status, body } = await instance.call(`PUT ${path('replaced')}`, { body: sent });
    expect([status, body]).toEqual([200, expect.objectContaining(sent)]);
    expect(flagObject(await get('replaced'))).toEqual(body);
    expect((await instance.flagNamed('replaced')).spec).toMatchObject({ description: 'after', type: 'operational' });
  });

  test.each(Object.entries(immutable))('%s cannot be changed by this call', async (field, value) => {
    const name = `put-${field.toLowerCase()}`;
    await have(name);
    const before = await get(name);
    await instance.untouched(`PUT ${path(name)}`, { body: { [field]: value } });
    expect(await get(name)).toEqual(before);
  });
});

describe('6. PATCH /projects/:projectId/features/:featureName', () => {
  test('200: flag object, with replace of /description applied', async () => {
    await have('patched', { description: 'before', type: 'experiment' });
    const before = flagObject(await get('patched'));
    const body = [{ op: 'replace', path: '/description', value: 'after' }];
    const answer = await instance.call(`PATCH ${path('patched')}`, { body });
    expect([answer.status, answer.body]).toEqual([200, { ...before, description: 'after' }]);
    expect(flagObject(await get('patched'))).toEqual(answer.body);
    expect((await instance.flagNamed('patched')).spec.description).toBe('after');
  });

  test.each(Object.entries(immutable))('%s cannot be changed by this call', async (field, value) => {
    const name = `patch-${field.toLowerCase()}`;
    await have(name);
    const before = await get(name);
    const body = [{ op: 'replace', path: `/${field}`, value }];
    await instance.untouched(`PATCH ${path(name)}`, { body });
    expect(await get(name)).toEqual(before);
  });
});

describe('7. POST /projects/:projectId/features/:featureName/clone', () => {
  test('201: flag object of the new flag, including copied variants', async () => {
    await have('original', { type: 'experiment', variants: [{ name: 'blue' }, { name: 'red' }] });
    const { status, body } = await instance.call(`POST ${path('original')}/clone`, { body: { name: 'the-copy' } });
    const { metadata } = await instance.flagNamed('the-copy');
    const createdAt = metadata.creationTimestamp.replace('Z', '.000Z');
    expect([status, body]).toEqual([201, { ...flagObject(await get('original')), name: 'the-copy', createdAt }]);
    expect(body.variants).toHaveLength(2);
    expect(flagObject(await get('the-copy'))).toEqual(body);
  });

  test('name is required', async () => {
    await have('nameless-source');
    const refused = { status: 400, name: 'ValidationError', body: {} };
    expect(await instance.refuses(`POST ${path('nameless-source')}/clone`, refused)).toContain(
      'The `name` property is required',
    );
  });

  test('409 if the name already exists', async () => {
    await instance.apply(aFlag(`${instance.home}/cloned`), aFlag(`${instance.home}/occupied`));
    const message = await instance.refuses(`POST ${path('cloned')}/clone`, { ...taken, body: { name: 'occupied' } });
    expect(message).toContain('"occupied"');
  });
});

describe('8. DELETE /projects/:projectId/features/:featureName', () => {
  test('202, no body (archives the flag)', async () => {
    await have('archived');
    const { status, text } = await instance.call(`DELETE ${path('archived')}`);
    expect([status, text]).toEqual([202, '']);
    expect((await instance.flagNamed('archived')).spec).toEqual({ project: 'shop', archived: true });
    expect((await instance.call(`GET ${path('archived')}`)).status).toBe(404);
  });
});
