/** What editions and versions of Unleash say in other forms, and what of it is written. */
import { expect, test } from 'vitest';
import { importServer } from '../../../cli/import/server/import-server.ts';
import { withoutJournal } from '../../../cli/import/server/journal.ts';
import { readServer } from '../../../cli/import/server/read-server.ts';
import { readYaml } from '../../../src/model/yaml/yaml.ts';
import { scriptedFlag, scriptedWorld } from '../../support/scripted-unleash.ts';

const NOW = Date.parse('2026-06-01T00:00:00Z');
const target = {
  namespace: 'shop',
  operatorNamespace: 'vexil-system',
  context: [],
  now: NOW,
  folders: 'projects',
} as const;

async function imported(answers: Readonly<Record<string, unknown>>) {
  const asked: string[] = [];
  const server = {
    address: 'http://unleash.example',
    async get(path: string) {
      asked.push(path);
      return answers[path] ?? answers[path.replace(/\?.*$/, '')];
    },
  };
  const read = await readServer({ server, journal: withoutJournal, onFlag: () => undefined });
  const result = await importServer(read, target);
  const spec = (path: string) => {
    const file = result.files.find((one) => one.path === `${path}.yaml`);
    return file && (readYaml(file.text) as { readonly spec: unknown }).spec;
  };
  return { ...result, asked, spec };
}

test('version 4.19 names environments as text, and has variants and tags beside the flag', async () => {
  const variants = [{ name: 'blue', weight: 1000, weightType: 'variable', stickiness: 'default' }];
  const place = { name: 'default', enabled: true, strategies: [{ name: 'default', parameters: {}, constraints: [] }] };
  const { spec, unmapped } = await imported({
    ...scriptedWorld(['old']),
    '/environments': { environments: [{ name: 'default', type: 'production', sortOrder: 1, enabled: true }] },
    '/projects/shop': { name: 'Shop', environments: ['default'] },
    '/projects/shop/features': { features: [{ name: 'old' }] },
    '/projects/shop/features/old': { name: 'old', type: 'release', environments: [place], variants },
    '/features/old/tags': { tags: [{ type: 'simple', value: 'one' }] },
  });
  expect(unmapped).toEqual([]);
  expect(spec('shop/projects/shop')).toMatchObject({ environments: ['default'] });
  expect(spec('shop/featureflags/old')).toMatchObject({
    project: 'shop',
    tags: ['simple:one'],
    environments: { default: { enabled: true, variants: [{ name: 'blue' }] } },
  });
});

test('newer versions have searches in place of lists', async () => {
  const { '/archive/features': _, '/projects/shop/features': __, ...others } = scriptedWorld(['first', 'second']);
  const page = (offset: number) => `project=IS:shop&limit=100&offset=${offset}`;
  const search = (query: string) => `/search/features?${new URLSearchParams(query)}`;
  const { spec, asked } = await imported({
    ...others,
    [search(page(0))]: { features: [{ name: 'first' }], total: 2 },
    [search(page(1))]: { features: [{ name: 'second' }], total: 2 },
    [search('archived=IS:true&limit=100&offset=0')]: { features: [{ name: 'gone', project: 'shop' }], total: 1 },
  });
  expect(asked.filter((path) => path.startsWith('/search'))).toHaveLength(3);
  expect(spec('shop/featureflags/second')).toMatchObject({ environments: { production: { enabled: true } } });
  expect(spec('shop/featureflags/gone')).toEqual({ project: 'shop', archived: true });
});

test('version 7 has the overview of a project alone; release plans are named', async () => {
  const { '/projects/shop': _, ...others } = scriptedWorld(['planned']);
  const releasePlans = [{ name: 'slowly' }];
  const place = { name: 'production', enabled: true, strategies: [{ name: 'default' }], variants: [], releasePlans };
  const { spec, unmapped } = await imported({
    ...others,
    '/projects/shop/overview': { name: 'The shop', environments: [{ environment: 'production' }] },
    '/projects/shop/features/planned': scriptedFlag('planned', { environments: [place] }),
  });
  expect(spec('shop/projects/shop')).toMatchObject({ displayName: 'The shop', environments: ['production'] });
  expect(unmapped.map(({ path, value }) => [path, value])).toEqual([
    ['flag planned in production: releasePlans', { name: 'slowly' }],
  ]);
});

test.each([
  ['4.19.5', true],
  ['5.11.3', true],
  ['5.12.8', false],
  ['8.2.0', false],
  [undefined, false],
])('version %s: a note about the variants of browsers: %s', async (version, isSaid) => {
  const { notes } = await imported({ ...scriptedWorld([]), '/ui-config': { version } });
  expect(notes.some((note) => note.includes('former hash'))).toBe(isSaid);
});

test('an edition with roles says users, custom roles and members', async () => {
  const { spec, unmapped, notes } = await imported({
    ...scriptedWorld([]),
    '/user-admin': {
      users: [
        { id: 1, username: 'ann', name: 'Ann', email: 'ann@example.com', rootRole: 2 },
        { id: 2, email: 'bob@example.com', rootRole: 3 },
      ],
      rootRoles: [
        { id: 2, name: 'Editor' },
        { id: 3, name: 'Viewer' },
      ],
    },
    '/roles': { roles: [{ id: 7, name: 'Releaser', type: 'custom', description: 'May switch' }] },
    '/roles/7': {
      permissions: [{ name: 'UPDATE_FEATURE_ENVIRONMENT', environment: 'production' }, { name: 'APPROVE' }],
    },
    '/projects/shop/access': {
      users: [
        { id: 1, roleId: 4 },
        { id: 2, roles: [7] },
      ],
      groups: [{ id: 1, name: 'everyone' }],
      roles: [
        { id: 4, name: 'Owner' },
        { id: 7, name: 'Releaser' },
      ],
    },
    '/projects/shop': {
      name: 'Shop',
      environments: [],
      featureNaming: { pattern: 'shop-[a-z]+', example: 'shop-a', description: 'Ours' },
    },
  });
  expect(spec('instance/flagusers/ann')).toEqual({ displayName: 'Ann', email: 'ann@example.com', rootRole: 'Editor' });
  const path = (await imported(scriptedWorld([]))).files.map((file) => file.path);
  expect(path).not.toContain('instance/flagusers/ann.yaml');
  expect(spec('shop/projects/shop')).toMatchObject({
    flagNaming: { pattern: 'shop-[a-z]+', example: 'shop-a' },
    members: { ann: 'owner', 'bob@example.com': 'Releaser' },
  });
  expect(unmapped.map((one) => one.value)).toEqual(['APPROVE', { id: 1, name: 'everyone' }]);
  expect(notes.join()).toContain('2 FlagUsers without subjects');
});

test('tokens keep their values in Secrets alone, whatever their names', async () => {
  const token = (secret: string, more: object = {}) => ({
    ...{ secret, tokenName: 'web app', type: 'client', environment: 'production', projects: ['*'], ...more },
  });
  const values = ['a', 'b', 'c', 'd'].map((letter) => `*:production.${letter.repeat(30)}`);
  const [first = '', second = '', third = '', expired = ''] = values;
  const { files, secrets, unmapped, notes } = await imported({
    ...scriptedWorld([]),
    '/api-tokens': {
      tokens: [
        token(first),
        token(second, { type: 'frontend', projects: ['shop'] }),
        token(third, { type: 'admin', environment: null, tokenName: null, username: 'ops' }),
        token(expired, { expiresAt: '2026-01-01T00:00:00Z' }),
        token('too-short', { tokenName: 'short' }),
      ],
    },
  });
  expect(secrets.map(({ stringData }) => stringData.token).sort()).toEqual([first, second, third]);
  const specs = files
    .filter(({ path }) => path.includes('/apitokens/'))
    .map(({ text }) => readYaml(text) as { spec: object });
  expect(specs.map(({ spec }) => spec)).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ type: 'frontend', environment: 'production', projects: ['shop'] }),
      expect.objectContaining({ type: 'admin' }),
      expect.objectContaining({ type: 'client', environment: 'production' }),
    ]),
  );
  const text = JSON.stringify([files, unmapped, notes]);
  for (const value of [...values, 'too-short']) expect(text).not.toContain(value);
  expect(unmapped.map(({ path }) => path).sort()).toEqual(['tokens/short', 'tokens/web app']);
  expect(notes.join()).toContain('1 admin token,');
});

test('context fields are written as the setting has them; built-in ones only with legal values', async () => {
  const region = { name: 'region', description: 'Where', stickiness: true, legalValues: [{ value: 'eu' }] };
  const { contextFields, notes } = await imported({
    ...scriptedWorld([]),
    '/context': [
      { name: 'userId', description: 'Who', stickiness: true, legalValues: [] },
      { name: 'environment', legalValues: [{ value: 'production', description: 'Ours' }] },
      { ...region, sortOrder: 3, createdAt: null, usedInFeatures: 2 },
    ],
  });
  expect(contextFields).toEqual([
    { name: 'environment', legalValues: [{ value: 'production', description: 'Ours' }] },
    region,
  ]);
  expect(notes.join()).toContain('VEXIL_CONTEXT_FIELDS to contextFields of --output json: environment, region');
});

test('a flag is read once, with its last use', async () => {
  const seen = { name: 'production', enabled: false, strategies: [], variants: [], lastSeenAt: '2026-05-31T10:00:00Z' };
  const { lastSeen, asked } = await imported({
    ...scriptedWorld(['seen']),
    '/projects/shop/features/seen': scriptedFlag('seen', { environments: [seen] }),
  });
  expect(lastSeen).toEqual({ seen: { production: '2026-05-31T10:00:00Z' } });
  expect(asked.filter((path) => path.includes('/features/seen'))).toHaveLength(1);
});
