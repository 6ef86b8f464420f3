/** PUT and PATCH …/variants: the variants of a flag, for all environments at once. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FlagSpec } from '../../src/schema/feature-flag.ts';
import { anyVariants } from '../support/any-variants.ts';
import { aFlag } from '../support/builders.ts';
import { type Instance, startInstance } from '../support/instance.ts';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance('variants');
});
afterAll(() => instance.stop());

const path = (name: string) => `/projects/shop/features/${name}/variants`;
const put = (name: string, body: unknown) => instance.call(`PUT ${path(name)}`, { body });
const patch = (name: string, ...body: readonly object[]) => instance.call(`PATCH ${path(name)}`, { body });
const get = async (name: string) => (await instance.call(`GET ${path(name)}`)).body;
const have = (name: string, spec: FlagSpec = {}) => instance.apply(aFlag(`${instance.home}/${name}`, spec));
const specOf = async (name: string) => (await instance.flag(`${instance.home}/${name}`)).spec;

const weights = (variants: readonly { name: string; weight: number }[]) =>
  variants.map(({ name, weight }) => [name, weight]);

describe('PUT', () => {
  beforeAll(() => have('weighed', { variants: [{ name: 'before' }] }));

  test.each<[string, object[], [string, number][]]>([
    ['one variable variant has everything', [{ name: 'a', weightType: 'variable', weight: 1 }], [['a', 1000]]],
    [
      'three variable variants have 334, 333 and 333: what does not divide goes to the first in the order sent',
      [{ name: 'c' }, { name: 'a' }, { name: 'b' }],
      [
        ['a', 333],
        ['b', 333],
        ['c', 334],
      ],
    ],
    [
      'fixed weights stay, variable ones share the rest, whatever weight was sent for them',
      [
        { name: 'f', weightType: 'fix', weight: 100 },
        { name: 'a', weightType: 'variable', weight: 900 },
        { name: 'b', weightType: 'variable', weight: 5 },
      ],
      [
        ['a', 450],
        ['b', 450],
        ['f', 100],
      ],
    ],
    [
      'a fixed weight of 0 is one',
      [{ name: 'f', weightType: 'fix', weight: 0 }, { name: 'a' }],
      [
        ['a', 1000],
        ['f', 0],
      ],
    ],
    [
      'fixed weights of 999 leave 1',
      [{ name: 'f', weightType: 'fix', weight: 999 }, { name: 'a' }, { name: 'b' }],
      [
        ['a', 1],
        ['b', 0],
        ['f', 999],
      ],
    ],
    ['without weightType a variant is variable', [{ name: 'a', weight: 3 }], [['a', 1000]]],
    ['no variants', [], []],
  ])('%s', async (_, body, wanted) => {
    expect(weights((await put('weighed', body)).body.variants)).toEqual(wanted);
    expect(weights((await get('weighed')).variants)).toEqual(wanted);
  });

  test('payload and overrides are kept as they were sent', async () => {
    await have('kept');
    const kept = {
      name: 'a',
      payload: { type: 'json', value: '{ "colour": "#00f" }' },
      overrides: [{ contextName: 'userId', values: ['2', '1'] }],
    };
    expect((await put('kept', [kept])).body.variants).toMatchObject([kept]);
    expect((await get('kept')).variants).toMatchObject([kept]);
    expect((await specOf('kept')).variants).toEqual([kept]);
  });

  test('the stored list is the sent one, in its order; a weight without effect is not stored', async () => {
    await have('stored');
    await put('stored', [
      { name: 'b', weightType: 'variable', weight: 500, stickiness: 'default', overrides: [], payload: null },
      { name: 'a', weight: 500 },
      { name: 'c', weightType: 'fix', weight: 10 },
    ]);
    expect(await specOf('stored')).toEqual({
      project: 'shop',
      variants: [
        { name: 'b', weightType: 'variable', stickiness: 'default', overrides: [] },
        { name: 'a' },
        { name: 'c', weightType: 'fix', weight: 10 },
      ],
    });
  });

  test('the lists of environments are removed in the same write, and nothing else is', async () => {
    const production = { enabled: true, strategies: { all: { name: 'default' } } };
    const spec: FlagSpec = {
      description: 'kept',
      tags: ['simple:kept'],
      variants: [{ name: 'a' }],
      environments: { production: { ...production, variants: [{ name: 'own' }] }, development: { variants: [] } },
    };
    await have('everywhere', spec);
    const before = await instance.flag(`${instance.home}/everywhere`);
    await put('everywhere', [{ name: 'b' }]);
    const after = await instance.flag(`${instance.home}/everywhere`);
    expect(after.metadata.generation).toBe(before.metadata.generation + 1);
    const environments = { production, development: {} };
    expect(after.spec).toEqual({ ...before.spec, variants: [{ name: 'b' }], environments });
    const { body } = await instance.call('GET /projects/shop/features/everywhere?variantEnvironments=true');
    for (const environment of body.environments) expect(weights(environment.variants)).toEqual([['b', 1000]]);
  });

  test('an unchanged list writes nothing, in any form', async () => {
    await have('same', { variants: [{ name: 'a', payload: { type: 'string', value: 'x' } }, { name: 'b' }] });
    const { variants } = await get('same');
    const { status, body } = await instance.untouched(`PUT ${path('same')}`, { body: variants });
    expect([status, body.variants]).toEqual([200, variants]);
    await have('same-none');
    expect((await instance.untouched(`PUT ${path('same-none')}`, { body: [] })).status).toBe(200);
  });

  test('fields that the caller leaves unchanged keep the form in which Git wrote them', async () => {
    const git = { name: 'a', weightType: 'variable', weight: 500 } as const;
    await have('words', { variants: [git, { name: 'b' }] });
    const { variants } = await get('words');
    await put('words', [...variants, { name: 'c' }]);
    expect((await specOf('words')).variants).toEqual([git, { name: 'b' }, { name: 'c' }]);
    await put('words', [{ ...variants[0], stickiness: 'userId' }]);
    expect((await specOf('words')).variants).toEqual([{ ...git, stickiness: 'userId' }]);
  });

  test('two simultaneous callers: one list or the other, never a mixture', async () => {
    await have('contended');
    const lists = ['a', 'b', 'c'].map((name) => [{ name: `${name}1` }, { name: `${name}2` }]);
    const answers = await Promise.all(lists.map((list) => put('contended', list)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(lists).toContainEqual((await specOf('contended')).variants);
  });
});

describe('PATCH', () => {
  const variants = [{ name: 'c' }, { name: 'a' }, { name: 'b' }];

  beforeAll(async () => {
    await have('patched');
    await have('quiet', { variants, environments: { production: { variants: [{ name: 'a' }] } } });
  });

  test.each<[string, object[], [string, number][]]>([
    [
      'remove',
      [{ op: 'remove', path: '/0' }],
      [
        ['b', 500],
        ['c', 500],
      ],
    ],
    [
      'replace of a whole variant',
      [{ op: 'replace', path: '/2', value: { name: 'z' } }],
      [
        ['a', 334],
        ['b', 333],
        ['z', 333],
      ],
    ],
    [
      'replace of a field',
      [
        { op: 'replace', path: '/1/weightType', value: 'fix' },
        { op: 'replace', path: '/1/weight', value: 500 },
      ],
      [
        ['a', 250],
        ['b', 500],
        ['c', 250],
      ],
    ],
    [
      'a variable variant made fix keeps the weight that it showed',
      [{ op: 'replace', path: '/0/weightType', value: 'fix' }],
      [
        ['a', 333],
        ['b', 334],
        ['c', 333],
      ],
    ],
    [
      'move decides who gets what does not divide',
      [{ op: 'move', from: '/1', path: '/0' }],
      [
        ['a', 333],
        ['b', 334],
        ['c', 333],
      ],
    ],
    [
      'add at the end, and a copy under another name',
      [
        { op: 'add', path: '/-', value: { name: 'd' } },
        { op: 'copy', from: '/3', path: '/-' },
        { op: 'replace', path: '/4/name', value: 'e' },
      ],
      [
        ['a', 200],
        ['b', 200],
        ['c', 200],
        ['d', 200],
        ['e', 200],
      ],
    ],
  ])('%s', async (_, operations, wanted) => {
    await put('patched', variants);
    const { body } = await patch('patched', ...operations);
    expect(weights(body.variants)).toEqual(wanted);
    expect(await get('patched')).toEqual(body);
  });

  test('on a list together with lists of environments: the answered list is patched, and then applies everywhere', async () => {
    await have('united', {
      variants: [{ name: 'a', weightType: 'fix', weight: 100 }, { name: 'b' }],
      environments: { production: { variants: [{ name: 'p' }, { name: 'a' }] } },
    });
    const shown = await get('united');
    expect(shown.variants.map(({ name }: { name: string }) => name)).toEqual(['a', 'b', 'p']);
    expect(shown.variants).toEqual((await instance.call('GET /projects/shop/features/united')).body.variants);
    await patch('united', { op: 'remove', path: '/1' });
    expect((await specOf('united')).environments).toEqual({ production: {} });
    expect(weights((await get('united')).variants)).toEqual([
      ['a', 100],
      ['p', 900],
    ]);
  });

  test.each<[string, object[]]>([
    ['no operations', []],
    [
      'operations that cancel each other',
      [
        { op: 'add', path: '/0', value: {} },
        { op: 'remove', path: '/0' },
      ],
    ],
    ['what already is', [{ op: 'replace', path: '/0/stickiness', value: 'default' }]],
    ['the weight of a variable variant', [{ op: 'replace', path: '/0/weight', value: 1 }]],
  ])('%s: 200, and nothing is written, neither the order nor lists of environments', async (_, body) => {
    const before = await get('quiet');
    const answer = await instance.untouched(`PATCH ${path('quiet')}`, { body });
    expect([answer.status, answer.body]).toEqual([200, before]);
  });
});

describe('GET', () => {
  test('a flag without variants has none', async () => {
    await have('bare');
    expect(await get('bare')).toEqual({ version: '1', variants: [] });
  });

  test('404 for a flag that is archived, does not exist, or is in another project', async () => {
    await have('gone', { archived: true, variants: [{ name: 'a' }] });
    for (const request of [path('gone'), path('no-such'), '/projects/pay/features/bare/variants']) {
      await instance.refuses(`GET ${request}`, { status: 404, name: 'NotFoundError' });
    }
  });
});

describe('versions', () => {
  const body = [{ name: 'new' }];
  const operations = [{ op: 'add', path: '/-', value: { name: 'new' } }];

  test('dryRun has the answer of a write, and writes nothing', async () => {
    await have('dry', { variants: [{ name: 'a' }] });
    const replaced = await instance.untouched(`PUT ${path('dry')}?dryRun=true`, { body });
    expect(weights(replaced.body.variants)).toEqual([['new', 1000]]);
    const patched = await instance.untouched(`PATCH ${path('dry')}?dryRun=true`, { body: operations });
    expect(weights(patched.body.variants)).toEqual([
      ['a', 500],
      ['new', 500],
    ]);
    const broken = [{ name: 'f', weightType: 'fix', weight: 1 }];
    await instance.refuses(`PUT ${path('dry')}?dryRun=true`, { status: 400, name: 'ValidationError', body: broken });
  });

  test.each([
    ['PUT', body],
    ['PATCH', operations],
  ])('%s with If-Match: the ETag of the flag or of its variants, otherwise 412', async (method, sent) => {
    const name = `matched-${method.toLowerCase()}`;
    await have(name);
    const request = `${method} ${path(name)}`;
    const stale = { 'if-match': '"stale"' };
    const failed = { status: 412, name: 'PreconditionFailedError', body: sent };
    await instance.refuses(request, { ...failed, headers: stale });
    for (const read of [`GET ${path(name)}`, `GET /projects/shop/features/${name}`]) {
      const headers = { 'if-match': (await instance.call(read)).headers.get('etag') ?? '' };
      expect((await instance.call(`${request}?dryRun=true`, { body: sent, headers })).status).toBe(200);
    }
    const headers = { 'if-match': (await instance.call(`GET ${path(name)}`)).headers.get('etag') ?? '' };
    expect((await instance.call(request, { body: sent, headers })).status).toBe(200);
    await instance.refuses(request, { ...failed, headers });
  });
});

/** The weights of any list: test/unit/domain/flag/variants-properties.test.ts. */
test.each(['variants', 'environments/production/variants'])(
  'PUT …/%s answers all that was sent of any list',
  async (rest) => {
    await have('any');
    const request = `/projects/shop/features/any/${rest}`;
    await fc.assert(
      fc.asyncProperty(anyVariants(80), async (sent) => {
        const { status, body, text } = await instance.call(`PUT ${request}`, { body: sent });
        expect(status, text).toBe(200);
        expect((await instance.call(`GET ${request}`)).body).toEqual(body);
        const total = body.variants.reduce((sum: number, { weight }: { weight: number }) => sum + weight, 0);
        expect(total).toBe(sent.length === 0 ? 0 : 1000);
        const byName = new Map(body.variants.map((one: { name: string }) => [one.name, one]));
        expect(byName.size).toBe(sent.length);
        for (const { weight, ...said } of sent) {
          expect(byName.get(said.name)).toMatchObject(said.weightType === 'fix' ? { ...said, weight } : said);
        }
      }),
      { seed: 15, numRuns: 4 },
    );
  },
);
