/** GET /user/permissions with a permission for each environment: the answer matches what the endpoints really allow. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Account, createAccount, type Rule } from '../support/account.ts';
import { adminClient } from '../support/admin-client.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { grantReviews } from '../support/operator-roles.ts';
import { callsIn, inPay, placeManifests, sharedManifests } from './access-calls.ts';

/**
 * The environments in which each user may change the configuration of flags; undefined for all. The calls are about
 * production.
 */
const users = { everywhere: undefined, production: ['production'], development: ['development'], nowhere: [] } as const;
type UserName = keyof typeof users;
const names = Object.keys(users) as UserName[];

let instance: Instance;
let accounts: ReadonlyMap<UserName, Account>;
const as = (user: UserName) => adminClient(instance.url, { authorization: accounts.get(user)?.token ?? '' });

beforeAll(async () => {
  const settings = { VEXIL_AUTH: 'token', VEXIL_ENVIRONMENT_PERMISSIONS: 'true' };
  instance = await startInstance('me-environments', { settings });
  const { cluster, home, other } = instance;
  await grantReviews(cluster, home);
  await instance.apply(...sharedManifests(home), ...placeManifests(other, inPay));
  const everything: Rule = [['get', 'list', 'create', 'patch', 'delete'], ['*']];
  const created = names.map(async (name) => {
    const environments: readonly string[] | undefined = users[name];
    const change: Rule = environments
      ? [['change-flags'], ['environments'], environments]
      : [['change-flags'], ['environments']];
    const granted = environments?.length === 0 ? [everything] : [everything, change];
    const rules = { [other]: granted, [home]: granted };
    return [name, await createAccount(cluster, { namespace: other, name, rules })] as const;
  });
  accounts = new Map(await Promise.all(created));
});
afterAll(() => instance.stop());

/**
 * Endpoints whose sample calls change nothing, which needs no permission, or name another environment in their body.
 */
const LEFT_OUT: ReadonlySet<string> = new Set([
  'PUT /projects/:projectId/users/:userId/roles/:roleId',
  'POST /projects/:projectId/features/:featureName/environments/:environment/off',
  'POST /projects/:projectId/bulk_features/environments/:environment/off',
  'POST /projects/:projectId/features/:featureName/ownership',
  'POST /environments/:environment/on',
  'POST /state/import',
  'POST /features-batch/import',
  'POST /projects/:projectId/environments',
]);

const braced = (route: string) => route.replaceAll(/:(\w+)/g, '{$1}');

interface Answered {
  readonly endpoints: readonly string[];
}
const answeredTo = async (user: UserName): Promise<Answered> =>
  (await as(user)('GET /user/permissions?project=pay&environment=production')).body;

/** Calls each endpoint of the place for which `isTried` is true. */
async function expectExactly(user: UserName, isTried: (endpoint: string) => boolean): Promise<void> {
  const { endpoints } = await answeredTo(user);
  const really: string[] = [];
  const answered: string[] = [];
  for (const { route, request, options } of callsIn(inPay).filter((one) => !LEFT_OUT.has(one.route))) {
    const endpoint = braced(route);
    if (!isTried(endpoint)) continue;
    const { status } = await as(user)(request, options);
    really.push(`${endpoint}: ${status === 403 ? 'refused' : 'allowed'}`);
    answered.push(`${endpoint}: ${endpoints.includes(endpoint) ? 'allowed' : 'refused'}`);
  }
  expect(really.length).toBeGreaterThan(0);
  expect(answered).toEqual(really);
}

describe('exactly the answered endpoints may be called', () => {
  test.each(['production', 'development'] as const)('by a user who may change flags in %s', (user) =>
    expectExactly(user, () => true),
  );

  test('by a user who may change flags everywhere: more than in production', async () => {
    const { endpoints } = await answeredTo('production');
    expect((await answeredTo('everywhere')).endpoints).toEqual(expect.arrayContaining([...endpoints]));
    await expectExactly('everywhere', (endpoint) => !endpoints.includes(endpoint));
  });

  test('by a user who may change flags nowhere: as in another environment', async () => {
    expect(await answeredTo('nowhere')).toEqual(await answeredTo('development'));
  });
});
