/** Users of Kubernetes times endpoints: the admin API allows what `kubectl auth can-i` says, and what the API server really does. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isAppError } from '../../src/errors.ts';
import { loadKubeConfig } from '../../src/kube/kubeconfig.ts';
import { connect, type Transport } from '../../src/kube/transport.ts';
import { type Account, createAccount, type Rule } from '../support/account.ts';
import { adminClient } from '../support/admin-client.ts';
import { aFlag, anEnvironment, aProject, aStrategyType, type Manifest } from '../support/builders.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { grantReviews } from '../support/operator-roles.ts';
import { callsIn, inPay, inShop, isPlaced, type Place, placeManifests, sharedManifests } from './access-calls.ts';

interface Need {
  readonly verb: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name?: string | undefined;
}

const FLAG = '/projects/:projectId/features/:featureName';
const ENVIRONMENT = `${FLAG}/environments/:environment`;
const BULK = '/projects/:projectId/bulk_features/environments/:environment';
const MEMBER = '/projects/:projectId/users/:userId/roles/:roleId';
/** What kubectl needs for the same: `verb resource name`; names in capitals are those of the place. No name: any. */
const needs: Readonly<Record<string, readonly string[]>> = {
  // Whoever is signed in gets an answer, with what they may read.
  'GET /projects': [],
  'GET /archive/features': [],
  'GET /feature-types': [],
  'GET /search/events': [],
  'GET /search/events/export': [],
  'GET /events': [],
  'GET /events/:featureName': [],

  'GET /features': [],
  'GET /search/features': [],
  'GET /ui-config': [],
  // It tells of the naming pattern.
  'POST /features/validate': ['get projects PROJECT'],

  'POST /projects': ['create projects'],
  'POST /projects/validate': ['create projects'],
  'GET /projects/:projectId': ['get projects PROJECT'],
  'PUT /projects/:projectId': ['patch projects PROJECT'],
  'GET /projects/:projectId/overview': ['get projects PROJECT'],
  'GET /projects/:projectId/health-report': ['get projects PROJECT'],
  'GET /projects/:projectId/features': ['get projects PROJECT'],
  'GET /archive/features/:projectId': ['get projects PROJECT'],
  'GET /environments/project/:projectId': ['get projects PROJECT'],
  'POST /projects/:projectId/environments': ['patch projects PROJECT'],
  'DELETE /projects/:projectId/environments/:environment': ['patch projects PROJECT'],
  // The path names a user by id.
  [`POST ${MEMBER}`]: ['patch projects PROJECT', 'list flagusers'],
  [`PUT ${MEMBER}`]: ['patch projects PROJECT', 'list flagusers'],
  [`DELETE ${MEMBER}`]: ['patch projects PROJECT', 'list flagusers'],

  'POST /projects/:projectId/features': ['create featureflags'],
  // The copy shows what the source holds.
  [`POST ${FLAG}/clone`]: ['create featureflags', 'get featureflags FLAG'],
  [`GET ${FLAG}`]: ['get featureflags FLAG'],
  [`GET ${FLAG}/ownership`]: ['get featureflags FLAG'],
  [`GET ${FLAG}/variants`]: ['get featureflags FLAG'],
  [`GET ${ENVIRONMENT}`]: ['get featureflags FLAG'],
  [`GET ${ENVIRONMENT}/strategies`]: ['get featureflags FLAG'],
  [`GET ${ENVIRONMENT}/strategies/:strategyId`]: ['get featureflags FLAG'],
  [`GET ${ENVIRONMENT}/variants`]: ['get featureflags FLAG'],
  [`PUT ${FLAG}`]: ['patch featureflags FLAG'],
  [`PATCH ${FLAG}`]: ['patch featureflags FLAG'],
  [`POST ${FLAG}/ownership`]: ['patch featureflags FLAG'],
  // Into the archive, which is a field of the flag.
  [`DELETE ${FLAG}`]: ['patch featureflags FLAG'],
  [`POST ${ENVIRONMENT}/on`]: ['patch featureflags FLAG'],
  [`POST ${ENVIRONMENT}/off`]: ['patch featureflags FLAG'],
  [`POST ${ENVIRONMENT}/strategies`]: ['patch featureflags FLAG'],
  [`POST ${ENVIRONMENT}/strategies/set-sort-order`]: ['patch featureflags FLAG'],
  [`PUT ${ENVIRONMENT}/strategies/:strategyId`]: ['patch featureflags FLAG'],
  [`PATCH ${ENVIRONMENT}/strategies/:strategyId`]: ['patch featureflags FLAG'],
  [`DELETE ${ENVIRONMENT}/strategies/:strategyId`]: ['patch featureflags FLAG'],
  [`PUT ${FLAG}/variants`]: ['patch featureflags FLAG'],
  [`PATCH ${FLAG}/variants`]: ['patch featureflags FLAG'],
  [`PUT ${FLAG}/variants-batch`]: ['patch featureflags FLAG'],
  [`PUT ${ENVIRONMENT}/variants`]: ['patch featureflags FLAG'],
  [`PATCH ${ENVIRONMENT}/variants`]: ['patch featureflags FLAG'],
  // Each that the body names.
  'POST /projects/:projectId/archive': ['patch featureflags FLAG'],
  'POST /projects/:projectId/stale': ['patch featureflags FLAG'],
  'PUT /projects/:projectId/tags': ['patch featureflags FLAG'],
  [`POST ${BULK}/on`]: ['patch featureflags FLAG'],
  [`POST ${BULK}/off`]: ['patch featureflags FLAG'],
  'POST /projects/:projectId/revive': ['patch featureflags ARCHIVED'],
  'POST /projects/:projectId/delete': ['delete featureflags ARCHIVED'],
  'GET /features/:featureName/tags': ['get featureflags FLAG'],
  'POST /features/:featureName/tags': ['patch featureflags FLAG'],
  'PUT /features/:featureName/tags': ['patch featureflags FLAG'],
  'DELETE /features/:featureName/tags/:type/:value': ['patch featureflags FLAG'],
  'POST /archive/revive/:featureName': ['patch featureflags ARCHIVED'],
  'DELETE /archive/:featureName': ['delete featureflags ARCHIVED'],

  'GET /environments': ['list environments'],
  'GET /environments/:environment': ['get environments production'],
  'POST /environments/:environment/on': ['patch environments production'],
  'POST /environments/:environment/off': ['patch environments production'],
  // Each that the body names.
  'PUT /environments/sort-order': ['patch environments production'],
  // An Environment that says `clone` is all that kubectl needs, too: the flags are the operator's to write.
  'POST /environments/:environment/clone': ['create environments'],

  'GET /strategies': ['list strategydefinitions'],
  'POST /strategies': ['create strategydefinitions'],
  'GET /strategies/:strategyName': ['get strategydefinitions country'],
  'PUT /strategies/:strategyName': ['patch strategydefinitions country'],
  'DELETE /strategies/:strategyName': ['delete strategydefinitions country'],
  'POST /strategies/:strategyName/deprecate': ['patch strategydefinitions country'],
  'POST /strategies/:strategyName/reactivate': ['patch strategydefinitions country'],
  'GET /state/export': ['list featureflags', 'list environments', 'list strategydefinitions'],
  // Beside what each of its writes needs.
  'POST /state/import': ['create featureflags'],
  'GET /user-admin': ['list flagusers'],
  'GET /user-admin/search': ['list flagusers'],
};

const KINDS = ['featureflags', 'projects', 'environments', 'strategydefinitions', 'flagusers'];
const VERBS = ['get', 'list', 'create', 'patch', 'delete'];

type Rights = readonly [home: readonly Rule[], other?: readonly Rule[]];

/** Rights in the home namespace, and in the other one that is watched. */
const users: Readonly<Record<string, Rights>> = {
  nobody: [[]],
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
};

let instance: Instance;
const accounts = new Map<string, Account>();
/** The needs that each user has been found to be allowed. */
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

function needsOf(route: string, place: Place): readonly Need[] {
  const { home, other } = instance;
  const names: Readonly<Record<string, string>> = {
    PROJECT: place.project,
    FLAG: place.flag,
    ARCHIVED: place.archived,
  };
  return (needs[route] ?? []).map((text) => {
    const [verb = '', resource = '', word] = text.split(' ');
    // What is created at home is at home, wherever the other project is.
    const isPlacedKind = (resource === 'projects' && verb !== 'create') || resource === 'featureflags';
    const namespace = isPlacedKind && place === inPay ? other : home;
    return { verb, resource, namespace, name: word && (names[word] ?? word) };
  });
}

/** As `kubectl auth can-i` asks it. */
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
  return resource === 'environments' ? anEnvironment(place) : aStrategyType(place);
}

/** Whether the API server does it, as a dry run. */
async function reallyMay(transport: Transport, need: Need): Promise<boolean> {
  const { verb, resource, namespace, name } = need;
  const path = `/apis/vexil.dev/v1alpha1/namespaces/${namespace}/${resource}${name === undefined ? '' : `/${name}`}`;
  const query = { dryRun: 'All' };
  const calls: Readonly<Record<string, () => Promise<unknown>>> = {
    get: () => transport.request({ method: 'GET', path }),
    list: () => transport.request({ method: 'GET', path }),
    create: () => transport.request({ method: 'POST', path, query, body: fresh(need) }),
    patch: () =>
      transport.request({ method: 'PATCH', path, query, contentType: 'application/merge-patch+json', body: {} }),
    delete: () => transport.request({ method: 'DELETE', path, query }),
  };
  try {
    await calls[verb]?.();
    return true;
  } catch (error) {
    if (isAppError(error, 'forbidden')) return false;
    throw error;
  }
}

/** Every need that the table has in these places, once. */
function everyNeed(): readonly Need[] {
  const all = Object.keys(needs).flatMap((route) => [inShop, inPay].flatMap((place) => needsOf(route, place)));
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

test('the table has every endpoint, and no other', () => {
  const routes = callsIn(inShop).map(({ route }) => route);
  expect(Object.keys(needs).sort()).toEqual([...routes].sort());
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
    const verdicts = await Promise.all(
      cells.map(async ({ route, request, options, answer, place }) => {
        const isAllowed = needsOf(route, place).every((need) => allowed.has(keyOf(need)));
        const { status } = await as(user)(request, options);
        return { want: `${request}: ${isAllowed ? answer : 403}`, got: `${request}: ${status}` };
      }),
    );
    expect(verdicts.map(({ got }) => got)).toEqual(verdicts.map(({ want }) => want));
  });
});

test('the matrix tells users apart: nearly each may do something, and none everything', () => {
  const idle = [...allowances].filter(([, allowed]) => allowed.size === 0).map(([user]) => user);
  expect(idle).toEqual(['nobody', 'another-environment']);
  expect([...allowances].filter(([, allowed]) => allowed.size === everyNeed().length)).toEqual([]);
});

/** Kubectl reads what it patches. */
const SAMPLE: readonly (readonly [user: string, args: readonly string[], allowed: boolean])[] = [
  ['viewer', ['get', 'featureflags', 'chosen'], true],
  ['viewer', ['patch', 'featureflags', 'chosen'], false],
  ['home-admin', ['patch', 'featureflags', 'chosen'], true],
  ['home-admin', ['delete', 'featureflags', 'put-away'], true],
  ['home-admin', ['create', 'strategydefinitions'], true],
  ['other-admin', ['get', 'projects', 'shop'], false],
  ['only-list', ['list', 'environments'], true],
  ['only-list', ['get', 'environments', 'production'], false],
  ['only-create', ['create', 'featureflags'], true],
  ['only-delete', ['delete', 'strategydefinitions', 'country'], true],
  ['only-patch', ['create', 'featureflags'], false],
  ['one-flag', ['patch', 'featureflags', 'chosen'], true],
  ['one-flag', ['delete', 'featureflags', 'put-away'], false],
  ['one-project', ['patch', 'projects', 'shop'], true],
  ['one-environment', ['patch', 'environments', 'production'], true],
  ['another-environment', ['patch', 'environments', 'production'], false],
  ['nobody', ['list', 'flagusers'], false],
];

describe('kubectl itself, with the kubeconfig of the user', () => {
  test.each(SAMPLE)('%s: %s: %s', async (user, [verb = '', resource = '', name], allowed) => {
    const { cluster, home: namespace } = instance;
    const { kubeconfig } = account(user);
    const kubectl = (args: readonly string[], input?: string) =>
      cluster.kubectl([...args, '-n', namespace], { kubeconfig, ...(input !== undefined && { input }) });
    const object = name === undefined ? resource : `${resource}.vexil.dev/${name}`;
    const { stdout } = await kubectl(['auth', 'can-i', verb, name === undefined ? `${resource}.vexil.dev` : object]);
    expect(stdout.trim()).toBe(allowed ? 'yes' : 'no');

    const dry = '--dry-run=server';
    const commands: Readonly<Record<string, readonly string[]>> = {
      get: ['get', object],
      list: ['get', resource],
      create: ['create', '-f', '-', dry],
      patch: ['patch', object, '--type', 'merge', '-p', '{}', dry],
      delete: ['delete', object, dry],
    };
    const input = verb === 'create' ? JSON.stringify(fresh({ verb, resource, namespace })) : undefined;
    const { code, stderr } = await kubectl(commands[verb] ?? [], input);
    expect({ isDone: code === 0, isForbidden: stderr.includes('(Forbidden)') }, stderr).toEqual({
      isDone: allowed,
      isForbidden: !allowed,
    });
  });
});

describe('lists over both namespaces show what the caller may read', () => {
  test.each<[user: string, projects: readonly string[], archived: readonly string[]]>([
    ['nobody', [], []],
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

describe('a call that touches several objects asks for each', () => {
  test('of two environments in an order the one that is not allowed is named, and none is moved', async () => {
    const { status, body } = await as('one-environment')('PUT /environments/sort-order', {
      body: { production: 11, development: 12 },
    });
    expect(status).toBe(403);
    expect(body.message).toContain('cannot patch resource "environments" "development"');
    expect(body.message).not.toContain('"production"');
    expect((await instance.specOf('environment', `${instance.home}/production`)).sortOrder).toBe(2);
  });

  test('an order that names nothing, or what is not there, is asked for as any', async () => {
    for (const body of [{}, { 'no-such-environment': 1 }]) {
      expect((await as('one-environment')('PUT /environments/sort-order', { body })).status).toBe(403);
      expect((await as('home-admin')('PUT /environments/sort-order', { body })).status).not.toBe(403);
    }
  });

  test('but a copy of an environment needs to create environments only, as with kubectl: the flags are the operator’s to write', async () => {
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

  test('a copy of a flag needs to read the flag, and to create another', async () => {
    const clone = { body: { name: 'copy' } };
    const request = 'POST /projects/shop/features/chosen/clone?dryRun=true';
    const answers = await Promise.all(
      ['only-create', 'only-get', 'creates-and-reads'].map((user) => as(user)(request, clone)),
    );
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 201]);
    expect(answers[0]?.body.message).toContain('cannot get resource "featureflags" "chosen"');
  });
});
