/** DELETE …/features/:featureName and the archive: archive, revive, delete for good. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aFlag, aProject } from '../support/builders.ts';
import { type Instance, startInstance } from '../support/instance.ts';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance('archive');
});
afterAll(() => instance.stop());

const strategies = { all: { name: 'default' } };
const onTwice = { development: { enabled: true, strategies }, production: { enabled: true, strategies } };

const archive = (name: string) => instance.call(`DELETE /projects/shop/features/${name}`);
const revive = (name: string) => instance.call(`POST /archive/revive/${name}`);
const read = (name: string) => instance.call(`GET /projects/shop/features/${name}`);

const missing = { status: 404, name: 'NotFoundError' };

describe('archiving', () => {
  test('202, no body: the flag is archived, in no list but the archive, off, and keeps its strategies', async () => {
    const { home } = instance;
    await instance.apply(aFlag(`${home}/retired`, { environments: onTwice }));
    const before = await instance.flag(`${home}/retired`);
    const { status, text } = await archive('retired');
    expect([status, text]).toEqual([202, '']);
    const { spec, status: judged } = await instance.flag(`${home}/retired`);
    expect(spec).toEqual({ ...before.spec, archived: true });
    expect(judged.environments).toEqual({
      development: { enabled: false, strategies: 1 },
      production: { enabled: false, strategies: 1 },
    });
    expect((await read('retired')).status).toBe(404);
    expect((await instance.call('GET /projects/shop/features')).text).not.toContain('"retired"');
    expect((await instance.call('GET /projects/shop')).text).not.toContain('"retired"');
    expect((await instance.call('GET /archive/features')).text).toContain('"retired"');
  });

  test('a second time: 202 again, nothing written', async () => {
    await instance.apply(aFlag(`${instance.home}/twice`));
    await archive('twice');
    const { status, text } = await instance.untouched('DELETE /projects/shop/features/twice');
    expect([status, text]).toEqual([202, '']);
  });

  test('404 for a flag that does not exist, is in another project, or in no project', async () => {
    await instance.apply(aFlag(`${instance.home}/stays`));
    await instance.refuses('DELETE /projects/shop/features/no-such', missing);
    await instance.refuses('DELETE /projects/pay/features/stays', missing);
    await instance.refuses('DELETE /projects/no-such/features/stays', missing);
  });

  test('on and off are refused with 400 ArchivedFeatureError', async () => {
    await instance.apply(aFlag(`${instance.home}/stowed-on`, { archived: true, environments: onTwice }));
    for (const position of ['on', 'off']) {
      const request = `POST /projects/shop/features/stowed-on/environments/production/${position}`;
      await instance.refuses(request, { status: 400, name: 'ArchivedFeatureError' });
    }
  });
});

describe('the archive list', () => {
  test('flag objects with archived true, of all projects or of one, ordered by name', async () => {
    const { home } = instance;
    await instance.apply(
      aProject(`${home}/first`),
      aProject(`${home}/second`),
      aFlag(`${home}/first-b`, { project: 'first', archived: true, description: 'kept', variants: [{ name: 'v' }] }),
      aFlag(`${home}/first-a`, { project: 'first', archived: true }),
      aFlag(`${home}/first-not`, { project: 'first' }),
      aFlag(`${home}/second-a`, { project: 'second', archived: true }),
    );
    const { body } = await instance.call('GET /archive/features/first');
    expect(body.version).toBe(2);
    expect(body.features).toMatchObject([
      { name: 'first-a', project: 'first', archived: true, archivedAt: null, variants: [] },
      {
        name: 'first-b',
        project: 'first',
        archived: true,
        description: 'kept',
        variants: [{ name: 'v', weight: 1000 }],
      },
    ]);
    const all = (await instance.call('GET /archive/features')).body.features;
    const names = all.map(({ name }: { name: string }) => name);
    expect(names).toEqual(expect.arrayContaining(['first-a', 'first-b', 'second-a']));
    expect(names).not.toContain('first-not');
  });

  test('404 for a project that does not exist', async () => {
    await instance.refuses('GET /archive/features/no-such', missing);
  });
});

describe('reviving', () => {
  test('200, no body: not archived, off in every environment, strategies and everything else kept', async () => {
    const { home } = instance;
    const spec = { description: 'kept', stale: true, tags: ['simple:kept'], environments: onTwice };
    await instance.apply(aFlag(`${home}/phoenix`, { ...spec, archived: true }));
    const { status, text } = await revive('phoenix');
    expect([status, text]).toEqual([200, '']);
    const off = { enabled: false, strategies };
    expect((await instance.flag(`${home}/phoenix`)).spec).toEqual({
      project: 'shop',
      ...spec,
      environments: { development: off, production: off },
    });
    const { body } = await read('phoenix');
    expect(body.archived).toBe(false);
    expect(body.environments).toMatchObject([
      { enabled: false, strategies: [{ name: 'default' }] },
      { enabled: false, strategies: [{ name: 'default' }] },
    ]);
    expect((await instance.call('GET /archive/features')).text).not.toContain('"phoenix"');
  });

  test('after archiving through the API, and then it can be switched on again', async () => {
    await instance.apply(aFlag(`${instance.home}/returns`, { environments: onTwice }));
    await archive('returns');
    await revive('returns');
    const on = await instance.call('POST /projects/shop/features/returns/environments/production/on');
    expect(on.status).toBe(200);
    expect((await read('returns')).body.environments).toMatchObject([{ enabled: false }, { enabled: true }]);
  });

  test('404 for a flag that is not archived, or does not exist', async () => {
    await instance.apply(aFlag(`${instance.home}/alive`, { environments: onTwice }));
    expect(await instance.refuses('POST /archive/revive/alive', missing)).toContain('not archived');
    await instance.refuses('POST /archive/revive/no-such', missing);
  });
});

describe('deleting for good', () => {
  test('200, no body: the object is gone and the name is free again', async () => {
    const { home } = instance;
    await instance.apply(aFlag(`${home}/doomed`, { archived: true, description: 'old' }));
    const create = () => instance.call('POST /projects/shop/features', { body: { name: 'doomed' } });
    expect((await create()).status).toBe(409);
    const { status, text } = await instance.call('DELETE /archive/doomed');
    expect([status, text]).toEqual([200, '']);
    await expect(instance.cluster.getObject('ff/doomed', home)).rejects.toMatchObject({ code: 'not-found' });
    const again = await create();
    expect([again.status, again.body.description]).toEqual([201, '']);
  });

  test('404 for a flag that is not archived: nothing is deleted', async () => {
    await instance.apply(aFlag(`${instance.home}/in-use`));
    expect(await instance.refuses('DELETE /archive/in-use', missing)).toContain('archive it first');
  });

  test('404 for a flag that does not exist, and the second time', async () => {
    await instance.refuses('DELETE /archive/no-such', missing);
    await instance.apply(aFlag(`${instance.home}/once`, { archived: true }));
    expect((await instance.call('DELETE /archive/once')).status).toBe(200);
    await instance.refuses('DELETE /archive/once', missing);
  });
});
