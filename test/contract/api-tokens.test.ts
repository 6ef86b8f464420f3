/** API tokens over HTTP: listed, created, changed and deleted; a value is disclosed once and nowhere else. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { adminClient } from '../support/admin-client.ts';
import { aToken, aUser } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { startOperator } from '../support/operator.ts';
import type { Stored } from '../support/stored.ts';
import { digestOf, type TokensDirectly, tokensDirectly } from '../support/tokens-directly.ts';

const ADMIN = `*:*.${'5f'.repeat(28)}`;
const HEX = '[0-9a-f]{56}';
const LATER = '2999-01-01T00:00:00.000Z';

let instance: Instance;
let directly: TokensDirectly;
/** The first replica leads. The second one has its own caches, and waits less long for a value. */
let other: Awaited<ReturnType<typeof startOperator>>;
const answered: string[] = [];

beforeAll(async () => {
  const settings = {
    VEXIL_AUTH: 'token',
    VEXIL_ADMIN_TOKEN: ADMIN,
    VEXIL_LOG_LEVEL: 'debug',
  };
  instance = await startInstance('tokens-http', { settings });
  other = await startOperator(instance.cluster, instance.home, {
    watched: [instance.other],
    settings: { ...settings, VEXIL_TOKEN_WAIT: '10s' },
  });
  directly = tokensDirectly(instance.cluster.kubeconfig, instance.home);
});
afterAll(async () => {
  // After all tests above, a value is only in the answer to its creation.
  const logs = [instance, other].map(({ log }) => JSON.stringify(log));
  const metrics = await (await fetch(`${instance.opsUrl}/metrics`)).text();
  await directly.expectNoValueRecorded(...logs, ...answered, metrics);
  directly.close();
  await other.stop();
  await instance.stop();
});

/**
 * Calls the API with the admin token unless another one is given, and collects the answers, which must hold no value.
 */
async function ask(request: string, body?: unknown, authorization = ADMIN): Promise<Stored> {
  const answer = await adminClient(instance.url)(request, { body, headers: { authorization } });
  if (!(answer.status === 201 && answer.body?.secret)) answered.push(answer.text);
  return answer;
}

async function created(body: Readonly<Record<string, unknown>>): Promise<string> {
  const { status, body: recorded, text } = await ask('POST /api-tokens', body);
  expect(status, text).toBe(201);
  directly.values.add(recorded.secret);
  return recorded.secret;
}

const statusOf = async (url: string, authorization: string) =>
  (await adminClient(url)('GET /projects', { headers: { authorization } })).status;
const untilEverywhere = (value: string, want: number) =>
  waitUntil({ what: `both replicas answer ${want}` }, async () => {
    const got = await Promise.all([instance, other].map(({ url }) => statusOf(url, value)));
    return got.every((status) => status === want);
  });

async function listed(name: string): Promise<Stored> {
  const { body } = await ask('GET /api-tokens');
  return body.tokens.find(({ tokenName }: Stored) => tokenName === name);
}

describe('creating', () => {
  test.each<[string, object, string, object]>([
    ['root', { type: 'ADMIN' }, `\\*:\\*\\.${HEX}`, { type: 'admin', project: '*', projects: ['*'], environment: '*' }],
    [
      'root as written out',
      { type: 'admin', environment: '*', projects: ['*'] },
      `\\*:\\*\\.${HEX}`,
      { type: 'admin', project: '*', projects: ['*'], environment: '*' },
    ],
    [
      'backend',
      { type: 'client', environment: 'production', project: 'shop', expiresAt: '2999-01-01T02:00:00+02:00' },
      `shop:production\\.${HEX}`,
      { type: 'client', project: 'shop', projects: ['shop'], environment: 'production', expiresAt: LATER },
    ],
    [
      'page of both',
      { type: 'Frontend', environment: 'development', projects: ['shop', 'pay', 'shop'] },
      `\\[\\]:development\\.${HEX}`,
      { type: 'frontend', project: '[]', projects: ['shop', 'pay'], environment: 'development' },
    ],
    [
      'everywhere',
      { type: 'client', environment: 'production', projects: ['*'] },
      `\\*:production\\.${HEX}`,
      { type: 'client', project: '*', projects: ['*'], environment: 'production' },
    ],
  ])('%s: the value is answered once, and masked from then on', async (tokenName, said, form, want) => {
    const { status, body } = await ask('POST /api-tokens', { tokenName, ...said });
    directly.values.add(body.secret);
    expect(status).toBe(201);
    expect(body.secret).toMatch(new RegExp(`^${form}$`));
    expect(body).toMatchObject({ tokenName, username: tokenName, alias: null, seenAt: null, expiresAt: null, ...want });
    const item = await listed(tokenName);
    expect(item).toEqual({ ...body, secret: body.secret.replace(/[^.]*$/, '…') });
    const { body: one } = await ask(`GET /api-tokens/${encodeURIComponent(tokenName)}`);
    expect(one).toEqual({ tokens: [item] });
  });

  test('a token is created under the name that older clients send, in an object with its creator, with the value in a Secret', async () => {
    const value = await created({ username: 'Old client', type: 'client', environment: 'production' });
    const { items } = await instance.cluster.getObject('ftoken', instance.home);
    const object = items.find(({ spec }: Stored) => spec.name === 'Old client');
    expect(object.spec).toEqual({ name: 'Old client', type: 'client', environment: 'production' });
    expect(object.metadata.annotations).toMatchObject({ 'vexil.dev/changed-by': 'bootstrap-token' });
    expect(object.status.sha256).toBe(digestOf(value));
    const secret = await directly.generated(object.metadata.name);
    expect(Buffer.from(secret.data.token, 'base64').toString()).toBe(value);
  });
});

describe('creating with a wrong body', () => {
  let before: Awaited<ReturnType<Instance['versions']>>;
  beforeAll(async () => {
    before = await instance.versions();
  });
  afterAll(async () => {
    expect(await instance.versions()).toEqual(before);
  });

  test.each<[string, object, string]>([
    ['no name', { tokenName: null }, 'tokenName'],
    ['a value for a name', { tokenName: `*:*.${'ab'.repeat(28)}` }, 'tokenName'],
    ['a personal token', { type: 'personal', user: 'ada' }, 'type'],
    ['a type that there is not', { type: 'root' }, 'type'],
    ['an admin token for a project', { type: 'admin', environment: '*', projects: ['shop'] }, 'projects'],
    ['an admin token for an environment', { type: 'admin', projects: ['*'] }, 'environment'],
    ['a client token for every environment', { environment: '*' }, 'environment'],
    ['a client token without an environment', { environment: null }, 'environment'],
    ['a frontend token for every environment', { type: 'frontend', environment: '*' }, 'environment'],
    ['an environment that there is not', { environment: 'no-such' }, 'environment'],
    ['a project that there is not', { projects: ['shop', 'no-such'] }, 'projects'],
    ['a project that there is not, alone', { project: 'no-such' }, 'project'],
    ['projects that contradict', { project: 'shop', projects: ['pay'] }, 'project'],
    ['no projects', { projects: [] }, 'projects'],
    ['all projects beside one', { projects: ['shop', '*'] }, 'projects'],
    ['a time that is past', { expiresAt: '2020-01-01T00:00:00Z' }, 'expiresAt'],
    ['a time that is none', { expiresAt: 'tomorrow' }, 'expiresAt'],
  ])('%s: 400, and nothing is created', async (_, spoilt, property) => {
    const body = { tokenName: 'refused', type: 'client', environment: 'production', ...spoilt };
    const headers = { authorization: ADMIN };
    const answer = await adminClient(instance.url)('POST /api-tokens', { body, headers });
    expect([answer.status, answer.body.name], answer.text).toEqual([400, 'ValidationError']);
    expect(answer.body.details[0].path).toBe(`/body/${property}`);
    expect(answer.text).not.toContain('ab'.repeat(28));
  });
});

describe('creating when the name is taken, or at the same time', () => {
  test('the name of an existing token of any type is 409, and that token stays unchanged', async () => {
    await instance.apply(aToken(`${instance.home}/taken`, { type: 'admin' }));
    const value = await directly.untilReady('taken');
    const answer = await ask('POST /api-tokens', { tokenName: 'taken', type: 'client', environment: 'production' });
    expect([answer.status, answer.body.name]).toEqual([409, 'NameExistsError']);
    expect(await directly.untilReady('taken')).toBe(value);
  });

  test('one of two simultaneous creations succeeds, on either replica', async () => {
    const body = { tokenName: 'At once', type: 'client', environment: 'production' };
    const answers = await Promise.all(
      [instance, other, instance, other].map(({ url }) =>
        adminClient(url)('POST /api-tokens', { body, headers: { authorization: ADMIN } }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409]);
    directly.values.add(answers.find(({ status }) => status === 201)?.body.secret);
  });

  test('a dry run is answered like a creation, with a masked value, and writes nothing', async () => {
    const before = await instance.versions();
    const body = { tokenName: 'dry', type: 'client', environment: 'production' };
    const answer = await ask('POST /api-tokens?dryRun=true', body);
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({ tokenName: 'dry', secret: '*:production.…' });
    expect(await instance.versions()).toEqual(before);
    expect(await directly.generated('dry')).toBeUndefined();
  });

  test('a foreign Secret of that name causes 409, stays unchanged, and no token remains', async () => {
    const before = await directly.createSecret('vexil-token-foreign', { value: 'a-value-of-somebody-else' });
    const answer = await adminClient(other.url)('POST /api-tokens', {
      body: { tokenName: 'foreign', type: 'admin' },
      headers: { authorization: ADMIN },
    });
    answered.push(answer.text);
    expect([answer.status, answer.body.name]).toEqual([409, 'NameExistsError']);
    expect(await directly.generated('foreign')).toEqual(before);
    // The other replica has created the token and deleted it.
    await waitUntil({ what: 'no token is listed' }, async () => (await listed('foreign')) === undefined);
  });
});

describe('listing', () => {
  test('the list is ordered by age, then by name; values from other Secrets are masked', async () => {
    const { home } = instance;
    const names = ['zz-first', 'aa-second', 'mm-third'];
    await directly.createSecret('brought', {
      value: 'brought-along-by-somebody',
      labels: { 'vexil.dev/token': 'mm-third' },
    });
    await instance.apply(aToken(`${home}/${names[0]}`));
    await instance.apply(
      aToken(`${home}/${names[1]}`),
      aToken(`${home}/${names[2]}`, { secretRef: { name: 'brought' } }),
    );
    await directly.untilReady('mm-third');
    const { body } = await ask('GET /api-tokens');
    const order = body.tokens.map(({ createdAt, tokenName }: Stored) => `${createdAt} ${tokenName}`);
    expect(order).toEqual(order.toSorted());
    expect(order.filter((one: string) => names.some((name) => one.endsWith(name)))).toHaveLength(3);
    for (const name of names) expect(await listed(name)).toMatchObject({ type: 'client', environment: 'production' });
    expect((await listed('mm-third')).secret).toBe('…');
  });

  test('the list shows when a token was last used', async () => {
    const value = await created({ tokenName: 'in-use', type: 'admin' });
    expect(await statusOf(instance.url, value)).toBe(200);
    const { seenAt } = await waitUntil({ what: 'it is seen' }, async () => {
      const item = await listed('in-use');
      return item.seenAt !== null && item;
    });
    expect(Date.now() - Date.parse(seenAt)).toBeLessThan(60_000);
  });
});

describe('a token that was made over HTTP', () => {
  test('authenticates its holder on every replica, until it is deleted on one of them', async () => {
    const value = await created({ tokenName: 'holder', type: 'admin' });
    expect(await statusOf(instance.url, value)).toBe(200);
    await untilEverywhere(value, 200);
    const { status, text } = await adminClient(other.url)('DELETE /api-tokens/holder', {
      headers: { authorization: ADMIN },
    });
    expect([status, text]).toEqual([200, '']);
    expect(await statusOf(other.url, value)).toBe(401);
    await untilEverywhere(value, 401);
    expect(await listed('holder')).toBeUndefined();
  });

  test('is refused from its expiry on, and accepted again when the expiry is removed', async () => {
    const value = await created({ tokenName: 'passing', type: 'admin', expiresAt: LATER });
    await untilEverywhere(value, 200);
    expect((await ask('PUT /api-tokens/passing', { expiresAt: new Date().toISOString() })).status).toBe(200);
    expect(await statusOf(instance.url, value)).toBe(401);
    await untilEverywhere(value, 401);
    const { status, text } = await ask('PUT /api-tokens/passing', { expiresAt: null });
    expect([status, text]).toEqual([200, '']);
    expect(await instance.specOf('apitoken', `${instance.home}/passing`)).toEqual({ type: 'admin' });
    await untilEverywhere(value, 200);
  });

  test('of type client or frontend is 403 here', async () => {
    for (const type of ['client', 'frontend']) {
      const value = await created({ tokenName: `for-${type}`, type, environment: 'production' });
      const answer = await ask('GET /projects', undefined, value);
      expect([answer.status, answer.body.name]).toEqual([403, 'PermissionError']);
    }
  });

  test('writes nothing when the time is the same, and on a dry run', async () => {
    await instance.apply(aToken(`${instance.home}/still`, { type: 'admin', expiresAt: '2999-01-01T01:00:00+01:00' }));
    await directly.untilReady('still');
    const before = await directly.token('still');
    for (const [request, body] of [
      ['PUT /api-tokens/still', { expiresAt: LATER }],
      ['PUT /api-tokens/still?dryRun=true', { expiresAt: null }],
      ['DELETE /api-tokens/still?dryRun=true'],
    ] as const) {
      expect((await ask(request, body)).status).toBe(200);
    }
    expect((await directly.token('still')).metadata).toEqual(before.metadata);
  });

  test('is changed and deleted only in the version that was read', async () => {
    await created({ tokenName: 'matched', type: 'client', environment: 'production' });
    const { headers } = await ask('GET /api-tokens/matched');
    const call = (request: string, etag: string, body?: unknown) =>
      adminClient(instance.url)(request, { body, headers: { authorization: ADMIN, 'if-match': etag } });
    const etag = headers.get('etag');
    expect((await call('PUT /api-tokens/matched', '"other"', { expiresAt: LATER })).status).toBe(412);
    expect((await call('PUT /api-tokens/matched', etag, { expiresAt: LATER })).status).toBe(200);
    expect((await call('DELETE /api-tokens/matched', etag)).status).toBe(412);
    const next = (await ask('GET /api-tokens/matched')).headers.get('etag');
    expect((await call('DELETE /api-tokens/matched', next)).status).toBe(200);
  });
});

test('a personal token acts as its user, is made with kubectl, and is deleted here like any other', async () => {
  const { home } = instance;
  await instance.apply(
    aUser(`${home}/ada`, { rootRole: 'Viewer' }),
    aToken(`${home}/adas`, { type: 'personal', user: 'ada' }),
  );
  const value = await directly.untilReady('adas');
  await untilEverywhere(value, 200);
  const answer = await ask('POST /projects/shop/features', { name: 'not-adas' }, value);
  expect(answer.status).toBe(403);
  expect(answer.body.message).toContain('CREATE_FEATURE');
  expect(await listed('adas')).toMatchObject({ type: 'personal', secret: 'user:…', environment: '*', project: '*' });
  expect((await ask('DELETE /api-tokens/adas')).status).toBe(200);
  await untilEverywhere(value, 401);
});

describe('a path with a value in place of a name', () => {
  test('is 404, discloses nothing, and deletes nothing', async () => {
    const value = await created({ tokenName: 'kept', type: 'admin' });
    const segments = [value, encodeURIComponent(value), value.replace(/\./, '%2E'), 'a-value-that-was-brought-along'];
    const places = segments.flatMap((segment) => [
      `GET /api-tokens/${segment}`,
      `DELETE /api-tokens/${segment}`,
      `DELETE /projects/shop/api-tokens/${segment}`,
      `DELETE /user/tokens/${segment}`,
    ]);
    for (const request of places) {
      const { status, text } = await ask(request);
      expect(status, request).toBe(404);
      if (!request.includes('/user/')) expect(text).not.toContain('brought-along');
    }
    expect((await ask(`PUT /api-tokens/${value}`, { expiresAt: null })).status).toBe(404);
    const paths = instance.log.map((line: Stored) => line.path).filter(Boolean);
    expect(paths).toContain('/api/admin/api-tokens/[redacted]');
    expect(paths).toContain('/api/admin/projects/shop/api-tokens/[redacted]');
    expect(await statusOf(instance.url, value)).toBe(200);
  });
});
