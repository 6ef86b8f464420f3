/** Signing in to the console at an identity provider, in a real Chromium, below a path prefix. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { aFlag } from '../support/builders.ts';
import { launchChromium } from '../support/chromium.ts';
import { CLIENT, type IdentityProvider, startIdentityProvider } from '../support/identity-provider.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { grantReviews } from '../support/operator-roles.ts';
import { expectAccessible, type Visitor, visit } from './browser.ts';
import { PREFIX, type PrefixProxy, startPrefixProxy } from './prefix-proxy.ts';

let instance: Instance;
let provider: IdentityProvider;
let proxy: PrefixProxy;
let browser: Browser;
let visitor: Visitor;

beforeAll(async () => {
  proxy = await startPrefixProxy(() => instance.url);
  const redirectUrl = `${proxy.url}${PREFIX}/auth/oidc/callback`;
  [provider, browser] = await Promise.all([startIdentityProvider([redirectUrl]), launchChromium()]);
  instance = await startInstance('console-oidc', {
    settings: {
      VEXIL_AUTH: 'token',
      VEXIL_OIDC_ISSUER: provider.issuer,
      VEXIL_OIDC_CLIENT_ID: CLIENT.id,
      VEXIL_OIDC_CLIENT_SECRET: CLIENT.secret,
      VEXIL_OIDC_REDIRECT_URL: redirectUrl,
    },
  });
  const { cluster, home } = instance;
  await grantReviews(cluster, home);
  const group = 'rbac.authorization.k8s.io';
  const about = { apiVersion: `${group}/v1`, metadata: { name: 'oidc-users', namespace: home } };
  const role = {
    ...about,
    kind: 'Role',
    rules: [{ apiGroups: ['vexil.dev'], resources: ['*'], verbs: ['get', 'list'] }],
  };
  const binding = {
    ...about,
    kind: 'RoleBinding',
    roleRef: { apiGroup: group, kind: 'Role', name: 'oidc-users' },
    subjects: [{ apiGroup: group, kind: 'User', name: 'oidc:ada' }],
  };
  await cluster.apply([role, binding]);
  await instance.apply(aFlag(`${home}/checkout`));
  visitor = await visit(browser, proxy.url);
});
afterAll(async () => {
  await browser.close();
  await provider.stop();
  await instance.stop();
  proxy.stop();
});

test('a refused sign-in shows an error; the next one leads to the requested page', async () => {
  const { page, faults } = visitor;
  const link = page.getByRole('link', { name: `Sign in with ${new URL(provider.issuer).host}` });
  provider.tamper = (claims) => ({ ...claims, aud: 'other' });
  await page.goto(`${proxy.url}${PREFIX}/projects/shop`);
  await link.waitFor();
  await link.click();
  await page.getByText('The identity provider did not sign you in').waitFor();
  await expectAccessible(page);
  provider.tamper = undefined;
  await page.goto(`${proxy.url}${PREFIX}/projects/shop`);
  await link.click();
  await page.getByRole('link', { name: 'checkout' }).waitFor();
  expect(page.url()).toBe(`${proxy.url}${PREFIX}/projects/shop`);
  expect(faults.filter((one) => one !== `request to ${provider.issuer}`)).toEqual([]);
});

test('signing out leads to the provider, which ends its own session and leads back', async () => {
  const { page, faults } = visitor;
  const before = provider.ended;
  await page.goto(`${proxy.url}${PREFIX}/projects/shop`);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Sign out everywhere' }).click();
  await page.getByLabel('Token').waitFor();
  expect(page.url().split('?')[0]).toBe(`${proxy.url}${PREFIX}/login`);
  expect(provider.ended).toBe(before + 1);
  await page.goto(`${proxy.url}${PREFIX}/projects/shop`);
  await page.getByLabel('Token').waitFor();
  expect(faults.filter((one) => one !== `request to ${provider.issuer}`)).toEqual([]);
});
