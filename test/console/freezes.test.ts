/** A frozen environment in a real Chromium: what the pages show, and the message for a switch that is refused. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { aFlag, anEnvironment, aProject, aSegment, aUser } from '../support/builders.ts';
import { launchChromium } from '../support/chromium.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { tokensDirectly } from '../support/tokens-directly.ts';
import { expectAccessible, show, signInAt, type Visitor, visit } from './browser.ts';

let instance: Instance;
let browser: Browser;
let visitor: Visitor;
let dutyToken: string;

beforeAll(async () => {
  const settings = { VEXIL_AUTH: 'token' };
  [instance, browser] = await Promise.all([startInstance('frozen-pages', { settings }), launchChromium()]);
  const { home, cluster } = instance;
  const freeze = { name: 'year-end', from: '2020-01-01T00:00:00Z', until: '2099-06-15T00:00:00Z', reason: 'Closing' };
  await instance.apply(
    aUser(`${home}/member`),
    aUser(`${home}/duty`, { rootRole: 'Admin' }),
    aProject(`${home}/shop`, { members: { member: 'member' } }),
    anEnvironment(`${home}/production`, { displayName: 'Production', freezes: [freeze], protected: true }),
    aSegment(`${home}/staff`),
    aFlag(`${home}/urgent`, {
      environments: {
        production: {
          strategies: {
            some: { name: 'flexibleRollout', parameters: { rollout: 25 } },
            staff: { name: 'default', segments: ['staff'] },
          },
        },
      },
    }),
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
  await direct.create('duty', { type: 'personal', user: 'duty' });
  dutyToken = await direct.untilReady('duty');
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
  await show(page, `${instance.url}/projects/shop/features/plain`);
  const notice = page.getByText(/^Frozen: year-end until .* \(Closing\)\. The flag can only be switched off here\.$/);
  await notice.waitFor();
  expect(await notice.count()).toBe(1);
  await expectAccessible(page);
  const control = page.getByRole('switch', { name: 'plain in Production' });
  await control.click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Switch on' }).click();
  await page.getByRole('dialog', { name: 'The switch was not changed' }).waitFor();
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
  await show(page, `${instance.url}/environments`);
  await page
    .getByRole('row', { name: /Production/ })
    .getByText(/^year-end until .*2099/)
    .waitFor();
  await expectAccessible(page);
});

test('a user who may bypass the freeze is asked first, says why, and the history keeps it', async () => {
  const { page, context, faults } = await visit(browser, instance.url);
  await signInAt(page, `${instance.url}/projects/shop`, dutyToken);
  const head = page.getByRole('columnheader', { name: /^Production/ });
  await head.getByText('protected').waitFor();
  await head.getByText('frozen until 15 Jun 2099').waitFor();
  const control = page.getByRole('switch', { name: 'urgent in Production' });
  await control.click();
  const dialog = page.getByRole('dialog', { name: 'Switch urgent on in Production?' });
  await dialog
    .getByText(/^Production is frozen by year-end until .* \(Closing\)\. You may bypass the freeze\.$/)
    .waitFor();
  await dialog.getByText('For 25 % of users, and segment staff.').waitFor();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Switch on' }).click();
  expect(await control.getAttribute('aria-checked')).toBe('false');
  await dialog.getByLabel('Reason for the history').fill('Checkout fails');
  await page.keyboard.press('Enter');
  await page.getByRole('switch', { name: 'urgent in Production', checked: true }).waitFor();
  await show(page, `${instance.url}/projects/shop/features/urgent?tab=history`);
  await page.getByText('during the freeze year-end, by bypass').waitFor();
  await show(page, `${instance.url}/projects/shop/features/plain?tab=edit&environment=production`);
  await page.getByRole('button', { name: 'Remove strategy 1' }).click();
  await page.getByRole('button', { name: 'Review' }).click();
  await page.getByLabel('Reason for the history').fill('Cleaning up');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.', { exact: true }).waitFor();
  await show(page, `${instance.url}/projects/shop/features/plain?tab=history`);
  await page.getByText('Cleaning up').first().waitFor();
  expect(faults).toEqual([]);
  await context.close();
});

test('the head of a long table stays in sight', async () => {
  const { page } = visitor;
  await instance.apply(...Array.from({ length: 14 }, (_, index) => aFlag(`${instance.home}/row-${index}`)));
  await page.setViewportSize({ width: 1200, height: 300 });
  await show(page, `${instance.url}/projects/shop`);
  await page.getByRole('link', { name: 'row-9' }).scrollIntoViewIfNeeded();
  await page.mouse.wheel(0, 900);
  const head = page.getByRole('columnheader', { name: /^Production/ });
  await expect.poll(() => page.evaluate('scrollY')).toBeGreaterThan(300);
  expect((await head.boundingBox())?.y).toBe(0);
});

test('no page violated the policy, logged an error or requested another host', () => {
  expect(visitor.faults).toEqual([]);
});
