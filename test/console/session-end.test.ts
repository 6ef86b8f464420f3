/** The end of a session while a page is open: drafts stay, failures are shown. */
import { randomBytes } from 'node:crypto';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { aFlag } from '../support/builders.ts';
import { launchChromium } from '../support/chromium.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { expectAccessible, signInAt, visit } from './browser.ts';

const TOKEN = `*:*.${randomBytes(28).toString('hex')}`;

let instance: Instance;
let browser: Browser;

beforeAll(async () => {
  const settings = { VEXIL_AUTH: 'token', VEXIL_ADMIN_TOKEN: TOKEN };
  [instance, browser] = await Promise.all([startInstance('session-end', { settings }), launchChromium()]);
  await instance.apply(aFlag(`${instance.home}/drafted`));
});
afterAll(async () => {
  await browser.close();
  await instance.stop();
});

const touch = (description: string) => {
  const { cluster, home } = instance;
  const patch = JSON.stringify({ spec: { description } });
  return cluster.kubectlOrThrow(['patch', 'ff', 'drafted', '-n', home, '--type', 'merge', '-p', patch]);
};

test('a draft stays, and is saved after signing in in another tab', async () => {
  const { page, context, faults } = await visit(browser, instance.url);
  await signInAt(page, `${instance.url}/projects/shop/features/drafted?tab=edit`, TOKEN);
  const description = page.getByLabel('Description');
  await description.fill('Ours');
  await context.clearCookies();
  await touch('theirs');
  const notice = page.getByText('Your session has ended');
  await notice.waitFor();
  expect(await description.inputValue()).toBe('Ours');
  await expectAccessible(page);
  const [tab] = await Promise.all([
    context.waitForEvent('page'),
    page.getByRole('link', { name: 'Sign in again' }).click(),
  ]);
  await tab.getByLabel('Token').fill(TOKEN);
  await tab.getByRole('button', { name: 'Sign in' }).click();
  await tab.getByRole('button', { name: 'Sign out' }).waitFor();
  await notice.waitFor({ state: 'hidden' });
  expect(await description.inputValue()).toBe('Ours');
  await page.getByRole('button', { name: 'Review' }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.', { exact: true }).waitFor();
  expect((await instance.flag(`${instance.home}/drafted`)).spec.description).toBe('Ours');
  expect(faults).toEqual([]);
  await context.close();
});

test('a link asks before it leaves a draft, and the tab keeps the draft', async () => {
  const { page, context, faults } = await visit(browser, instance.url);
  const tab = (name: string) => page.getByRole('link', { name, exact: true });
  await signInAt(page, `${instance.url}/projects/shop/features/drafted?tab=edit`, TOKEN);
  const description = page.getByLabel('Description');
  await description.fill('Not yet');
  await tab('Environments').click();
  const dialog = page.getByRole('dialog', { name: 'Leave without saving?' });
  await dialog.waitFor();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Stay' }).click();
  expect(await description.inputValue()).toBe('Not yet');
  await tab('Environments').click();
  await dialog.getByRole('button', { name: 'Leave' }).click();
  await page.getByRole('heading', { level: 1, name: 'Environments' }).waitFor();
  await tab('Segments').click();
  await page.getByRole('heading', { level: 1, name: 'Segments' }).waitFor();
  await page.goBack();
  await page.goBack();
  expect(await description.inputValue()).toBe('Not yet');
  await page.getByText('1 change, not saved yet.').waitFor();
  await page.getByRole('button', { name: 'Discard' }).click();
  await tab('Overview').click();
  await page.getByRole('heading', { name: 'Development' }).waitFor();
  await tab('Edit').click();
  expect(await description.inputValue()).not.toBe('Not yet');
  expect(faults).toEqual([]);
  await context.close();
});

test('without a draft the page leads to the sign-in page', async () => {
  const { page, context } = await visit(browser, instance.url);
  await signInAt(page, `${instance.url}/projects/shop/features/drafted`, TOKEN);
  await page.getByRole('heading', { level: 1, name: 'drafted' }).waitFor();
  await context.clearCookies();
  await touch('again');
  await page.getByLabel('Token').waitFor();
  expect(new URL(page.url()).searchParams.get('next')).toBe('/projects/shop/features/drafted');
  await context.close();
});

test('a failed sign-out shows an error', async () => {
  const { page, context } = await visit(browser, instance.url);
  await signInAt(page, `${instance.url}/`, TOKEN);
  await page.route('**/auth/session', (route) => route.abort());
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('alert').filter({ hasText: 'You are still signed in' }).waitFor();
  expect(await context.cookies()).toHaveLength(1);
  await context.close();
});
