/**
 * Access of Kubernetes users to every endpoint: the admin API allows what `kubectl auth can-i` reports and what the API
 * server really does.
 */
import pLimit from 'p-limit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isClusterError } from '../../src/errors.ts';
import { loadKubeConfig } from '../../src/kube/api/kubeconfig.ts';
import { connect, type Transport } from '../../src/kube/api/transport.ts';
import {
  CALLS_AT_ONCE,
  callsIn,
  inPay,
  inShop,
  isPlaced,
  placeManifests,
  sharedManifests,
} from '../contract/access-calls.ts';
import { type Endpoint, endpoints } from '../contract/endpoints/endpoints.ts';
import { namesIn, type Place } from '../contract/endpoints/row.ts';
import { type Account, createAccount, type Rule } from '../support/account.ts';
import { adminClient } from '../support/admin-client.ts';
import { aFlag, anEnvironment, aProject, aSegment, aStrategyType, type Manifest } from '../support/builders.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { grantReviews } from '../support/operator-roles.ts';

interface Need {
  readonly verb: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name?: string | undefined;
}

const KINDS = ['featureflags', 'projects', 'environments', 'strategydefinitions', 'flagusers', 'segments'];
const VERBS = ['get', 'list', 'create', 'patch', 'delete'];

type Rights = readonly [home: readonly Rule[], other?: readonly Rule[]];

/** Rights in the operator namespace and in the other watched namespace. */
const users: Readonly<Record<string, Rights>> = {
  'no-rights': [[]],
  viewer: [[[['get', 'list', 'watch'], KINDS]]],
  'home-admin': [[[VERBS, KINDS]]],
  'other-admin': [[], [[VERBS, KINDS]]],
  ...Object.fromEntries(
    VERBS.map((verb): [string, Rights] => [`only-${verb}`, [[[[verb], KINDS]], [[[verb], KINDS]]]]),
  ),
  ...Object.fromEntries(KINDS.map((kind): [string, Rights] => [`all-${kind}`, [[[VERBS, [kind]]]]])),
  'creates-and-reads': [[[['create', 'get'], KINDS]]],
  'one-flag': [[[VERBS, ['featureflags'], ['chosen']]]],
  'one-archived-flag': [[[VERBS, ['featureflags'], ['put-away']]], [[['get'], ['featureflags'], ['far']]]],
  'one-project': [[[VERBS, ['projects'], ['shop']]], [[['get'], ['projects'], ['pay']]]],
  'one-environment': [[[VERBS, ['environments'], ['production']]]],
  'another-environment': [[[VERBS, ['environments'], ['development']]]],
  'one-strategy-type': [[[VERBS, ['strategydefinitions'], ['country']]]],
  'one-segment': [[[VERBS, ['segments'], ['vip']]]],
};

let instance: Instance;
const accounts = new Map<string, Account>();
/** The needs that each user is allowed, as the tests found. */
const allowances = new Map<string, ReadonlySet<string>>();

const account = (name: string): Account => {
  const found = accounts.get(name);
  if (!found) throw new Error(`there is no account ${name}`);
  return found;
};
const as = (name: string) => adminClient(instance.url, { authorization: `Bearer ${account(name).token}` });

beforeAll(async () => {
  instance = await startInstance('matrix', { settings: { VEXIL_AUTH: 'token' } });
  const { cluster, home, other } = instance;
  await Promise.all([
    grantReviews(cluster, home),
    instance.apply(...sharedManifests(home), ...placeManifests(home, inShop), ...placeManifests(other, inPay)),
    ...Object.entries(users).map(async ([name, [atHome, inOther = []]]) => {
      const rules = { [home]: atHome, [other]: inOther };
      accounts.set(name, await createAccount(cluster, { namespace: home, name, rules }));
    }),
  ]);
}, 120_000);
afterAll(() => instance.stop());

function needsOf({ kubectl = [] }: Endpoint, place: Place): readonly Need[] {
  const { home, other } = instance;
  const names = namesIn(place);
  return kubectl.flatMap((text): readonly Need[] => {
    const [verb = '', resource = '', word] = text.split(' ');
    if (word === 'EVERYWHERE') return [home, other].map((namespace) => ({ verb, resource, namespace }));
    // New projects are created in the operator namespace, wherever the other project is.
    const isPlacedKind = (resource === 'projects' && verb !== 'create') || resource === 'featureflags';
    const namespace = isPlacedKind && place === inPay ? other : home;
    return [{ verb, resource, namespace, name: word && (names[word] ?? word) }];
  });
}

/** Asks the API server as `kubectl auth can-i` does. */
async function canI(transport: Transport, { verb, resource, namespace, name }: Need): Promise<boolean> {
  const resourceAttributes = { group: 'vexil.dev', verb, resource, namespace, ...(name !== undefined && { name }) };
  const answer = (await transport.request({
    method: 'POST',
    path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    body: { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', spec: { resourceAttributes } },
  })) as { status: { allowed: boolean } };
  return answer.status.allowed;
}

function fresh({ resource, namespace }: Need): Manifest {
  const place = `${namespace}/fresh`;
  if (resource === 'featureflags') return aFlag(place);
  if (resource === 'projects') return aProject(place);
  if (resource === 'segments') return aSegment(place);
  return resource === 'environments' ? anEnvironment(place) : aStrategyType(place);
}

/** Whether the API server accepts the call as a dry run. */
async function reallyMay(transport: Transport, need: Need): Promise<boolean> {
  const { verb, resource, namespace, name } = need;
  const list = `/apis/vexil.dev/v1beta1/namespaces/${namespace}/${resource}`;
  const path = `${list}/${name ?? 'any-name'}`;
  const query = { dryRun: 'All' };
  const calls: Readonly<Record<string, () => Promise<unknown>>> = {
    get: () => transport.request({ method: 'GET', path }),
    list: () => transport.request({ method: 'GET', path: list }),
    create: () => transport.request({ method: 'POST', path: list, query, body: fresh(need) }),
    patch: () =>
      transport.request({ method: 'PATCH', path, query, contentType: 'application/merge-patch+json', body: {} }),
    delete: () => transport.request({ method: 'DELETE', path, query }),
  };
  try {
    await calls[verb]?.();
    return true;
  } catch (error) {
    if (isClusterError(error, 'forbidden', 'missing-permission')) return false;
    if (name === undefined && isClusterError(error, 'not-found')) return true;
    throw error;
  }
}

/** Returns every need that the table has in these places, without repeats. */
function everyNeed(): readonly Need[] {
  const all = endpoints.flatMap((endpoint) => [inShop, inPay].flatMap((place) => needsOf(endpoint, place)));
  return [...new Map(all.map((need) => [keyOf(need), need])).values()];
}

function keyOf({ verb, resource, namespace, name = '' }: Need): string {
  return `${verb} ${resource} ${namespace} ${name}`;
}

async function allowedNeeds(user: string): Promise<ReadonlySet<string>> {
  const transport = connect(loadKubeConfig(account(user).kubeconfig));
  try {
    const verdicts = await Promise.all(
      everyNeed().map(async (need) => {
        const [says, does] = await Promise.all([canI(transport, need), reallyMay(transport, need)]);
        expect(does, `${user}: ${keyOf(need)}, as the API server does it and as it says`).toBe(says);
        return says ? [keyOf(need)] : [];
      }),
    );
    return new Set(verdicts.flat());
  } finally {
    transport.close();
  }
}

test('the table has the kubectl rights of every endpoint, and of no other', () => {
  const said = endpoints.filter(({ kubectl }) => kubectl !== undefined).map(({ route }) => route);
  expect(said).toEqual(callsIn(inShop).map(({ route }) => route));
});

describe('the admin API allows exactly what kubectl may do', () => {
  test.each(Object.keys(users))('%s', async (user) => {
    const allowed = await allowedNeeds(user);
    allowances.set(user, allowed);
    const elsewhere = callsIn(inPay).filter(({ route }) => isPlaced(route));
    const cells = [
      ...callsIn(inShop).map((call) => ({ ...call, place: inShop })),
      ...elsewhere.map((call) => ({ ...call, place: inPay })),
    ];
    const verdicts = await pLimit(CALLS_AT_ONCE).map(cells, async ({ endpoint, request, options, answer, place }) => {
      const isAllowed = needsOf(endpoint, place).every((need) => allowed.has(keyOf(need)));
      const { status } = await as(user)(request, options);
      return { want: `${request}: ${isAllowed ? answer : 403}`, got: `${request}: ${status}` };
    });
    expect(verdicts.map(({ got }) => got)).toEqual(verdicts.map(({ want }) => want));
  });
});

test('users have different rights: nearly every user may call something, and none may call everything', () => {
  const idle = [...allowances].filter(([, allowed]) => allowed.size === 0).map(([user]) => user);
  expect(idle).toEqual(['no-rights', 'another-environment']);
  expect([...allowances].filter(([, allowed]) => allowed.size === everyNeed().length)).toEqual([]);
});

/**
 * A sample with each verb once allowed and once refused; the tests above ask the API server for every user. kubectl
 * reads an object before it patches it.
 */
const SAMPLE: readonly (readonly [user: string, args: readonly string[], allowed: boolean])[] = [
  ['viewer', ['get', 'featureflags', 'chosen'], true],
  ['other-admin', ['get', 'projects', 'shop'], false],
  ['only-list', ['list', 'environments'], true],
  ['no-rights', ['list', 'flagusers'], false],
  ['only-create', ['create', 'featureflags'], true],
  ['only-patch', ['create', 'featureflags'], false],
  ['one-environment', ['patch', 'environments', 'production'], true],
  ['another-environment', ['patch', 'environments', 'production'], false],
  ['only-delete', ['delete', 'strategydefinitions', 'country'], true],
  ['one-flag', ['delete', 'featureflags', 'put-away'], false],
];

describe('kubectl itself, with the kubeconfig of the user', () => {
  const kubectlAs = (user: string, args: readonly string[], input?: string) => {
    const { cluster, home: namespace } = instance;
    const { kubeconfig } = account(user);
    return cluster.kubectl([...args, '-n', namespace], { kubeconfig, ...(input !== undefined && { input }) });
  };

  test('can-i agrees with the access review', async () => {
    const said = await Promise.all(
      ['one-environment', 'another-environment'].map((user) =>
        kubectlAs(user, ['auth', 'can-i', 'patch', 'environments.vexil.dev/production']),
      ),
    );
    expect(said.map(({ stdout }) => stdout.trim())).toEqual(['yes', 'no']);
  });

  test.each(SAMPLE)('%s: %s: %s', async (user, [verb = '', resource = '', name], allowed) => {
    const object = name === undefined ? resource : `${resource}.vexil.dev/${name}`;
    const dry = '--dry-run=server';
    const commands: Readonly<Record<string, readonly string[]>> = {
      get: ['get', object],
      list: ['get', resource],
      create: ['create', '-f', '-', dry],
      patch: ['patch', object, '--type', 'merge', '-p', '{}', dry],
      delete: ['delete', object, dry],
    };
    const input = verb === 'create' ? JSON.stringify(fresh({ verb, resource, namespace: instance.home })) : undefined;
    const { code, stderr } = await kubectlAs(user, commands[verb] ?? [], input);
    expect({ isDone: code === 0, isForbidden: stderr.includes('(Forbidden)') }, stderr).toEqual({
      isDone: allowed,
      isForbidden: !allowed,
    });
  });
});

describe('lists over both namespaces show what the caller may read', () => {
  test.each<[user: string, projects: readonly string[], archived: readonly string[]]>([
    ['no-rights', [], []],
    ['viewer', ['shop'], ['put-away']],
    ['other-admin', ['pay'], ['far-away']],
    ['only-get', ['pay', 'shop'], ['far-away', 'put-away']],
    ['only-list', [], []],
    ['one-project', ['pay', 'shop'], ['far-away', 'put-away']],
    ['one-flag', [], []],
  ])('%s', async (user, projects, archived) => {
    const [listed, stored] = await Promise.all([as(user)('GET /projects'), as(user)('GET /archive/features')]);
    expect(listed.body.projects.map(({ id }: { id: string }) => id).sort()).toEqual(projects);
    expect(stored.body.features.map(({ name }: { name: string }) => name).sort()).toEqual(archived);
  });
});

describe('a call that changes several objects needs the permission for each', () => {
  test('if one of two environments in an order is not allowed, the answer names it, and none is moved', async () => {
    const { status, body } = await as('one-environment')('PUT /environments/sort-order', {
      body: { production: 11, development: 12 },
    });
    expect(status).toBe(403);
    expect(body.message).toContain('cannot patch resource "environments" "development"');
    expect(body.message).not.toContain('"production"');
    expect((await instance.specOf('environment', `${instance.home}/production`)).sortOrder).toBe(2);
  });

  test('an empty order and an order of missing environments need the permission of every other order', async () => {
    for (const body of [{}, { 'no-such-environment': 1 }]) {
      expect((await as('one-environment')('PUT /environments/sort-order', { body })).status).toBe(403);
      expect((await as('home-admin')('PUT /environments/sort-order', { body })).status).not.toBe(403);
    }
  });

  test('cloning an environment only needs the permission to create environments, as with kubectl: the operator writes the flags', async () => {
    const { cluster, home } = instance;
    const clone = { from: 'production', projects: ['shop'] };
    const input = JSON.stringify(anEnvironment(`${home}/copy`, { type: 'test', clone }));
    const { kubeconfig } = account('all-environments');
    await cluster.kubectlOrThrow(['create', '-f', '-', '--dry-run=server'], { kubeconfig, input });
    const body = { name: 'copy', type: 'test', projects: ['shop'] };
    const request = 'POST /environments/production/clone?dryRun=true';
    expect((await as('all-environments')(request, { body })).status).toBe(200);
    expect((await as('all-featureflags')(request, { body })).status).toBe(403);
  });

  test('cloning a flag needs the permissions to read the flag and to create another one', async () => {
    const clone = { body: { name: 'copy' } };
    const request = 'POST /projects/shop/features/chosen/clone?dryRun=true';
    const answers = await Promise.all(
      ['only-create', 'only-get', 'creates-and-reads'].map((user) => as(user)(request, clone)),
    );
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 201]);
    expect(answers[0]?.body.message).toContain('cannot get resource "featureflags" "chosen"');
  });
});
