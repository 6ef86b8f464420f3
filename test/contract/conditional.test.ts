/** ETag, If-None-Match, If-Match: which version was read, which one is written. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { comparesVersions } from '../../src/http/route/route.ts';
import type { Answer } from '../support/admin-client.ts';
import { aFlag } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Expected, type Instance, startInstance } from '../support/instance.ts';
import { recorded } from '../support/recorded-events.ts';
import { complaintsAbout, expectNoComplaints } from '../support/rows.ts';
import { type Endpoint, endpoints } from './endpoints/endpoints.ts';
import { prepare } from './endpoints/world.ts';

const AT_ONCE = 4;
let instance: Instance;

beforeAll(async () => {
  instance = await startInstance('conditional');
  await prepare(instance);
  await untilAllIsRecorded();
});
afterAll(() => instance.stop());

/** Waits until the history is complete: an entry that comes between two reads makes their answers differ. */
async function untilAllIsRecorded(): Promise<void> {
  const { call } = instance;
  const filter = 'feature=IS:for-reads&type=IS:feature-metadata-updated';
  let round = 0;
  // The history does not record what exists when it begins.
  await waitUntil({ what: 'changes are recorded', everyMs: 200 }, async () => {
    round += 1;
    await call(`PUT ${path('for-reads')}`, { body: { description: `round ${round}` } });
    return (await call(`GET /search/events?${filter}`)).body.total > 0;
  });
  await waitUntil({ what: 'the last change is recorded' }, async () => {
    return (await recorded(call, filter)).at(-1)?.data.description === `round ${round}`;
  });
}

const path = (name: string) => `/projects/shop/features/${name}`;
const etagOf = async (request: string): Promise<string> => (await instance.call(request)).headers.get('etag') ?? '';
const stale = '"something-else"';

describe('reading', () => {
  /** Endpoints whose answers have any length and are sent in pieces. */
  const without = ['GET /search/events/export', 'GET /history/chain', 'GET /state/export', 'GET /changes'];
  const reads = [
    ...endpoints
      .filter(({ isRead, route, finds }) => isRead && !finds && !without.includes(route))
      .map(({ path }) => `GET ${path()}`),
    'GET /projects/shop/features?namePrefix=e',
    'GET /projects/shop/features/for-reads?variantEnvironments=true',
    'GET /search/events?feature=IS:for-reads',
    'GET /events?project=shop',
    'GET /user-admin/search?q=ada',
  ];

  const checked = async (request: string): Promise<void> => {
    const first = await instance.call(request);
    const etag = first.headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[\w-]+"$/);
    const fresh = await instance.call(request, { headers: { 'if-none-match': etag } });
    expect([fresh.status, fresh.text, fresh.headers.get('etag')]).toEqual([304, '', etag]);
  };

  test('every read has a strong ETag, and 304 without a body while the answer is the same', async () => {
    const rows = reads.map((request) => ({ what: request, check: () => checked(request) }));
    expectNoComplaints(await complaintsAbout(rows, AT_ONCE));
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
  test('every endpoint that writes says what it is compared with, and no other endpoint does', () => {
    const says = endpoints.filter((one) => (one.versions === undefined) !== (one.unversioned === undefined));
    expect(says).toEqual(endpoints.filter(({ isRead }) => !isRead));
  });

  test('the document says that these compare If-Match, and that no other endpoint does', () => {
    const elsewhere = endpoints.filter(({ unversioned = '' }) => unversioned.endsWith('.test.ts has the call'));
    const compare = endpoints.filter(({ definition }) => comparesVersions(definition));
    const expected = endpoints.filter((one) => one.versions !== undefined || elsewhere.includes(one));
    expect(compare.map(({ route }) => route)).toEqual(expected.map(({ route }) => route));
  });

  // The calls run one after the other. Those that remove what others need run last.
  const takes = ({ route }: Endpoint) =>
    /^(POST .*:environment\/off|DELETE .*\/environments\/:environment)$/.test(route);
  const compared = endpoints.filter(({ versions }) => versions).toSorted((a, b) => Number(takes(a)) - Number(takes(b)));

  const after = ({ answer, outcome }: Endpoint) => ({ gone: 404, same: answer, changed: 412 })[outcome ?? 'changed'];

  /** Where a read shows the object, a good call with the ETag of that read shows afterwards that it is unchanged. */
  const refused = async (request: string, expected: Expected, etag?: string): Promise<string> => {
    if (etag === undefined) return instance.refuses(request, expected);
    const { status, name, ...options } = expected;
    const answer = await instance.call(request, options);
    expect([answer.status, answer.body?.name], answer.text).toEqual([status, name]);
    return answer.body.message;
  };

  test.each(compared)('$route: 412 for another version, done for each that GET answers', async (endpoint) => {
    const { method, path: pathOf, body, answer, reads, outcome } = endpoint;
    const request = `${method} ${pathOf()}`;
    const etags = await Promise.all(reads.map(etagOf));
    const failed = { status: 412, name: 'PreconditionFailedError', body, headers: { 'if-match': stale } };
    const message = await refused(request, failed, etags[0]);
    for (const word of [stale, ...etags]) expect(message).toContain(word);
    for (const etag of etags.slice(1)) {
      const dry = await instance.call(`${request}?dryRun=true`, { body, headers: { 'if-match': etag } });
      expect(dry.status, dry.text).toBe(answer);
    }
    // The archive has no read of a single flag, so If-Match is `*` there.
    const [seen = '*'] = etags;
    const done = await instance.call(request, { body, headers: { 'if-match': seen } });
    expect(done.status, done.text).toBe(answer);
    if (seen === '*') return;
    const repeat = outcome === 'same' ? instance.untouched : instance.call;
    const again = await repeat(request, { body, headers: { 'if-match': seen } });
    expect(again.status, again.text).toBe(after(endpoint));
  });

  test('* matches any version; a list matches if one tag does; a weak tag never matches', async () => {
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

  test('412 also when the change would have no effect, and 404 for a missing object', async () => {
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

  test('the answer has the new version, and a change by kubectl before the next write is detected', async () => {
    const { home, cluster } = instance;
    await instance.apply(aFlag(`${home}/chain`, { variants: [{ name: 'red' }] }));
    const manifestTag = async () => {
      const { headers } = await instance.call(`GET ${path('chain')}`, { headers: { accept: 'application/yaml' } });
      return headers.get('etag') ?? '';
    };
    const write = (request: string, ifMatch: string, body: unknown) =>
      instance.call(request, { body, headers: { 'if-match': ifMatch } });
    const next = ({ headers }: Answer) => headers.get('vexil-manifest-etag') ?? '';
    const first = await write(`PUT ${path('chain')}`, await manifestTag(), { description: 'one' });
    expect([first.status, next(first)]).toEqual([200, await manifestTag()]);
    const tags = { addedTags: [{ type: 'simple', value: 'two' }] };
    const second = await write('PUT /features/chain/tags', next(first), tags);
    expect([second.status, next(second)]).toEqual([200, await manifestTag()]);
    expect(next(second)).not.toBe(next(first));
    const unchanged = await write('PUT /features/chain/tags', next(second), tags);
    expect(next(unchanged)).toBe(next(second));
    // The JSON answer does not show the new variant: the flag itself has a variant of that name.
    const variants = [{ name: 'red', payload: { type: 'string', value: 'x' } }];
    await cluster.patchObject('ff/chain', home, { spec: { environments: { production: { variants } } } });
    const third = await write(`PUT ${path('chain')}`, next(second), { description: 'three' });
    expect([third.status, next(third)]).toEqual([412, '']);
    expect((await instance.flag(`${home}/chain`)).spec.description).toBe('one');
    const dry = await write(`PUT ${path('chain')}?dryRun=true`, await manifestTag(), { description: 'four' });
    expect([dry.status, next(dry)]).toEqual([200, '']);
  });

  test('an edit by kubectl since the read is detected', async () => {
    const { home, cluster } = instance;
    await instance.apply(aFlag(`${home}/behind`));
    const headers = { 'if-match': await etagOf(`GET ${path('behind')}`) };
    await cluster.patchObject('ff/behind', home, { spec: { stale: true } });
    const { status } = await instance.call(`PUT ${path('behind')}`, { body: { description: 'after' }, headers });
    expect(status).toBe(412);
    expect((await instance.flag(`${home}/behind`)).spec).toEqual({ project: 'shop', stale: true });
  });
});

describe('writing a strategy with If-Match', () => {
  const strategies = { one: { name: 'default', title: 'before' } };
  const of = (name: string) => `${path(name)}/environments/development/strategies`;
  const setUp = (name: string) =>
    instance.apply(aFlag(`${instance.home}/${name}`, { environments: { development: { strategies } } }));

  test.each<[string, string, string, unknown]>([
    ['add', 'POST', '', { name: 'default', title: 'new' }],
    ['overwrite', 'PUT', '/one', { title: 'after' }],
    ['patch', 'PATCH', '/one', [{ op: 'replace', path: '/title', value: 'after' }]],
    ['remove', 'DELETE', '/one', undefined],
    ['order', 'POST', '/set-sort-order', [{ id: 'one', sortOrder: 5 }]],
  ])('%s: done for the present version of the part, though the flag has changed', async (what, method, rest, body) => {
    const name = `part-${what}`;
    await setUp(name);
    const headers = { 'if-match': await etagOf(`GET ${of(name)}${what === 'order' ? '' : rest}`) };
    await instance.call(`PUT ${path(name)}`, { body: { description: 'changed elsewhere' } });
    expect((await instance.call(`${method} ${of(name)}${rest}`, { body, headers })).status).toBe(200);
  });

  test('of callers that have read one version of a strategy, one writes and the others get 412', async () => {
    await setUp('raced-part');
    const one = `${of('raced-part')}/one`;
    const headers = { 'if-match': await etagOf(`GET ${one}`) };
    const answers = await Promise.all(
      ['a', 'b', 'c'].map((title) => instance.call(`PUT ${one}`, { body: { title }, headers })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 412, 412]);
    const winner = answers.find(({ status }) => status === 200);
    expect((await instance.call(`GET ${one}`)).body).toEqual(winner?.body);
  });

  test('404 for a missing strategy and a missing flag, whatever If-Match is', async () => {
    const missing = { status: 404, name: 'NotFoundError', body: {}, headers: { 'if-match': stale } };
    await setUp('missing');
    await instance.refuses(`PUT ${of('missing')}/no-such`, missing);
    await instance.refuses(`PUT ${of('no-such')}/one`, missing);
  });
});
