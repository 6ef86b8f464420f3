/** ETag, If-None-Match, If-Match: which version was read, which one is written. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aFlag, anEnvironment, aProject, aToken, aUser } from '../support/builders.ts';
import { type Instance, startInstance } from '../support/instance.ts';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance('conditional');
});
afterAll(() => instance.stop());

const path = (name: string) => `/projects/shop/features/${name}`;
const etagOf = async (request: string): Promise<string> => (await instance.call(request)).headers.get('etag') ?? '';
const stale = '"something-else"';

describe('reading', () => {
  const reads = [
    'GET /projects',
    'GET /projects/shop',
    'GET /projects/shop/features',
    'GET /projects/shop/features?namePrefix=e',
    'GET /projects/shop/features/etagged',
    'GET /projects/shop/features/etagged?variantEnvironments=true',
    'GET /projects/shop/features/etagged/ownership',
    'GET /archive/features',
    'GET /archive/features/shop',
    'GET /environments',
    'GET /environments/production',
    'GET /environments/project/shop',
    'GET /feature-types',
    'GET /strategies',
    'GET /strategies/flexibleRollout',
    'GET /search/events?feature=IS:etagged',
    'GET /events?project=shop',
    'GET /events/etagged',
    'GET /user-admin',
    'GET /user-admin/search?q=ada',
    'GET /api-tokens',
    'GET /api-tokens/etagged',
  ];

  beforeAll(() =>
    instance.apply(
      aFlag(`${instance.home}/etagged`),
      aUser(`${instance.home}/ada`),
      aToken(`${instance.home}/etagged`),
    ),
  );

  test.each(reads)('%s: a strong ETag, the same for the same bytes, and 304 without a body', async (request) => {
    const first = await instance.call(request);
    const second = await instance.call(request);
    const etag = first.headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[\w-]+"$/);
    expect([second.text, second.headers.get('etag')]).toEqual([first.text, etag]);
    const fresh = await instance.call(request, { headers: { 'if-none-match': etag } });
    expect([fresh.status, fresh.text, fresh.headers.get('etag')]).toEqual([304, '', etag]);
  });

  test.each([
    ['*', 304],
    [stale, 200],
    ['', 200],
  ])('If-None-Match %j gives %i', async (header, status) => {
    const { status: got } = await instance.call('GET /projects/shop', { headers: { 'if-none-match': header } });
    expect(got).toBe(status);
  });

  test('If-None-Match compares weakly, in a list too', async () => {
    const etag = await etagOf('GET /projects/shop');
    for (const header of [`W/${etag}`, `${stale}, ${etag}`, `${stale},W/${etag}`]) {
      const { status } = await instance.call('GET /projects/shop', { headers: { 'if-none-match': header } });
      expect(status).toBe(304);
    }
  });

  test('a change gives flag, list and overview another ETag; another flag keeps its own', async () => {
    await instance.apply(aFlag(`${instance.home}/moving`), aFlag(`${instance.home}/resting`));
    const requests = [`GET ${path('moving')}`, 'GET /projects/shop/features', 'GET /projects/shop'];
    const before = await Promise.all(requests.map(etagOf));
    const resting = await etagOf(`GET ${path('resting')}`);
    await instance.call(`PUT ${path('moving')}`, { body: { description: 'after' } });
    const after = await Promise.all(requests.map(etagOf));
    for (const [index, etag] of after.entries()) expect(etag).not.toBe(before[index]);
    expect(await etagOf(`GET ${path('resting')}`)).toBe(resting);
  });
});

describe('writing with If-Match', () => {
  const writes: readonly (readonly [string, string, string, unknown, number])[] = [
    ['replace', 'PUT', '', { description: 'after' }, 200],
    ['patch', 'PATCH', '', [{ op: 'replace', path: '/description', value: 'after' }], 200],
    ['archive', 'DELETE', '', undefined, 202],
    ['on', 'POST', '/environments/production/on', undefined, 200],
    ['off', 'POST', '/environments/production/off', undefined, 200],
  ];
  const setUp = async (what: string) => {
    const enabled = what === 'off';
    const production = { enabled, strategies: { all: { name: 'default' } } };
    const name = `match-${what}`;
    await instance.apply(aFlag(`${instance.home}/${name}`, { environments: { production } }));
    return name;
  };

  test.each(writes)(
    '%s: 412 for another version, done for the present one',
    async (what, method, rest, body, status) => {
      const name = await setUp(what);
      const request = `${method} ${path(name)}${rest}`;
      const etag = await etagOf(`GET ${path(name)}`);
      const failed = { status: 412, name: 'PreconditionFailedError', body, headers: { 'if-match': stale } };
      const message = await instance.refuses(request, failed);
      for (const word of [stale, etag]) expect(message).toContain(word);
      expect((await instance.call(request, { body, headers: { 'if-match': etag } })).status).toBe(status);
      await instance.refuses(request, { ...failed, headers: { 'if-match': etag } });
    },
  );

  test.each([
    ['revive', 'POST /archive/revive/'],
    ['delete', 'DELETE /archive/'],
  ])('%s: 412 for another version, done for *', async (what, request) => {
    const name = `match-archived-${what}`;
    await instance.apply(aFlag(`${instance.home}/${name}`, { archived: true }));
    const failed = { status: 412, name: 'PreconditionFailedError', headers: { 'if-match': stale } };
    await instance.refuses(`${request}${name}`, failed);
    expect((await instance.call(`${request}${name}`, { headers: { 'if-match': '*' } })).status).toBe(200);
  });

  test('* matches whatever is there; a list matches if one does; a weak tag never does', async () => {
    await instance.apply(aFlag(`${instance.home}/tags`));
    const request = `PUT ${path('tags')}`;
    const put = async (ifMatch: string, description: string) =>
      (await instance.call(request, { body: { description }, headers: { 'if-match': ifMatch } })).status;
    expect(await put('*', 'one')).toBe(200);
    expect(await put(`${stale}, ${await etagOf(`GET ${path('tags')}`)}`, 'two')).toBe(200);
    expect(await put(`W/${await etagOf(`GET ${path('tags')}`)}`, 'three')).toBe(412);
    expect(await put(`${stale}, "another"`, 'four')).toBe(412);
    expect((await instance.flag(`${instance.home}/tags`)).spec.description).toBe('two');
  });

  test('412 also when what is asked for would change nothing, and 404 where there is nothing', async () => {
    await instance.apply(aFlag(`${instance.home}/same`, { description: 'same' }));
    const body = { description: 'same' };
    const headers = { 'if-match': stale };
    await instance.refuses(`PUT ${path('same')}`, { status: 412, name: 'PreconditionFailedError', body, headers });
    await instance.refuses(`PUT ${path('no-such')}`, { status: 404, name: 'NotFoundError', body, headers });
  });

  test('of callers that have read one version, one writes and the others get 412', async () => {
    await instance.apply(aFlag(`${instance.home}/raced`));
    const headers = { 'if-match': await etagOf(`GET ${path('raced')}`) };
    const answers = await Promise.all(
      ['a', 'b', 'c', 'd'].map((description) =>
        instance.call(`PUT ${path('raced')}`, { body: { description }, headers }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 412, 412, 412]);
    const winner = answers.find(({ status }) => status === 200);
    expect((await instance.flag(`${instance.home}/raced`)).spec.description).toBe(winner?.body.description);
  });

  test('an edit by kubectl since the reading is noticed', async () => {
    const { home, cluster } = instance;
    await instance.apply(aFlag(`${home}/behind`));
    const headers = { 'if-match': await etagOf(`GET ${path('behind')}`) };
    const merge = ['patch', 'ff', 'behind', '-n', home, '--type', 'merge', '-p', '{"spec":{"stale":true}}'];
    await cluster.kubectlOrThrow(merge);
    const { status } = await instance.call(`PUT ${path('behind')}`, { body: { description: 'after' }, headers });
    expect(status).toBe(412);
    expect((await instance.flag(`${home}/behind`)).spec).toEqual({ project: 'shop', stale: true });
  });
});

describe('writing environments with If-Match', () => {
  const failed = { status: 412, name: 'PreconditionFailedError', headers: { 'if-match': stale } };

  beforeAll(() =>
    instance.apply(
      anEnvironment(`${instance.home}/extra`, { sortOrder: 3, enabled: false }),
      aProject(`${instance.home}/choosy`, { environments: ['production', 'extra'] }),
    ),
  );

  test.each<[string, string, unknown, readonly string[]]>([
    ['on', 'POST /environments/extra/on', undefined, ['GET /environments/extra']],
    ['off', 'POST /environments/extra/off', undefined, ['GET /environments/extra']],
    ['order', 'PUT /environments/sort-order', { extra: 4 }, ['GET /environments']],
    [
      'take from a project',
      'DELETE /projects/choosy/environments/extra',
      undefined,
      ['GET /environments/project/choosy', 'GET /projects/choosy'],
    ],
    [
      'add to a project',
      'POST /projects/choosy/environments',
      { environment: 'extra' },
      ['GET /projects/choosy', 'GET /environments/project/choosy'],
    ],
  ])(
    '%s: 412 for another version, done for the one that GET answers',
    async (_, request, body, [shown = '', ...others]) => {
      const etag = await etagOf(shown);
      const message = await instance.refuses(request, { ...failed, body });
      for (const read of [shown, ...others]) expect(message).toContain(await etagOf(read));
      expect((await instance.call(request, { body, headers: { 'if-match': etag } })).status).toBeLessThan(300);
      await instance.refuses(request, { ...failed, body, headers: { 'if-match': etag } });
    },
  );
});
