/** Freezes over HTTP: which requests are refused to which users, and what the answers say. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAccount, type Rule } from '../support/account.ts';
import { adminClient } from '../support/admin-client.ts';
import { aFlag, anEnvironment, aProject, aRole, aUser } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { grantReviews } from '../support/operator-roles.ts';
import { personalTokens } from '../support/personal-tokens.ts';
import { untilRecorded } from '../support/recorded-events.ts';

const summit = {
  name: 'summit',
  from: '2020-01-01T00:00:00Z',
  until: '2099-01-01T00:00:00Z',
  reason: 'The year ends',
};
const shown = { name: 'summit', until: '2099-01-01T00:00:00.000Z', reason: 'The year ends' };
const MESSAGE =
  'The environment "production" is frozen until 2099-01-01T00:00:00Z by the freeze "summit" (The year ends). Until then flags can only be switched off there, except with the permission BYPASS_FREEZE.';

const users = ['member', 'bypasser', 'elsewhere', 'developer', 'cluster-bypasser', 'admin'] as const;
type UserName = (typeof users)[number];
const mayBypass: readonly UserName[] = ['bypasser', 'cluster-bypasser', 'admin'];

let instance: Instance;
const tokens = new Map<UserName, string>();
const as = (user: UserName) => adminClient(instance.url, { authorization: tokens.get(user) ?? '' });
const ADMIN_TOKEN = `*:*.${'5f'.repeat(28)}`;

beforeAll(async () => {
  const settings = { VEXIL_AUTH: 'token', VEXIL_ADMIN_TOKEN: ADMIN_TOKEN };
  instance = await startInstance('freezes-http', { settings });
  const { cluster, home } = instance;
  await grantReviews(cluster, home);
  const change = ['UPDATE_FEATURE_ENVIRONMENT', 'CREATE_FEATURE_STRATEGY', 'DELETE_FEATURE', 'UPDATE_FEATURE'] as const;
  const role = (name: string, environment: string) =>
    aRole(`${home}/${name}`, {
      permissions: [...change.map((one) => ({ name: one })), { name: 'BYPASS_FREEZE', environment }],
    });
  await instance.apply(
    ...['member', 'bypasser', 'elsewhere'].map((name) => aUser(`${home}/${name}`)),
    role('bypasser', 'production'),
    role('elsewhere', 'development'),
    aProject(`${home}/shop`, { members: { member: 'member', bypasser: 'bypasser', elsewhere: 'elsewhere' } }),
    anEnvironment(`${home}/production`, { freezes: [summit], sortOrder: 2 }),
  );
  for (const [user, token] of await personalTokens({ cluster, home }, ['member', 'bypasser', 'elsewhere'] as const))
    tokens.set(user, token);
  const account = async (name: UserName, ...rules: Rule[]) => {
    const all: Rule[] = [[['*'], ['featureflags', 'projects']], ...rules];
    tokens.set(name, (await createAccount(cluster, { namespace: home, name, rules: { [home]: all } })).token);
  };
  await account('developer');
  await account('cluster-bypasser', [['bypass-freeze'], ['environments'], ['production']]);
  tokens.set('admin', ADMIN_TOKEN);
  for (const user of users) {
    const read = async () => (await as(user)('GET /projects/shop/features')).status === 200;
    await waitUntil({ what: `${user} is signed in` }, read);
  }
});
afterAll(() => instance.stop());

const strategies = { all: { name: 'default' } };
const switchedIn = (name: string, enabled: boolean) =>
  aFlag(`${instance.home}/${name}`, {
    environments: { development: { strategies }, production: { enabled, strategies } },
  });
const servedAt = async (name: string): Promise<string> => {
  const path = `/projects/shop/features/${name}`;
  await waitUntil({ what: `${name} is served` }, async () => (await as('admin')(`GET ${path}`)).status === 200);
  return path;
};

type Request = (path: string) => readonly [request: string, body?: unknown];
const requests: Readonly<Record<string, Request>> = {
  on: (path) => [`POST ${path}/environments/production/on`],
  try: (path) => [`POST ${path}/environments/production/on?dryRun=true`],
  strategy: (path) => [`POST ${path}/environments/production/strategies`, { name: 'default' }],
  bulk: (path) => [
    'POST /projects/shop/bulk_features/environments/production/on',
    { features: [path.split('/').at(-1)] },
  ],
  archive: (path) => [`DELETE ${path}`],
};

/** Each request by a user who may not bypass and by one who may; each other user with one of them. */
const asked: readonly (readonly [UserName, string])[] = [
  ...Object.keys(requests).flatMap((what) => [['member', what] as const, ['bypasser', what] as const]),
  ...(['elsewhere', 'developer', 'cluster-bypasser', 'admin'] as const).map((user) => [user, 'on'] as const),
  ['developer', 'bulk'],
];

beforeAll(() => instance.apply(...asked.map((one) => switchedIn(one.join('-'), false))));

test.each(asked)('%s: %s', async (user, what) => {
  const name = `${user}-${what}`;
  const [request, body] = requests[what]?.(await servedAt(name)) ?? [what];
  const before = await instance.flag(`${instance.home}/${name}`);
  const answer = await as(user)(request, { body });
  if (mayBypass.includes(user)) {
    expect(answer.status, answer.text).toBeLessThan(300);
    return;
  }
  expect([answer.status, answer.body.name, answer.body.message]).toEqual([409, 'EnvironmentFrozenError', MESSAGE]);
  expect(answer.body.freezes).toEqual([{ environment: 'production', ...shown }]);
  expect((await instance.flag(`${instance.home}/${name}`)).metadata).toEqual(before.metadata);
});

test.each(['member', 'developer'] as const)(
  '%s may switch off there, and change other environments and fields of no environment',
  async (user) => {
    await instance.apply(switchedIn(`${user}-off`, true));
    const path = await servedAt(`${user}-off`);
    const call = as(user);
    const changed = [
      await call(`POST ${path}/environments/production/off`),
      await call(`POST ${path}/environments/development/on`),
      await call(`PATCH ${path}`, { body: [{ op: 'replace', path: '/description', value: 'after' }] }),
      await call('POST /projects/shop/features', { body: { name: `${user}-new` } }),
    ];
    expect(changed.map(({ status }) => status)).toEqual([200, 200, 200, 201]);
    expect((await instance.flag(`${instance.home}/${user}-off`)).spec.environments.production.enabled).toBe(false);
  },
);

test('a bypass is in the history with its reason and in an Event, and in no entry of the next change', async () => {
  await instance.apply(switchedIn('bypassed', false));
  const path = await servedAt('bypassed');
  const call = as('cluster-bypasser');
  const on = `POST ${path}/environments/production/on`;
  expect((await call(`${on}?reason=${'x'.repeat(201)}`)).status).toBe(400);
  expect((await call(`${on}?reason=Checkout%20fails`)).status).toBe(200);
  await call(`POST ${path}/environments/production/off`);
  const ofFlag = 'feature=IS:bypassed&type=IS_ANY_OF:feature-freeze-bypassed,feature-environment-disabled';
  const events = await untilRecorded(as('admin'), ofFlag, 2);
  const bypasses = events.filter(({ type }) => type === 'feature-freeze-bypassed');
  expect(bypasses).toMatchObject([
    {
      createdBy: expect.stringContaining('cluster-bypasser'),
      ...{ environment: 'production', channel: 'api', reason: 'Checkout fails' },
      data: { name: 'summit', until: summit.until, reason: 'Checkout fails' },
    },
  ]);
  const args = ['get', 'events', '-n', instance.home, '-o', 'jsonpath={.items[*].message}'];
  const said = 'Flag bypassed was changed in production during the freeze summit, by bypass by ';
  await expect.poll(() => instance.cluster.kubectlOrThrow(args)).toContain(said);
  const { annotations } = (await instance.flag(`${instance.home}/bypassed`)).metadata;
  expect(annotations).not.toHaveProperty(['vexil.dev/changed-bypassing']);
});

test('an import that prunes removes nothing there', async () => {
  const { home } = instance;
  const environments = { production: { enabled: true, strategies } };
  await instance.apply(aProject(`${home}/pruned`), aFlag(`${home}/of-pruned`, { project: 'pruned', environments }));
  const path = '/projects/pruned/features/of-pruned';
  await waitUntil({ what: 'it is served' }, async () => (await as('developer')(`GET ${path}`)).status === 200);
  const body = { features: [{ name: 'new-of-pruned', project: 'pruned' }] };
  const answer = await as('developer')('POST /state/import?prune=true', { body });
  expect([answer.status, answer.body.name], answer.text).toEqual([409, 'EnvironmentFrozenError']);
  expect(answer.body.message).toMatch(
    /^Nothing was imported\. the flag "of-pruned": The environment "production" is fr/,
  );
  expect(await instance.flagsNamed('new-of-pruned')).toEqual([]);
  const admin = await as('admin')('POST /state/import?prune=true', { body });
  expect(admin.body.deleted.features, admin.text).toEqual(['of-pruned']);
});

test.each(users)('the permissions of %s say whether it may bypass the freeze', async (user) => {
  const { body } = await as(user)('GET /user/permissions?project=shop&environment=production');
  expect(body.permissions.includes('BYPASS_FREEZE')).toBe(mayBypass.includes(user));
});

test('a change that takes a flag away is refused if users would get another flag by it', async () => {
  const production = { enabled: true, strategies: { ...strategies, more: { name: 'default' } } };
  const child = (name: string, more: object, inProduction: object = production) =>
    aFlag(`${instance.home}/${name}`, {
      environments: { production: inProduction },
      dependencies: [{ feature: 'parent', ...more }],
    });
  await instance.apply(aFlag(`${instance.home}/parent`, { environments: { production } }));
  const without = { enabled: false };
  const window = { activeFrom: '2100-01-01T00:00:00Z' };
  const closed = { activeUntil: '2020-01-01T00:00:00Z' };
  await instance.apply(child('when-off', without), child('blue', { variants: ['blue'] }));
  await instance.apply(child('later', without, { ...production, ...window }));
  await instance.apply(child('earlier', without, { ...production, ...closed }));
  const path = '/projects/shop/features/parent/environments/production';
  const [member, admin] = [as('member'), as('admin')];
  await waitUntil({ what: 'the children are served' }, async () => {
    const names = ['when-off', 'blue', 'later', 'earlier'];
    const answers = await Promise.all(names.map((name) => admin(`GET /projects/shop/features/${name}`)));
    return answers.every(({ status }) => status === 200);
  });
  const disable = [{ op: 'replace', path: '/disabled', value: true }];
  const calls = [() => member(`POST ${path}/off`), () => member(`PATCH ${path}/strategies/more`, { body: disable })];
  for (const [index, call] of calls.entries()) {
    const { status, body } = await call();
    const name = index === 0 ? '"later" and 1 more, which' : '"blue" and 2 more, which';
    expect([status, body.name, body.message]).toEqual([409, 'EnvironmentFrozenError', expect.stringContaining(name)]);
  }
  for (const name of ['when-off', 'later'])
    expect((await admin(`POST /projects/shop/features/${name}/environments/production/off`)).status).toBe(200);
  await waitUntil(
    { what: 'the flag may be switched off' },
    async () => (await member(`POST ${path}/off`)).status === 200,
  );
});

test('a parent that a child lacks neither comes nor comes back, if the child would be on without it', async () => {
  const { home } = instance;
  const production = { enabled: true, strategies };
  const child = (parent: string, more: object = { enabled: false }) =>
    aFlag(`${home}/child-of-${parent}`, {
      environments: { production },
      dependencies: [{ feature: parent, ...more }],
    });
  const [member, admin] = [as('member'), as('admin')];
  await instance.apply(aFlag(`${home}/revived`, { archived: true, environments: {} }), child('revived'));
  await instance.apply(aFlag(`${home}/chained`, { dependencies: [{ feature: 'parent' }] }), child('chained'));
  await instance.apply(child('made'), child('followed', { enabled: true }), aFlag(`${home}/copied`));
  const served = ['child-of-revived', 'child-of-chained', 'child-of-made', 'child-of-followed', 'copied'];
  await waitUntil({ what: 'the flags are served' }, async () => {
    const answers = await Promise.all(served.map((name) => admin(`GET /projects/shop/features/${name}`)));
    return answers.every(({ status }) => status === 200);
  });
  const create = (name: string) => member('POST /projects/shop/features', { body: { name } });
  const refused = [
    ['made', () => create('made')],
    ['made', () => member('POST /projects/shop/features/copied/clone', { body: { name: 'made' } })],
    ['revived', () => member('POST /projects/shop/revive', { body: { features: ['revived'] } })],
    ['chained', () => member('DELETE /projects/shop/features/chained/dependencies/parent')],
  ] as const;
  for (const [parent, call] of refused) {
    const { status, body } = await call();
    const message = expect.stringContaining(`could switch on "child-of-${parent}", which`);
    expect([status, body.name, body.message], parent).toEqual([409, 'EnvironmentFrozenError', message]);
  }
  // The child stays off, because its new parent is.
  expect((await create('followed')).status).toBe(201);
  for (const parent of ['made', 'revived', 'chained'])
    expect((await admin(`POST /projects/shop/features/child-of-${parent}/environments/production/off`)).status).toBe(
      200,
    );
  await waitUntil({ what: 'the parent may be created' }, async () => (await create('made')).status === 201);
});

test('a flag is not deleted if the flag that then has its name would be on', async () => {
  const { home } = instance;
  const environments = { production: { enabled: true, strategies } };
  await instance.apply(aFlag(`${home}/predecessor`, { archived: true }));
  await instance.apply(aFlag(`${home}/z-heir`, { name: 'predecessor', environments }));
  await waitUntil(
    { what: 'the heir is judged' },
    async () => (await instance.flag(`${home}/z-heir`)).status !== undefined,
  );
  const remove = () => as('member')('DELETE /archive/predecessor');
  await expect.poll(async () => (await remove()).body?.name).toBe('EnvironmentFrozenError');
  await instance.apply(aFlag(`${home}/z-heir`, { name: 'predecessor' }));
  await waitUntil({ what: 'the flag may be deleted' }, async () => (await remove()).status === 200);
});

test('an environment shows its freeze', async () => {
  const freezes = Object.fromEntries(
    (await as('admin')('GET /environments')).body.environments.map(
      ({ name, freeze }: { name: string; freeze: unknown }) => [name, freeze],
    ),
  );
  expect(freezes).toEqual({ production: shown, development: null });
  expect((await as('admin')('GET /environments/production')).body.freeze).toEqual(shown);
});
