/** Sessions of browsers: how they start and end, and what a cookie allows. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { adminClient } from '../support/admin-client.ts';
import { aFlag } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { type Operator, startOperator } from '../support/operator.ts';
import { sendRaw } from '../support/raw-http.ts';
import type { Stored } from '../support/stored.ts';

const TOKEN = `*:*.${randomBytes(28).toString('hex')}`;
const settings = { VEXIL_AUTH: 'token', VEXIL_ADMIN_TOKEN: TOKEN };
const SWITCH = '/api/admin/projects/shop/features/switched/environments/development/on';

let instance: Instance;
let second: Operator;

beforeAll(async () => {
  instance = await startInstance('session', { settings });
  const { cluster, home, other } = instance;
  second = await startOperator(cluster, home, { watched: [other], settings });
  const enabled = { development: { strategies: { all: { name: 'default' } } } };
  await instance.apply(aFlag(`${home}/switched`, { environments: enabled }));
});
afterAll(async () => {
  await second.stop();
  await instance.stop();
});

type Headers = Readonly<Record<string, string>>;
const ownPage = { 'sec-fetch-site': 'same-origin' };
const asAdmin = { authorization: TOKEN };

function send(request: string, headers: Headers = {}, body?: unknown): Promise<Response> {
  const [method = '', path = ''] = request.split(' ');
  const content = body === undefined ? {} : { 'content-type': 'application/json' };
  return fetch(instance.url + path, {
    method,
    redirect: 'manual',
    headers: { ...content, ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

/** The cookie as a browser sends it. */
async function signedIn(token = TOKEN): Promise<{ readonly cookie: string }> {
  const answer = await send('POST /auth/session', ownPage, { token });
  expect(answer.status, await answer.clone().text()).toBe(200);
  return { cookie: `${answer.headers.get('set-cookie')}`.split(';')[0] ?? '' };
}

/** Sends a request with a Host header that `fetch` would not send. */
async function fromHost(host: string, head: string, body = ''): Promise<{ status: number; head: string }> {
  const [line = '', ...rest] = head.split('\n');
  const lines = [`${line} HTTP/1.1`, `Host: ${host}`, 'Connection: close', `Content-Length: ${body.length}`, ...rest];
  return sendRaw(instance.url, `${lines.join('\r\n')}\r\n\r\n${body}`);
}

const isOn = async () =>
  (await instance.flag(`${instance.home}/switched`)).spec.environments.development.enabled === true;

describe('POST /auth/session', () => {
  test('exchanges a token for a cookie that reveals nothing and lasts twelve hours', async () => {
    const before = Date.now();
    const answer = await send('POST /auth/session', ownPage, { token: ` Bearer ${TOKEN} ` });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('set-cookie')).toMatch(
      /^vexil-loopback=[\w-]+; Path=\/; Max-Age=(43200|431\d\d); HttpOnly; SameSite=Strict$/,
    );
    expect(answer.headers.get('set-cookie')).not.toContain(TOKEN);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const { name, endsAt } = (await answer.json()) as { readonly name: string; readonly endsAt: string };
    expect(name).toBe('bootstrap-token');
    expect(Date.parse(endsAt)).toBeGreaterThanOrEqual(before + 12 * 3_600_000);
  });

  test('sets a Secure cookie with the prefix __Host- for any other host', async () => {
    const body = JSON.stringify({ token: TOKEN });
    const head = 'POST /auth/session\nContent-Type: application/json\nOrigin: https://flags.example.com';
    const answer = await fromHost('flags.example.com', head, body);
    expect(answer.status).toBe(200);
    expect(answer.head).toMatch(
      /set-cookie: __Host-vexil=[\w-]+; Path=\/; Max-Age=\d+; HttpOnly; Secure; SameSite=Strict/i,
    );
  });

  test('sets that cookie for a page that came over https, whatever Host its proxy sends, and accepts it there', async () => {
    const body = JSON.stringify({ token: TOKEN });
    const head = 'POST /auth/session\nContent-Type: application/json\nSec-Fetch-Site: same-origin';
    const answer = await fromHost('localhost:8443', `${head}\nOrigin: https://flags.example.com`, body);
    const [, cookie] = /set-cookie: (__Host-vexil=[\w-]+);.*; Secure/i.exec(answer.head) ?? [];
    expect((await fromHost('localhost:8443', `GET /api/admin/projects\nCookie: ${cookie}`)).status).toBe(200);
  });

  test.each([
    ['a wrong token', { token: 'wrong' }, 401],
    ['no token', {}, 400],
    ['an empty token', { token: ' ' }, 400],
    ['a token that is a number', { token: 12_345 }, 400],
    ['an unknown property', { token: TOKEN, password: 'x' }, 400],
    ['a token that no cookie can hold', { token: `${TOKEN}${'x'.repeat(3000)}` }, 401],
  ])('refuses %s and discloses no token', async (_, body, status) => {
    const answer = await send('POST /auth/session', ownPage, body);
    const text = await answer.text();
    expect([answer.status, answer.headers.get('set-cookie')]).toEqual([status, null]);
    expect(text).not.toMatch(/12345|xxx|[0-9a-f]{56}/);
  });

  test('refuses a client token, as the admin API does', async () => {
    const { body } = await adminClient(instance.url, asAdmin)('POST /api-tokens', {
      body: { tokenName: 'app', type: 'client', environment: 'development' },
    });
    expect((await send('POST /auth/session', ownPage, { token: body.secret })).status).toBe(403);
  });
});

describe('a session', () => {
  test('reads and writes as the token does, with its name', async () => {
    const headers = { ...(await signedIn()), ...ownPage };
    expect((await send('GET /api/admin/projects', headers)).status).toBe(200);
    expect((await send(`POST ${SWITCH}`, headers)).status).toBe(200);
    const { metadata } = await instance.flag(`${instance.home}/switched`);
    expect(metadata.annotations['vexil.dev/changed-by']).toBe('bootstrap-token');
    expect((await send(`POST ${SWITCH.replace(/on$/, 'off')}`, headers)).status).toBe(200);
  });

  test('is known to every replica', async () => {
    const { cookie } = await signedIn();
    expect((await fetch(`${second.url}/api/admin/projects`, { headers: { cookie } })).status).toBe(200);
  });

  test('ends when its token is deleted, and never lasts longer than the token', async () => {
    const call = adminClient(instance.url, asAdmin);
    const expiresAt = new Date(Date.now() + 600_000).toISOString();
    const { body } = await call('POST /api-tokens', { body: { tokenName: 'short', type: 'admin', expiresAt } });
    const answer = await send('POST /auth/session', ownPage, { token: body.secret });
    const [cookie = '', , maxAge = ''] = `${answer.headers.get('set-cookie')}`.split('; ');
    expect(Number(maxAge.split('=')[1])).toBeLessThanOrEqual(600);
    expect((await send('GET /api/admin/projects', { cookie })).status).toBe(200);
    expect((await call(`DELETE /api-tokens/short`)).status).toBe(200);
    await waitUntil({ what: 'the session has ended', everyMs: 10 }, async () => {
      return (await send('GET /api/admin/projects', { cookie })).status === 401;
    });
  });

  test('is ignored if there is an Authorization header', async () => {
    const { cookie } = await signedIn();
    expect((await send('GET /api/admin/projects', { cookie, authorization: 'wrong' })).status).toBe(401);
    const foreign = { cookie: 'vexil-loopback=forged', 'sec-fetch-site': 'cross-site', ...asAdmin };
    expect((await send('GET /api/admin/projects', foreign)).status).toBe(200);
  });

  test.each(['forged', '', 'A'.repeat(200), '%00'])('in a foreign cookie (%j) is invalid', async (value) => {
    expect((await send('GET /api/admin/projects', { cookie: `vexil-loopback=${value}` })).status).toBe(401);
  });

  test('over http of this machine is not accepted for another host', async () => {
    const { cookie } = await signedIn();
    expect((await fromHost('flags.example.com', `GET /api/admin/projects\nCookie: ${cookie}`)).status).toBe(401);
    const renamed = cookie.replace('vexil-loopback', '__Host-vexil');
    expect((await fromHost('flags.example.com', `GET /api/admin/projects\nCookie: a=b; ${renamed}`)).status).toBe(200);
  });

  test('is ended by DELETE /auth/session', async () => {
    const answer = await send('DELETE /auth/session', { ...(await signedIn()), ...ownPage });
    expect(answer.status).toBe(204);
    expect(answer.headers.get('set-cookie')).toBe('vexil-loopback=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict');
  });
});

describe('a request from another page is 403 and changes nothing', () => {
  const own = () => new URL(instance.url).origin;
  const forgeries: readonly [string, () => Headers][] = [
    ['Sec-Fetch-Site: cross-site', () => ({ 'sec-fetch-site': 'cross-site' })],
    ['Sec-Fetch-Site: same-site, as of another port', () => ({ 'sec-fetch-site': 'same-site' })],
    ['Sec-Fetch-Site: none', () => ({ 'sec-fetch-site': 'none' })],
    ['a foreign site with our Origin', () => ({ 'sec-fetch-site': 'cross-site', origin: own() })],
    ['another Origin', () => ({ origin: 'https://evil.example' })],
    ['our host with another scheme', () => ({ origin: own().replace('http:', 'https:') })],
    ['our host with another port', () => ({ origin: `${own()}1` })],
    ['the Origin null', () => ({ origin: 'null' })],
    ['neither header', () => ({})],
  ];

  test.each(forgeries)('%s', async (_, headers) => {
    const sent = { ...(await signedIn()), ...headers() };
    const unsafe = ['POST', 'PUT', 'PATCH', 'DELETE'].map((method) => send(`${method} ${SWITCH}`, sent));
    const session = [send('POST /auth/session', headers(), { token: TOKEN }), send('DELETE /auth/session', sent)];
    const answers = await Promise.all([...unsafe, ...session]);
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403, 403]);
    expect(answers.map(({ headers: sentBack }) => sentBack.get('set-cookie'))).toEqual(Array(6).fill(null));
    expect(await isOn()).toBe(false);
  });

  test('the origin of the server is accepted without Sec-Fetch-Site', async () => {
    const { cookie } = await signedIn();
    expect((await send(`POST ${SWITCH}?dryRun=true`, { cookie, origin: own() })).status).toBe(200);
  });

  test('is refused before its body has arrived', async () => {
    const { cookie } = await signedIn();
    const { host } = new URL(instance.url);
    const head = `POST /api/admin/projects HTTP/1.1\r\nHost: ${host}\r\nCookie: ${cookie}\r\nConnection: close\r\n`;
    const { status } = await sendRaw(
      instance.url,
      `${head}Content-Type: application/json\r\nContent-Length: 90000\r\n\r\n{`,
    );
    expect(status).toBe(403);
  });
});

test('the keys are created at the start; if someone else made them, the log says so', async () => {
  const { cluster, home, other, log } = instance;
  await waitUntil({ what: 'the Secret exists' }, async () => {
    const { items } = await cluster.getObject('secrets', home);
    return items.some(({ metadata }: Stored) => metadata.name === 'vexil-session-keys');
  });
  const keys = `--from-literal=keys=${randomBytes(32).toString('base64')}`;
  await cluster.kubectlOrThrow(['create', 'secret', 'generic', 'vexil-session-keys', '-n', other, keys]);
  const planted = await startOperator(cluster, other, { settings });
  const warned = ({ level, msg }: Readonly<Record<string, unknown>>) =>
    level === 'warn' && `${msg}`.startsWith('sessions: keys come from a Secret that Vexil did not create');
  await waitUntil({ what: 'the log says who made the keys' }, () => planted.log.some(warned)).finally(planted.stop);
  expect(log.some(warned)).toBe(false);
});

test('GET /auth/methods names the ways to sign in', async () => {
  expect(await (await send('GET /auth/methods')).json()).toEqual({ methods: [{ type: 'token' }] });
});

test('the path in messages leads to the page', async () => {
  const answer = await send('GET /auth/simple/login');
  expect([answer.status, answer.headers.get('location')]).toEqual([302, '../../login']);
});

test('no log line contains a cookie or a token', () => {
  expect(JSON.stringify(instance.log)).not.toMatch(/vexil-loopback=\w|[0-9a-f]{56}/);
});
