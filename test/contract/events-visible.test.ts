/** Which users see which entries of the history, through each endpoint. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { NewEntry } from '../../src/domain/history/entry.ts';
import { createAccount, type Rule } from '../support/account.ts';
import { adminClient } from '../support/admin-client.ts';
import { aProject, aRole, aUser } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { grantReviews } from '../support/operator-roles.ts';
import { type RecordingInstance, startRecordingInstance } from '../support/recording-instance.ts';
import type { Stored } from '../support/stored.ts';
import { type TokensDirectly, tokensDirectly } from '../support/tokens-directly.ts';

const BOOTSTRAP = 'the-bootstrap-token';
/** The author of the entries of this test: the operator may record its own changes too. */
const BY = 4711;

let instance: RecordingInstance;
let tokens: TokensDirectly;
const values = new Map<string, string>();

/** Entries by a word for each, which says where the change happened and what it changed. */
function entries({ home, other }: RecordingInstance): Readonly<Record<string, Partial<NewEntry>>> {
  const ofNone = { namespace: home, project: null, featureName: null };
  return {
    shop: { namespace: home, project: 'shop', featureName: 'mover' },
    pay: { namespace: other, project: 'pay', featureName: 'mover' },
    'gone-at-home': { namespace: home, project: 'gone', featureName: 'mover' },
    'gone-elsewhere': { namespace: other, project: 'gone', featureName: 'mover' },
    // A project of the same name in a namespace that is not watched any more.
    unwatched: { namespace: 'unwatched', project: 'shop', featureName: 'mover' },
    environment: { ...ofNone, resource: 'environments', type: 'environment-updated', environment: 'production' },
    user: { ...ofNone, resource: 'flagusers', type: 'user-created' },
    role: { ...ofNone, resource: 'flagroles', type: 'role-created' },
    strategy: { ...ofNone, resource: 'strategydefinitions', type: 'strategy-created' },
    token: { ...ofNone, resource: 'apitokens', type: 'pat-created' },
    segment: { ...ofNone, resource: 'segments', type: 'segment-created' },
  };
}

const EVERYTHING = [
  ...['shop', 'pay', 'gone-at-home', 'gone-elsewhere', 'unwatched'],
  ...['environment', 'user', 'role', 'strategy', 'token', 'segment'],
];
const OF_PROJECTS = ['shop', 'pay', 'gone-at-home', 'gone-elsewhere'];

const HOME_KINDS = ['environments', 'flagusers', 'flagroles', 'strategydefinitions', 'apitokens'];
const list = (...kinds: readonly string[]): Rule => [['list'], kinds];
const READ: Rule = [['get'], ['projects']];

type Rights = readonly [home: readonly Rule[], other?: readonly Rule[]];

const accounts: Readonly<Record<string, readonly [Rights, readonly string[]]>> = {
  'who may do nothing': [[[]], []],
  'who reads the projects at home': [[[READ]], ['shop', 'gone-at-home']],
  'who reads the projects elsewhere': [
    [[], [READ]],
    ['pay', 'gone-elsewhere'],
  ],
  'who reads one project': [[[[['get'], ['projects'], ['shop']]]], ['shop']],
  'who reads one project in each namespace': [
    [[[['get'], ['projects'], ['shop']]], [[['get'], ['projects'], ['pay']]]],
    ['shop', 'pay'],
  ],
  'who reads a project that is gone': [[[[['get'], ['projects'], ['gone']]]], []],
  'who lists projects and flags only': [[[list('projects', 'featureflags')]], []],
  'who reads flags only': [[[[['get', 'list'], ['featureflags']]]], []],
  'who lists environments': [[[list('environments')]], ['environment']],
  'who lists users': [[[list('flagusers')]], ['user']],
  'who lists roles': [[[list('flagroles')]], ['role']],
  'who lists strategy types': [[[list('strategydefinitions')]], ['strategy']],
  'who lists API tokens': [[[list('apitokens')]], ['token']],
  'who lists segments in every watched namespace': [[[list('segments')], [list('segments')]], ['segment']],
  'who lists segments at home only': [[[list('segments')]], []],
  'who gets one environment': [[[[['get', 'list'], ['environments'], ['production']]]], []],
  'who lists environments elsewhere': [[[], [list('environments')]], []],
  'who may all that in the watched namespaces': [
    [
      [READ, list(...HOME_KINDS, 'segments')],
      [READ, list('segments')],
    ],
    [...OF_PROJECTS, 'environment', 'user', 'role', 'strategy', 'token', 'segment'],
  ],
};

/** The users in the order of the test, with the root role and the role in `shop`. */
const users: Readonly<Record<string, readonly [root: string | undefined, inShop: string | undefined, string[]]>> = {
  viewer: [undefined, undefined, OF_PROJECTS],
  editor: ['Editor', undefined, OF_PROJECTS],
  owner: [undefined, 'owner', OF_PROJECTS],
  'admin-in-shop': [undefined, 'admin-in-shop', OF_PROJECTS],
  'admin-user': ['Admin', undefined, EVERYTHING],
};

beforeAll(async () => {
  const settings = { VEXIL_AUTH: 'token', VEXIL_ADMIN_TOKEN: BOOTSTRAP };
  instance = await startRecordingInstance('visible', settings);
  const { cluster, home, other } = instance;
  tokens = tokensDirectly(cluster.kubeconfig, home);
  values.set('bootstrap', BOOTSTRAP);
  const members = Object.entries(users).flatMap(([name, [, role]]) => (role === undefined ? [] : [[name, role]]));
  await instance.apply(
    aRole(`${home}/admin-in-shop`, { type: 'project', permissions: [{ name: 'ADMIN' }] }),
    ...Object.entries(users).map(([name, [rootRole]]) => aUser(`${home}/${name}`, rootRole ? { rootRole } : {})),
    aProject(`${home}/shop`, { members: Object.fromEntries(members) }),
  );
  await tokens.create('of-admins', { type: 'admin' });
  values.set('of-admins', await tokens.untilReady('of-admins'));
  for (const user of Object.keys(users)) {
    await tokens.create(user, { type: 'personal', user });
    values.set(user, await tokens.untilReady(user));
  }
  await grantReviews(cluster, home);
  for (const [index, [name, [[atHome, elsewhere = []]]]] of Object.entries(accounts).entries()) {
    const rules = { [home]: atHome, [other]: elsewhere };
    values.set(name, (await createAccount(cluster, { namespace: home, name: `account-${index}`, rules })).token);
  }
  for (const [word, entry] of Object.entries(entries(instance))) {
    await instance.report({ ...entry, createdByUserId: BY, createdBy: word });
  }
});
afterAll(async () => {
  tokens.close();
  await instance.stop();
});

const wordsOf = (events: readonly Stored[]): string[] =>
  events.filter(({ createdByUserId }) => createdByUserId === BY).map(({ createdBy }) => createdBy);

const as = (name: string) => adminClient(instance.url, { authorization: values.get(name) ?? '' });

async function expectFound(name: string, want: readonly string[]): Promise<void> {
  const call = as(name);
  await waitUntil({ what: `${name} is let in` }, async () => (await call('GET /feature-types')).status === 200);
  const { body, status } = await call(`GET /search/events?createdBy=IS:${BY}`);
  expect([status, body.total]).toEqual([200, body.events.length]);
  expect(wordsOf(body.events).toSorted()).toEqual(want.toSorted());
}

/** Checks every endpoint. All filter alike, so a few callers are enough. */
async function expectSeen(name: string, want: readonly string[]): Promise<void> {
  await expectFound(name, want);
  const call = as(name);
  const lines = (await call(`GET /search/events/export?createdBy=IS:${BY}`)).text.split('\n');
  const all = want.toSorted();
  const only = (...words: readonly string[]) => all.filter((word) => words.includes(word));
  expect({
    export: wordsOf(lines.filter((line) => line !== '').map((line) => JSON.parse(line))).toSorted(),
    'older list': wordsOf((await call('GET /events')).body.events).toSorted(),
    'of a flag': wordsOf((await call('GET /events/mover')).body.events).toSorted(),
    'of a project': wordsOf((await call('GET /events?project=shop')).body.events).toSorted(),
  }).toEqual({
    export: all,
    'older list': all,
    'of a flag': only('shop', 'pay', 'gone-at-home', 'gone-elsewhere', 'unwatched'),
    'of a project': only('shop'),
  });
}

describe('each endpoint shows the same entries', () => {
  test.each<[string, readonly string[]]>([
    ['bootstrap', EVERYTHING],
    ['viewer', OF_PROJECTS],
    ['who reads the projects elsewhere', ['pay', 'gone-elsewhere']],
    ['who reads one project', ['shop']],
  ])('to %s', expectSeen);
});

describe('an admin sees all entries', () => {
  test('with a token of admins', () => expectFound('of-admins', EVERYTHING));
});

describe('a Vexil user sees every project, and entries without a project only as an admin', () => {
  test.each(Object.entries(users))('%s', (name, [, , want]) => expectFound(name, want));
});

describe('a Kubernetes user sees the entries of readable objects', () => {
  test.each(Object.entries(accounts))('%s', (name, [, want]) => expectFound(name, want));

  test('a Kubernetes user who may do everything sees all entries', async () => {
    const { cluster, home } = instance;
    const binding = `admin-of-${home}`;
    const { token } = await createAccount(cluster, { namespace: home, name: 'cluster-admin', rules: {} });
    const subject = `--serviceaccount=${home}:cluster-admin`;
    await cluster.kubectlOrThrow(['create', 'clusterrolebinding', binding, '--clusterrole=cluster-admin', subject]);
    const asked = ['auth', 'can-i', '*', '*', '--all-namespaces', `--as=system:serviceaccount:${home}:cluster-admin`];
    await waitUntil({ what: 'the binding is in effect' }, async () => (await cluster.kubectl(asked)).code === 0);
    values.set('cluster-admin', token);
    await expectFound('cluster-admin', EVERYTHING);
    await cluster.kubectlOrThrow(['delete', 'clusterrolebinding', binding]);
  });
});

test('without a token there is no access', async () => {
  const call = adminClient(instance.url);
  for (const path of ['/search/events', '/search/events/export', '/events', '/events/mover']) {
    expect((await call(`GET ${path}`)).status, path).toBe(401);
  }
});
