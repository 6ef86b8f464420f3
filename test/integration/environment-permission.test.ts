/**
 * The opt-in policy: who may change the configuration of a flag per environment with kubectl. test/contract has the
 * same table over HTTP.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isClusterError } from '../../src/errors.ts';
import { loadKubeConfig } from '../../src/kube/api/kubeconfig.ts';
import { connect, type Transport } from '../../src/kube/api/transport.ts';
import type { Account } from '../support/account.ts';
import { aFlag, type Manifest } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import {
  type Attempt,
  attempts,
  installEnvironmentPermission,
  isAllowed,
  permissionUsers,
  refusedTo,
  startingSpec,
  type User,
  users,
} from '../support/environment-permission.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import type { Stored } from '../support/stored.ts';

let instance: Instance;
let accounts: Readonly<Record<User, Account>>;
let admin: Transport;
let transports: Readonly<Partial<Record<User, Transport>>> = {};
/** The flag that the dry runs change. */
let starting: Stored;

beforeAll(async () => {
  instance = await startInstance('env-permission');
  accounts = await permissionUsers(instance);
  await installEnvironmentPermission(instance, accounts.nowhere);
  admin = connect(loadKubeConfig(instance.cluster.kubeconfig));
  const connected = users.map((user) => [user, connect(loadKubeConfig(accounts[user].kubeconfig))] as const);
  transports = Object.fromEntries(connected);
  await create('starting');
  starting = await instance.flag(`${instance.other}/starting`);
});
afterAll(async () => {
  for (const transport of [admin, ...Object.values(transports)]) transport.close();
  await instance.stop();
});

const pathOf = (name = '') => `/apis/vexil.dev/v1beta1/namespaces/${instance.other}/featureflags${name && `/${name}`}`;
const read = async (name: string): Promise<Stored> => admin.request({ method: 'GET', path: pathOf(name) });
const create = async (name: string, spec: object = startingSpec): Promise<Stored> =>
  admin.request({
    method: 'POST',
    path: pathOf(),
    body: aFlag(`${instance.other}/${name}`, { project: 'pay', ...spec }),
  });
const query = { dryRun: 'All' } as const;
/** Tries to create with a dry run. */
const createAs = (user: User, manifest: Manifest) =>
  sendAs(user, { method: 'POST', path: pathOf(), query, body: manifest });
const patchAs = (user: User, name: string, spec: object | null) =>
  sendAs(user, { method: 'PATCH', path: pathOf(name), contentType: 'application/merge-patch+json', body: { spec } });
const kubectlAs = (user: User, args: readonly string[]) =>
  instance.cluster.kubectl([...args, '-n', instance.other], { kubeconfig: accounts[user].kubeconfig });

function transportOf(user: User): Transport {
  const transport = transports[user];
  if (!transport) throw new Error(`${user} is not connected`);
  return transport;
}

/** Sends the request that kubectl would send, without running kubectl. */
function sendAs(user: User, call: Parameters<Transport['request']>[0]) {
  return outcomeOf(() => transportOf(user).request(call));
}

async function outcomeOf(write: () => Promise<unknown>) {
  try {
    const answer: Stored = await write();
    return { code: 0, stderr: '', answer };
  } catch (error) {
    const recorded = error instanceof Error ? error.message : String(error);
    // Only a refusal counts as exit code 1 of kubectl.
    expect(isClusterError(error) && ['forbidden', 'invalid'].includes(error.code), recorded).toBe(true);
    return { code: 1, stderr: recorded };
  }
}

type Outcome = Awaited<ReturnType<typeof outcomeOf>>;

interface EntryPoint {
  readonly name: string;
  /** Tries to write the manifest with a dry run, which the policy judges like a write. */
  readonly attempt: (user: User, manifest: Manifest) => Promise<Outcome>;
  readonly merges: boolean;
}

const patchEntryPoint = (
  name: string,
  type: string,
  patchOf: (manifest: Manifest) => object,
): Omit<EntryPoint, 'merges'> => ({
  name,
  attempt: (user, manifest) =>
    sendAs(user, {
      method: 'PATCH',
      path: pathOf(manifest.metadata.name),
      query,
      contentType: `application/${type}`,
      body: patchOf(manifest),
    }),
});
const applyServerSide = (user: User, manifest: Manifest): Promise<Outcome> =>
  sendAs(user, {
    method: 'PATCH',
    path: pathOf(manifest.metadata.name),
    query: { ...query, fieldManager: 'kubectl', force: true },
    contentType: 'application/apply-patch+yaml',
    body: manifest,
  });
const entryPoints: readonly EntryPoint[] = [
  {
    name: 'an update',
    attempt: (user, manifest) =>
      sendAs(user, { method: 'PUT', path: pathOf(manifest.metadata.name), query, body: manifest }),
    merges: false,
  },
  {
    ...patchEntryPoint('a JSON patch', 'json-patch+json', ({ spec }) => [
      { op: 'replace', path: '/spec', value: spec },
    ]),
    merges: false,
  },
  { ...patchEntryPoint('a merge patch', 'merge-patch+json', ({ spec }) => ({ spec })), merges: true },
  { name: 'a server-side apply', attempt: applyServerSide, merges: true },
];

/**
 * The update, and one of the other entry points: for each of them the policy sees the same flag before and after. Each
 * entry point is tried by each user and with each attempt.
 */
function entryPointsFor(user: User, attempt: Attempt): readonly EntryPoint[] {
  const [update, ...others] = entryPoints.filter(({ merges }) => !(merges && attempt.removes));
  const other = others[(users.indexOf(user) + attempts.indexOf(attempt)) % others.length];
  return [update, other].flatMap((one) => one ?? []);
}

/** The environment that a refusal names. */
const refused = (stderr: string) => /changing the environment (\S+) needs the verb change-flags/.exec(stderr)?.[1];

describe.each(users)('%s', (user) => {
  test.each(attempts)('$name', async (attempt) => {
    const { apiVersion, kind } = starting;
    const { name, namespace, resourceVersion } = starting.metadata;
    const spec = attempt.edit(starting.spec);
    const manifest = { apiVersion, kind, metadata: { name, namespace, resourceVersion }, spec };
    for (const entryPoint of entryPointsFor(user, attempt)) {
      const { code, stderr, answer } = await entryPoint.attempt(user, manifest);
      if (isAllowed(user, attempt)) {
        expect(code, `${entryPoint.name}: ${stderr}`).toBe(0);
        expect(answer?.spec, entryPoint.name).toEqual(spec);
      } else {
        expect(code, `${entryPoint.name} is let through`).toBe(1);
        expect(refusedTo(user, attempt), stderr).toContain(refused(stderr));
      }
    }
  });

  test.each<[string, Stored, readonly string[]]>([
    ['no environments', {}, []],
    ['null for environments', { environments: null }, []],
    ['null for an environment', { environments: { production: null } }, []],
    ['development', { environments: { development: { enabled: false } } }, ['development']],
    ['production, empty', { environments: { production: {} } }, ['production']],
    ['both', { environments: { development: {}, production: {} } }, ['development', 'production']],
    ['one that is not there', { environments: { missing: {} } }, ['missing']],
  ])('create with %s', async (_, spec, touches) => {
    const manifest = aFlag(`${instance.other}/new`, { project: 'pay', ...spec });
    for (const create of [createAs, applyServerSide]) {
      const { code, stderr } = await create(user, manifest);
      expect(code === 0, stderr).toBe(isAllowed(user, { touches }));
      if (code !== 0) expect(refusedTo(user, { touches })).toContain(refused(stderr));
    }
  });
});

test('what is refused is not stored, and what is allowed is', async () => {
  await create('written');
  const patch = (environment: string) =>
    patchAs('developer', 'written', { environments: { [environment]: { enabled: true } } });
  expect((await patch('production')).code).toBe(1);
  expect((await patch('development')).code).toBe(0);
  const { environments } = (await read('written')).spec;
  expect([environments.production.enabled, environments.development.enabled]).toEqual([false, true]);
});

test('a null spec is the removal of everything', async () => {
  await admin.request({ method: 'POST', path: pathOf(), body: { ...aFlag(`${instance.other}/bare`), spec: null } });
  const filled = await patchAs('developer', 'bare', { environments: { development: { enabled: false } } });
  expect(filled.code, filled.stderr).toBe(0);
  expect((await patchAs('developer', 'bare', { environments: { production: {} } })).code).toBe(1);
  const empty = (user: User) =>
    sendAs(user, {
      method: 'PATCH',
      path: pathOf('bare'),
      contentType: 'application/json-patch+json',
      body: [{ op: 'replace', path: '/spec', value: null }],
    });
  expect((await empty('night')).code).toBe(1);
  const done = await empty('developer');
  expect(done.code, done.stderr).toBe(0);
  expect((await read('bare')).spec).toBeNull();
});

test('an environment that returns with its name is guarded all the time', async () => {
  await create('guarded');
  await instance.cluster.deleteObject('fenv/night', instance.home);
  const spec = { environments: { 'night-shift': { enabled: true } } };
  expect((await patchAs('developer', 'guarded', spec)).code).toBe(1);
  expect((await patchAs('night', 'guarded', spec)).code).toBe(0);
});

test('a permission for the name of the object does not hold for the environment on the wire', async () => {
  await create('called-otherwise', { environments: { night: { enabled: false } } });
  const patch = (name: string) => [
    ...['patch', 'ff', 'called-otherwise', '--type=merge', '-p'],
    JSON.stringify({ spec: { environments: { [name]: { enabled: true } } } }),
  ];
  expect((await kubectlAs('night', patch('night'))).code).toBe(1);
  expect((await kubectlAs('night', patch('night-shift'))).code).toBe(0);
});

test('status writes are accepted: those of the operator, and those of users who may write them', async () => {
  await create('judged');
  expect((await instance.flag(`${instance.other}/judged`)).status.observedGeneration).toBe(1);
  const lastSeen = '{"status":{"lastSeenAt":"2026-01-01T00:00:00Z"}}';
  const patch = ['patch', 'ff', 'judged', '--subresource=status', '--type=merge', '-p', lastSeen];
  const { code, stderr } = await kubectlAs('nowhere', patch);
  expect(code, stderr).toBe(0);
});

describe('many environments at once', () => {
  const many = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`stage-${index}`, { enabled: false }]));

  const withMany = (name: string, environments: ReturnType<typeof many>) =>
    aFlag(`${instance.other}/${name}`, { project: 'pay', environments });

  beforeAll(async () => {
    const { cluster, other: namespace } = instance;
    const apiVersion = 'rbac.authorization.k8s.io/v1';
    const metadata = { name: 'stages', namespace };
    const resourceNames = Object.keys(many(30));
    const rules = [{ apiGroups: ['vexil.dev'], resources: ['environments'], verbs: ['change-flags'], resourceNames }];
    const role = { apiVersion, kind: 'Role', metadata, rules };
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'stages' };
    const subjects = [{ kind: 'ServiceAccount', name: 'nowhere', namespace }];
    const binding = { apiVersion, kind: 'RoleBinding', metadata, roleRef, subjects };
    await cluster.apply([role, binding]);
    await waitUntil({ what: 'the API server has noticed the binding' }, async () => {
      return (await createAs('nowhere', withMany('probe', many(1)))).code === 0;
    });
  });

  /** The API server answers at most 28 authorisation checks of one policy. */
  test.each<[User, number, boolean]>([
    ['nowhere', 24, true],
    ['nowhere', 25, false],
    ['everywhere', 30, true],
  ])('%s, %i: %s', async (user, count, want) => {
    const name = `many-${user}-${count}`;
    const { code, stderr } = await createAs(user, withMany(name, many(count)));
    expect(code === 0, stderr).toBe(want);
    if (!want) expect(stderr).toContain('change at most 24 environments at once');
  });

  test.each(['a-first', 'stage-11-and-a-half', 'z-last'])(
    'of 24 the one without permission, %s, is found',
    async (one) => {
      const environments = { ...many(23), [one]: { enabled: false } };
      const { code, stderr } = await createAs('nowhere', withMany('one-of-many', environments));
      expect([code, refused(stderr)]).toEqual([1, one]);
    },
  );
});
