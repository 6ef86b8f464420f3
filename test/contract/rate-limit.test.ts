/** How many requests one caller may send: each token and each user has its own count. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Account, createAccount } from '../support/account.ts';
import { type Answer, adminClient, type Call, errorBody } from '../support/admin-client.ts';
import { aToken, aUser } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { grantReviews } from '../support/operator-roles.ts';

const LIMIT = 5;
const BOOTSTRAP = `*:*.${'7e'.repeat(28)}`;
let instance: Instance;
let reader: Account;

beforeAll(async () => {
  const settings = {
    VEXIL_AUTH: 'token',
    VEXIL_ADMIN_TOKEN: BOOTSTRAP,
    VEXIL_RATE_LIMIT: `${LIMIT}`,
  };
  instance = await startInstance('rate-limit', { settings });
  const { cluster, home } = instance;
  await grantReviews(cluster, home);
  reader = await createAccount(cluster, {
    namespace: home,
    name: 'reader',
    rules: { [home]: [[['get'], ['projects']]] },
  });
  await instance.apply(aUser(`${home}/ada`, { rootRole: 'Admin' }));
  for (const name of ['first', 'second', 'third']) await instance.apply(aToken(`${home}/${name}`, { type: 'admin' }));
  for (const name of ['mine', 'mine-too'])
    await instance.apply(aToken(`${home}/${name}`, { type: 'personal', user: 'ada' }));
});
afterAll(() => instance.stop());

const as = (authorization: string): Call => adminClient(instance.url, { authorization });

/** The value of an ApiToken. */
async function secretOf(name: string): Promise<string> {
  await waitUntil({ what: `the token ${name} has a value` }, async () => {
    const { status } = await instance.cluster.getObject(`apitoken/${name}`, instance.home);
    return status?.secretName !== undefined;
  });
  const { data } = await instance.cluster.getObject(`secret/vexil-token-${name}`, instance.home);
  return Buffer.from(data.token, 'base64').toString();
}

const READ = 'GET /projects/shop';

async function statuses(call: Call, times: number): Promise<readonly number[]> {
  const found: number[] = [];
  for (let turn = 0; turn < times; turn += 1) found.push((await call(READ)).status);
  return found;
}
const allowed = Array.from({ length: LIMIT }, () => 200);

function expectLimited({ status, headers, body }: Answer): void {
  expect([status, body.name]).toEqual([429, 'RateLimitError']);
  expect(errorBody.safeParse(body).success).toBe(true);
  expect(body.message).toContain(`more than the limit of ${LIMIT} requests within a minute`);
  const seconds = Number(headers.get('retry-after'));
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThanOrEqual(60);
  expect(body.message).toContain(`Try again in ${seconds} seconds`);
  expect(headers.get('ratelimit-policy')).toMatch(/q=5; w=60/);
  expect(headers.get('ratelimit')).toMatch(/r=0; t=\d+/);
}

test('beyond the limit a token gets 429, however it is sent, nothing is written, and others are not affected', async () => {
  const [first, second] = [await secretOf('first'), await secretOf('second')];
  expect(await statuses(as(first), LIMIT - 1)).toEqual(allowed.slice(1));
  const last = await as(first)(READ);
  expect([last.status, last.headers.get('ratelimit')]).toEqual([200, expect.stringMatching(/r=0; t=\d+/)]);
  for (const form of [first, `Bearer ${first}`, `bearer   ${first}`]) expectLimited(await as(form)(READ));
  const refused = await as(first)('POST /projects/shop/features', { body: { name: 'never' } });
  expectLimited(refused);
  expect(await instance.flagsNamed('never')).toEqual([]);
  expect(JSON.stringify([...refused.headers]) + refused.text).not.toContain(first.slice(-20));
  expect(await statuses(as(second), 1)).toEqual([200]);
});

test('each token of one user has its own count', async () => {
  const [mine, other] = [await secretOf('mine'), await secretOf('mine-too')];
  expect(await statuses(as(mine), LIMIT + 1)).toEqual([...allowed, 429]);
  expect(await statuses(as(other), LIMIT)).toEqual(allowed);
});

test('a Kubernetes user has one count, for all their tokens', async () => {
  const token = () => instance.cluster.kubectlOrThrow(['create', 'token', 'reader', '-n', instance.home]);
  const [one, other] = [await token(), (await token()).trim()];
  expect(one).not.toBe(other);
  expect(await statuses(as(one.trim()), LIMIT)).toEqual(allowed);
  expectLimited(await as(other)(READ));
  expectLimited(await as(reader.token)(READ));
});

test('wrong tokens count by address, and block no known caller at that address', async () => {
  const wrong = (digit: number) => as(`*:*.${`${digit}`.repeat(56)}`)(READ);
  for (let turn = 0; turn < LIMIT; turn += 1) expect((await wrong(turn)).status).toBe(401);
  expectLimited(await wrong(9));
  expectLimited(await adminClient(instance.url)(READ));
  expect(await statuses(as(await secretOf('third')), LIMIT)).toEqual(allowed);
});

test('health and documentation are not counted', async () => {
  for (let turn = 0; turn <= LIMIT; turn += 1) {
    expect((await instance.call('GET //health')).status).toBe(200);
    expect((await instance.call('GET //docs/openapi.json')).status).toBe(200);
  }
});
