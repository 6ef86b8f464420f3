/** Flags as manifests: read, shown before a write, and used to resolve a conflict with a GitOps tool. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import type { FlagSpec } from '../../src/schema/feature-flag.ts';
import type { Answer, CallOptions } from '../support/admin-client.ts';
import { aFlag, aProject, type Manifest } from '../support/builders.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import type { Stored } from '../support/stored.ts';
import { type Writers, writersOf } from '../support/written-as.ts';

const GIT = 'kustomize-controller';
const YAML = { headers: { accept: 'application/yaml' } };
const STATUS_ONLY = { lastSeenAt: '2026-01-01T00:00:00Z' };

/** Words that YAML 1.1 reads as another type, and characters that need quotes. */
const words = [
  'yes',
  'no',
  'on',
  'off',
  'y',
  'n',
  '~',
  'null',
  '010',
  '1e3',
  '0x1f',
  '1_000',
  '12:30:45',
  '2001-01-01',
  '=',
  '<<',
  '.inf',
];
const texts = [
  '',
  ' ',
  'a: b',
  '# no comment',
  '- a',
  '!tag',
  '&a',
  '*a',
  '\ttab',
  'two\nlines\n',
  'cr\r\nlf',
  'é\u0085\u2028',
  '"',
  "'",
  '{',
  '[',
  '%',
  '@',
  '`',
  '\u{1f600}',
  'x '.repeat(200),
];
const rich: FlagSpec = {
  type: 'experiment',
  description: `${texts.join('|')}`,
  tags: ['simple:bb', 'simple:aa', ...words.filter(({ length }) => length > 1).map((word) => `word:${word}`)],
  variants: [
    { name: 'blue', payload: { type: 'string', value: 'no' } },
    { name: 'red', weightType: 'fix', weight: 0 },
  ],
  environments: {
    production: {
      enabled: true,
      strategies: {
        on: { name: 'default', title: 'yes', sortOrder: 1 },
        '1e3': {
          name: 'flexibleRollout',
          parameters: {
            rollout: 25,
            groupId: 'n',
            stickiness: 'userId',
            zeroes: '007',
            list: words,
            deep: { no: texts },
          },
          constraints: [{ contextName: 'userId', operator: 'IN', values: words }],
        },
      },
    },
    on: { enabled: false },
    development: { strategies: { all: { name: 'default', disabled: true } }, variants: [{ name: 'y' }] },
  },
};

let instance: Instance;
let writers: Writers;
let home: string;

beforeAll(async () => {
  instance = await startInstance('manifest');
  home = instance.home;
  writers = writersOf(instance.cluster);
  await instance.apply(aFlag(`${home}/rich`, rich));
});
afterAll(async () => {
  writers.close();
  await instance.stop();
});

const path = (name: string) => `/projects/shop/features/${name}`;
const manifestOf = (name: string, query = ''): Promise<Answer> => instance.call(`GET ${path(name)}${query}`, YAML);
const kubectlApply = (input: string, ...args: string[]) =>
  instance.cluster.kubectlOrThrow(['apply', ...args, '-f', '-'], { input });

describe('GET with Accept: application/yaml', () => {
  test('is the same flag when it is applied in an empty namespace', async () => {
    const { status, headers, text } = await manifestOf('rich');
    expect([status, headers.get('content-type')]).toEqual([200, 'application/yaml; charset=utf-8']);
    expect(headers.get('vary')).toContain('Accept');
    const empty = await instance.cluster.freshNamespace('manifest-empty');
    await kubectlApply(text.replace(`namespace: ${home}`, `namespace: ${empty}`));
    const { spec } = await instance.cluster.getObject('ff/rich', empty);
    const original = (await instance.flag(`${home}/rich`)).spec;
    const sorted = { ...original, tags: original.tags.toSorted() };
    expect(spec).toEqual(sorted);
    expect(parse(text)).toEqual({
      apiVersion: 'vexil.dev/v1beta1',
      kind: 'FeatureFlag',
      metadata: { name: 'rich', namespace: home },
      spec: sorted,
    });
  });

  test('a second answer is equal byte for byte, also after writes that do not change the spec', async () => {
    const before = await manifestOf('rich');
    await instance.cluster.patchObject('ff/rich/status', home, { status: STATUS_ONLY });
    await instance.cluster.patchObject('ff/rich', home, { metadata: { annotations: { a: 'b' } } });
    await instance.call(`PUT ${path('rich')}`, { body: { type: 'experiment', description: 'other' } });
    await instance.call(`PUT ${path('rich')}`, { body: { type: 'experiment', description: rich.description } });
    await instance.call('PUT /features/rich/tags', { body: { removedTags: [{ type: 'simple', value: 'bb' }] } });
    await instance.call('PUT /features/rich/tags', { body: { addedTags: [{ type: 'simple', value: 'bb' }] } });
    const after = await manifestOf('rich');
    expect(after.text).toBe(before.text);
    expect(after.headers.get('etag')).toBe(before.headers.get('etag'));
    const fresh = await instance.call(`GET ${path('rich')}`, {
      headers: { ...YAML.headers, 'if-none-match': after.headers.get('etag') ?? '' },
    });
    expect(fresh.status).toBe(304);
  });

  test.each([
    ['application/json', 'application/json'],
    ['*/*', 'application/json'],
    ['application/json, application/yaml', 'application/json'],
    ['application/yaml, application/json;q=0.5', 'application/yaml'],
    ['text/html', 'application/json'],
  ])('Accept: %s is answered with %s', async (accept, type) => {
    const { headers } = await instance.call(`GET ${path('rich')}`, { headers: { accept } });
    expect(headers.get('content-type')).toBe(`${type}; charset=utf-8`);
  });

  test('the fields of Git, those of users, and both', async () => {
    const manifest: Manifest = aFlag(`${home}/shared`, {
      description: 'd',
      tags: ['simple:git'],
      environments: { production: { strategies: { one: { name: 'default', title: 't' } } } },
    });
    await writers.apply(GIT, manifest);
    await instance.judged(manifest);
    const person: FlagSpec = {
      stale: true,
      tags: ['simple:person'],
      environments: { production: { enabled: true, strategies: { one: { name: 'default', sortOrder: 3 } } } },
    };
    await writers.apply('kubectl', aFlag(`${home}/shared`, person));
    await instance.flag(`${home}/shared`);
    const specOf = async (query: string) => parse((await manifestOf('shared', query)).text).spec;
    await expect.poll(() => specOf('?owned=people')).toEqual({ ...person, project: 'shop' });
    expect(await specOf('?owned=git')).toEqual(manifest.spec);
    const all = {
      ...manifest.spec,
      stale: true,
      tags: ['simple:git', 'simple:person'],
      environments: {
        production: { enabled: true, strategies: { one: { name: 'default', title: 't', sortOrder: 3 } } },
      },
    };
    expect([await specOf(''), await specOf('?owned=all')]).toEqual([all, all]);
    for (const owned of ['me', '', 'Git']) expect((await manifestOf('shared', `?owned=${owned}`)).status).toBe(400);
  });

  test('another part of the flag than the manifest, and a missing flag', async () => {
    const { headers } = await instance.call(`GET ${path('rich')}/variants`, YAML);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect((await manifestOf('no-such')).body.name).toBe('NotFoundError');
  });
});

describe('a dry run with Accept: application/yaml', () => {
  const strategies = { one: { name: 'default' } };

  test.each<[string, unknown, FlagSpec]>([
    ['POST $/environments/production/on', undefined, { environments: { production: { enabled: true, strategies } } }],
    ['PUT $', { description: 'new' }, { description: 'new' }],
    ['DELETE $', undefined, { archived: true }],
    ['PUT $/variants', [{ name: 'red' }], { variants: [{ name: 'red' }] }],
  ])('%s answers with the resulting flag, and writes nothing', async (request, body, change) => {
    const name = `preview-${request.split(' ')[0]?.toLowerCase()}-${request.length}`;
    const spec: FlagSpec = { description: 'd', environments: { production: { strategies } } };
    await instance.apply(aFlag(`${home}/${name}`, spec));
    const call = `${request.replace('$', path(name))}?dryRun=true`;
    const options: CallOptions = { ...YAML, ...(body !== undefined && { body }) };
    const { status, headers, text } = await instance.untouched(call, options);
    expect([status < 300, headers.get('content-type')], text).toEqual([true, 'application/yaml; charset=utf-8']);
    const manifest = parse(text);
    expect(manifest.spec).toMatchObject({ project: 'shop', ...change });
    // The write does what the preview showed.
    await instance.call(request.replace('$', path(name)), options);
    expect((await instance.flag(`${home}/${name}`)).spec).toEqual(manifest.spec);
  });

  test('of a new flag, and of several', async () => {
    const created = await instance.untouched('POST /projects/shop/features?dryRun=true', {
      ...YAML,
      body: { name: 'New.Flag' },
    });
    expect([created.status, parse(created.text).spec]).toEqual([201, { name: 'New.Flag', project: 'shop' }]);
    await instance.apply(aFlag(`${home}/several-1`), aFlag(`${home}/several-2`));
    const body = { features: ['several-1', 'several-2'], stale: true };
    const { text } = await instance.untouched('POST /projects/shop/stale?dryRun=true', { ...YAML, body });
    const specs = parseAllDocuments(text).map((document) => document.toJS().spec.stale);
    expect(specs).toEqual([true, true]);
  });

  test('a real write is answered as usual', async () => {
    const { headers } = await instance.call(`PUT ${path('several-1')}`, { ...YAML, body: { description: 'd' } });
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  });
});

describe('409 FieldManagedError has the change for its source', () => {
  const strategies = {
    one: { name: 'default', title: 't', sortOrder: 0 },
    two: { name: 'default', sortOrder: 1 },
  };
  const owned: FlagSpec = {
    description: 'd',
    tags: ['simple:git', 'simple:other'],
    variants: [{ name: 'blue' }],
    environments: { production: { enabled: true, strategies }, development: { strategies } },
  };
  const one = '/environments/production/strategies/one';

  test.each<[string, string, unknown]>([
    ['the switch', 'POST $/environments/production/off', undefined],
    ['a strategy that goes', `DELETE $${one}`, undefined],
    ['a field beside one of a person', `PUT $${one}`, { name: 'default', title: 'new', constraints: [] }],
    ['an order', 'POST $/environments/production/strategies/set-sort-order', [{ id: 'one', sortOrder: 7 }]],
    ['a list', 'PUT $/variants', [{ name: 'red' }, { name: 'green' }]],
    [
      'an entry of a set',
      'PUT /features/NAME/tags',
      { addedTags: [{ type: 'simple', value: 'new' }], removedTags: [{ type: 'simple', value: 'git' }] },
    ],
    ['metadata', 'PUT $', { description: 'new', type: 'experiment' }],
    ['the archive', 'DELETE $', undefined],
  ])('%s: after its manager has applied it, the flag is as requested', async (what, template, body) => {
    const name = what.replaceAll(' ', '-');
    const manifest = aFlag(`${home}/${name}`, what === 'the archive' ? { ...owned, archived: false } : owned);
    await writers.apply(GIT, manifest);
    await writers.merge('kubectl-edit', manifest, { stale: true });
    await instance.judged(manifest);
    const request = template.replace('$', path(name)).replace('NAME', name);
    const options = body === undefined ? {} : { body };
    const wanted = parse((await instance.call(`${request}?dryRun=true&force=true`, { ...options, ...YAML })).text).spec;
    const refused = await instance.untouched(request, options);
    expect([refused.status, refused.body.name], refused.text).toEqual([409, 'FieldManagedError']);
    const [source, ...others] = refused.body.sources;
    expect([source.manager, source.operation, others]).toEqual([GIT, 'Apply', []]);

    const patched = await writers.merge('a-test', manifest, source.mergePatch.spec);
    expect(inOrder(patched.spec), 'by the merge patch').toEqual(inOrder(wanted));
    await writers.apply(GIT, manifest);

    const stored = await writers.apply(GIT, parse(source.yaml));
    expect(inOrder(stored.spec), 'by the manifest').toEqual(inOrder(wanted));
  });

  test('the patch has no fields of other writes, and no manager that owns none of them', async () => {
    await writers.apply(GIT, aFlag(`${home}/two-tools`, { description: 'd', tags: ['simple:git'] }));
    await writers.apply('argocd-controller', aFlag(`${home}/two-tools`, { stale: false }));
    await instance.flag(`${home}/two-tools`);
    const { body } = await instance.untouched(`PUT ${path('two-tools')}`, { body: { description: 'new' } });
    expect(body.sources.map(({ manager }: Stored) => manager)).toEqual([GIT]);
    expect(body.sources[0].mergePatch).toEqual({ spec: { description: 'new' } });
    expect(parse(body.sources[0].yaml).spec).toEqual({ project: 'shop', description: 'new', tags: ['simple:git'] });
  });

  test('a manifest that is too long is left out, and the patch stays', async () => {
    const value = 'x'.repeat(40_000);
    const manifest = aFlag(`${home}/long`, {
      description: 'd',
      variants: [{ name: 'v', payload: { type: 'string', value } }],
    });
    await writers.apply(GIT, manifest);
    await instance.judged(manifest);
    const { body } = await instance.untouched(`PUT ${path('long')}`, { body: { description: 'new' } });
    expect(body.sources).toEqual([{ manager: GIT, operation: 'Apply', mergePatch: { spec: { description: 'new' } } }]);
  });

  test('of another kind', async () => {
    const manifest = aProject(`${home}/git`, { displayName: 'Git', environments: ['production'] });
    await writers.apply(GIT, manifest);
    await instance.judged(manifest);
    const { body } = await instance.untouched('PUT /projects/git', { body: { name: 'New' } });
    expect(parse(body.sources[0].yaml)).toMatchObject({
      kind: 'Project',
      spec: { displayName: 'New', environments: ['production'] },
    });
  });
});

/** Sorts the sets of a spec. */
function inOrder(spec: Stored): Stored {
  return { ...spec, tags: spec.tags?.toSorted() };
}
