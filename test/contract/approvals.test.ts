/** Approvals over HTTP: which requests are refused to which callers, asking for a change, and deciding on it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { adminClient } from '../support/admin-client.ts';
import { type ApprovalsWorld, startApprovals } from '../support/approvals-world.ts';
import { aFlag, aProject, aRole, aSegment, aUser } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { personalTokens } from '../support/personal-tokens.ts';
import type { Stored } from '../support/stored.ts';

const ADMIN_TOKEN = `*:*.${'5f'.repeat(28)}`;
const MESSAGE =
  'A change in the environment "production" needs the approval of another person. Repeat the request with ?changeRequest=true to ask for it, or run "vexil request -f FILE". Flags can always be switched off.';
const strategies = { all: { name: 'default' } };

const users = ['member', 'approver', 'root-admin', 'skipper'] as const;
const callers = [...users, 'admin-token', 'eve', 'robot', 'boss'] as const;
type CallerName = (typeof callers)[number];
/** Whose changes need no approval. */
const free: readonly CallerName[] = ['skipper', 'robot', 'boss'];

let world: ApprovalsWorld;
const tokens = new Map<CallerName, string>();
const as = (name: CallerName) => adminClient(world.instance.url, { authorization: tokens.get(name) ?? '' });

beforeAll(async () => {
  world = await startApprovals('approvals-http', {
    settings: { VEXIL_AUTH: 'token', VEXIL_ADMIN_TOKEN: ADMIN_TOKEN },
  });
  const { instance } = world;
  const { home, cluster } = instance;
  const change = ['UPDATE_FEATURE_ENVIRONMENT', 'CREATE_FEATURE_STRATEGY', 'DELETE_FEATURE', 'UPDATE_FEATURE'];
  const permissions = (...more: string[]) => [...change, ...more].map((name) => ({ name }));
  await instance.apply(
    aRole(`${home}/changer`, { permissions: permissions() }),
    aRole(`${home}/approving`, {
      permissions: [...permissions(), { name: 'APPROVE_CHANGE_REQUEST', environment: 'production' }],
    }),
    aRole(`${home}/skipping`, { type: 'root', permissions: permissions('SKIP_CHANGE_REQUEST') }),
    aUser(`${home}/member`),
    aUser(`${home}/approver`),
    aUser(`${home}/root-admin`, { rootRole: 'Admin' }),
    aUser(`${home}/skipper`, { rootRole: 'skipping' }),
  );
  await instance.apply(aProject(`${home}/shop`, { members: { member: 'changer', approver: 'approving' } }));
  for (const [user, token] of await personalTokens({ cluster, home }, users)) tokens.set(user, token);
  tokens.set('admin-token', ADMIN_TOKEN);
  for (const name of ['eve', 'robot', 'boss'] as const) tokens.set(name, world.tokenOf(name));
  for (const name of callers) {
    const read = async () => (await as(name)('GET /projects/shop/features')).status === 200;
    await waitUntil({ what: `${name} is signed in` }, read);
  }
});
afterAll(() => world.stop());

async function flagNamed(name: string, environment: object = { enabled: false, strategies }): Promise<string> {
  const environments = { development: { strategies }, production: environment };
  await world.instance.apply(aFlag(`${world.instance.home}/${name}`, { environments }));
  const path = `/projects/shop/features/${name}`;
  await waitUntil({ what: `${name} is served` }, async () => (await as('admin-token')(`GET ${path}`)).status === 200);
  return path;
}
const stored = (name: string): Promise<Stored> => world.instance.flag(`${world.instance.home}/${name}`);

const requests = [
  ['on', (path: string) => [`POST ${path}/environments/production/on`]],
  ['try', (path: string) => [`POST ${path}/environments/production/on?dryRun=true`]],
  ['strategy', (path: string) => [`POST ${path}/environments/production/strategies`, { name: 'default' }]],
  [
    'bulk',
    (path: string) => [
      'POST /projects/shop/bulk_features/environments/production/on',
      { features: [path.split('/').at(-1)] },
    ],
  ],
  ['archive', (path: string) => [`DELETE ${path}`]],
] as const;

type What = (typeof requests)[number][0];
const others = requests.map(([what]) => what).filter((what) => what !== 'on');
/** Each caller with one request, and each request with a caller whose changes need approval and with another one. */
const tried: readonly (readonly [CallerName, What])[] = [
  ...callers.map((caller) => [caller, 'on'] as const),
  ...others.flatMap((what) => [['member', what] as const, ['skipper', what] as const]),
];

test.each(tried)('%s: %s', async (caller, what) => {
  const name = `${caller}-${what}`;
  const requestOf = new Map<What, (path: string) => readonly unknown[]>(requests).get(what);
  const [request, body] = requestOf?.(await flagNamed(name)) ?? [];
  const before = await stored(name);
  const answer = await as(caller)(request as string, { body });
  if (free.includes(caller)) {
    expect(answer.status, answer.text).toBeLessThan(300);
    return;
  }
  expect([answer.status, answer.body.name, answer.body.message]).toEqual([409, 'ApprovalRequiredError', MESSAGE]);
  expect(answer.body.approvals).toEqual([{ environment: 'production', required: 1 }]);
  expect((await stored(name)).metadata).toEqual(before.metadata);
});

test.each(['member', 'eve'] as const)('%s may switch off there, and change other environments', async (caller) => {
  const path = await flagNamed(`${caller}-off`, { enabled: true, strategies });
  const changed = [
    await as(caller)(`POST ${path}/environments/production/off`),
    await as(caller)(`POST ${path}/environments/development/on`),
    await as(caller)(`PATCH ${path}`, { body: [{ op: 'replace', path: '/description', value: 'after' }] }),
  ];
  expect(changed.map(({ status }) => status)).toEqual([200, 200, 200]);
});

const variants = [{ name: 'blue', weight: 1000, weightType: 'variable', stickiness: 'default' }];

test.each<[string, (path: string) => readonly [string, unknown?]]>([
  ['variants', (path) => [`PUT ${path}/environments/production/variants`, variants]],
  ['variants-batch', (path) => [`PUT ${path}/variants-batch`, { environments: ['production'], variants }]],
  ['all-variants', (path) => [`PUT ${path}/variants`, variants]],
  ['copied', (path) => [`POST ${path}/environments/production/copy`, { from: 'development' }]],
  ['window', (path) => [`PUT ${path}/environments/production/window`, { activeFrom: '2026-01-01T00:00:00Z' }]],
  ['bulk-archive', (path) => ['POST /projects/shop/archive', { features: [path.split('/').at(-1)] }]],
  ['cloned', (path) => [`POST ${path}/clone`, { name: 'the-clone' }]],
] as const)('%s: an admin needs approval too', async (what, requestOf) => {
  const name = `ways-${what}`;
  const [request, body] = requestOf(
    await flagNamed(name, { strategies: { some: { name: 'default', title: 'Some' } } }),
  );
  const before = await stored(name);
  const answer = await as('admin-token')(request, { body });
  expect([answer.status, answer.body?.name], answer.text).toEqual([409, 'ApprovalRequiredError']);
  expect((await stored(name)).metadata).toEqual(before.metadata);
});

test('imported: an admin needs approval too', async () => {
  await flagNamed('ways-imported');
  const { body: document } = await as('admin-token')('GET /state/export');
  const places = document.featureEnvironments.filter(({ featureName }: Stored) => featureName === 'ways-imported');
  for (const place of places) place.enabled = true;
  const before = await stored('ways-imported');
  const answer = await as('admin-token')('POST /state/import?keep=false', { body: document });
  expect([answer.status, answer.body?.name], answer.text).toEqual([409, 'ApprovalRequiredError']);
  expect((await stored('ways-imported')).metadata).toEqual(before.metadata);
});

test('pruned: an admin needs approval too, and the message names the flag and the environment', async () => {
  const { home } = world.instance;
  const environments = { production: { enabled: true, strategies: { some: { name: 'default' } } } };
  await world.instance.apply(
    aProject(`${home}/pruned`),
    aFlag(`${home}/ways-pruned`, { project: 'pruned', environments }),
  );
  const path = '/projects/pruned/features/ways-pruned';
  await waitUntil({ what: 'the flag is served' }, async () => (await as('admin-token')(`GET ${path}`)).status === 200);
  const body = { features: [{ name: 'ways-new', project: 'pruned' }] };
  const answer = await as('admin-token')('POST /state/import?prune=true', { body });
  expect([answer.status, answer.body?.name], answer.text).toEqual([409, 'ApprovalRequiredError']);
  expect(answer.body.message).toMatch(/^Nothing was imported\. the flag "ways-pruned": .*production/);
  expect(await world.instance.flagsNamed('ways-new')).toEqual([]);
});

test.each<[string, string, object, object]>([
  [
    'a project that lists its environments',
    'DELETE /projects/shop/environments/production',
    { target: { kind: 'Project', name: 'shop' }, project: 'shop', fields: ['spec.environments'] },
    { environments: ['development'] },
  ],
  [
    'an environment that is switched off',
    'POST /environments/production/off',
    { target: { kind: 'Environment', name: 'production' }, project: 'default', fields: ['spec.enabled'] },
    { enabled: false, approvals: { required: 1 } },
  ],
])('%s: asked for, withdrawn', async (_, request, expected, wanted) => {
  await world.instance.apply(aProject(`${world.instance.home}/default`));
  const refused = await as('admin-token')(request);
  const message = MESSAGE.replace(' Flags can always be switched off.', '');
  expect([refused.status, refused.body.name, refused.body.message]).toEqual([409, 'ApprovalRequiredError', message]);
  const asked = await as('root-admin')(`${request}?changeRequest=true`);
  expect(asked.status, asked.text).toBe(202);
  expect(asked.body).toMatchObject({
    ...{ state: 'In review', environments: ['production'], featureName: null, segment: null, wanted },
    ...expected,
  });
  const path = `/projects/${asked.body.project}/change-requests/${asked.body.id}`;
  expect((await as('admin-token')(`GET ${path}`)).body.id).toBe(asked.body.id);
  expect((await as('member')(`PUT ${path}/state`, { body: { state: 'Cancelled' } })).status).toBe(403);
  expect((await as('root-admin')(`PUT ${path}/state`, { body: { state: 'Cancelled' } })).status).toBe(202);
});

test('a member with a role that may permit approvals: asked for, approved, applied', async () => {
  const { home } = world.instance;
  await world.instance.apply(aProject(`${home}/staff`, { members: { approver: 'approving' } }));
  const find = async (what: string, of: (body: Stored) => Stored[], name: string): Promise<number> => {
    const { body } = await as('admin-token')(`GET ${what}`);
    return of(body).find((one) => [one.name, one.username].includes(name))?.id;
  };
  const roleId = await find('/projects/staff/access', ({ roles }) => roles, 'approving');
  const userId = await find('/user-admin', ({ users: found }) => found, 'member');
  const path = `POST /projects/staff/users/${userId}/roles/${roleId}`;
  expect((await as('root-admin')(path)).body.name).toBe('ApprovalRequiredError');
  const asked = await as('root-admin')(`${path}?changeRequest=true&reason=New+colleague`);
  expect(asked.status, asked.text).toBe(202);
  const members = { approver: 'approving', member: 'approving' };
  expect(asked.body).toMatchObject({
    project: 'staff',
    wanted: { members },
    present: { members: { approver: 'approving' } },
  });
  const state = `/projects/staff/change-requests/${asked.body.id}`;
  expect((await as('approver')(`PUT ${state}/state`, { body: { state: 'Approved' } })).status).toBe(202);
  await waitUntil({ what: 'the request is applied' }, async () => {
    return (await as('approver')(`GET ${state}`)).body.state === 'Applied';
  });
  expect((await world.read('projects', 'staff')).spec.members).toEqual(members);
});

test('a project without flags can be deleted, as with kubectl', async () => {
  await world.instance.apply(aProject(`${world.instance.home}/empty`, { environments: ['production'] }));
  await waitUntil({ what: 'the project has its status' }, async () => {
    return (await world.read('projects', 'empty')).status?.flags === 0;
  });
  const { status, text } = await as('root-admin')('DELETE /projects/empty');
  expect(status, text).toBe(200);
});

describe('?changeRequest=true', () => {
  const ask = async (caller: CallerName, name: string): Promise<Stored> => {
    const path = await flagNamed(name);
    const answer = await as(caller)(`POST ${path}/environments/production/on?changeRequest=true&reason=It+is+time`);
    expect(answer.status, answer.text).toBe(202);
    return answer.body;
  };
  const decideAs = (caller: CallerName, { id }: Stored, state: string, comment = 'seen') =>
    as(caller)(`PUT /projects/shop/change-requests/${id}/state`, { body: { state, comment } });
  const untilState = (one: Stored, state: string) =>
    waitUntil({ what: `${one.id} is ${state}` }, async () => {
      const { body } = await as('member')(`GET /projects/shop/change-requests/${one.id}`);
      return body.state === state && body;
    });

  test('asks for the change, which comes into effect with its approval', async () => {
    const one = await ask('member', 'asked');
    expect(one).toMatchObject({
      project: 'shop',
      featureName: 'asked',
      environments: ['production'],
      state: 'In review',
      createdBy: 'member',
      reason: 'It is time',
      fields: ['spec.environments.production'],
      wanted: { environments: { production: { enabled: true, strategies } } },
      present: { environments: { production: { enabled: false, strategies } } },
    });
    expect((await decideAs('approver', one, 'Approved')).status).toBe(202);
    const ended: Stored = await untilState(one, 'Applied');
    expect([ended.approvedBy, ended.decisions[0].comment]).toEqual([['approver'], 'seen']);
    const { spec, metadata } = await stored('asked');
    expect(spec.environments.production.enabled).toBe(true);
    expect(metadata.annotations['vexil.dev/changed-by']).toBe('member');
  });

  test('is listed for those who may read the project', async () => {
    const one = await ask('member', 'listed');
    for (const path of ['/change-requests?open=true', '/projects/shop/change-requests?open=true']) {
      const { body } = await as('approver')(`GET ${path}`);
      expect(body.changeRequests.map(({ id }: Stored) => id)).toContain(one.id);
    }
  });

  test.each<[CallerName, RegExp]>([
    ['member', /"APPROVE_CHANGE_REQUEST" permission/],
    ['eve', /cannot approve resource "environments"/],
    ['admin-token', /This token belongs to no user/],
  ])('%s may not approve', async (caller, message) => {
    const one = await ask('approver', `not-by-${caller}`);
    const answer = await decideAs(caller, one, 'Approved');
    expect([answer.status, answer.body.message]).toEqual([403, expect.stringMatching(message)]);
  });

  test('the author may not approve, and may withdraw', async () => {
    const one = await ask('approver', 'own');
    const answer = await decideAs('approver', one, 'Approved');
    expect([answer.status, answer.body.message]).toEqual([
      403,
      expect.stringContaining('another person has to approve'),
    ]);
    expect((await decideAs('approver', one, 'Cancelled')).status).toBe(202);
    await untilState(one, 'Cancelled');
    const again = await decideAs('root-admin', one, 'Approved');
    expect([again.status, again.body.message]).toEqual([403, expect.stringContaining('has ended: it is Cancelled')]);
  });

  test('for a segment in use: asked for, listed under its project, approved, applied', async () => {
    const { home } = world.instance;
    const id = 77;
    const uses = { all: { name: 'default', segments: ['testers'] } };
    await world.instance.apply(
      aSegment(`${home}/testers`, { id, project: 'shop', constraints: [] }),
      aFlag(`${home}/segmented`, { environments: { production: { enabled: true, strategies: uses } } }),
    );
    const segment = () => world.read('segments', 'testers');
    await waitUntil({ what: 'the segment is in use' }, async () => {
      return (await segment()).status?.environments?.includes('production');
    });
    const constraints = [{ contextName: 'userId', operator: 'IN', values: ['7'] }];
    const body = { name: 'testers', project: 'shop', constraints };
    const refused = await as('root-admin')(`PUT /segments/${id}`, { body });
    expect([refused.status, refused.body.name]).toEqual([409, 'ApprovalRequiredError']);
    const moved = await as('root-admin')(`PUT /segments/${id}?changeRequest=true`, {
      body: { ...body, project: null },
    });
    expect([moved.status, moved.body.message]).toEqual([
      409,
      expect.stringContaining('no change request can ask for it'),
    ]);
    const asked = await as('root-admin')(`PUT /segments/${id}?changeRequest=true`, { body });
    expect(asked.body, asked.text).toMatchObject({
      ...{ project: 'shop', featureName: null, segment: { id, name: 'testers' }, environments: ['production'] },
      ...{ wanted: { constraints }, present: { constraints: [] } },
    });
    const list = await as('approver')('GET /projects/shop/change-requests?open=true');
    expect(list.body.changeRequests.map((one: Stored) => one.id)).toContain(asked.body.id);
    const { body: effects } = await as('approver')(`GET /projects/shop/change-requests/${asked.body.id}/effects`);
    const [{ name, environments }] = effects.segment.flags;
    expect([name, environments[0].groups[0]]).toMatchObject(['segmented', { after: { enabled: false } }]);
    expect((await decideAs('approver', asked.body, 'Approved')).status).toBe(202);
    await untilState(asked.body, 'Applied');
    expect((await segment()).spec.constraints).toMatchObject(constraints);
  });

  test('the effects say what users get before and after', async () => {
    const one = await ask('member', 'effects');
    const path = `GET /projects/shop/change-requests/${one.id}/effects`;
    const { status, body, text } = await as('member')(path);
    expect(status, text).toBe(200);
    expect(body).toMatchObject({ at: null, times: [], dependents: [] });
    expect(body.environments).toMatchObject([
      {
        environment: 'production',
        before: { inEffect: false },
        after: { inEffect: true, strategies: [{ name: 'default' }] },
        same: 0,
        groups: [{ contexts: [{}], before: { enabled: false }, after: { enabled: true, strategy: 'all' } }],
        moreGroups: 0,
      },
    ]);
    expect((await as('member')(`${path}?at=soon`)).status).toBe(400);
    expect((await as('member')(path.replace(one.id, 'nothing'))).status).toBe(404);
    const of = async (feature: string) => {
      const { body: list } = await as('member')(`GET /projects/shop/change-requests?open=true&feature=${feature}`);
      return list.changeRequests.map(({ id }: Stored) => id);
    };
    expect([await of('effects'), await of('dry'), await of('nothing')]).toEqual([[one.id], [], []]);
    await decideAs('member', one, 'Cancelled');
    await untilState(one, 'Cancelled');
  });

  test('the configuration and the counts of a project have the shapes of Unleash', async () => {
    const { body: config } = await as('member')('GET /projects/shop/change-requests/config');
    expect(config).toEqual([
      { environment: 'development', type: 'development', changeRequestEnabled: false, requiredApprovals: null },
      { environment: 'production', type: 'development', changeRequestEnabled: true, requiredApprovals: 1 },
    ]);
    const counted = async () => (await as('member')('GET /projects/shop/change-requests/count')).body;
    const before = await counted();
    const one = await ask('member', 'counted');
    const more = { total: before.total + 1, reviewRequired: before.reviewRequired + 1 };
    await waitUntil({ what: 'it is counted' }, async () => (await counted()).total === more.total);
    expect(await counted()).toEqual({ ...before, ...more });
    await decideAs('member', one, 'Cancelled');
    await untilState(one, 'Cancelled');
  });

  test('a rejection ends the request', async () => {
    const one = await ask('member', 'rejected');
    expect((await decideAs('root-admin', one, 'Rejected', 'Not now')).status).toBe(202);
    expect((await untilState(one, 'Rejected')) as Stored).toMatchObject({
      message: expect.stringContaining('root-admin'),
    });
    expect((await stored('rejected')).spec.environments.production.enabled).toBe(false);
  });

  test('a token that belongs to no user cannot ask: its user could approve the request as somebody else', async () => {
    const path = await flagNamed('by-nobody');
    const answer = await as('admin-token')(`POST ${path}/environments/production/on?changeRequest=true`);
    expect([answer.status, answer.body.message]).toEqual([
      403,
      expect.stringContaining('This token belongs to no user'),
    ]);
  });

  test('a dry run makes no request', async () => {
    const path = await flagNamed('dry');
    const answer = await as('member')(`POST ${path}/environments/production/on?changeRequest=true&dryRun=true`);
    expect(answer.status).toBe(202);
    const { body } = await as('member')('GET /projects/shop/change-requests');
    expect(body.changeRequests.filter(({ featureName }: Stored) => featureName === 'dry')).toEqual([]);
  });
});
