/** The permission for each environment over HTTP: the API answers a user as the opt-in policy answers kubectl. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Account } from '../support/account.ts';
import { adminClient, type Call } from '../support/admin-client.ts';
import { aFlag } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import {
  attempts,
  installEnvironmentPermission,
  isAllowed,
  permissionUsers,
  refusedTo,
  startingSpec,
  type User,
} from '../support/environment-permission.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { grantReviews } from '../support/operator-roles.ts';
import { type Writers, writersOf } from '../support/written-as.ts';

let instance: Instance;
let writers: Writers;
let accounts: Readonly<Record<User, Account>>;

const ADMIN = 'a-token-of-the-first-steps';
const settings = {
  VEXIL_AUTH: 'token',
  VEXIL_ADMIN_TOKEN: ADMIN,
  VEXIL_ENVIRONMENT_PERMISSIONS: 'true',
};

beforeAll(async () => {
  instance = await startInstance('env-permission-http', { settings });
  await grantReviews(instance.cluster, instance.home);
  writers = writersOf(instance.cluster);
  accounts = await permissionUsers(instance);
  // The policy is in effect, so that the operator's own account is checked too.
  await installEnvironmentPermission(instance, accounts.nowhere);
});
afterAll(async () => {
  writers.close();
  await instance.stop();
});

const ownedSwitch = { environments: { production: { enabled: true, strategies: { one: { name: 'default' } } } } };
const as = (token: string): Call => adminClient(instance.url, { authorization: token });
const nameOf = (user: string, what: string) => `${user}-${what.replace(/[^a-z]+/gi, '-').toLowerCase()}`;
const place = (name: string) => `${instance.other}/${name}`;

async function startingFlag(name: string, spec: object = startingSpec): Promise<string> {
  await instance.apply(aFlag(place(name), { project: 'pay', ...spec }));
  const path = `/projects/pay/features/${name}`;
  await waitUntil({ what: `${name} is served` }, async () => (await as(ADMIN)(`GET ${path}`)).status === 200);
  return path;
}

const overHttp = attempts.flatMap(({ call, ...attempt }) => (call ? [{ ...attempt, call }] : []));

/** Each attempt with a user who just may, and with one who just may not. */
const tries = [
  ['developer', 'switch on in development'],
  ['night', 'switch on in development'],
  ['everywhere', 'switch on in production'],
  ['developer', 'switch on in production'],
  ['night', 'switch on in night-shift'],
  ['nowhere', 'switch on in night-shift'],
  ['nowhere', 'change what holds in all environments alike'],
  ['nowhere', 'change nothing'],
  ['everywhere', 'add a strategy in production'],
  ['developer', 'add a strategy in production'],
  ['everywhere', 'give production variants of its own'],
  ['night', 'give production variants of its own'],
] as const satisfies readonly (readonly [User, string])[];

test('every attempt that the API has a call for is tried', () => {
  expect(new Set(tries.map(([, name]) => name))).toEqual(new Set(overHttp.map(({ name }) => name)));
});

test.each(tries)('%s: %s', async (user, what) => {
  const attempt = overHttp.find((one) => one.name === what);
  if (!attempt) throw new Error(`no such attempt: ${what}`);
  const name = nameOf(user, what);
  const { request, ...options } = attempt.call(await startingFlag(name));
  const before = await instance.flag(place(name));
  const { status, text, body } = await as(accounts[user].token)(request, options);
  const after = await instance.flag(place(name));
  if (isAllowed(user, attempt)) {
    expect(status, text).toBeLessThan(300);
    if (attempt.touches.length > 0) expect(after.spec).not.toEqual(before.spec);
  } else {
    expect([status, body.name], text).toEqual([403, 'PermissionError']);
    for (const environment of refusedTo(user, attempt)) {
      expect(body.message).toContain(`cannot change-flags resource "environments" "${environment}"`);
    }
    expect(after).toEqual(before);
  }
});

test.each(['developer', 'night', 'everywhere'] as const)(
  'a copy of a flag configures every environment that the flag configures: %s',
  async (user) => {
    const environments = { development: { strategies: { all: { name: 'default' } } } };
    const inDevelopment = await startingFlag(nameOf(user, 'in development'), { environments });
    const ofMissing = await startingFlag(nameOf(user, 'in missing'), {
      environments: { missing: environments.development },
    });
    const everywhere = await startingFlag(nameOf(user, 'in both'));
    const call = as(accounts[user].token);
    const copy = async (path: string, name: string) =>
      (await call(`POST ${path}/clone`, { body: { name: nameOf(user, name) } })).status;
    const want = (touches: readonly string[]) => (isAllowed(user, { touches }) ? 201 : 403);
    expect(await copy(inDevelopment, 'copy of one')).toBe(want(['development']));
    expect(await copy(ofMissing, 'copy of missing')).toBe(want(['missing']));
    expect(await copy(everywhere, 'copy of both')).toBe(want(['development', 'production', 'night-shift', 'missing']));
  },
);

test('a new flag needs no permission for an environment', async () => {
  const { status, text } = await as(accounts.nowhere.token)('POST /projects/pay/features', {
    body: { name: 'new-by-nowhere' },
  });
  expect(status, text).toBe(201);
});

describe.each(['everywhere', 'developer'] as const)('%s', (user) => {
  test('fields that Git owns are handed over, or reported as owned, only for callers who may change the environment', async () => {
    const name = nameOf(user, 'from Git');
    const path = await startingFlag(name);
    await writers.apply('kustomize-controller', aFlag(place(name), { project: 'pay', ...ownedSwitch }));
    await instance.flag(place(name));
    const mayChange = isAllowed(user, { touches: ['production'] });
    const call = as(accounts[user].token);
    expect((await call(`POST ${path}/environments/production/off`)).status).toBe(mayChange ? 409 : 403);
    const body = { fields: ['spec.environments.production.enabled'] };
    const answer = await call(`POST ${path}/ownership`, { body });
    expect(answer.status, answer.text).toBe(mayChange ? 200 : 403);
    if (!mayChange) expect(answer.body.message).toContain('cannot change-flags resource "environments" "production"');
  });

  test('a dry run needs the same permission as the write', async () => {
    const path = await startingFlag(nameOf(user, 'as if'));
    const { status } = await as(accounts[user].token)(`POST ${path}/environments/production/on?dryRun=true`);
    expect(status).toBe(isAllowed(user, { touches: ['production'] }) ? 200 : 403);
  });
});

test('a caller who is not a Kubernetes user does not need the permission', async () => {
  const path = await startingFlag('by-the-admin');
  expect((await as(ADMIN)(`POST ${path}/environments/production/on`)).status).toBe(200);
});
