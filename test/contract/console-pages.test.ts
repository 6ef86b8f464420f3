/** The pages of the console as files: their addresses, headers and sizes. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sharedCluster } from '../support/cluster.ts';
import { type RunningApp, startApp } from '../support/running-app.ts';

const MAX_FIRST_PAGE_BYTES = 130_000;
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

let app: RunningApp;
let without: RunningApp;

beforeAll(async () => {
  const { kubeconfig: KUBECONFIG } = sharedCluster();
  [app, without] = await Promise.all([startApp({ KUBECONFIG }), startApp({ KUBECONFIG, VEXIL_CONSOLE: 'off' })]);
});
afterAll(() => Promise.all([app.stop(), without.stop()]));

/** The files that the page names, as its browser asks for them. */
async function assetsOf(path: string): Promise<readonly string[]> {
  const page = await (await fetch(app.url + path, { headers: { accept: 'text/html' } })).text();
  const links = [...page.matchAll(/(?:src|href)="([^"]+\.(?:js|css))"/g)].map(([, link = '']) => link);
  expect(links.length).toBeGreaterThanOrEqual(2);
  return links.map((link) => new URL(link, app.url + path).pathname);
}

/** The size of the file as it is sent to a browser. */
async function bytesOf(path: string): Promise<number> {
  const { headers } = await fetch(app.url + path, { headers: { 'accept-encoding': 'br' } });
  return Number(headers.get('content-length'));
}

/** The addresses of the pages, as the router of the console has them. */
const ROUTES = [...readFileSync('console/src/app.tsx', 'utf8').matchAll(/<Route path="([^"]+)"/g)].map(
  ([, path = '']) => path,
);

test('the operator serves the pages of the console, and no other', () => {
  const [, list = ''] =
    /const PAGES = \[([^\]]*)\]/.exec(readFileSync('src/http/console/serve-console.ts', 'utf8')) ?? [];
  const served = [...list.matchAll(/'([^']+)'/g)].map(([, path]) => path);
  expect(served.length).toBeGreaterThan(20);
  expect(served.toSorted()).toEqual(ROUTES.toSorted());
});

describe.each(ROUTES.map((path) => path.replaceAll(/:\w+/g, 'a-name')))('the page %s', (path) => {
  test('answers the document under a policy without exceptions', async () => {
    const { status, headers } = await fetch(app.url + path);
    expect(status).toBe(200);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': POLICY,
      'cache-control': 'private, no-cache',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    });
  });

  test('names the same assets, relative to itself', async () => {
    expect(await assetsOf(path)).toEqual(await assetsOf('/'));
  });
});

test('an unknown address is a page for browsers, and an error in JSON for programs', async () => {
  const browser = 'text/html,application/xhtml+xml,*/*;q=0.8';
  for (const [path, accept, type] of [
    ['/nonsense/x', browser, 'text/html; charset=utf-8'],
    ['/nonsense/x', '*/*', 'application/json; charset=utf-8'],
    ['/nonsense/x', 'application/json', 'application/json; charset=utf-8'],
    ['/api/nonsense', browser, 'application/json; charset=utf-8'],
    ['/assets/gone.js', browser, 'application/json; charset=utf-8'],
  ] as const) {
    const { status, headers } = await fetch(app.url + path, { headers: { accept } });
    expect([path, accept, status, headers.get('content-type')]).toEqual([path, accept, 404, type]);
  }
  expect(await assetsOf('/nonsense/x')).toEqual(await assetsOf('/'));
  const off = await fetch(`${without.url}/nonsense/x`, { headers: { accept: browser } });
  expect(off.headers.get('content-type')).toBe('application/json; charset=utf-8');
});

test('assets have a hash in their names, are cached for good, and have a compressed copy', async () => {
  for (const path of await assetsOf('/')) {
    expect(path).toMatch(/^\/assets\/[A-Za-z-]+-[\w-]{8}\.(js|css)$/);
    const plain = await fetch(app.url + path, { headers: { 'accept-encoding': 'identity' } });
    expect(Object.fromEntries(plain.headers)).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-type': path.endsWith('.js') ? 'text/javascript; charset=utf-8' : 'text/css; charset=utf-8',
      'content-security-policy': POLICY,
      vary: 'Accept-Encoding',
    });
    expect(plain.headers.get('content-encoding')).toBeNull();
    const unpacked = await fetch(app.url + path, { headers: { 'accept-encoding': 'br' } });
    expect(unpacked.headers.get('content-encoding')).toBe('br');
    expect(await unpacked.text()).toBe(await plain.text());
  }
});

test(`the first page has at most ${MAX_FIRST_PAGE_BYTES} bytes`, async () => {
  const sizes = await Promise.all(['/', ...(await assetsOf('/'))].map(bytesOf));
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  expect(bytes).toBeGreaterThan(20_000);
  expect(bytes).toBeLessThanOrEqual(MAX_FIRST_PAGE_BYTES);
});

test.each([
  ...['GET /projects', 'GET /login/', 'GET /Login', 'GET /projects/a/features', 'GET /projects/a/b/c', 'GET /assets/'],
  ...['GET /assets/none.js', 'GET /assets/..%2Findex.html', 'GET /index.html', 'POST /', 'PUT /login'],
])('%s stays 404', async (request) => {
  const [method = '', path = ''] = request.split(' ');
  expect((await fetch(app.url + path, { method })).status).toBe(404);
});

test.each(['/', '/login', '/auth/methods', '/auth/simple/login'])('without the console %s is 404', async (path) => {
  expect((await fetch(without.url + path)).status).toBe(404);
});

test('without authentication the console offers no sign-in and no session', async () => {
  expect(await (await fetch(`${app.url}/auth/methods`)).json()).toEqual({ methods: [] });
  expect((await fetch(`${app.url}/auth/session`, { method: 'POST', body: '{"token":"a"}' })).status).toBe(404);
});
