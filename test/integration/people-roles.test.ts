/** What the roles for users allow, by access reviews of a real API server and by real requests. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { loadKubeConfig } from '../../src/kube/api/kubeconfig.ts';
import { connect, type Transport } from '../../src/kube/api/transport.ts';
import { kinds } from '../../src/schema/kinds.ts';
import { type Account, createAccount } from '../support/account.ts';
import {
  aChangeApproval,
  aChangeRequest,
  aFlag,
  anEnvironment,
  aProject,
  aRole,
  aSegment,
  aSink,
  aStrategyType,
  aToken,
  aUser,
} from '../support/builders.ts';
import { sharedCluster } from '../support/cluster.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';

const FILE = new URL('../../config/rbac/people.yaml', import.meta.url);
const ROLES = ['vexil-view', 'vexil-edit', 'vexil-admin', 'vexil-approve'] as const;
type RoleName = (typeof ROLES)[number];

const READ = ['get', 'list', 'watch'];
const WRITE = ['create', 'update', 'patch', 'delete', 'deletecollection'];
const VERBS = [...READ, ...WRITE];
const PLURALS = kinds.map(({ plural }) => plural);

/** The verbs that each role allows for each kind. Everything else is refused. */
const WANTED: Readonly<Record<RoleName, Readonly<Record<string, readonly string[]>>>> = {
  'vexil-view': {
    featureflags: READ,
    projects: READ,
    segments: READ,
    environments: READ,
    strategydefinitions: READ,
    flagroles: READ,
    changerequests: READ,
    changeapprovals: READ,
  },
  'vexil-edit': {
    featureflags: VERBS,
    projects: VERBS,
    segments: VERBS,
    strategydefinitions: VERBS,
    environments: READ,
    flagroles: READ,
    changerequests: VERBS,
    changeapprovals: VERBS,
  },
  'vexil-approve': {
    featureflags: READ,
    environments: READ,
    changerequests: READ,
    changeapprovals: [...READ, 'create', 'delete'],
  },
  'vexil-admin': Object.fromEntries(PLURALS.map((plural) => [plural, VERBS])),
};

interface ClusterRole {
  readonly kind: string;
  readonly metadata: { readonly name: RoleName; readonly labels?: Readonly<Record<string, string>> };
  readonly rules: readonly {
    readonly apiGroups: readonly string[];
    readonly resources: readonly string[];
    readonly verbs: readonly string[];
  }[];
}

const cluster = sharedCluster();
let home: string;
let elsewhere: string;
let roles: readonly ClusterRole[];
const accounts = new Map<string, Account & { readonly transport: Transport }>();

beforeAll(async () => {
  const text = await readFile(FILE, 'utf8');
  roles = parseAllDocuments(text).map((document) => document.toJS() as ClusterRole);
  await cluster.kubectlOrThrow(['apply', '--server-side', '-f', '-'], { input: text });
  home = await cluster.freshNamespace('people');
  elsewhere = await cluster.freshNamespace('people-elsewhere');
  for (const name of [...ROLES, 'nobody']) {
    const account = await createAccount(cluster, { namespace: home, name, rules: {} });
    accounts.set(name, { ...account, transport: connect(loadKubeConfig(account.kubeconfig)) });
    if (name === 'nobody') continue;
    const binding = ['create', 'rolebinding', name, '--clusterrole', name, '--serviceaccount', `${home}:${name}`];
    await cluster.kubectlOrThrow([...binding, '-n', home]);
    await untilAllowed(name, { verb: 'get', resource: 'featureflags' });
  }
});
afterAll(() => {
  for (const { transport } of accounts.values()) transport.close();
});

const accountOf = (name: string) => {
  const found = accounts.get(name);
  if (!found) throw new Error(`no account ${name}`);
  return found;
};

interface AskedPermission {
  readonly verb: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly name?: string;
  readonly namespace?: string;
}

/** Whether the API server would allow the request, as `kubectl auth can-i` asks it. */
async function can(name: string, { namespace = home, ...asked }: AskedPermission): Promise<boolean> {
  const { status } = (await accountOf(name).transport.request({
    method: 'POST',
    path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    body: {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: { resourceAttributes: { group: 'vexil.dev', namespace, ...asked } },
    },
  })) as { status: { allowed: boolean } };
  return status.allowed;
}

/** The API server takes a moment to notice a binding. */
const untilAllowed = (name: string, asked: AskedPermission) =>
  waitUntil({ what: `${name} may ${asked.verb} ${asked.resource}` }, () => can(name, asked));

/** Returns those of the verbs that the account has. */
async function allowed(
  name: string,
  verbs: readonly string[],
  asked: Omit<AskedPermission, 'verb'>,
): Promise<readonly string[]> {
  const verdicts = await Promise.all(verbs.map((verb) => can(name, { ...asked, verb })));
  return verbs.filter((_, index) => verdicts[index]);
}

describe.each(ROLES)('%s', (role) => {
  test.each(PLURALS)('%s', async (resource) => {
    expect(await allowed(role, VERBS, { resource })).toEqual(WANTED[role][resource] ?? []);
    // The role grants nothing in a namespace where it is not bound.
    expect(await allowed(role, VERBS, { resource, namespace: elsewhere })).toEqual([]);
    expect(await allowed(role, VERBS, { resource, subresource: 'status' })).toEqual([]);
  });

  test('only admin may change the configuration of every environment, if that permission is required', async () => {
    const asked = { verb: 'change-flags', resource: 'environments' };
    expect(await can(role, asked)).toBe(role === 'vexil-admin');
  });

  test('only who is named to approve may do so, and no role does without', async () => {
    expect(await can(role, { verb: 'approve', resource: 'environments' })).toBe(role === 'vexil-approve');
    expect(await can(role, { verb: 'bypass-approval', resource: 'environments' })).toBe(false);
  });

  test('may do nothing outside the group', () => {
    const found = roles.find(({ metadata }) => metadata.name === role);
    expect(found?.rules.flatMap(({ apiGroups }) => apiGroups)).toEqual(found?.rules.map(() => 'vexil.dev'));
    const named = found?.rules.flatMap(({ resources, verbs }) => [...resources, ...verbs]) ?? [];
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((one) => one.includes('*') || one.includes('/'))).toEqual([]);
  });
});

test('an account without a role may do nothing', async () => {
  for (const resource of PLURALS) expect(await allowed('nobody', VERBS, { resource })).toEqual([]);
});

test('a user who may edit changes the configuration of an environment when a role names it', async () => {
  const role = ['--verb=change-flags', '--resource=environments.vexil.dev', '--resource-name=production'];
  await cluster.kubectlOrThrow(['create', 'role', 'production', ...role, '-n', home]);
  const binding = ['create', 'rolebinding', 'production', '--role=production'];
  await cluster.kubectlOrThrow([...binding, `--serviceaccount=${home}:vexil-edit`, '-n', home]);
  const asked = { verb: 'change-flags', resource: 'environments' };
  await untilAllowed('vexil-edit', { ...asked, name: 'production' });
  expect(await can('vexil-edit', { ...asked, name: 'staging' })).toBe(false);
  expect(await can('vexil-view', { ...asked, name: 'production' })).toBe(false);
});

describe('writes with kubectl', () => {
  const examples = () => [
    aFlag(`${home}/one`),
    aProject(`${home}/one`),
    anEnvironment(`${home}/one`),
    aSegment(`${home}/one`),
    aStrategyType(`${home}/one`),
    aUser(`${home}/one`),
    aRole(`${home}/one`),
    aToken(`${home}/one`),
    aChangeRequest(`${home}/one`, 'one'),
    aChangeApproval(`${home}/one`, { name: 'one', uid: 'one' }),
    aSink(`${home}/one`),
  ];

  test.each([
    ['nobody', []],
    ['vexil-view', []],
    ['vexil-edit', ['ChangeApproval', 'ChangeRequest', 'FeatureFlag', 'Project', 'Segment', 'StrategyDefinition']],
    ['vexil-approve', ['ChangeApproval']],
    ['vexil-admin', examplesOfAll()],
  ])('%s creates %j', async (name, want) => {
    const { kubeconfig } = accountOf(name);
    const made = examples().map(async (manifest) => {
      const args = ['create', '--dry-run=server', '-f', '-'];
      const { code, stderr } = await cluster.kubectl(args, { kubeconfig, input: JSON.stringify(manifest) });
      if (code !== 0) expect(stderr).toContain('forbidden');
      return code === 0 ? [manifest.kind] : [];
    });
    expect((await Promise.all(made)).flat().sort()).toEqual([...want].sort());
  });

  function examplesOfAll(): readonly string[] {
    return kinds.map(({ kind }) => kind);
  }

  test('only the operator writes a status: no role for users allows it', async () => {
    const { kubeconfig } = accountOf('vexil-admin');
    const made = await cluster.kubectl(['create', '-f', '-'], {
      kubeconfig,
      input: JSON.stringify(aFlag(`${home}/judged`)),
    });
    expect(made.code, made.stderr).toBe(0);
    const written = accountOf('vexil-admin').transport.request({
      method: 'PATCH',
      path: `/apis/vexil.dev/v1beta1/namespaces/${home}/featureflags/judged/status`,
      contentType: 'application/merge-patch+json',
      body: { status: { enabledIn: 'production' } },
    });
    await expect(written).rejects.toThrow('patch featureflags/status.vexil.dev');
  });
});

/**
 * The controller that aggregates roles by these labels runs in kube-controller-manager, which the tests do not have.
 */
test('the roles have the labels that aggregate them into view, edit and admin', () => {
  const parts = roles.map(({ metadata: { name, labels = {} } }) => [
    name,
    Object.keys(labels).sort(),
    Object.values(labels),
  ]);
  const to = (...names: readonly string[]) => names.map((name) => `rbac.authorization.k8s.io/aggregate-to-${name}`);
  expect(parts).toEqual([
    ['vexil-view', to('admin', 'edit', 'view'), ['true', 'true', 'true']],
    ['vexil-edit', to('admin', 'edit'), ['true', 'true']],
    ['vexil-admin', to('admin'), ['true']],
    ['vexil-approve', [], []],
  ]);
});
