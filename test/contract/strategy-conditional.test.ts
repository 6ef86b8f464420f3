/** `dryRun=true` and `If-Match` on every write of strategies. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aFlag } from '../support/builders.ts';
import { type Instance, startInstance } from '../support/instance.ts';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance('strategy-conditional');
});
afterAll(() => instance.stop());

const ID = '0fce2b2f-5d5d-4cf9-9b3e-3f6a7c0f1a11';
const strategies = { [ID]: { name: 'default', title: 'before' } };

const flagPath = (name: string) => `/projects/shop/features/${name}`;
const path = (name: string) => `${flagPath(name)}/environments/production/strategies`;
const setUp = (name: string) =>
  instance.apply(aFlag(`${instance.home}/${name}`, { environments: { production: { enabled: true, strategies } } }));
const etagOf = async (request: string): Promise<string> => (await instance.call(request)).headers.get('etag') ?? '';

type Row = readonly [string, string, string, unknown];
const writes: readonly Row[] = [
  ['add', 'POST', '', { name: 'default', title: 'new' }],
  ['overwrite', 'PUT', `/${ID}`, { title: 'after' }],
  ['patch', 'PATCH', `/${ID}`, [{ op: 'replace', path: '/title', value: 'after' }]],
  ['remove', 'DELETE', `/${ID}`, undefined],
  ['order', 'POST', '/set-sort-order', [{ id: ID, sortOrder: 5 }]],
];

describe('dryRun=true', () => {
  test.each(writes)('%s: the answer as if, with nothing written', async (what, method, rest, body) => {
    const name = `dry-${what}`;
    await setUp(name);
    const dry = await instance.untouched(`${method} ${path(name)}${rest}?dryRun=true`, { body });
    expect(dry.status).toBe(200);
    expect((await instance.call(`GET ${path(name)}`)).body).toMatchObject([{ id: ID, title: 'before', sortOrder: 0 }]);
    const real = await instance.call(`${method} ${path(name)}${rest}`, { body });
    const withoutId = ({ id: _, ...others }: { id?: string }) => others;
    expect(withoutId(dry.body ?? {})).toEqual(withoutId(real.body ?? {}));
  });

  test.each<[string, string, string, unknown, number, string]>([
    [
      'a rule of the cluster',
      'PATCH',
      `/${ID}`,
      [{ op: 'add', path: '/variants/0', value: { name: 'a', weightType: 'fix' } }],
      400,
      'ValidationError',
    ],
    ['an id that there is not', 'DELETE', '/no-such', undefined, 404, 'NotFoundError'],
    ['a type that there is not', 'POST', '', { name: 'odd' }, 400, 'ValidationError'],
  ])('%s refuses as it would', async (_, method, rest, body, status, name) => {
    await setUp('dry-refused');
    await instance.refuses(`${method} ${path('dry-refused')}${rest}?dryRun=true`, { status, name, body });
  });
});

describe('If-Match', () => {
  test.each(writes)(
    '%s: 412 for another version, done for the present one of the flag',
    async (what, method, rest, body) => {
      const name = `flag-${what}`;
      await setUp(name);
      const request = `${method} ${path(name)}${rest}`;
      const etag = await etagOf(`GET ${flagPath(name)}`);
      const failed = { status: 412, name: 'PreconditionFailedError', body, headers: { 'if-match': '"another"' } };
      expect(await instance.refuses(request, failed)).toContain(etag);
      expect((await instance.call(request, { body, headers: { 'if-match': etag } })).status).toBe(200);
      const { status } = await instance.untouched(request, { body, headers: { 'if-match': etag } });
      expect(status).toBe(what === 'remove' ? 404 : 412);
    },
  );

  test.each(writes)(
    '%s: done for the present version of what GET shows of the part',
    async (what, method, rest, body) => {
      const name = `part-${what}`;
      await setUp(name);
      const etag = await etagOf(`GET ${path(name)}${what === 'order' ? '' : rest}`);
      await instance.call(`PUT ${flagPath(name)}`, { body: { description: 'changed elsewhere' } });
      const headers = { 'if-match': etag };
      expect((await instance.call(`${method} ${path(name)}${rest}`, { body, headers })).status).toBe(200);
    },
  );

  test('of callers that have read one version of a strategy, one writes and the others get 412', async () => {
    await setUp('raced');
    const headers = { 'if-match': await etagOf(`GET ${path('raced')}/${ID}`) };
    const answers = await Promise.all(
      ['a', 'b', 'c'].map((title) => instance.call(`PUT ${path('raced')}/${ID}`, { body: { title }, headers })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 412, 412]);
    const winner = answers.find(({ status }) => status === 200);
    expect((await instance.call(`GET ${path('raced')}/${ID}`)).body).toEqual(winner?.body);
  });

  test('404 for a strategy that is not there and for a flag that is not there, whatever it names', async () => {
    const missing = { status: 404, name: 'NotFoundError', body: {}, headers: { 'if-match': '"another"' } };
    await setUp('missing');
    await instance.refuses(`PUT ${path('missing')}/no-such`, missing);
    await instance.refuses(`PUT ${path('no-such')}/${ID}`, missing);
  });
});
