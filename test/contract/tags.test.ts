/** Tags: the tags of all flags with their types, and those of one flag: read, added, removed. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aFlag } from '../support/builders.ts';
import { type Instance, startInstance } from '../support/instance.ts';

let instance: Instance;
let round = 0;

beforeAll(async () => {
  instance = await startInstance('tags');
  await instance.apply(
    aFlag(`${instance.home}/one`, { tags: ['team:shop', 'area:a:b/c'] }),
    aFlag(`${instance.home}/two`, { tags: ['team:shop'] }),
    aFlag(`${instance.home}/stowed`, { archived: true, tags: ['simple:old', 'gone:old'] }),
    aFlag(`${instance.other}/far`, { project: 'pay', tags: ['team:cash'] }),
  );
});
afterAll(() => instance.stop());

describe('the tags of all flags', () => {
  const read = async (path: string) => {
    const { status, body } = await instance.call(`GET ${path}`);
    expect(status).toBe(200);
    return body;
  };
  const typed = (name: string) => ({ name, description: '', icon: '' });

  test('GET /tags: each tag once, without those of archived flags; /tags/:type those of one type', async () => {
    const cash = { type: 'team', value: 'cash' };
    const shop = { type: 'team', value: 'shop' };
    expect(await read('/tags')).toEqual({ version: 1, tags: [{ type: 'area', value: 'a:b/c' }, cash, shop] });
    expect(await read('/tags/team')).toEqual({ version: 1, tags: [cash, shop] });
    expect(await read('/tags/gone')).toEqual({ version: 1, tags: [] });
  });

  test('GET /tag-types: the types of these tags, with simple; the state export lists the same', async () => {
    const tagTypes = ['area', 'simple', 'team'].map(typed);
    expect(await read('/tag-types')).toEqual({ version: 1, tagTypes });
    expect((await read('/state/export')).tagTypes).toEqual(tagTypes);
  });

  test('GET /tag-types/:name: one of them, or 404', async () => {
    expect(await read('/tag-types/team')).toEqual({ version: 1, tagType: typed('team') });
    await instance.refuses('GET /tag-types/gone', { status: 404, name: 'NotFoundError' });
  });
});

const simple = (value: string) => ({ type: 'simple', value });

/** Creates a flag that only one test uses. */
async function flag(...tags: string[]): Promise<string> {
  round += 1;
  const name = `flag-${round}`;
  await instance.apply(aFlag(`${instance.home}/${name}`, { description: 'stays', ...(tags.length > 0 && { tags }) }));
  return name;
}
const storedTags = async (name: string) => (await instance.flag(`${instance.home}/${name}`)).spec.tags;
const read = async (name: string) => (await instance.call(`GET /features/${name}/tags`)).body;

test('GET: version 1 and the tags in their order; the first colon separates type and value; without tags an empty list', async () => {
  expect(await read(await flag('simple:bb', 'team:a:b/c'))).toEqual({
    version: 1,
    tags: [simple('bb'), { type: 'team', value: 'a:b/c' }],
  });
  expect(await read(await flag())).toEqual({ version: 1, tags: [] });
  expect((await read('far')).tags).toEqual([{ type: 'team', value: 'cash' }]);
});

describe('POST', () => {
  test('201 with the tag, which is last; the rest of the flag stays', async () => {
    const name = await flag('simple:bb');
    const { status, body } = await instance.call(`POST /features/${name}/tags`, { body: simple('aa') });
    expect([status, body]).toEqual([201, simple('aa')]);
    const { spec } = await instance.flag(`${instance.home}/${name}`);
    expect(spec).toEqual({ project: 'shop', description: 'stays', tags: ['simple:bb', 'simple:aa'] });
    expect((await instance.call('GET /projects/shop/features?tag=simple:aa')).body.features).toMatchObject([{ name }]);
  });

  test('409 FeatureHasTagError for an existing tag', async () => {
    const name = await flag('simple:bb');
    const refused = { status: 409, name: 'FeatureHasTagError', body: simple('bb') };
    const message = await instance.refuses(`POST /features/${name}/tags`, refused);
    expect(message).toBe(`The flag "${name}" already has the tag "simple:bb".`);
  });

  test('of two simultaneous additions of one tag one gets 201 and one 409; different tags are all stored', async () => {
    const name = await flag();
    const values = ['same', 'same', 'one', 'two', 'three'];
    const answers = await Promise.all(
      values.map((value) => instance.call(`POST /features/${name}/tags`, { body: simple(value) })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 201, 201, 201, 409]);
    expect((await storedTags(name)).toSorted()).toEqual(['simple:one', 'simple:same', 'simple:three', 'simple:two']);
  });

  test('400 for the 101st', async () => {
    const name = await flag(...Array.from({ length: 100 }, (_, n) => `simple:t${n}`));
    const refused = { status: 400, name: 'ValidationError', body: simple('one-more') };
    expect(await instance.refuses(`POST /features/${name}/tags`, refused)).toContain('at most 100');
  });

  test('a dry run answers 201 and writes nothing', async () => {
    const name = await flag();
    const { status } = await instance.untouched(`POST /features/${name}/tags?dryRun=true`, { body: simple('bb') });
    expect(status).toBe(201);
  });
});

describe('PUT', () => {
  test('200 with the tags: some removed, some added, whatever existed', async () => {
    const name = await flag('simple:aa', 'simple:bb');
    const body = { addedTags: [simple('cc'), simple('bb')], removedTags: [simple('aa'), simple('no-such')] };
    const answer = await instance.call(`PUT /features/${name}/tags`, { body });
    expect([answer.status, answer.body]).toEqual([200, { version: 1, tags: [simple('bb'), simple('cc')] }]);
    expect(await storedTags(name)).toEqual(['simple:bb', 'simple:cc']);
  });

  test('nothing is written without a change', async () => {
    const name = await flag('simple:aa');
    for (const body of [{}, { addedTags: [simple('aa')] }, { addedTags: null, removedTags: [simple('bb')] }]) {
      expect((await instance.untouched(`PUT /features/${name}/tags`, { body })).status).toBe(200);
    }
  });

  test('If-Match accepts the ETag of the tags or of the flag; 412 for another', async () => {
    const name = await flag('simple:aa');
    for (const seen of [`/features/${name}/tags`, `/projects/shop/features/${name}`]) {
      const etag = (await instance.call(`GET ${seen}`)).headers.get('etag') ?? '';
      const body = { addedTags: [simple(`seen-${seen.length}`)] };
      const headers = { 'if-match': etag };
      expect((await instance.call(`PUT /features/${name}/tags`, { body, headers })).status).toBe(200);
    }
    const stale = { status: 412, name: 'PreconditionFailedError', body: {}, headers: { 'if-match': '"stale"' } };
    await instance.refuses(`PUT /features/${name}/tags`, stale);
  });
});

describe('DELETE', () => {
  test('200 without a body; the others stay', async () => {
    const name = await flag('simple:aa', 'team:x/y z', 'simple:bb');
    const { status, text } = await instance.call(`DELETE /features/${name}/tags/team/x%2Fy%20z`);
    expect([status, text]).toEqual([200, '']);
    expect(await storedTags(name)).toEqual(['simple:aa', 'simple:bb']);
    await instance.call(`DELETE /features/${name}/tags/simple/aa`);
    await instance.call(`DELETE /features/${name}/tags/simple/bb`);
    expect(await read(name)).toEqual({ version: 1, tags: [] });
  });

  test('404 for a missing tag', async () => {
    const name = await flag('simple:aa');
    const refused = { status: 404, name: 'NotFoundError' };
    const message = await instance.refuses(`DELETE /features/${name}/tags/simple/bb`, refused);
    expect(message).toBe(`The flag "${name}" does not have the tag "simple:bb".`);
  });
});

test.each(['GET', 'POST', 'PUT', 'DELETE'])('%s: 404 for a missing flag, and for an archived one', async (method) => {
  const rest = method === 'DELETE' ? '/simple/old' : '';
  const body = { POST: { body: simple('new') }, PUT: { body: {} } }[method] ?? {};
  const refused = { status: 404, name: 'NotFoundError', ...body };
  expect(await instance.refuses(`${method} /features/no-such/tags${rest}`, refused)).toContain('"no-such"');
  expect(await instance.refuses(`${method} /features/stowed/tags${rest}`, refused)).toContain('It is archived');
});

describe('PUT for several flags of a project', () => {
  test('200 without a body: all of them, each once', async () => {
    const [one, two] = [await flag('simple:aa'), await flag()];
    const tags = { addedTags: [simple('cc')], removedTags: [simple('aa')] };
    const body = { features: [one, two, one], tags };
    const { status, text } = await instance.call('PUT /projects/shop/tags', { body });
    expect([status, text]).toEqual([200, '']);
    expect([await storedTags(one), await storedTags(two)]).toEqual([['simple:cc'], ['simple:cc']]);
    expect((await instance.untouched('PUT /projects/shop/tags', { body })).status).toBe(200);
  });

  test('404 that names each flag that is not in the project, and nothing is written', async () => {
    const body = { features: [await flag(), 'no-such', 'far'], tags: { addedTags: [simple('cc')] } };
    const message = await instance.refuses('PUT /projects/shop/tags', { status: 404, name: 'NotFoundError', body });
    expect(message).toBe('There are no flags named "no-such", "far" in project "shop".');
  });
});
