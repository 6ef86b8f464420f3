/** A frozen environment in a real Chromium: what the pages show, and the message for a switch that is refused. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { aFlag, anEnvironment, aProject, aUser } from '../support/builders.ts';
import { launchChromium } from '../support/chromium.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { tokensDirectly } from '../support/tokens-directly.ts';
import { expectAccessible, signInAt, type Visitor, visit } from './browser.ts';

let instance: Instance;
let browser: Browser;
let visitor: Visitor;

beforeAll(async () => {
  const settings = { VEXIL_AUTH: 'token' };
  [instance, browser] = await Promise.all([startInstance('frozen-pages', { settings }), launchChromium()]);
  const { home, cluster } = instance;
  const freeze = { name: 'year-end', from: '2020-01-01T00:00:00Z', until: '2099-06-15T00:00:00Z', reason: 'Closing' };
  await instance.apply(
    aUser(`${home}/member`),
    aProject(`${home}/shop`, { members: { member: 'member' } }),
    anEnvironment(`${home}/production`, { displayName: 'Production', freezes: [freeze] }),
    aFlag(`${home}/plain`, {
      environments: {
        development: { strategies: { all: { name: 'default' } } },
        production: { strategies: { all: { name: 'default' } } },
      },
    }),
  );
  const direct = tokensDirectly(cluster.kubeconfig, home);
  await direct.create('member', { type: 'personal', user: 'member' });
  const token = await direct.untilReady('member');
  direct.close();
  visitor = await visit(browser, instance.url);
  await signInAt(visitor.page, `${instance.url}/`, token);
});
afterAll(async () => {
  await browser?.close();
  await instance?.stop();
});

test('the page of a flag shows the freeze in the environment, and a refused switch shows the reason', async () => {
  const { page } = visitor;
  await page.goto(`${instance.url}/projects/shop/features/plain`);
  const notice = page.getByText(/^Frozen: year-end until .* \(Closing\)\. The flag can only be switched off here\.$/);
  await notice.waitFor();
  expect(await notice.count()).toBe(1);
  await expectAccessible(page);
  const control = page.getByRole('switch', { name: 'plain in Production' });
  await control.click();
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  expect(await dialog.textContent()).toContain(
    'The environment "production" is frozen until 2099-06-15T00:00:00Z by the freeze "year-end" (Closing).',
  );
  await dialog.getByRole('button', { name: 'Close' }).click();
  expect(await control.getAttribute('aria-checked')).toBe('false');
  await page.getByRole('switch', { name: 'plain in Development' }).click();
  await page.getByRole('switch', { name: 'plain in development', checked: true }).waitFor();
});

test('the page of environments names the freeze and its end', async () => {
  const { page } = visitor;
  await page.goto(`${instance.url}/environments`);
  await page
    .getByRole('row', { name: /Production/ })
    .getByText(/^year-end until .*2099/)
    .waitFor();
  await expectAccessible(page);
});

test('no page violated the policy, logged an error or requested another host', () => {
  expect(visitor.faults).toEqual([]);
});
