/** Vexil users and every endpoint: each permission allows only its endpoints, in its project and environment. */
import pLimit from 'p-limit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, adminClient, type CallOptions } from '../support/admin-client.ts';
import { aFlag, aRole, aUser, type Manifest } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { type TokensDirectly, tokensDirectly } from '../support/tokens-directly.ts';
import { CALLS_AT_ONCE, callsIn, inPay, inShop, placeManifests, sharedManifests } from './access-calls.ts';
import { asked, needs } from './endpoint-needs.ts';
import type { Need, Place } from './endpoints/row.ts';
import { type Grant, inDefault, needsOf, type Someone, separating, type UserRole, users } from './permission-users.ts';

/** An endpoint whose body names the environments that it writes. */
const BATCH = 'PUT /projects/:projectId/features/:featureName/variants-batch';

function covers({ permission, project, environment }: Grant, [wanted, scope]: Need, place: Place): boolean {
  return (
    (permission === 'ADMIN' || permission === wanted) &&
    (project === undefined || (scope !== 'root' && project === place.project)) &&
    (environment === undefined || (scope === 'environment' && environment === place.environment))
  );
}

interface Asking {
  readonly place: Place;
  readonly grants: readonly Grant[];
}

/**
 * A caller who lacks the first permission is refused before the body is read. If the body names the environments, that
 * is a caller who lacks it in all of them.
 */
function refusalOf(route: string, lacking: readonly Need[], { place, grants }: Asking): string {
  const [first] = needsOf(route);
  const refused = first && lacking.includes(first) ? [first] : lacking;
  const mayInSome = (need: Need) =>
    ['production', 'development'].some((environment) =>
      grants.some((grant) => covers(grant, need, { ...place, environment })),
    );
  return refused
    .map((need) => refusal(route === BATCH && !mayInSome(need) ? [need[0], 'project'] : need, place))
    .join(' ');
}

function refusal([permission, scope]: Need, { project, environment }: Pick<Place, 'project' | 'environment'>): string {
  const places = [` in project "${project}"`, ` in environment "${environment}"`];
  const where = places.slice(0, ['root', 'project', 'environment'].indexOf(scope)).join('');
  return `You need the "${permission}" permission${where} to perform this action.`;
}

let instance: Instance;
let tokens: TokensDirectly;
const values = new Map<string, string>();

const as = (user: string) => {
  const value = values.get(user);
  if (value === undefined) throw new Error(`there is no token of ${user}`);
  return adminClient(instance.url, { authorization: value });
};

/** The roles that only this user has. */
function rolesOf(name: string, { rootRole, role }: Someone): Manifest[] {
  const custom = (type: 'root' | 'project', permissions: UserRole | undefined) =>
    typeof permissions === 'object'
      ? [aRole(`${instance.home}/${name}-${type}`, { type, permissions: [...permissions] })]
      : [];
  return [...custom('root', rootRole), ...custom('project', role)];
}

function userNamed(name: string, { rootRole }: Someone): Manifest {
  const root = roleName(name, 'root', rootRole);
  return aUser(`${instance.home}/${name}`, root === undefined ? {} : { rootRole: root });
}

function roleName(user: string, type: 'root' | 'project', role: UserRole | undefined): string | undefined {
  return typeof role === 'object' ? `${user}-${type}` : role;
}

const giveToken = (user: string) => tokens.create(user, { type: 'personal', user });

async function untilSignedIn(user: string): Promise<void> {
  values.set(user, await tokens.untilReady(user));
  await untilAnswer(user, 'GET /feature-types', 200);
}

const untilAnswer = (user: string, request: string, want: number, options?: CallOptions): Promise<Answer> =>
  waitUntil({ what: `${user}: ${request}: ${want}` }, async () => {
    const answer = await as(user)(request, options);
    return answer.status === want && answer;
  });

beforeAll(async () => {
  instance = await startInstance('permissions', { settings: { VEXIL_AUTH: 'token' } });
  const { cluster, home, other } = instance;
  tokens = tokensDirectly(cluster.kubeconfig, home);
  const everyone = Object.entries(users());
  const roles = everyone.flatMap(([name, { role }]) => {
    const inProject = roleName(name, 'project', role);
    return inProject === undefined ? [] : [[name, inProject] as const];
  });
  await instance.apply(
    ...sharedManifests(home),
    ...everyone.flatMap(([name, someone]) => rolesOf(name, someone)),
    ...everyone.map(([name, someone]) => userNamed(name, someone)),
    ...placeManifests(home, inShop, Object.fromEntries(roles)),
    ...placeManifests(home, inDefault),
    ...placeManifests(other, inPay),
  );
  await Promise.all(everyone.map(([name]) => giveToken(name)));
  // The users are awaited one after the other: dozens of parallel waits would take more of the machine than the
  // operator.
  for (const [name] of everyone) await untilSignedIn(name);
});
afterAll(async () => {
  tokens.close();
  await instance.stop();
});

test('for any two permissions a set has the first without the second', () => {
  const sets = separating().map((set) => set.map(([permission]) => permission));
  const all = new Set(sets.flat());
  expect([...all, 'ADMIN'].toSorted()).toEqual(asked.map(([permission]) => permission).toSorted());
  for (const one of all) {
    for (const other of all) {
      expect(one === other || sets.some((set) => set.includes(one) && !set.includes(other))).toBe(true);
    }
  }
});

describe('the table', () => {
  test('has every endpoint, and no other', () => {
    const routes = callsIn(inShop).map(({ route }) => route);
    expect([...needs.keys()].sort()).toEqual([...routes].sort());
  });

  test('has the parameters that every endpoint accepts', async () => {
    const failed = await pLimit(CALLS_AT_ONCE).map(callsIn(inShop), async ({ request, options, answer }) => {
      const { status, text } = await as('admin')(request, options);
      return status === answer ? [] : [`${request}: ${status} ${text}`];
    });
    expect(failed.flat()).toEqual([]);
  });
});

describe('a user may call what their roles allow, in the scope of the roles, and learns which permission is missing', () => {
  test.each(Object.entries(users()))('%s', async (user, { grants, calls }) => {
    const verdicts = await pLimit(CALLS_AT_ONCE).map(calls, async ({ route, request, options, answer, place }) => {
      const lacking = needsOf(route).filter((need) => !grants.some((grant) => covers(grant, need, place)));
      const { status, body } = await as(user)(request, options);
      const want = lacking.length > 0 ? `403 ${refusalOf(route, lacking, { place, grants })}` : `${answer}`;
      return { want: `${request}: ${want}`, got: `${request}: ${status}${status === 403 ? ` ${body.message}` : ''}` };
    });
    expect(verdicts.map(({ got }) => got)).toEqual(verdicts.map(({ want }) => want));
  });
});

describe('an endpoint whose body names environments', () => {
  const request = 'PUT /projects/shop/features/chosen/variants-batch';
  const batch = (...environments: string[]) => ({ body: { variants: [{ name: 'green' }], environments } });
  const inProduction = 'all-in-production';
  const variants = async () => (await instance.flag(`${instance.home}/chosen`)).spec.environments;

  test('is refused if one of several environments is not allowed, and nothing is written', async () => {
    const before = await variants();
    const { status, body } = await as(inProduction)(request, batch('production', 'development'));
    expect(status).toBe(403);
    expect(body.message).toBe(
      refusal(['UPDATE_FEATURE_ENVIRONMENT_VARIANTS', 'environment'], { project: 'shop', environment: 'development' }),
    );
    for (const tricky of [['development'], ['development', 'production', 'development'], ['no-such-environment']]) {
      expect((await as(inProduction)(request, batch(...tricky))).status, tricky.join()).toBe(403);
    }
    expect(await variants()).toEqual(before);
  });

  test('writes if all environments are allowed', async () => {
    expect((await as(inProduction)(request, batch('production', 'production'))).status).toBe(200);
    const { production, development } = await variants();
    expect([production.variants?.length, development.variants]).toEqual([1, undefined]);
    const everywhere = await as('all-in-shop')(`${request}?dryRun=true`, batch('production', 'development'));
    expect(everywhere.status).toBe(200);
  });

  test('reads the body only for callers who may write in some environment', async () => {
    const broken = { body: '{"environments":' };
    expect((await as('stranger')(request, broken)).status).toBe(403);
    expect((await as('any-environment')(request, broken)).status).toBe(403);
    expect((await as(inProduction)(request, broken)).status).toBe(400);
    expect((await as('stranger')('PUT /projects/shop/features/chosen', broken)).status).toBe(403);
    expect((await as('stranger')('PUT /environments/sort-order', broken)).status).toBe(403);
  });
});

describe('an owner of one project', () => {
  test('reaches no flag of another project with the project id of theirs in the path', async () => {
    for (const request of ['PUT /projects/shop/features/far', 'DELETE /projects/shop/features/far']) {
      expect((await as('owner')(request, { body: {} })).status).toBe(404);
    }
    expect((await instance.flag(`${instance.other}/far`)).spec.archived).toBeUndefined();
  });

  test('reaches no archived flag that only claims the project, from another namespace', async () => {
    await instance.apply(aFlag(`${instance.other}/orphan`, { project: 'shop', archived: true }));
    await untilAnswer('admin', 'POST /archive/revive/orphan?dryRun=true', 200);
    for (const request of ['POST /archive/revive/orphan', 'DELETE /archive/orphan']) {
      expect((await as('owner')(request)).status, request).toBe(403);
    }
    expect((await instance.flag(`${instance.other}/orphan`)).spec.archived).toBe(true);
  });

  test('learns nothing of archived flags elsewhere: a missing flag is refused with the same message', async () => {
    const messages = await Promise.all(
      ['no-such-flag', 'orphan'].map(async (name) => (await as('owner')(`DELETE /archive/${name}`)).body.message),
    );
    expect(new Set(messages)).toEqual(new Set(['You need the "DELETE_FEATURE" permission to perform this action.']));
  });
});

describe('a change in the cluster takes effect at once', () => {
  const request = 'PUT /projects/shop/features/chosen?dryRun=true';
  const body = { type: 'release' };
  const patch = (kind: string, name: string, spec: object) =>
    instance.cluster.patchObject(`${kind}/${name}`, instance.home, { spec });
  const until = (want: number) => untilAnswer('changing', request, want, { body });

  beforeAll(async () => {
    await instance.apply(
      aUser(`${instance.home}/changing`),
      aRole(`${instance.home}/root-updater`, { type: 'root', permissions: [{ name: 'UPDATE_FEATURE' }] }),
      aRole(`${instance.home}/updater`, { type: 'project', permissions: [{ name: 'DELETE_FEATURE' }] }),
    );
    await giveToken('changing');
    await untilSignedIn('changing');
  });

  test('a membership, the permissions of its role, the removal of it', async () => {
    await until(403);
    await patch('project', 'shop', { members: { changing: 'updater' } });
    await patch('flagrole', 'updater', { permissions: [{ name: 'UPDATE_FEATURE' }] });
    await until(200);
    await patch('flagrole', 'updater', { permissions: [{ name: 'UPDATE_FEATURE', environment: 'production' }] });
    await until(403);
    await patch('project', 'shop', { members: { changing: 'member' } });
    await until(200);
    await patch('project', 'shop', { members: { changing: null } });
    await until(403);
  });

  test('a root role that is given, deleted, created again, removed', async () => {
    await patch('flaguser', 'changing', { rootRole: 'root-updater' });
    await until(200);
    await tokens.delete('flagroles', 'root-updater');
    await until(403);
    await instance.apply(
      aRole(`${instance.home}/root-updater`, { type: 'root', permissions: [{ name: 'UPDATE_FEATURE' }] }),
    );
    await until(200);
    await patch('flaguser', 'changing', { rootRole: 'Viewer' });
    await until(403);
  });

  test('a deleted token, and a deleted user: 401', async () => {
    await tokens.delete('apitokens', 'viewer');
    await untilAnswer('viewer', 'GET /projects', 401);
    await tokens.delete('flagusers', 'changing');
    await untilAnswer('changing', 'GET /projects', 401);
  });
});
