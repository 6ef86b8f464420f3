/** What callers may do with API tokens of each type. Creating a token grants no further permissions. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Account, createAccount } from '../support/account.ts';
import { type Answer, adminClient } from '../support/admin-client.ts';
import { aRole, aToken, aUser } from '../support/builders.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { grantReviews } from '../support/operator-roles.ts';
import type { Stored } from '../support/stored.ts';
import { type TokensDirectly, tokensDirectly } from '../support/tokens-directly.ts';
import { untilAllowed } from '../support/until-allowed.ts';

const types = ['admin', 'client', 'frontend', 'personal'] as const;
const bulkOperations = ['READ', 'CREATE', 'UPDATE', 'DELETE'] as const;
const permissions = bulkOperations.flatMap(
  (bulkOperation) => [`${bulkOperation}_CLIENT_API_TOKEN`, `${bulkOperation}_FRONTEND_API_TOKEN`] as const,
);

let instance: Instance;
let directly: TokensDirectly;
/** The personal token of a user whose role has only this permission. */
const holders = new Map<string, string>();

beforeAll(async () => {
  instance = await startInstance('token-permissions', {
    settings: { VEXIL_AUTH: 'token' },
  });
  const { cluster, home } = instance;
  await grantReviews(cluster, home);
  directly = tokensDirectly(cluster.kubeconfig, home);
  const roles = [...permissions, 'ADMIN', 'CREATE_FEATURE'] as const;
  await instance.apply(
    ...roles.flatMap((permission) => {
      const name = nameOf(permission);
      const rootRole = `R-${name}`;
      return [
        aRole(`${home}/r-${name}`, { name: rootRole, type: 'root', permissions: [{ name: permission }] }),
        aUser(`${home}/${name}`, { rootRole }),
        aToken(`${home}/of-${name}`, { type: 'personal', user: name }),
      ];
    }),
    ...types.map((type) => aToken(`${home}/a-${type}`, { type, ...(type === 'personal' && { user: 'admin' }) })),
  );
  for (const permission of roles) holders.set(permission, await directly.untilReady(`of-${nameOf(permission)}`));
});
afterAll(async () => {
  directly.close();
  await instance.stop();
});

function nameOf(permission: string): string {
  return permission.toLowerCase().replaceAll('_', '-');
}

function as(authorization: string | undefined, request: string, body?: unknown): Promise<Answer> {
  return adminClient(instance.url)(request, { body, headers: { authorization: authorization ?? '' } });
}

function bodyOf(type: string): Readonly<Record<string, unknown>> {
  const scope = type === 'client' || type === 'frontend' ? { environment: 'production' } : {};
  return { tokenName: 'tried', type, ...scope };
}

/** The requests are dry runs, so each finds the same state. */
const requests: Readonly<Record<(typeof bulkOperations)[number], (type: string) => readonly [string, unknown?]>> = {
  READ: (type) => [`GET /api-tokens/a-${type}`],
  CREATE: (type) => ['POST /api-tokens?dryRun=true', bodyOf(type)],
  UPDATE: (type) => [`PUT /api-tokens/a-${type}?dryRun=true`, { expiresAt: null }],
  DELETE: (type) => [`DELETE /api-tokens/a-${type}?dryRun=true`],
};

/** What a holder of one permission tries: its own operation on each type, and the next operation on its own type. */
function cellsOf(holding: (typeof permissions)[number]) {
  const [own] = bulkOperations.filter((one) => holding.startsWith(one));
  const [ownType] = types.filter((type) => holding.endsWith(`_${type.toUpperCase()}_API_TOKEN`));
  if (!own || !ownType) throw new Error(`not a permission about tokens: ${holding}`);
  const next = bulkOperations[(bulkOperations.indexOf(own) + 1) % bulkOperations.length] ?? own;
  return [...types.map((type) => ({ bulkOperation: own, type })), { bulkOperation: next, type: ownType }];
}

describe.each(permissions)('%s', (holding) => {
  test.each(cellsOf(holding))('$bulkOperation $type', async ({ bulkOperation, type }) => {
    const needed = ['client', 'frontend'].includes(type) ? `${bulkOperation}_${type.toUpperCase()}_API_TOKEN` : 'ADMIN';
    const answer = await as(holders.get(holding), ...requests[bulkOperation](type));
    const isPersonal = bulkOperation === 'CREATE' && type === 'personal' && holding.startsWith('CREATE');
    if (needed === holding) expect(answer.status, answer.text).toBeLessThan(300);
    else if (isPersonal) expect(answer.status).toBe(400);
    else expect([answer.status, answer.body.name], answer.text).toEqual([403, 'PermissionError']);
    // A caller with the permission for another type learns which permission is missing. A caller without any learns
    // which ones suffice.
    if (answer.status !== 403) return;
    const wants = holding.startsWith(bulkOperation)
      ? `"${needed}"`
      : `"${bulkOperation}_CLIENT_API_TOKEN" or "${bulkOperation}_FRONTEND_API_TOKEN"`;
    expect(answer.body.message).toContain(wants);
  });
});

test.each(bulkOperations)('ADMIN may %s tokens of every type', async (bulkOperation) => {
  for (const type of types) {
    const answer = await as(holders.get('ADMIN'), ...requests[bulkOperation](type));
    expect(answer.status, answer.text).toBe(bulkOperation === 'CREATE' ? (type === 'personal' ? 400 : 201) : 200);
  }
});

test('before the body is read', async () => {
  for (const body of ['{"tokenName":', { type: 'root' }]) {
    expect((await as(holders.get('CREATE_FEATURE'), 'POST /api-tokens', body)).status).toBe(403);
  }
});

test.each([
  ['READ_CLIENT_API_TOKEN', ['client']],
  ['READ_FRONTEND_API_TOKEN', ['frontend']],
  ['ADMIN', [...types]],
])('%s: the list shows %j', async (permission, want) => {
  const { body } = await as(holders.get(permission), 'GET /api-tokens');
  expect([...new Set(body.tokens.map(({ type }: Stored) => type))].toSorted()).toEqual(want.toSorted());
});

describe('a caller who may only create client tokens creates no token of another type', () => {
  const spellings = [
    'admin',
    'ADMIN',
    'Admin',
    'aDMIN',
    ' admin',
    'admin ',
    'admin\u0000',
    'adm\u0131n',
    'adm\u0130n',
    '\uff41dmin',
  ];
  test.each(spellings.map((type) => [JSON.stringify(type), type]))('type %s', async (_, type) => {
    const answer = await as(holders.get('CREATE_CLIENT_API_TOKEN'), 'POST /api-tokens', bodyOf(type));
    expect([400, 403], answer.text).toContain(answer.status);
  });

  test.each<[string, unknown]>([
    [
      'the type twice, the harmless one first',
      '{"tokenName":"tried","type":"client","environment":"production","type":"admin"}',
    ],
    ['the type twice, the harmless one last', '{"tokenName":"tried","type":"admin","environment":"*","type":"client"}'],
    ['a list of types', { ...bodyOf('client'), type: ['admin'] }],
    ['a spec beside it', { ...bodyOf('client'), environment: '*', spec: { type: 'admin' } }],
    ['a Secret of someone else', { ...bodyOf('client'), environment: 'no-such', secretRef: { name: 'a-admin' } }],
  ])('%s', async (_, body) => {
    const answer = await as(holders.get('CREATE_CLIENT_API_TOKEN'), 'POST /api-tokens', body);
    expect([400, 403], answer.text).toContain(answer.status);
  });

  test('a Secret that the body names: the property is dropped', async () => {
    const body = { ...bodyOf('client'), tokenName: 'own-value', secretRef: { name: 'a-admin' } };
    const answer = await as(holders.get('CREATE_CLIENT_API_TOKEN'), 'POST /api-tokens', body);
    expect(answer.status).toBe(201);
    expect(await instance.specOf('apitoken', `${instance.home}/own-value`)).toEqual({
      type: 'client',
      environment: 'production',
    });
    expect((await as(answer.body.secret, 'GET /projects')).status).toBe(403);
  });

  test('an admin token that stays in force, by the name of an existing one', async () => {
    const before = await directly.token('a-admin');
    const holder = holders.get('UPDATE_CLIENT_API_TOKEN');
    expect((await as(holder, 'PUT /api-tokens/a-admin', { expiresAt: '2999-01-01T00:00:00Z' })).status).toBe(403);
    expect((await directly.token('a-admin')).metadata).toEqual(before.metadata);
  });
});

describe('users of Kubernetes', () => {
  const tokenVerbs = ['get', 'list', 'create', 'patch', 'delete'];
  let blind: Account;
  let sighted: Account;
  let reader: Account;

  beforeAll(async () => {
    const { cluster, home } = instance;
    const account = (name: string, verbs: readonly string[]) =>
      createAccount(cluster, { namespace: home, name, rules: { [home]: [[verbs, ['apitokens']]] } });
    blind = await account('blind', tokenVerbs);
    sighted = await account('sighted', tokenVerbs);
    reader = await account('reader', ['list', 'get']);
    const seeing = { apiVersion: 'rbac.authorization.k8s.io/v1', metadata: { name: 'see-secrets', namespace: home } };
    const names = ['vexil-token-seen'];
    const rules = [{ verbs: ['get'], apiGroups: [''], resources: ['secrets'], resourceNames: names }];
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'see-secrets' };
    const subjects = [{ kind: 'ServiceAccount', namespace: home, name: 'sighted' }];
    await cluster.apply([
      { ...seeing, kind: 'Role', ...{ rules } },
      { ...seeing, kind: 'RoleBinding', ...{ roleRef, subjects } },
    ]);
    const secret = { group: '', verb: 'get', resource: 'secrets', namespace: home, name: names[0] };
    await untilAllowed(cluster, { user: sighted.username, ...secret });
  });

  const post = ({ token }: Account, tokenName: string) => as(token, 'POST /api-tokens', { tokenName, type: 'admin' });

  test('a caller who may create ApiTokens but not read Secrets gets no value, as with kubectl, and no token is created', async () => {
    const before = await instance.versions();
    const answer = await post(blind, 'unseen');
    expect(answer.status).toBe(403);
    expect(answer.body.message).toContain(
      `User "${blind.username}" cannot get resource "secrets" "vexil-token-unseen" in API group "" in the namespace "${instance.home}".`,
    );
    expect(await instance.versions()).toEqual(before);
  });

  test('a caller who may also read the Secret gets the value, for a token of their own name, and for no other', async () => {
    const answer = await post(sighted, 'seen');
    expect(answer.status, answer.text).toBe(201);
    expect((await as(answer.body.secret, 'GET /projects')).status).toBe(200);
    const { metadata } = await directly.token('seen');
    expect(metadata.annotations['vexil.dev/changed-by']).toBe(sighted.username);
    expect((await post(sighted, 'seen-not')).status).toBe(403);
  });

  test('may change, delete and list tokens of every type as RBAC says', async () => {
    await instance.apply(aToken(`${instance.home}/theirs`, { type: 'admin' }));
    expect((await as(reader.token, 'GET /api-tokens')).body.tokens.length).toBeGreaterThan(3);
    expect((await as(reader.token, 'GET /api-tokens/theirs')).status).toBe(200);
    for (const [request, body] of [
      ['PUT /api-tokens/theirs', { expiresAt: null }],
      ['DELETE /api-tokens/theirs'],
    ] as const) {
      const refused = await as(reader.token, request, body);
      expect(refused.status).toBe(403);
      expect(refused.body.message).toContain('resource "apitokens" in API group "vexil.dev"');
      expect((await as(blind.token, request, body)).status).toBe(200);
    }
  });
});
