/** POST …/features: creating a flag. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { flagTypes } from '../../src/schema/feature-flag.ts';
import { aFlag, aProject } from '../support/builders.ts';
import { type Instance, startInstance } from '../support/instance.ts';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance('create');
});
afterAll(() => instance.stop());

const create = 'POST /projects/shop/features';

describe('the answer', () => {
  test('every field that a caller may set is in the answer', async () => {
    const sent = {
      name: 'all-fields',
      description: 'One page',
      type: 'kill-switch',
      impressionData: true,
      stale: true,
    };
    const { status, body } = await instance.call(create, { body: sent });
    expect(status).toBe(201);
    expect(body).toMatchObject(sent);
  });

  test.each(flagTypes)('type %s is allowed', async (type) => {
    const { body } = await instance.call(create, { body: { name: `type-${type}`, type } });
    expect(body.type).toBe(type);
  });

  test('null is read as absent', async () => {
    const body = { name: 'with-nulls', description: null, type: null, impressionData: null, stale: null };
    const answer = await instance.call(create, { body });
    expect(answer.body).toMatchObject({ description: '', type: 'release', impressionData: false, stale: false });
  });

  test('fields that the specification does not name are dropped, immutable ones too', async () => {
    const extra = { project: 'pay', archived: true, createdAt: '2020-01-01T00:00:00Z', lastSeenAt: 'x', nonsense: {} };
    const { status, body } = await instance.call(create, { body: { name: 'with-extras', ...extra } });
    expect(status).toBe(201);
    expect(body).toMatchObject({ project: 'shop', archived: false, lastSeenAt: null });
    expect(body.createdAt).not.toBe(extra.createdAt);
    expect(Object.keys((await instance.flagNamed('with-extras')).spec)).toEqual(['project']);
  });

  test('the new flag is read at once, off in every environment', async () => {
    await instance.call(create, { body: { name: 'at-once' } });
    const { status, body } = await instance.call('GET /projects/shop/features/at-once');
    expect(status).toBe(200);
    expect(body.environments.map(({ name, enabled }: { name: string; enabled: boolean }) => [name, enabled])).toEqual([
      ['development', false],
      ['production', false],
    ]);
  });
});

describe('the stored object', () => {
  test('only what the caller sent: defaults are not stored', async () => {
    await instance.call(create, { body: { name: 'sparse', description: 'said' } });
    const { spec, metadata } = await instance.flag(`${instance.home}/sparse`);
    expect(spec).toEqual({ project: 'shop', description: 'said' });
    const managers = metadata.managedFields.map(({ manager }: { manager: string }) => manager);
    expect(managers).toContain('vexil-api');
  });

  test('in the namespace of the project', async () => {
    await instance.call('POST /projects/pay/features', { body: { name: 'over-there' } });
    const { spec } = await instance.flag(`${instance.other}/over-there`);
    expect(spec.project).toBe('pay');
  });

  test('a project is identified by its name on the wire', async () => {
    await instance.apply(aProject(`${instance.home}/object-name`, { name: 'Wire_Name' }));
    const { body } = await instance.call('POST /projects/Wire_Name/features', { body: { name: 'in-wire-name' } });
    expect(body.project).toBe('Wire_Name');
    const request = 'POST /projects/object-name/features';
    await instance.refuses(request, { status: 404, name: 'NotFoundError', body: { name: 'in-object-name' } });
  });
});

describe('refused, with nothing written', () => {
  test('409 if the name exists in another project, in another namespace', async () => {
    await instance.apply(aFlag(`${instance.other}/taken-elsewhere`, { project: 'pay' }));
    await instance.refuses(create, { status: 409, name: 'NameExistsError', body: { name: 'taken-elsewhere' } });
  });

  test('409 that names the archived flag if an archived one has the name', async () => {
    await instance.apply(aFlag(`${instance.home}/put-away`, { archived: true }));
    const refused = { status: 409, name: 'NameExistsError', body: { name: 'put-away' } };
    expect(await instance.refuses(create, refused)).toContain('An archived flag with the name "put-away"');
  });

  test('404 in a project that does not exist', async () => {
    const refused = { status: 404, name: 'NotFoundError', body: { name: 'homeless' } };
    expect(await instance.refuses('POST /projects/no-such/features', refused)).toContain('"no-such"');
  });

  const invalid: readonly (readonly [string, unknown, readonly string[]])[] = [
    ['no name', {}, ['`name`', 'required']],
    ['a name that is null', { name: null }, ['`name`', 'null']],
    ['a name that is a number', { name: 7 }, ['`name`', '7']],
    ['an empty name', { name: '' }, ['`name`', '""']],
    ['a name with a blank', { name: 'a b' }, ['`name`', 'URL friendly', '"a b"']],
    ['a type that there is not', { name: 'f', type: 'permanent' }, ['`type`', 'kill-switch', '"permanent"']],
    ['a description that is a list', { name: 'f', description: ['x'] }, ['`description`', '["x"]']],
    [
      'a description of 4097 characters',
      { name: 'f', description: 'd'.repeat(4097) },
      ['`description`', '4096', '"dd'],
    ],
    ['impressionData as text', { name: 'f', impressionData: 'yes' }, ['`impressionData`', '"yes"']],
    ['stale as a number', { name: 'f', stale: 1 }, ['`stale`', '1']],
    ['a list', [{ name: 'f' }], ['body', '[{"name":"f"}]']],
    ['null', null, ['body', 'null']],
    ['text', '"f"', ['body', '"f"']],
  ];
  test.each(invalid)('400 for %s, naming property and value', async (_, body, words) => {
    const message = await instance.refuses(create, { status: 400, name: 'ValidationError', body });
    for (const word of words) expect(message).toContain(word);
  });

  test('every problem is in the message, with its place', async () => {
    const { body } = await instance.untouched(create, { body: { name: 'a b', type: 'x' } });
    expect(body.details.map(({ path }: { path: string }) => path)).toEqual(['/body/name', '/body/type']);
    for (const { message } of body.details) expect(body.message).toContain(message);
  });

  test('400 PatternError for a name that the naming pattern of the project does not match', async () => {
    const flagNaming = { pattern: 'team-[a-z]+', example: 'team-blue' };
    await instance.apply(aProject(`${instance.home}/strict`, { flagNaming }));
    const request = 'POST /projects/strict/features';
    for (const name of ['blue', 'team-blue2', 'my-team-blue']) {
      const message = await instance.refuses(request, { status: 400, name: 'PatternError', body: { name } });
      for (const word of [name, 'team-[a-z]+', 'team-blue']) expect(message).toContain(word);
    }
    expect((await instance.call(request, { body: { name: 'team-red' } })).status).toBe(201);
  });
});
