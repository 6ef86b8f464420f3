/** Signing in to the console at a real identity provider (OpenID Connect). */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { aChangeRequest, aFlag, anEnvironment } from '../support/builders.ts';
import { CLIENT, type IdentityProvider, startIdentityProvider } from '../support/identity-provider.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { grantReviews } from '../support/operator-roles.ts';
import { untilAllowed } from '../support/until-allowed.ts';

/**
 * The redirect URL that is registered at the provider. The browser of these tests replaces its address by that of the
 * operator.
 */
const REDIRECT = 'http://localhost:4242/auth/oidc/callback';
const ada = { sub: 'ada', email: 'ada@example.com', email_verified: true, groups: ['dev', 'system:masters'] };
const SWITCH = '/api/admin/projects/shop/features/switched/environments/development/on';
let instance: Instance;
let provider: IdentityProvider;

beforeAll(async () => {
  provider = await startIdentityProvider([REDIRECT]);
  instance = await startInstance('oidc', {
    settings: {
      VEXIL_AUTH: 'token',
      VEXIL_OIDC_ISSUER: provider.issuer,
      VEXIL_OIDC_CLIENT_ID: CLIENT.id,
      VEXIL_OIDC_CLIENT_SECRET: CLIENT.secret,
      VEXIL_OIDC_REDIRECT_URL: REDIRECT,
      VEXIL_REVIEW_TIMEOUT: '10s',
    },
  });
  const { cluster, home } = instance;
  await grantReviews(cluster, home);
  await instance.apply(
    aFlag(`${home}/switched`, { environments: { development: { strategies: { all: { name: 'default' } } } } }),
  );
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  const bound = (name: string, subject: object, verbs: readonly string[], resources: readonly string[]) => {
    const metadata = { name, namespace: home };
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name };
    const subjects = [{ apiGroup: roleRef.apiGroup, ...subject }];
    return [
      { apiVersion, kind: 'Role', metadata, rules: [{ apiGroups: ['vexil.dev'], resources, verbs }] },
      { apiVersion, kind: 'RoleBinding', metadata, roleRef, subjects },
    ];
  };
  await cluster.apply([
    ...bound('oidc-ada', { kind: 'User', name: 'oidc:ada' }, ['get', 'patch'], ['featureflags']),
    ...bound('oidc-dev', { kind: 'Group', name: 'oidc:dev' }, ['get'], ['projects']),
    ...bound('oidc-approvers', { kind: 'Group', name: 'oidc:g150' }, ['get', 'create', 'approve'], ['*']),
  ]);
  await untilAllowed(cluster, { user: 'oidc:ada', verb: 'patch', resource: 'featureflags', namespace: home });
  await untilAllowed(cluster, { groups: ['oidc:dev'], verb: 'get', resource: 'projects', namespace: home });
});
afterAll(async () => {
  await provider.stop();
  await instance.stop();
});
afterEach(() => {
  provider.user = ada;
  provider.tamper = undefined;
  provider.usesForeignKey = false;
});

/** A browser that keeps cookies by origin. */
function aBrowser() {
  const jar = new Map<string, Map<string, string>>();
  return async (url: string, headers: Readonly<Record<string, string>> = {}, method = 'GET', body?: string) => {
    const target = url.replace(new URL(REDIRECT).origin, instance.url);
    const { origin } = new URL(target);
    const cookies = jar.get(origin) ?? new Map<string, string>();
    jar.set(origin, cookies);
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const init = { method, redirect: 'manual', headers: { ...headers, cookie } } as const;
    const answer = await fetch(target, body === undefined ? init : { ...init, body });
    for (const line of answer.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      const at = pair.indexOf('=');
      if (/max-age=0|expires=Thu, 01 Jan 1970/i.test(line)) cookies.delete(pair.slice(0, at));
      else cookies.set(pair.slice(0, at), pair.slice(at + 1));
    }
    return answer;
  };
}
type Browser = ReturnType<typeof aBrowser>;

const locationOf = (answer: Response, base: string) => new URL(answer.headers.get('location') ?? '', base).href;

/** Follows the link of the page until the browser is sent to the callback. */
async function untilCallback(browser: Browser, next = ''): Promise<string> {
  let url = `${instance.url}/auth/oidc/login${next}`;
  for (let hops = 0; hops < 8 && !url.startsWith(REDIRECT); hops += 1) url = locationOf(await browser(url), url);
  return url;
}

async function signIn(browser = aBrowser(), next = ''): Promise<Response> {
  return browser(await untilCallback(browser, next));
}

const me = async (browser: Browser) => (await browser(`${instance.url}/api/admin/user`)).status;

test('a decision counts with the groups that it records, so one that rests on another group is refused', async () => {
  const { home, cluster } = instance;
  await untilAllowed(cluster, { groups: ['oidc:g150'], verb: 'approve', resource: 'environments', namespace: home });
  await instance.apply(anEnvironment(`${home}/guarded`, { approvals: { required: 1 } }));
  const environments = { guarded: { enabled: true, strategies: { all: { name: 'default' } } } };
  await instance.apply(
    aFlag(`${home}/asked`, { environments: { guarded: { strategies: { all: { name: 'default' } } } } }),
  );
  await instance.apply(aChangeRequest(`${home}/to-decide`, 'asked', { environments }));
  const approve = async (groups: readonly string[]) => {
    provider.user = { ...ada, groups };
    const browser = aBrowser();
    await signIn(browser);
    const url = `${instance.url}/api/admin/projects/shop/change-requests/to-decide/state`;
    const headers = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' };
    return browser(url, headers, 'PUT', JSON.stringify({ state: 'Approved' }));
  };
  const many = Array.from({ length: 151 }, (_, index) => `g${index}`);
  const refused = await approve(many);
  expect([refused.status, await refused.text()]).toEqual([
    403,
    expect.stringContaining('Decisions record 100 of your 152 groups. Name yours with vexil approve --group.'),
  ]);
  expect((await approve(many.slice(60))).status).toBe(202);
});

describe('a user who signs in', () => {
  test('has a session with the name and the groups of the ID token, and the rights that Kubernetes gives them', async () => {
    provider.user = ada;
    const browser = aBrowser();
    const before = Date.now();
    const answer = await signIn(browser, '?next=/projects/shop');
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '../../projects/shop']);
    const [session = '', done] = answer.headers.getSetCookie();
    expect(session).toMatch(/^vexil-loopback=[\w-]+; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict$/);
    expect(done).toBe('vexil-loopback-sign-in=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax');
    const user = (await (await browser(`${instance.url}/api/admin/user`)).json()) as { readonly user: object };
    expect(user.user).toMatchObject({ username: 'oidc:ada', via: 'oidc', isAPI: false });
    expect((await browser(`${instance.url}/api/admin/projects/shop`)).status).toBe(200);
    expect((await browser(`${instance.url}/api/admin/state/export`)).status).toBe(403);
    const changed = await browser(`${instance.url}${SWITCH}`, { 'sec-fetch-site': 'same-origin' }, 'POST');
    expect(changed.status).toBe(200);
    const { spec, metadata } = await instance.flag(`${instance.home}/switched`);
    expect(spec.environments.development.enabled).toBe(true);
    expect(metadata.annotations).toMatchObject({
      'vexil.dev/changed-by': 'oidc:ada',
      'vexil.dev/changed-via': 'oidc',
    });
    expect(Number(/Max-Age=(\d+)/.exec(session)?.[1])).toBeLessThanOrEqual(3_600 + (Date.now() - before) / 1000);
  });

  test('may do nothing if Kubernetes has no rights for them', async () => {
    provider.user = { sub: 'eve' };
    const browser = aBrowser();
    expect((await signIn(browser)).headers.get('location')).toBe('../../');
    expect((await browser(`${instance.url}/api/admin/projects/shop`)).status).toBe(403);
  });

  test.each([
    ...['//evil.example', '/\\evil.example', 'https://evil.example', '/\t/evil.example', '/../..//evil', '/.%2E/x'],
  ])('is redirected to no other site: %j', async (next) => {
    const answer = await signIn(aBrowser(), `?next=${encodeURIComponent(next)}`);
    expect(answer.headers.get('location')).toBe('../../');
  });

  test('has a session no longer than the ID token', async () => {
    provider.tamper = (claims) => ({ ...claims, exp: Math.floor(Date.now() / 1000) + 100 });
    const [session = ''] = (await signIn()).headers.getSetCookie();
    expect(Number(/Max-Age=(\d+)/.exec(session)?.[1])).toBeLessThanOrEqual(100);
  });

  test('may sign in in two ways', async () => {
    const answer = await fetch(`${instance.url}/auth/methods`);
    expect(await answer.json()).toEqual({ methods: [{ type: 'token' }, { type: 'oidc', issuer: provider.issuer }] });
  });
});

const seconds = () => Math.floor(Date.now() / 1000);

describe('an ID token is refused, and starts no session', () => {
  test.each<[string, (claims: Record<string, unknown>) => Record<string, unknown>]>([
    ['with another nonce', (claims) => ({ ...claims, nonce: 'other' })],
    ['without a nonce', ({ nonce: _, ...claims }) => claims],
    ['that has expired', (claims) => ({ ...claims, exp: seconds() - 60 })],
    ['for another client', (claims) => ({ ...claims, aud: 'other' })],
    ['of another issuer', (claims) => ({ ...claims, iss: 'https://other.example.com' })],
    ['without a username', ({ sub: _, ...claims }) => claims],
    ['with groups that are no names', (claims) => ({ ...claims, groups: [{ name: 'dev' }] })],
    ['with more groups than a cookie holds', (claims) => ({ ...claims, groups: Array(99).fill('x'.repeat(99)) })],
  ])('%s', async (_, tamper) => {
    provider.tamper = tamper;
    await expectRefused('refused');
  });

  test('that another key has signed', async () => {
    provider.usesForeignKey = true;
    await expectRefused('refused');
  });
});

async function expectRefused(reason: string, browser = aBrowser(), callback?: string): Promise<void> {
  const answer = await browser(callback ?? (await untilCallback(browser)));
  expect([answer.status, answer.headers.get('location')]).toEqual([303, `../../login?failed=${reason}`]);
  expect(answer.headers.getSetCookie().filter((one) => one.startsWith('vexil-loopback='))).toEqual([]);
  expect(await me(browser)).toBe(401);
}

describe('a callback is refused', () => {
  test('in another browser than the one that began', async () => {
    await expectRefused('attempt', aBrowser(), await untilCallback(aBrowser()));
  });

  test('with another state or issuer, or without, without a code, with a forged code, a second time', async () => {
    const browser = aBrowser();
    const url = new URL(await untilCallback(browser));
    const variants: readonly (readonly [string, string | undefined])[] = [
      ['state', 'other'],
      ['state', undefined],
      ['iss', 'https://other.example.com'],
      ['iss', undefined],
      ['code', undefined],
      ['code', 'forged'],
    ];
    for (const [name, value] of variants) {
      const again = aBrowser();
      const changed = new URL(await untilCallback(again));
      if (value === undefined) changed.searchParams.delete(name);
      else changed.searchParams.set(name, value);
      await expectRefused('refused', again, changed.href);
    }
    expect((await browser(url.href)).headers.get('location')).toBe('../../');
    await expectRefused('attempt', aBrowser(), url.href);
  });

  test('with the error of the provider in place of a code', async () => {
    const browser = aBrowser();
    const { searchParams } = new URL(await untilCallback(browser));
    const said = new URLSearchParams({ error: 'access_denied', state: searchParams.get('state') ?? '' });
    await expectRefused('refused', browser, `${REDIRECT}?${said}&iss=${encodeURIComponent(provider.issuer)}`);
  });
});

const signOut = (browser: Browser) =>
  browser(`${instance.url}/auth/session`, { 'sec-fetch-site': 'same-origin' }, 'DELETE');

describe('signing out', () => {
  test('ends the session, and names the address at which the user ends it at the provider', async () => {
    const browser = aBrowser();
    await signIn(browser);
    const answer = await signOut(browser);
    expect(answer.status).toBe(200);
    const { signOutUrl } = (await answer.json()) as { readonly signOutUrl: string };
    expect(await me(browser)).toBe(401);
    const { origin, searchParams } = new URL(signOutUrl);
    expect([origin, ...searchParams]).toEqual([
      provider.issuer,
      ['post_logout_redirect_uri', 'http://localhost:4242/login'],
      ['client_id', CLIENT.id],
    ]);
    // The provider accepts the request: it answers a URL that it does not know with an error.
    expect((await browser(signOutUrl)).status).toBe(200);
  });

  test('from another site is refused, and without a session there is nothing to end at the provider', async () => {
    const browser = aBrowser();
    await signIn(browser);
    const forged = await browser(`${instance.url}/auth/session`, { 'sec-fetch-site': 'cross-site' }, 'DELETE');
    expect(forged.status).toBe(403);
    expect(await me(browser)).toBe(200);
    expect((await signOut(aBrowser())).status).toBe(204);
  });
});

test('while the provider is down nobody signs in with it, sessions continue, and no log line has a secret', async () => {
  const signedIn = aBrowser();
  await signIn(signedIn);
  const waiting = aBrowser();
  const callback = await untilCallback(waiting);
  await provider.stop();
  await expectRefused('unavailable', waiting, callback);
  expect(await me(signedIn)).toBe(200);
  await signOut(signedIn);
  expect(await me(signedIn)).toBe(401);
  const log = JSON.stringify(instance.log);
  expect(log).toContain('authentication: sign-in with OpenID Connect failed');
  expect(log).not.toMatch(/eyJ|code=|vexil-loopback[\w-]*=\w/);
  expect(log).not.toContain(CLIENT.secret);
});
