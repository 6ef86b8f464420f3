/** The client of Unleash's Terraform provider, unmodified: which calls work, and what the API answers to the others. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { aRole, aUser } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { askAdminClient } from '../support/sdk-programs.ts';

const ADMIN_TOKEN = `*:*.${'5f'.repeat(28)}`;
const WORKS = [200, 201, 202, 204];

let instance: Instance;
let outcomes: Awaited<ReturnType<typeof askAdminClient>>;

beforeAll(async () => {
  const settings = { VEXIL_AUTH: 'token', VEXIL_ADMIN_TOKEN: ADMIN_TOKEN, VEXIL_USER_SEARCH: 'list' };
  instance = await startInstance('admin-client', { settings });
  const permissions = [{ name: 'UPDATE_FEATURE_ENVIRONMENT', environment: 'production' }];
  await instance.apply(
    aUser(`${instance.home}/ada`, { id: 40, displayName: 'Ada', email: 'ada@example.com' }),
    aRole(`${instance.home}/releaser`, { id: 60, permissions, description: 'May switch' }),
  );
  await waitUntil({ what: 'user and role have their ids' }, async () => {
    const headers = { authorization: ADMIN_TOKEN };
    const paths = ['user-admin/40', 'roles/60'];
    const answers = await Promise.all(paths.map((path) => fetch(`${instance.url}/api/admin/${path}`, { headers })));
    return answers.every(({ ok }) => ok);
  });
  outcomes = await askAdminClient({ url: instance.url, token: ADMIN_TOKEN, userId: 40, roleId: '60' });
}, 300_000);
afterAll(() => instance.stop());

test.each([
  ...['CreateProject', 'UpdateProject', 'UpdateProjectEnterpriseSettings', 'GetProjects', 'DeleteProject'],
  ...['GetAllEnvironments', 'GetEnvironment', 'GetProjectEnvironments'],
  ...['AddEnvironmentToProject', 'RemoveEnvironmentFromProject'],
  ...['CreateApiToken', 'GetAllApiTokens', 'GetApiTokensByName', 'UpdateApiToken by name', 'DeleteApiToken by name'],
  ...['GetContextFields', 'GetContextField', 'GetProjectAccess', 'GetProjectChangeRequestConfig'],
  ...['GetUser', 'SearchUsers', 'GetRoles', 'GetRoleById of a built-in role', 'GetRoleById of a custom role'],
  'GetPermissions',
])('%s works', (call) => {
  expect(outcomes[call]).toMatchObject({ error: '' });
  expect(WORKS).toContain(outcomes[call]?.status);
});

test.each([
  ...['CreateUser', 'CreateRole', 'DeleteRole', 'SetProjectAccess'],
  ...['CreateEnvironment', 'RemoveEnvironment', 'CreateContextField'],
])('%s is refused with what to do instead', (call) => {
  expect(outcomes[call]?.status).toBe(403);
});

test.each([
  ...['GetGroups', 'GetServiceAccounts', 'GetOidcSettings'],
  ...['UpdateApiToken by secret', 'DeleteApiToken by secret'],
])('%s finds nothing', (call) => {
  expect(outcomes[call]?.status).toBe(404);
});
