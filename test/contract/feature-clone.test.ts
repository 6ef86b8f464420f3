/** POST …/clone: cloning a flag. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FlagSpec } from '../../src/schema/feature-flag.ts';
import { aFlag, aProject } from '../support/builders.ts';
import { type Instance, startInstance } from '../support/instance.ts';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance('clone');
});
afterAll(() => instance.stop());

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
  test('201: the flag object of the new flag, including copied variants, not stale, created now', async () => {
    await instance.apply(aFlag(`${instance.home}/source`, rich));
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
    await instance.apply(aFlag(`${instance.home}/whole`, rich));
    await clone('whole', 'copy-whole');
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
    await instance.apply(aFlag(`${instance.home}/ids`, rich));
    await clone('ids', 'copy-ids');
    const strategiesOf = async (name: string) => {
      const { body } = await instance.call(`GET /projects/shop/features/${name}`);
      return body.environments.flatMap(({ strategies }: { strategies: { id: string }[] }) => strategies);
    };
    const source = await strategiesOf('ids');
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
    for (const [index, contentType] of ['text/plain', 'application/x-www-form-urlencoded', ''].entries()) {
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
      aProject(`${home}/strict`, { flagNaming: { pattern: 'team-.+' } }),
      aFlag(`${home}/odd`, { project: 'strict' }),
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
    await instance.refuses('POST /projects/strict/features/odd/clone', refused);
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
