/** The tags of all flags, and their types: read from the flags that the caller may read. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { aFlag } from '../support/builders.ts';
import { type Instance, startInstance } from '../support/instance.ts';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance('tag-types');
  await instance.apply(
    aFlag(`${instance.home}/one`, { tags: ['team:shop', 'area:a:b/c'] }),
    aFlag(`${instance.home}/two`, { tags: ['team:shop'] }),
    aFlag(`${instance.home}/stowed`, { archived: true, tags: ['gone:old'] }),
    aFlag(`${instance.other}/far`, { project: 'pay', tags: ['team:cash'] }),
  );
});
afterAll(() => instance.stop());

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
