/** Which users see e-mail addresses in the history, find entries by them, and learn which users exist. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { createAccount, type Rule } from '../support/account.ts';
import { type Answer, adminClient } from '../support/admin-client.ts';
import { aFlag, aProject, aRole, aUser, type Manifest } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { grantReviews } from '../support/operator-roles.ts';
import { type RecordingInstance, startRecordingInstance } from '../support/recording-instance.ts';
import { tokensDirectly } from '../support/tokens-directly.ts';
import { writersOf } from '../support/written-as.ts';

const BOOTSTRAP = 'the-bootstrap-token';
const ADDRESS = 'vic,the.secret@example.com';
/** The field manager, which the status names if no author is recorded. */
const AUTHOR = 'vic@example.com';

const READ: Rule = [['get'], ['projects', 'featureflags']];
const PATCH: Rule = [['patch'], ['projects']];
const LIST: Rule = [['list'], ['flagusers']];
const accounts: Readonly<Record<string, readonly Rule[]>> = {
  'a viewer of projects': [READ],
  'a viewer of projects and users': [READ, LIST],
  'an editor of projects': [READ, PATCH],
  'an editor of projects who may list users': [READ, PATCH, LIST],
};

let instance: RecordingInstance;
const values = new Map<string, string>([['the bootstrap token', BOOTSTRAP]]);
const as = (name: string) => adminClient(instance.url, { authorization: `Bearer ${values.get(name)}` });

beforeAll(async () => {
  instance = await startRecordingInstance('addresses', { VEXIL_AUTH: 'token', VEXIL_ADMIN_TOKEN: BOOTSTRAP });
  const { cluster, home, apply, report } = instance;
  await grantReviews(cluster, home);
  await apply(
    aUser(`${home}/ada`, { id: 1 }),
    aUser(`${home}/lin`, { id: 2 }),
    aUser(`${home}/eva`, { id: 3, email: 'eva@example.com' }),
    aRole(`${home}/releaser`, { permissions: [{ name: 'UPDATE_FEATURE' }] }),
    aProject(`${home}/shop`, { members: { ada: 'owner', lin: 'member' } }),
  );
  const tokens = tokensDirectly(cluster.kubeconfig, home);
  await tokens.create('of-eva', { type: 'personal', user: 'eva' });
  values.set('a personal token', await tokens.untilReady('of-eva'));
  tokens.close();
  for (const [index, [name, rules]] of Object.entries(accounts).entries()) {
    const account = { namespace: home, name: `account-${index}`, rules: { [home]: rules } };
    values.set(name, (await createAccount(cluster, account)).token);
  }
  const writers = writersOf(cluster);
  const authored: Manifest = aFlag(`${home}/authored`);
  await writers.apply(AUTHOR, authored);
  writers.close();
  await instance.judged(authored);
  const tag = { type: 'owner', value: ADDRESS };
  await report(
    { namespace: home, type: 'project-user-added', featureName: null, subject: 'vic', data: { email: ADDRESS } },
    { namespace: home, type: 'feature-tagged', subject: `owner:${ADDRESS}`, data: tag, tags: [tag] },
    { namespace: home, createdBy: ADDRESS, preData: { name: 'checkout', [ADDRESS]: true } },
  );
});
afterAll(() => instance.stop());

const ENDPOINTS = ['/search/events?project=IS:shop', '/search/events/export', '/events', '/events/checkout'];

const STATUSES = [
  '/projects/shop/features?include=status',
  '/search/features?include=status',
  '/projects/shop/features/authored/status',
];

describe.each(['a viewer of projects', 'an editor of projects'])('%s', (name) => {
  test.each(STATUSES)('sees the author of a flag masked: GET %s', async (path) => {
    const { text } = await as(name)(`GET ${path}`);
    expect(text).toContain('"changedBy":"field manager v…@example.com"');
    expect(text).not.toContain(AUTHOR);
  });

  test.each(ENDPOINTS)('sees addresses masked: GET %s', async (path) => {
    const { status, text } = await as(name)(`GET ${path}`);
    expect(status).toBe(200);
    expect(text).toContain('v…@example.com');
    expect(text).not.toContain('secret');
    expect(text).not.toContain('vic,');
  });

  test.each(['secret', 'the.secret@example.com', '"email":"vi', '"vic,'])('finds nothing by %s', async (query) => {
    const search = `?query=${encodeURIComponent(query)}`;
    expect((await as(name)(`GET /search/events${search}`)).body).toEqual({ events: [], total: 0 });
    expect((await as(name)(`GET /search/events/export${search}`)).text).toBe('');
  });

  test('finds entries by the visible part', async () => {
    expect((await as(name)('GET /search/events?query=example.com&project=IS:shop')).body.total).toBe(3);
  });
});

describe.each(['a viewer of projects and users', 'a personal token', 'the bootstrap token'])('%s', (name) => {
  test.each(ENDPOINTS)('sees addresses: GET %s', async (path) => {
    const { text } = await as(name)(`GET ${path}`);
    expect(text).toContain(ADDRESS);
    expect(text).not.toContain('…@example.com');
  });

  test.each(STATUSES)('sees the author of a flag: GET %s', async (path) => {
    expect((await as(name)(`GET ${path}`)).text).toContain(`"changedBy":"field manager ${AUTHOR}"`);
  });

  test('finds entries by addresses', async () => {
    const { body } = await as(name)(`GET /search/events?query=${encodeURIComponent(ADDRESS)}`);
    expect(body.total).toBe(3);
  });
});

describe('the ids of users', () => {
  const IDS = [1, 2, 3, 99];
  const answersTo = (name: string, method: string): Promise<Answer[]> =>
    Promise.all(IDS.map((id) => as(name)(`${method} /projects/shop/users/${id}/roles/5?dryRun=true`)));

  test.each(['POST', 'PUT', 'DELETE'])('are not disclosed to callers who may not list users: %s', async (method) => {
    const answers = await answersTo('an editor of projects', method);
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
    expect(new Set(answers.map(({ body }) => body.message)).size).toBe(1);
  });

  test('are disclosed to others', async () => {
    await waitUntil({ what: 'the users have their ids' }, async () => {
      return (await as('the bootstrap token')('GET /user-admin')).body.users.length === 3;
    });
    const answers = await answersTo('an editor of projects who may list users', 'POST');
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 200, 404]);
  });
});

describe('the members in the manifest of a dry run of a project', () => {
  const asYaml = { body: { name: 'Shop' }, headers: { accept: 'application/yaml' } };
  const preview = (name: string) => as(name)('PUT /projects/shop?dryRun=true', asYaml);

  test('are not disclosed to callers who may not list users', async () => {
    const name = 'an editor of projects';
    const [refused, plain] = [
      await preview(name),
      await as(name)('PUT /projects/shop?dryRun=true', { body: asYaml.body }),
    ];
    expect([refused.status, plain.status]).toEqual([403, 200]);
    // As a word: ids and names of namespaces have random digits, which may spell it.
    expect(refused.text + plain.text).not.toMatch(/\bada\b/);
  });

  test('are disclosed to others', async () => {
    const { status, text } = await preview('an editor of projects who may list users');
    expect([status, parse(text).spec]).toEqual([
      200,
      { displayName: 'Shop', members: { ada: 'owner', lin: 'member' } },
    ]);
  });
});

describe('members and custom roles as manifests', () => {
  const asYaml = { headers: { accept: 'application/yaml' } };
  const read = (name: string) => as(name)('GET /projects/shop/access', asYaml);

  test('need access to list roles, too', async () => {
    const name = 'an editor of projects who may list users';
    const refused = await read(name);
    expect([refused.status, (await as(name)('GET /projects/shop/access')).status]).toEqual([403, 200]);
    expect(refused.body.message).toContain('flagroles');
  });

  test('are the stored objects', async () => {
    await waitUntil({ what: 'the members and the role have their ids' }, async () => {
      const { users, roles } = (await as('the bootstrap token')('GET /projects/shop/access')).body;
      return users.length === 2 && roles.length === 3;
    });
    const { status, text } = await read('the bootstrap token');
    const documents = parseAllDocuments(text).map((document) => document.toJS());
    const of = (kind: string, name: string, spec: object) => ({
      ...{ apiVersion: 'vexil.dev/v1beta1', kind, metadata: { name, namespace: instance.home } },
      spec,
    });
    expect([status, documents]).toEqual([
      200,
      [
        of('FlagUser', 'ada', { id: 1 }),
        of('FlagUser', 'lin', { id: 2 }),
        of('FlagRole', 'releaser', { permissions: [{ name: 'UPDATE_FEATURE' }] }),
      ],
    ]);
  });
});
