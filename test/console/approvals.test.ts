/** Approvals in a real Chromium: asking for a change at the switch and in the editor, and deciding on it. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { aFlag, anEnvironment, aProject, aRole, aUser } from '../support/builders.ts';
import { launchChromium } from '../support/chromium.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { tokensDirectly } from '../support/tokens-directly.ts';
import { expectAccessible, signInAt, visit } from './browser.ts';

const strategies = { all: { name: 'default' } };

let instance: Instance;
let browser: Browser;
const pages = new Map<string, Page>();
const pageOf = (name: 'author' | 'approver'): Page => {
  const page = pages.get(name);
  if (!page) throw new Error(`there is no ${name}`);
  return page;
};

beforeAll(async () => {
  [instance, browser] = await Promise.all([
    startInstance('approval-pages', { settings: { VEXIL_AUTH: 'token' } }),
    launchChromium(),
  ]);
  const { home, cluster } = instance;
  const change = ['UPDATE_FEATURE_ENVIRONMENT', 'UPDATE_FEATURE', 'CREATE_FEATURE_STRATEGY', 'UPDATE_FEATURE_STRATEGY'];
  await instance.apply(
    aUser(`${home}/author`),
    aUser(`${home}/approver`),
    aRole(`${home}/author`, { permissions: change.map((name) => ({ name })) }),
    aRole(`${home}/approver`, { permissions: [{ name: 'APPROVE_CHANGE_REQUEST', environment: 'production' }] }),
    anEnvironment(`${home}/production`, { displayName: 'Production', sortOrder: 2, approvals: { required: 1 } }),
  );
  await instance.apply(
    aProject(`${home}/shop`, { members: { author: 'author', approver: 'approver' } }),
    ...['switched', 'refused', 'own'].map((name) => {
      return aFlag(`${home}/${name}`, { environments: { production: { enabled: false, strategies } } });
    }),
  );
  const direct = tokensDirectly(cluster.kubeconfig, home);
  for (const user of ['author', 'approver'] as const) {
    await direct.create(user, { type: 'personal', user });
    const { page } = await visit(browser, instance.url);
    await signInAt(page, `${instance.url}/`, await direct.untilReady(user));
    pages.set(user, page);
  }
  direct.close();
});
afterAll(async () => {
  await browser?.close();
  await instance?.stop();
});

/** Asks for the change at the switch of the flag. */
async function askAtSwitch(flag: string, reason: string): Promise<void> {
  const page = pageOf('author');
  await page.goto(`${instance.url}/projects/shop/features/${flag}`);
  await page.getByRole('switch', { name: `${flag} in Production` }).click();
  const dialog = page.getByRole('dialog', { name: 'This change needs approval' });
  await dialog.getByText('needs the approval of another person').waitFor();
  await expectAccessible(page);
  await dialog.getByLabel('Why').fill(reason);
  await dialog.getByRole('button', { name: 'Ask for approval' }).click();
  await dialog.getByText('You asked for approval.').waitFor();
}

const cardOf = (page: Page, flag: string) => page.getByRole('region', { name: `${flag} in production` });
const isOn = async (flag: string) =>
  (await instance.flag(`${instance.home}/${flag}`)).spec.environments.production.enabled === true;

test('a switch that needs approval offers to ask for it, and another person approves it on the page of requests', async () => {
  await askAtSwitch('switched', 'The launch');
  await pageOf('author').getByRole('link', { name: 'Show change requests' }).click();
  await cardOf(pageOf('author'), 'switched').waitFor();
  const page = pageOf('approver');
  await page.goto(`${instance.url}/change-requests`);
  const card = cardOf(page, 'switched');
  await card.getByText('Why: The launch').waitFor();
  expect(await card.textContent()).toContain('Asked for by author');
  await card.getByText('"enabled": true').waitFor();
  await expectAccessible(page);
  await card.getByRole('button', { name: 'Approve' }).click();
  const dialog = page.getByRole('dialog', { name: 'Approve this change?' });
  await dialog.getByLabel('Comment').fill('Looks right');
  await dialog.getByRole('button', { name: 'Approve' }).click();
  await waitUntil({ what: 'the flag is on' }, () => isOn('switched'));
  await page.goto(`${instance.url}/change-requests?show=all`);
  await card.getByText('Applied').waitFor();
  expect(await card.textContent()).toContain('approver approved it');
});

test('a rejection ends the request with its comment', async () => {
  await askAtSwitch('refused', 'Please');
  const page = pageOf('approver');
  await page.goto(`${instance.url}/change-requests`);
  await cardOf(page, 'refused').getByRole('button', { name: 'Reject' }).click();
  const dialog = page.getByRole('dialog', { name: 'Reject this change?' });
  await dialog.getByLabel('Comment').fill('Not on a Friday');
  await dialog.getByRole('button', { name: 'Reject' }).click();
  await page.goto(`${instance.url}/change-requests?show=all`);
  await cardOf(page, 'refused').getByText('approver rejected it').waitFor();
  expect(await isOn('refused')).toBe(false);
});

test('the author cannot approve, and can withdraw', async () => {
  await askAtSwitch('own', 'Mine');
  const page = pageOf('author');
  await page.goto(`${instance.url}/change-requests`);
  const card = cardOf(page, 'own');
  await card.getByRole('button', { name: 'Approve' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
  await card.getByRole('alert').waitFor();
  await card.getByRole('button', { name: 'Withdraw' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click();
  await page.goto(`${instance.url}/change-requests?show=all`);
  await cardOf(page, 'own').getByText('Cancelled').waitFor();
});
