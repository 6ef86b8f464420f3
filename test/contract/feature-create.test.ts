/** POST …/features: creating a flag; POST …/clone: from another; GET /feature-types: the types that it may have. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FlagSpec } from '../../src/schema/feature-flag.ts';
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

describe('the types', () => {
  test('each type with its name, its purpose, and the expected lifetime of its flags in days', async () => {
    const { status, body } = await instance.call('GET /feature-types');
    const description = expect.stringMatching(/^[A-Z].+\.$/);
    expect([status, body]).toEqual([
      200,
      {
        version: 1,
        types: [
          { id: 'release', name: 'Release', description, lifetimeDays: 40 },
          { id: 'experiment', name: 'Experiment', description, lifetimeDays: 40 },
          { id: 'operational', name: 'Operational', description, lifetimeDays: 7 },
          { id: 'kill-switch', name: 'Kill switch', description, lifetimeDays: null },
          { id: 'permission', name: 'Permission', description, lifetimeDays: null },
        ],
      },
    ]);
  });

  test('each of them is accepted as the type of a flag', async () => {
    const { body } = await instance.call('GET /feature-types');
    for (const { id } of body.types) {
      const created = await instance.call('POST /projects/shop/features', { body: { name: `of-${id}`, type: id } });
      expect([created.status, created.body.type]).toEqual([201, id]);
    }
  });
});

describe('cloning', () => {
  const clone = (source: string, name: string) =>
    instance.call(`POST /projects/shop/features/${source}/clone`, { body: { name } });

  const UUID = '11111111-2222-4333-8444-555555555555';

  const rich: FlagSpec = {
    type: 'experiment',
    description: 'all of it',
    impressionData: true,
    stale: true,
    tags: ['simple:payments', 'team:blue'],
    variants: [
      { name: 'b', weightType: 'fix', weight: 100 },
      { name: 'a', payload: { type: 'string', value: 'x' } },
    ],
    environments: {
      development: {
        enabled: true,
        strategies: {
          chosen: { name: 'flexibleRollout', parameters: { rollout: 25, groupId: 'g', stickiness: 'default' } },
          [UUID]: {
            name: 'default',
            title: 'recorded',
            sortOrder: 2,
            constraints: [{ contextName: 'userId', operator: 'IN', values: ['1'] }],
            variants: [{ name: 'v' }],
          },
        },
      },
      production: {
        enabled: true,
        strategies: { all: { name: 'default', disabled: true } },
        variants: [{ name: 'only' }],
      },
    },
  };

  describe('what the new flag is', () => {
    beforeAll(() => instance.apply(aFlag(`${instance.home}/source`, rich)));

    test('201: the flag object of the new flag, including copied variants, not stale, created now', async () => {
      const { status, body } = await clone('source', 'copy-answered');
      expect(status).toBe(201);
      const { metadata } = await instance.flag(`${instance.home}/copy-answered`);
      expect(body).toEqual({
        name: 'copy-answered',
        project: 'shop',
        description: 'all of it',
        type: 'experiment',
        stale: false,
        archived: false,
        archivedAt: null,
        createdAt: metadata.creationTimestamp.replace('Z', '.000Z'),
        lastSeenAt: null,
        impressionData: true,
        variants: (await instance.call('GET /projects/shop/features/source')).body.variants,
      });
      expect(body.variants).toHaveLength(3);
    });

    test('copies of tags, variants and strategies, off in every environment, stale not copied', async () => {
      await clone('source', 'copy-whole');
      const { spec } = await instance.flag(`${instance.home}/copy-whole`);
      const { development, production } = rich.environments ?? {};
      const key = Object.keys(spec.environments.development.strategies).find((one) => one !== 'chosen');
      expect(key).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4/);
      expect(key).not.toBe(UUID);
      const { stale: _, ...kept } = rich;
      expect(spec).toEqual({
        ...kept,
        project: 'shop',
        environments: {
          development: {
            strategies: {
              chosen: development?.strategies?.['chosen'],
              [key ?? '']: development?.strategies?.[UUID],
            },
          },
          production: { strategies: production?.strategies, variants: production?.variants },
        },
      });
    });

    test('the same strategies in the same order, under ids of their own', async () => {
      await clone('source', 'copy-ids');
      const strategiesOf = async (name: string) => {
        const { body } = await instance.call(`GET /projects/shop/features/${name}`);
        return body.environments.flatMap(({ strategies }: { strategies: { id: string }[] }) => strategies);
      };
      const source = await strategiesOf('source');
      const copy = await strategiesOf('copy-ids');
      const withoutId = ({ id: _, ...rest }: { id: string }) => rest;
      expect(copy.map(withoutId)).toEqual(source.map(withoutId));
      const ids = [...source, ...copy].map(({ id }) => id);
      expect(new Set(ids).size).toBe(6);
    });

    test('a group of users named after the source is renamed after the copy; another one stays', async () => {
      const grouped = (groupId: string) => ({ name: 'flexibleRollout', parameters: { rollout: 25, groupId } });
      const strategies = { own: grouped('grouped'), shared: grouped('shared') };
      await instance.apply(aFlag(`${instance.home}/grouped`, { environments: { production: { strategies } } }));
      await clone('grouped', 'copy-grouped');
      const { spec } = await instance.flag(`${instance.home}/copy-grouped`);
      expect(spec.environments.production.strategies).toEqual({ ...strategies, own: grouped('copy-grouped') });
    });

    test('a bare flag gives a bare flag', async () => {
      await instance.apply(aFlag(`${instance.home}/bare`));
      await clone('bare', 'copy-bare');
      expect((await instance.flag(`${instance.home}/copy-bare`)).spec).toEqual({ project: 'shop' });
    });

    test('a flag named by spec.name gives one with the new name; the object name does not matter', async () => {
      await instance.apply(aFlag(`${instance.home}/some-object`, { name: 'Wire.Name', tags: ['simple:kept'] }));
      const { body } = await clone('Wire.Name', 'Copy.Of.It');
      expect(body.name).toBe('Copy.Of.It');
      expect((await instance.flagNamed('Copy.Of.It')).spec.tags).toEqual(['simple:kept']);
    });

    test('in the project and namespace of the source', async () => {
      await instance.apply(aFlag(`${instance.other}/pay-source`, { project: 'pay' }));
      const { body } = await instance.call('POST /projects/pay/features/pay-source/clone', {
        body: { name: 'pay-copy' },
      });
      expect(body.project).toBe('pay');
      expect((await instance.flag(`${instance.other}/pay-copy`)).spec.project).toBe('pay');
    });

    test('any content type is accepted, also an empty one; other fields of the body are dropped', async () => {
      await instance.apply(aFlag(`${instance.home}/typed`));
      const request = 'POST /projects/shop/features/typed/clone';
      const send = (name: string, contentType: string) =>
        instance.call(request, {
          body: { name, stale: true, replaceGroupId: true },
          headers: { 'content-type': contentType },
        });
      for (const [index, contentType] of ['text/plain', ''].entries()) {
        const { status, body } = await send(`copy-typed-${index}`, contentType);
        expect([status, body.stale]).toEqual([201, false]);
      }
    });
  });

  describe('refused, with nothing written', () => {
    beforeAll(async () => {
      const { home } = instance;
      await instance.apply(
        aFlag(`${home}/present`),
        aFlag(`${home}/taken`),
        aFlag(`${home}/stowed`, { archived: true }),
        aProject(`${home}/patterned`, { flagNaming: { pattern: 'team-.+' } }),
        aFlag(`${home}/odd`, { project: 'patterned' }),
      );
    });

    const exists = { status: 409, name: 'NameExistsError' };
    const missing = { status: 404, name: 'NotFoundError' };
    const request = (source: string) => `POST /projects/shop/features/${source}/clone`;

    test('409 onto its own name', async () => {
      await instance.refuses(request('present'), { ...exists, body: { name: 'present' } });
    });

    test('409 if an archived flag has the name, which the message says', async () => {
      const message = await instance.refuses(request('present'), { ...exists, body: { name: 'stowed' } });
      expect(message).toContain('An archived flag');
    });

    test('the name is checked before the source: 409 from an archived flag, and from one that does not exist', async () => {
      await instance.refuses(request('stowed'), { ...exists, body: { name: 'taken' } });
      await instance.refuses(request('no-such'), { ...exists, body: { name: 'taken' } });
    });

    test('404 from a flag that does not exist, is in another project, or in no project', async () => {
      for (const path of ['shop/features/no-such', 'pay/features/present', 'no-such/features/present']) {
        await instance.refuses(`POST /projects/${path}/clone`, { ...missing, body: { name: 'new' } });
      }
    });

    test('400 PatternError for a name that the naming pattern does not match', async () => {
      const refused = { status: 400, name: 'PatternError', body: { name: 'new' } };
      await instance.refuses('POST /projects/patterned/features/odd/clone', refused);
    });

    test.each<[string, unknown, string[]]>([
      ['no name', {}, ['`name`', 'required']],
      ['a name with a slash', { name: 'a/b' }, ['`name`', '"a/b"']],
      ['a name of 101 characters', { name: 'n'.repeat(101) }, ['`name`', '100']],
      ['a list', [], ['body', '[]']],
    ])('400 for %s', async (_, body, words) => {
      const message = await instance.refuses(request('present'), { status: 400, name: 'ValidationError', body });
      for (const word of words) expect(message).toContain(word);
    });

    test('400 without a body', async () => {
      const message = await instance.refuses(request('present'), { status: 400, name: 'ValidationError' });
      expect(message).toContain('required');
    });
  });
});
