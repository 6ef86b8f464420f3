/** What the roles for users allow, by access reviews of a real API server and by real requests. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { isClusterError } from '../../src/errors.ts';
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
import type { Stored } from '../support/stored.ts';
import { untilAllowed } from '../support/until-allowed.ts';

const FILE = new URL('../../config/rbac/people.yaml', import.meta.url);
const ROLES = ['vexil-view', 'vexil-edit', 'vexil-admin', 'vexil-approve'] as const;
type RoleName = (typeof ROLES)[number];

const READ = ['get', 'list', 'watch'];
const WRITE = ['create', 'update', 'patch', 'delete', 'deletecollection'];
const VERBS = [...READ, ...WRITE];
const PLURALS = kinds.map(({ plural }) => plural);

/**
 * The verbs that each role allows for each kind. Everything else is refused, also `bypass-approval`, and the
 * subresource `status`, which only the operator writes.
 */
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
    environments: [...READ, 'approve'],
    changerequests: READ,
    changeapprovals: [...READ, 'create', 'delete'],
  },
  'vexil-admin': {
    ...Object.fromEntries(PLURALS.map((plural) => [plural, VERBS])),
    environments: [...VERBS, 'change-flags', 'bypass-freeze'],
  },
};

interface ClusterRole {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: RoleName; readonly labels?: Readonly<Record<string, string>> };
  readonly rules: readonly {
    readonly apiGroups: readonly string[];
    readonly resources: readonly string[];
    readonly verbs: readonly string[];
  }[];
}

const RBAC = 'rbac.authorization.k8s.io/v1';
const cluster = sharedCluster();
let home: string;
let elsewhere: string;
let roles: readonly ClusterRole[];
const accounts = new Map<string, Account & { readonly transport: Transport }>();

beforeAll(async () => {
  const text = await readFile(FILE, 'utf8');
  roles = parseAllDocuments(text).map((document) => document.toJS() as ClusterRole);
  await cluster.apply(roles);
  home = await cluster.freshNamespace('people');
  elsewhere = await cluster.freshNamespace('people-elsewhere');
  for (const name of [...ROLES, 'nobody']) {
    const account = await createAccount(cluster, { namespace: home, name, rules: {} });
    accounts.set(name, { ...account, transport: connect(loadKubeConfig(account.kubeconfig)) });
    if (name === 'nobody') continue;
    await bind(name, { kind: 'ClusterRole', name });
    await untilAllowed(cluster, { user: account.username, verb: 'get', resource: 'featureflags', namespace: home });
  }
});
afterAll(() => {
  for (const { transport } of accounts.values()) transport.close();
});

/** Gives the account a role in the operator namespace. */
function bind(account: string, { kind, name }: { readonly kind: string; readonly name: string }): Promise<void> {
  const binding = {
    ...{ apiVersion: RBAC, kind: 'RoleBinding', metadata: { name, namespace: home } },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name },
    subjects: [{ kind: 'ServiceAccount', name: account, namespace: home }],
  };
  return cluster.apply([binding]);
}

const accountOf = (name: string) => {
  const found = accounts.get(name);
  if (!found) throw new Error(`no account ${name}`);
  return found;
};

/** Posts a review about the account itself, and returns its status. */
async function reviewed(account: string, kind: string, spec: object): Promise<Stored> {
  const { status } = (await accountOf(account).transport.request({
    method: 'POST',
    path: `/apis/authorization.k8s.io/v1/${kind.toLowerCase()}s`,
    body: { apiVersion: 'authorization.k8s.io/v1', kind, spec },
  })) as Stored;
  return status;
}

/** Whether the API server would allow the request, as `kubectl auth can-i` asks it. */
async function can(account: string, asked: object): Promise<boolean> {
  const resourceAttributes = { group: 'vexil.dev', namespace: home, ...asked };
  return (await reviewed(account, 'SelfSubjectAccessReview', { resourceAttributes })).allowed;
}

/** The verbs by resource that the API server would allow, as `kubectl auth can-i --list` shows them. */
async function allowed(account: string, namespace = home): Promise<Readonly<Record<string, readonly string[]>>> {
  const { resourceRules, incomplete } = await reviewed(account, 'SelfSubjectRulesReview', { namespace });
  expect(incomplete).toBe(false);
  const found: Record<string, readonly string[]> = {};
  for (const { apiGroups, resources, verbs } of resourceRules) {
    if (!apiGroups.some((group: string) => group === 'vexil.dev' || group === '*')) continue;
    for (const resource of resources) found[resource] = [...(found[resource] ?? []), ...verbs];
  }
  return found;
}

const sorted = (all: Readonly<Record<string, readonly string[]>>) =>
  Object.fromEntries(Object.entries(all).map(([resource, verbs]) => [resource, [...verbs].sort()]));

describe.each(ROLES)('%s', (role) => {
  test('allows its verbs, and none in a namespace where it is not bound', async () => {
    expect(sorted(await allowed(role))).toEqual(sorted(WANTED[role]));
    expect(await allowed(role, elsewhere)).toEqual({});
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
  expect(await allowed('nobody')).toEqual({});
});

test('a user who may edit changes the configuration of an environment when a role names it', async () => {
  const asked = { verb: 'change-flags', resource: 'environments' };
  const rule = { apiGroups: ['vexil.dev'], resources: ['environments'], verbs: ['change-flags'] };
  const rules = [{ ...rule, resourceNames: ['production'] }];
  const metadata = { name: 'production', namespace: home };
  const role = { apiVersion: RBAC, kind: 'Role', metadata, rules };
  await cluster.apply([role]);
  await bind('vexil-edit', { kind: 'Role', name: 'production' });
  const { username: user } = accountOf('vexil-edit');
  await untilAllowed(cluster, { user, ...asked, name: 'production', namespace: home });
  expect(await can('vexil-edit', { ...asked, name: 'production' })).toBe(true);
  expect(await can('vexil-edit', { ...asked, name: 'staging' })).toBe(false);
  expect(await can('vexil-view', { ...asked, name: 'production' })).toBe(false);
});

describe('writes', () => {
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
    const { transport } = accountOf(name);
    const made = examples().map(async (body) => {
      const path = `/apis/vexil.dev/v1beta1/namespaces/${home}/${body.kind.toLowerCase()}s`;
      try {
        await transport.request({ method: 'POST', path, body, query: { dryRun: 'All' } });
        return [body.kind];
      } catch (error) {
        if (!isClusterError(error, 'missing-permission')) throw error;
        return [];
      }
    });
    expect((await Promise.all(made)).flat().sort()).toEqual([...want].sort());
  });

  function examplesOfAll(): readonly string[] {
    return kinds.map(({ kind }) => kind);
  }

  test('only the operator writes a status: no role for users allows it', async () => {
    await cluster.apply([aFlag(`${home}/judged`)]);
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
