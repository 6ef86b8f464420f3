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
import { kubectlApply } from '../support/gitops/writers.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import type { Stored } from '../support/stored.ts';

let instance: Instance;
let accounts: Readonly<Record<User, Account>>;
let admin: Transport;
let transports: Readonly<Partial<Record<User, Transport>>> = {};

beforeAll(async () => {
  instance = await startInstance('env-permission');
  accounts = await permissionUsers(instance);
  await installEnvironmentPermission(instance, accounts.nowhere);
  admin = connect(loadKubeConfig(instance.cluster.kubeconfig));
  const connected = users.map((user) => [user, connect(loadKubeConfig(accounts[user].kubeconfig))] as const);
  transports = Object.fromEntries(connected);
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
const kubectlAs = (user: User, args: readonly string[], input?: object) =>
  instance.cluster.kubectl([...args, '-n', instance.other], {
    kubeconfig: accounts[user].kubeconfig,
    ...(input && { input: JSON.stringify(input) }),
  });

function transportOf(user: User): Transport {
  const transport = transports[user];
  if (!transport) throw new Error(`${user} is not connected`);
  return transport;
}

/** Sends the request that kubectl would send, without running kubectl. */
function sendAs(user: User, call: Parameters<Transport['request']>[0]) {
  return outcomeOf(() => transportOf(user).request(call));
}

function applyAs(user: User, manifest: Manifest) {
  return outcomeOf(() => kubectlApply(transportOf(user)).apply(manifest));
}

async function outcomeOf(write: () => Promise<unknown>) {
  try {
    await write();
    return { code: 0, stderr: '' };
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
  readonly write: (user: User, manifest: Manifest) => Promise<Outcome>;
  readonly merges: boolean;
}

const patchEntryPoint = (
  name: string,
  type: string,
  patchOf: (manifest: Manifest) => object,
): Omit<EntryPoint, 'merges'> => {
  return {
    name,
    write: (user, manifest) =>
      sendAs(user, {
        method: 'PATCH',
        path: pathOf(manifest.metadata.name),
        contentType: `application/${type}`,
        body: patchOf(manifest),
      }),
  };
};
const applyServerSide = (user: User, manifest: Manifest): Promise<Outcome> =>
  sendAs(user, {
    method: 'PATCH',
    path: pathOf(manifest.metadata.name),
    query: { fieldManager: 'kubectl', force: true },
    contentType: 'application/apply-patch+yaml',
    body: manifest,
  });
const entryPoints: readonly EntryPoint[] = [
  {
    name: 'an update',
    async write(user, manifest) {
      // The update must carry the last version, so the first status must not be written in between.
      const isJudged = async () => {
        const { metadata, status } = await read(manifest.metadata.name);
        return status !== undefined && (metadata.resourceVersion as string);
      };
      const resourceVersion = await waitUntil({ what: 'the flag has a status', everyMs: 20 }, isJudged);
      const body = { ...manifest, metadata: { ...manifest.metadata, resourceVersion } };
      return sendAs(user, { method: 'PUT', path: pathOf(manifest.metadata.name), body });
    },
    merges: false,
  },
  {
    ...patchEntryPoint('a JSON patch', 'json-patch+json', ({ spec }) => [
      { op: 'replace', path: '/spec', value: spec },
    ]),
    merges: false,
  },
  { ...patchEntryPoint('a merge patch', 'merge-patch+json', ({ spec }) => ({ spec })), merges: true },
  { name: 'kubectl apply', write: applyAs, merges: true },
  { name: 'a server-side apply', write: applyServerSide, merges: true },
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

const waysToCreate: readonly Omit<EntryPoint, 'merges'>[] = [
  { name: 'a creation', write: (user, body) => sendAs(user, { method: 'POST', path: pathOf(), body }) },
  { name: 'kubectl apply', write: applyAs },
  { name: 'a server-side apply', write: applyServerSide },
];

/** The environment that a refusal names. */
const refused = (stderr: string) => /changing the environment (\S+) needs the verb change-flags/.exec(stderr)?.[1];

async function tryAt({ write }: EntryPoint, user: User, { attempt, name }: { attempt: Attempt; name: string }) {
  const before = await create(name);
  const spec = attempt.edit(before.spec);
  const { code, stderr } = await write(user, { ...aFlag(`${instance.other}/${name}`), spec });
  return { code, stderr, before, spec, after: await read(name) };
}

describe.each(users)('%s', (user) => {
  test.each(attempts)('$name', async (attempt) => {
    for (const [index, entryPoint] of entryPointsFor(user, attempt).entries()) {
      const name = `${user}-${attempt.name.replace(/[^a-z]+/gi, '-').toLowerCase()}-${index}`;
      const { code, stderr, before, spec, after } = await tryAt(entryPoint, user, { attempt, name });
      if (isAllowed(user, attempt)) {
        expect(code, `${entryPoint.name}: ${stderr}`).toBe(0);
        expect(after.spec, entryPoint.name).toEqual(spec);
      } else {
        expect(code, `${entryPoint.name} is let through`).toBe(1);
        expect(refusedTo(user, attempt), stderr).toContain(refused(stderr));
        expect(after.spec, entryPoint.name).toEqual(before.spec);
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
  ])('create with %s', async (what, spec, touches) => {
    for (const [index, way] of waysToCreate.entries()) {
      const name = `${user}-new-${what.replace(/[^a-z]+/gi, '-')}-${index}`;
      const manifest = aFlag(`${instance.other}/${name}`, { project: 'pay', ...spec });
      const { code, stderr } = await way.write(user, manifest);
      expect(code === 0, `${way.name}: ${stderr}`).toBe(isAllowed(user, { touches }));
      if (code !== 0) expect(refusedTo(user, { touches })).toContain(refused(stderr));
    }
  });
});

test('a null spec is the removal of everything', async () => {
  const bare = { spec: null };
  const body = { ...aFlag(`${instance.other}/bare`), ...bare };
  await admin.request({ method: 'POST', path: pathOf(), body });
  const patch = (spec: object | null) => ['patch', 'ff', 'bare', '--type=merge', '-p', JSON.stringify({ spec })];
  const development = { environments: { development: { enabled: false } } };
  const filled = await kubectlAs('developer', patch(development));
  expect(filled.code, filled.stderr).toBe(0);
  expect((await kubectlAs('developer', patch({ environments: { production: {} } }))).code).toBe(1);
  const emptied = ['patch', 'ff', 'bare', '--type=json', '-p', '[{"op":"replace","path":"/spec","value":null}]'];
  expect((await kubectlAs('night', emptied)).code).toBe(1);
  const done = await kubectlAs('developer', emptied);
  expect(done.code, done.stderr).toBe(0);
  expect((await read('bare')).spec).toBeNull();
});

test('an environment that returns with its name is guarded all the time', async () => {
  await create('guarded');
  await instance.cluster.deleteObject('fenv/night', instance.home);
  const patch = [
    'patch',
    'ff',
    'guarded',
    '--type=merge',
    '-p',
    '{"spec":{"environments":{"night-shift":{"enabled":true}}}}',
  ];
  expect((await kubectlAs('developer', patch)).code).toBe(1);
  expect((await kubectlAs('night', patch)).code).toBe(0);
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

  beforeAll(async () => {
    const names = Object.keys(many(30)).map((name) => `--resource-name=${name}`);
    const allowed = ['--verb=change-flags', '--resource=environments.vexil.dev', ...names];
    const { cluster, other } = instance;
    await cluster.kubectlOrThrow(['create', 'role', 'stages', ...allowed, '-n', other]);
    const subject = `--serviceaccount=${other}:nowhere`;
    await cluster.kubectlOrThrow(['create', 'rolebinding', 'stages', '--role=stages', subject, '-n', other]);
    await waitUntil({ what: 'the API server has noticed the binding' }, async () => {
      const asked = ['auth', 'can-i', 'change-flags', 'environments.vexil.dev/stage-0'];
      return (await kubectlAs('nowhere', asked)).code === 0;
    });
  });

  /** The API server answers at most 28 authorisation checks of one policy. */
  test.each<[User, number, boolean]>([
    ['nowhere', 24, true],
    ['nowhere', 25, false],
    ['everywhere', 30, true],
  ])('%s, %i: %s', async (user, count, want) => {
    const name = `many-${user}-${count}`;
    const flag = aFlag(`${instance.other}/${name}`, { project: 'pay', environments: many(count) });
    const { code, stderr } = await kubectlAs(user, ['create', '-f', '-'], flag);
    expect(code === 0, stderr).toBe(want);
    if (!want) expect(stderr).toContain('change at most 24 environments at once');
  });

  test.each(['a-first', 'stage-11-and-a-half', 'z-last'])(
    'of 24 the one without permission, %s, is found',
    async (one) => {
      const environments = { ...many(23), [one]: { enabled: false } };
      const flag = aFlag(`${instance.other}/one-of-many-${one}`, { project: 'pay', environments });
      const { code, stderr } = await kubectlAs('nowhere', ['create', '-f', '-'], flag);
      expect([code, refused(stderr)]).toEqual([1, one]);
    },
  );
});
