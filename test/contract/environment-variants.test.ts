/** …/environments/:environment/variants and …/variants-batch: the variants of a flag in some environments. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FlagSpec } from '../../src/schema/feature-flag.ts';
import { aFlag, anEnvironment, aProject } from '../support/builders.ts';
import { type Instance, startInstance } from '../support/instance.ts';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance('environment-variants');
  const { home } = instance;
  await instance.apply(
    anEnvironment(`${home}/staging`, { sortOrder: 3 }),
    aProject(`${home}/narrow`, { environments: ['development', 'production'] }),
    aFlag(`${home}/narrow-flag`, { project: 'narrow' }),
    aFlag(`${home}/stowed`, { archived: true }),
    aFlag(`${home}/plain`),
  );
});
afterAll(() => instance.stop());

const flagPath = (name: string) => `/projects/shop/features/${name}`;
const path = (name: string, environment = 'production') => `${flagPath(name)}/environments/${environment}/variants`;
const put = (name: string, body: unknown) => instance.call(`PUT ${path(name)}`, { body });
const patch = (name: string, ...body: readonly object[]) => instance.call(`PATCH ${path(name)}`, { body });
const have = (name: string, spec: FlagSpec = {}) => instance.apply(aFlag(`${instance.home}/${name}`, spec));
const specOf = async (name: string) => (await instance.flag(`${instance.home}/${name}`)).spec;

/** Name and weight of what GET shows in an environment. */
const shown = async (name: string, environment?: string) => {
  const { body } = await instance.call(`GET ${path(name, environment)}`);
  expect(body.version).toBe('1');
  return body.variants.map((one: { name: string; weight: number }) => [one.name, one.weight]);
};

describe('GET', () => {
  test('the list of the environment if it has one, even an empty one; otherwise the list of the flag', async () => {
    await have('read', {
      variants: [{ name: 'b' }, { name: 'a' }],
      environments: { production: { variants: [{ name: 'p' }] }, staging: { variants: [] } },
    });
    expect(await shown('read', 'production')).toEqual([['p', 1000]]);
    expect(await shown('read', 'staging')).toEqual([]);
    expect(await shown('read', 'development')).toEqual([
      ['a', 500],
      ['b', 500],
    ]);
  });
});

describe('PUT', () => {
  test('one environment gets its own list; all others keep theirs', async () => {
    const variants = [{ name: 'a' }];
    await have('alone', { variants, environments: { staging: { variants: [{ name: 's' }] } } });
    const { status, body } = await put('alone', [{ name: 'y' }, { name: 'x', weightType: 'fix', weight: 1 }]);
    expect(status).toBe(200);
    expect(body).toEqual((await instance.call(`GET ${path('alone')}`)).body);
    expect(await shown('alone')).toEqual([
      ['x', 1],
      ['y', 999],
    ]);
    expect(await shown('alone', 'development')).toEqual([['a', 1000]]);
    expect(await shown('alone', 'staging')).toEqual([['s', 1000]]);
    expect(await specOf('alone')).toEqual({
      project: 'shop',
      variants,
      environments: {
        staging: { variants: [{ name: 's' }] },
        production: { variants: [{ name: 'y' }, { name: 'x', weightType: 'fix', weight: 1 }] },
      },
    });
  });

  test('the empty list is a list: no variants in this environment', async () => {
    await have('emptied', { variants: [{ name: 'a' }] });
    expect((await put('emptied', [])).body).toEqual({ version: '1', variants: [] });
    expect(await shown('emptied')).toEqual([]);
    expect(await shown('emptied', 'development')).toEqual([['a', 1000]]);
    expect((await specOf('emptied')).environments).toEqual({ production: { variants: [] } });
    expect((await instance.untouched(`PUT ${path('emptied')}`, { body: [] })).status).toBe(200);
  });

  test('the list of the flag, set for one environment, stays there when the list of the flag changes', async () => {
    await have('pinned', { variants: [{ name: 'a' }] });
    await put('pinned', [{ name: 'a' }]);
    expect((await specOf('pinned')).environments).toEqual({ production: { variants: [{ name: 'a' }] } });
    expect((await instance.untouched(`PUT ${path('pinned')}`, { body: [{ name: 'a' }] })).status).toBe(200);
  });

  test('the switch and the strategies of the environment stay', async () => {
    const production = { enabled: true, strategies: { all: { name: 'default' } } };
    await have('switched', { environments: { production } });
    await put('switched', [{ name: 'a' }]);
    const { environments } = await specOf('switched');
    expect(environments).toEqual({ production: { ...production, variants: [{ name: 'a' }] } });
  });

  test('PUT for all environments at once removes the list again', async () => {
    await have('overruled', { variants: [{ name: 'a' }], environments: { production: { variants: [{ name: 'p' }] } } });
    await instance.call(`PUT ${flagPath('overruled')}/variants`, { body: [{ name: 'a' }] });
    expect(await shown('overruled')).toEqual([['a', 1000]]);
    expect(await specOf('overruled')).toEqual({
      project: 'shop',
      variants: [{ name: 'a' }],
      environments: { production: {} },
    });
  });
});

describe('PATCH', () => {
  test('applies to the list of the environment', async () => {
    await have('own', { variants: [{ name: 'a' }], environments: { production: { variants: [{ name: 'p' }] } } });
    const { status, body } = await patch('own', { op: 'add', path: '/0', value: { name: 'o' } });
    expect(status).toBe(200);
    expect(body).toEqual((await instance.call(`GET ${path('own')}`)).body);
    expect(await shown('own')).toEqual([
      ['o', 500],
      ['p', 500],
    ]);
    expect((await specOf('own')).variants).toEqual([{ name: 'a' }]);
  });

  test('applies to the list of the flag, which becomes the environment’s own', async () => {
    const payload = { type: 'string', value: 'v' } as const;
    await have('inherited', { variants: [{ name: 'a', payload }, { name: 'b' }] });
    await patch('inherited', { op: 'remove', path: '/1' });
    expect(await specOf('inherited')).toEqual({
      project: 'shop',
      variants: [{ name: 'a', payload }, { name: 'b' }],
      environments: { production: { variants: [{ name: 'a', payload }] } },
    });
  });

  test('a change without effect writes nothing, and creates no list', async () => {
    await have('quiet', { variants: [{ name: 'b' }, { name: 'a' }] });
    for (const body of [[], [{ op: 'replace', path: '/0/weight', value: 7 }]]) {
      expect((await instance.untouched(`PATCH ${path('quiet')}`, { body })).status).toBe(200);
    }
  });
});

describe('variants-batch', () => {
  const batch = (name: string) => `PUT ${flagPath(name)}/variants-batch`;

  test('the same list for some environments, in one write', async () => {
    await have('batched', { variants: [{ name: 'a' }], environments: { staging: { variants: [{ name: 's' }] } } });
    const before = await instance.flag(`${instance.home}/batched`);
    const body = { variants: [{ name: 'n' }], environments: ['staging', 'production', 'staging'] };
    const answer = await instance.call(batch('batched'), { body });
    expect([answer.status, answer.body]).toEqual([200, (await instance.call(`GET ${path('batched')}`)).body]);
    const after = await instance.flag(`${instance.home}/batched`);
    expect(after.metadata.generation).toBe(before.metadata.generation + 1);
    const { variants } = body;
    expect(after.spec).toEqual({ ...before.spec, environments: { staging: { variants }, production: { variants } } });
    expect(await shown('batched', 'development')).toEqual([['a', 1000]]);
  });

  test.each<[string, object, string[]]>([
    ['no environments', { variants: [], environments: [] }, ['`environments`', '[]']],
    ['environments left out', { variants: [] }, ['`environments`', 'required']],
    ['variants left out', { environments: ['production'] }, ['`variants`', 'required']],
    ['more', { variants: [], environments: ['production'], overwrite: true }, ['overwrite']],
    [
      'a rule broken',
      { variants: [{ name: 'a' }, { name: 'a' }], environments: ['production'] },
      ['`variants.1.name`', '"a"'],
    ],
  ])('400 for %s', async (_, body, words) => {
    const message = await instance.refuses(batch('plain'), { status: 400, name: 'ValidationError', body });
    for (const word of words) expect(message).toContain(word);
  });

  test('404 if one of the environments is missing, and nothing is written in the others', async () => {
    const body = { variants: [{ name: 'a' }], environments: ['production', 'no-such'] };
    const message = await instance.refuses(batch('plain'), { status: 404, name: 'NotFoundError', body });
    expect(message).toContain('"no-such"');
  });
});

const writes: readonly (readonly [string, string, unknown])[] = [
  ['PUT', '/environments/production/variants', [{ name: 'x' }]],
  ['PATCH', '/environments/production/variants', [{ op: 'add', path: '/-', value: { name: 'x' } }]],
  ['PUT', '/variants-batch', { variants: [{ name: 'x' }], environments: ['production'] }],
];

describe.each(writes)('%s …%s', (method, rest, body) => {
  const slug = `${method}-${rest.slice(-5)}`.toLowerCase();

  test('404 for an unknown environment and for one that the project does not use', async () => {
    for (const environment of ['no-such', 'staging']) {
      const request = `${method} /projects/narrow/features/narrow-flag${rest.replace('production', environment)}`;
      const sent = JSON.parse(JSON.stringify(body).replace('production', environment));
      const message = await instance.refuses(request, { status: 404, name: 'NotFoundError', body: sent });
      expect(message).toContain(`"${environment}"`);
      const read = `/projects/narrow/features/narrow-flag/environments/${environment}/variants`;
      await instance.refuses(`GET ${read}`, { status: 404, name: 'NotFoundError' });
    }
  });

  test('404 for an unknown flag and another project, 400 ArchivedFeatureError for an archived flag', async () => {
    const missing = { status: 404, name: 'NotFoundError', body };
    await instance.refuses(`${method} ${flagPath('no-such')}${rest}`, missing);
    await instance.refuses(`${method} /projects/pay/features/stowed${rest}`, missing);
    const archived = { status: 400, name: 'ArchivedFeatureError', body };
    await instance.refuses(`${method} ${flagPath('stowed')}${rest}`, archived);
    await instance.refuses(`GET ${path('stowed')}`, { status: 404, name: 'NotFoundError' });
  });

  test('dryRun writes nothing; If-Match accepts the ETag of the list in the environment or of the flag, otherwise 412', async () => {
    await have(`versions-${slug}`);
    const request = `${method} ${flagPath(`versions-${slug}`)}${rest}`;
    const dry = await instance.untouched(`${request}?dryRun=true`, { body });
    expect([dry.status, dry.body.variants.length]).toEqual([200, 1]);
    const failed = { status: 412, name: 'PreconditionFailedError', body };
    await instance.refuses(request, { ...failed, headers: { 'if-match': '"stale"' } });
    for (const read of [path(`versions-${slug}`), flagPath(`versions-${slug}`)]) {
      const headers = { 'if-match': (await instance.call(`GET ${read}`)).headers.get('etag') ?? '' };
      expect((await instance.call(`${request}?dryRun=true`, { body, headers })).status).toBe(200);
    }
    const headers = { 'if-match': (await instance.call(`GET ${path(`versions-${slug}`)}`)).headers.get('etag') ?? '' };
    expect((await instance.call(request, { body, headers })).status).toBe(200);
    await instance.refuses(request, { ...failed, headers });
  });
});

describe('400, naming the property and the value', () => {
  const names = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `v${index}` }));

  test.each<[string, object[], string[]]>([
    ['no variable variant', [{ name: 'f', weightType: 'fix', weight: 7 }], ['weightType variable', '"weight":7']],
    ['fixed weights of 1000', [{ name: 'f', weightType: 'fix', weight: 1000 }, { name: 'a' }], ['You sent 1000.']],
    ['a name twice', [{ name: 'a' }, { name: 'a' }], ['`1.name`', '"a"']],
    ['a fraction of a thousandth', [{ name: 'a', weight: 0.1 }], ['`0.weight`', '0.1']],
    ['more than 80 variants', names(81), ['not have more than 80 entries', 'You sent 81.']],
  ])('%s', async (_, body, words) => {
    const message = await instance.refuses(`PUT ${path('plain')}`, { status: 400, name: 'ValidationError', body });
    for (const word of words) expect(message).toContain(word);
  });

  test('a patch that makes a list of the flag too long for an environment', async () => {
    await have('crowded', { variants: names(80) });
    const body = [{ op: 'add', path: '/-', value: { name: 'one-more' } }];
    const refused = { status: 400, name: 'ValidationError', body };
    expect(await instance.refuses(`PATCH ${path('crowded')}`, refused)).toContain('not have more than 80 entries');
    expect((await instance.call(`PATCH ${flagPath('crowded')}/variants`, { body })).status).toBe(200);
  });
});
