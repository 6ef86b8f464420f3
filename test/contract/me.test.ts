/** GET /user and /user/permissions: the answer matches what the endpoints really allow. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { permissionNames } from '../../src/schema/permission.ts';
import { createAccount } from '../support/account.ts';
import { adminClient, type Call } from '../support/admin-client.ts';
import { aUser } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { grantReviews } from '../support/operator-roles.ts';
import { tokensDirectly } from '../support/tokens-directly.ts';
import { callsIn, inPay, inShop, placeManifests, sharedManifests } from './access-calls.ts';
import { endpoints } from './endpoints/endpoints.ts';
import { type Place, SIGNED_IN } from './endpoints/row.ts';

const inDefault: Place = {
  project: 'default',
  environment: 'production',
  flag: 'plain',
  archived: 'plain-before',
  parent: 'plain-parent',
};
const users = ['viewer', 'editor', 'owner', 'kubernetes', 'token'] as const;
type UserName = (typeof users)[number];
const ADMIN_TOKEN = `*:*.${'5f'.repeat(28)}`;

let instance: Instance;
const tokens = new Map<UserName, string>();
const as = (user: UserName): Call => adminClient(instance.url, { authorization: tokens.get(user) ?? '' });

beforeAll(async () => {
  instance = await startInstance('me', { settings: { VEXIL_AUTH: 'token', VEXIL_ADMIN_TOKEN: ADMIN_TOKEN } });
  const { cluster, home, other } = instance;
  const direct = tokensDirectly(cluster.kubeconfig, home);
  await Promise.all([
    grantReviews(cluster, home),
    instance.apply(
      ...sharedManifests(home),
      aUser(`${home}/viewer`, { id: 10, rootRole: 'Viewer', displayName: 'Vi', email: 'vi@example.com' }),
      aUser(`${home}/editor`, { id: 11, rootRole: 'Editor' }),
      aUser(`${home}/owner`, { id: 12 }),
      ...placeManifests(home, inShop, { owner: 'owner' }),
      ...placeManifests(home, inDefault),
      ...placeManifests(other, inPay),
    ),
  ]);
  for (const user of ['viewer', 'editor', 'owner'] as const) {
    await direct.create(user, { type: 'personal', user });
    tokens.set(user, await direct.untilReady(user));
  }
  await direct.create('robot', { type: 'admin' });
  tokens.set('token', await direct.untilReady('robot'));
  direct.close();
  const verbs = ['get', 'list', 'create', 'patch'];
  const { token } = await createAccount(cluster, {
    namespace: home,
    name: 'kubernetes',
    rules: { [other]: [[verbs, ['featureflags', 'projects']]] },
  });
  tokens.set('kubernetes', token);
  await Promise.all(users.map((user) => untilSignedIn(user)));
});
afterAll(() => instance.stop());

const untilSignedIn = (user: UserName) =>
  waitUntil(
    { what: `${user} is signed in`, everyMs: 10 },
    async () => (await as(user)('GET /feature-types')).status === 200,
  );

const braced = (route: string) => route.replaceAll(/:(\w+)/g, '{$1}');

/** Each kind of rights: none, those of a root role and where they end, those of a project, those of Kubernetes. */
const tried: readonly (readonly [UserName, Place])[] = [
  ['viewer', inDefault],
  ['editor', inDefault],
  ['editor', inShop],
  ['owner', inShop],
  ['kubernetes', inPay],
];

describe.each(tried)('%s', (user, place) => {
  test(`may call in ${place.project} exactly the answered endpoints`, async () => {
    const query = `?project=${place.project}&environment=${place.environment}`;
    const { body } = await as(user)(`GET /user/permissions${query}`);
    const calls = callsIn(place).map((call) =>
      call.route === 'POST /segments'
        ? { ...call, options: { body: { ...Object(call.options.body), project: place.project } } }
        : call,
    );
    const really = await Promise.all(
      calls.map(async ({ route, request, options }) => {
        const { status } = await as(user)(request, options);
        return `${braced(route)}: ${status === 403 ? 'refused' : 'allowed'}`;
      }),
    );
    const answered = calls.map(
      ({ route }) => `${braced(route)}: ${body.endpoints.includes(braced(route)) ? 'allowed' : 'refused'}`,
    );
    expect(answered).toEqual(really);

    const allowed = new Set(really.filter((one) => one.endsWith('allowed')));
    const needing = Map.groupBy(
      endpoints.filter(({ need, route }) => need && need !== SIGNED_IN && calls.some((call) => call.route === route)),
      ({ need }) => need?.[0],
    );
    for (const permission of permissionNames.filter((name) => needing.has(name))) {
      const every = (needing.get(permission) ?? []).every(({ route }) => allowed.has(`${braced(route)}: allowed`));
      expect(`${permission}: ${body.permissions.includes(permission)}`).toBe(`${permission}: ${every}`);
    }
  });
});

test('users have different permissions', async () => {
  const inThe = async (user: UserName, { project }: Place) => {
    const { body } = await as(user)(`GET /user/permissions?project=${project}&environment=production`);
    return body.permissions.includes('UPDATE_FEATURE');
  };
  const table = await Promise.all(
    users.map(async (user) => [
      user,
      ...(await Promise.all([inShop, inPay, inDefault].map((place) => inThe(user, place)))),
    ]),
  );
  expect(table).toEqual([
    ['viewer', false, false, false],
    ['editor', false, false, true],
    ['owner', true, false, false],
    ['kubernetes', false, true, false],
    ['token', true, true, true],
  ]);
});

test('without a project or environment, only endpoints are listed whose path contains none', async () => {
  const { body } = await as('token')('GET /user/permissions');
  expect([body.project, body.environment]).toEqual([null, null]);
  expect(body.endpoints.filter((one: string) => /projectId|featureName|\{environment\}/.test(one))).toEqual([]);
  const inProject = await as('owner')('GET /user/permissions?project=shop');
  expect(inProject.body.permissions).toContain('UPDATE_FEATURE');
  expect(inProject.body.permissions).not.toContain('UPDATE_FEATURE_ENVIRONMENT');
});

test('a missing project, and an invalid query', async () => {
  const missing = await as('owner')('GET /user/permissions?project=no-such');
  expect(missing.body.permissions).not.toContain('UPDATE_FEATURE');
  for (const query of ['project=', `project=${'x'.repeat(101)}`, 'environment=', 'project=a&project=b']) {
    expect((await as('owner')(`GET /user/permissions?${query}`)).status, query).toBe(400);
  }
});

test('the identity of the caller', async () => {
  const userOf = async (user: UserName) => (await as(user)('GET /user')).body.user;
  expect(await userOf('viewer')).toMatchObject({
    id: 10,
    username: 'viewer',
    name: 'Vi',
    email: 'vi@example.com',
    isAPI: false,
    createdBy: 'vi@example.com',
    via: 'personal-token',
  });
  expect(await userOf('token')).toEqual({
    id: -42,
    username: 'robot',
    isAPI: true,
    createdBy: 'robot',
    via: 'api-token',
  });
  expect(await userOf('kubernetes')).toMatchObject({
    id: -1,
    username: `system:serviceaccount:${instance.home}:kubernetes`,
    isAPI: false,
    via: 'kubernetes-token',
  });
  expect((await as('editor')('GET /user')).body.permissions).toContainEqual({ permission: 'CREATE_PROJECT' });
  expect((await as('viewer')('GET /user')).body.permissions).toEqual([]);
});
