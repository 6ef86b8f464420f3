/** Copies between environments in a real Chromium, from the flag and from the comparison. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { aFlag, anEnvironment } from '../support/builders.ts';
import { launchChromium } from '../support/chromium.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { type Writers, writersOf } from '../support/written-as.ts';
import { expectAccessible, openPage, type Visitor, visit } from './browser.ts';

const GIT = 'kustomize-controller';
const steps = [{ rollout: 5, for: '24h' }, { rollout: 100 }];
const gradual = { name: 'flexibleRollout', parameters: { rollout: 1, stickiness: 'default', groupId: 'g' } };
const ramped = { ...gradual, ramp: { startAt: '2031-01-01T00:00:00Z', steps } };

let instance: Instance;
let writers: Writers;
let browser: Browser;
let visitor: Visitor;
let page: Page;

beforeAll(async () => {
  [instance, browser] = await Promise.all([startInstance('copy'), launchChromium()]);
  const { home, other, cluster } = instance;
  writers = writersOf(cluster);
  const development = { enabled: true, strategies: { ramped }, variants: [{ name: 'blue' }] };
  await instance.apply(
    anEnvironment(`${home}/staging`, { displayName: 'Staging', sortOrder: 2 }),
    anEnvironment(`${home}/production`, { type: 'production', displayName: 'Production', sortOrder: 3 }),
    aFlag(`${home}/cart`, { environments: { development } }),
    aFlag(`${home}/apart`, { environments: { staging: { strategies: { all: { name: 'default' } } } } }),
    aFlag(`${home}/same`),
    aFlag(`${other}/elsewhere`, { project: 'pay', environments: { staging: { strategies: { all: gradual } } } }),
  );
  const applied = aFlag(`${home}/applied`, {
    environments: {
      development: { strategies: { all: gradual } },
      production: { strategies: { all: { name: 'default' } } },
    },
  });
  await writers.apply(GIT, applied);
  await instance.judged(applied);
  visitor = await visit(browser, instance.url);
  page = visitor.page;
});
afterAll(async () => {
  await browser.close();
  writers.close();
  await instance.stop();
});

const open = (path: string) => openPage(page, instance.url + path);
const button = (name: string) => page.getByRole('button', { name, exact: true });
const inProduction = async (flag: string) =>
  (await instance.flag(`${instance.home}/${flag}`)).spec.environments.production;

test('a flag gets the configuration of another environment, without the start of the ramp, after a review', async () => {
  await open('/projects/shop/features/cart');
  await page.locator('a[href*="environment=production"]', { hasText: 'Copy from…' }).click();
  await button('Copy from Development').click();
  await page.getByRole('heading', { name: 'Copy the configuration of Development to Production' }).waitFor();
  expect(await page.getByLabel('Difference', { exact: true }).innerText()).toMatch(/\+ +production:/);
  await expectAccessible(page);
  expect(await inProduction('cart')).toBeUndefined();
  await page.getByLabel('Why (optional, for the history)').fill('Ready');
  await button('Save').click();
  await page.getByText('Saved.', { exact: true }).waitFor();
  const copied = await inProduction('cart');
  expect(Object.values(copied.strategies)).toEqual([{ ...gradual, ramp: { steps } }]);
  expect([copied.variants, copied.enabled]).toEqual([[{ name: 'blue' }], undefined]);
  expect(new URL(page.url()).search).toBe('?tab=edit&environment=production');
});

test('a copy of fields that Git owns shows the change for Git', async () => {
  await open('/projects/shop/features/applied?tab=edit&environment=production&copy=development');
  await page.getByText(`${GIT} owns some of these fields.`).waitFor();
  expect(await page.getByLabel('Change for Git').innerText()).toMatch(/\+ +name: flexibleRollout/);
  await button('Back to editing').click();
  await page.getByRole('button', { name: 'Review' }).waitFor();
});

test('the comparison of a project starts with the last two environments, and leads to the copy', async () => {
  await open('/projects/shop/compare');
  await page
    .getByRole('row', { name: /^apart/ })
    .getByText('Strategy 1: On for everyone.')
    .waitFor();
  expect(await page.locator('tbody th a').allTextContents()).not.toContain('elsewhere');
  expect(await page.getByRole('row', { name: /^same/ }).count()).toBe(0);
  await expectAccessible(page);
  await page
    .getByRole('row', { name: /^apart/ })
    .getByRole('link', { name: 'Copy Staging to Production' })
    .click();
  await page.getByRole('heading', { name: 'Copy the configuration of Staging to Production' }).waitFor();
  expect(new URL(page.url()).search).toBe('?tab=edit&environment=production&copy=staging');
});

test('the comparison of all projects has a filter for the project', async () => {
  await open('/environments');
  await page.getByRole('row', { name: /^elsewhere/ }).waitFor();
  await page.getByLabel('Project').selectOption('shop');
  await page.getByRole('row', { name: /^elsewhere/ }).waitFor({ state: 'detached' });
  await page.getByRole('row', { name: /^apart/ }).waitFor();
});

test('no page violated the policy, logged an error or requested another host', () => {
  expect(visitor.faults).toEqual([]);
});
