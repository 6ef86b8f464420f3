/**
 * The pages of a flag in a real Chromium: its history with ways, reasons, filters and links; what Evaluate asks; copies
 * between environments, from the flag and from the comparison.
 */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aFlag, anEnvironment, aSegment } from '../support/builders.ts';
import { launchChromium } from '../support/chromium.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { untilRecorded } from '../support/recorded-events.ts';
import { untilRecording } from '../support/until-recording.ts';
import { writersOf } from '../support/written-as.ts';
import { expectAccessible, openPage, show, type Visitor, visit } from './browser.ts';

const REASON = 'Support <b>asked</b> for it';
const FLAG = '/projects/shop/features/cart';
const steps = [{ rollout: 5, for: '24h' }, { rollout: 100 }];

let instance: Instance;
let browser: Browser;
let visitor: Visitor;
let page: Page;

beforeAll(async () => {
  [instance, browser] = await Promise.all([startInstance('flag-pages'), launchChromium()]);
  const { home, cluster } = instance;
  await instance.apply(aFlag(`${home}/first`));
  await untilRecording(cluster, instance.call, { flag: '/projects/shop/features/first', namespace: home });
  const country = [{ contextName: 'country', operator: 'IN' as const, values: ['SE', 'NO'] }];
  const beta = [{ contextName: 'plan', operator: 'IN' as const, values: ['gold'] }];
  await instance.apply(aSegment(`${home}/paying`, { constraints: beta }));
  await instance.apply(
    aFlag(`${home}/cart`, {
      environments: {
        production: {
          enabled: true,
          strategies: {
            north: { name: 'default', constraints: country, segments: ['paying'] },
            some: { name: 'flexibleRollout', parameters: { rollout: 0, stickiness: 'sessionId', groupId: 'g' } },
          },
        },
      },
    }),
  );
  const writers = writersOf(cluster);
  const ramp = { environments: { production: { strategies: { some: { ramp: { steps } } } } } };
  await writers.merge('our-controller', aFlag(`${home}/cart`), ramp);
  writers.close();
  visitor = await visit(browser, instance.url);
  page = visitor.page;
});
afterAll(async () => {
  await browser.close();
  await instance.stop();
});

const open = (path: string) => show(page, instance.url + path);
const button = (name: string) => page.getByRole('button', { name, exact: true });

test('a review asks why, and the history tells it with the way', async () => {
  await open(`${FLAG}?tab=edit`);
  await page.getByLabel('Description').fill('Fewer clicks');
  await button('Review').click();
  await page.getByLabel('Why (optional, for the history)').fill(REASON);
  await button('Save').click();
  await page.getByText('Saved.', { exact: true }).waitFor();
  await untilRecorded(instance.call, 'feature=IS:cart&type=IS:feature-metadata-updated', 1);
  await open(`${FLAG}?tab=history`);
  const [ours, theirs] = [
    page.locator('.timeline > li', { hasText: 'Fewer clicks' }),
    page.locator('.timeline > li', { hasText: 'through our-controller' }),
  ];
  await ours.getByText('in the console, from 127.0.0.1').waitFor();
  await ours.getByText(REASON).waitFor();
  await theirs.getByText('5 % for 24h, 100 %').waitFor();
  await expectAccessible(page);
});

test('in a narrow window, times and the names of environments stay in one line', async () => {
  await page.setViewportSize({ width: 1024, height: 800 });
  const lines = { '/events': 'td time', [FLAG]: '.card-head h2' };
  for (const [path, texts] of Object.entries(lines)) {
    await openPage(page, instance.url + path);
    await page.locator(texts).first().waitFor();
    const heights = await page.evaluate<number[]>(
      `[...document.querySelectorAll('${texts}')].map(({ offsetHeight }) => offsetHeight)`,
    );
    expect(Math.max(...heights), path).toBeLessThan(32);
  }
  await page.setViewportSize({ width: 1200, height: 800 });
});

test('a switch that asks for confirmation takes a reason too', async () => {
  await open('/projects/shop');
  await page.getByLabel('Select cart').check();
  await button('Switch off').click();
  await page.getByRole('dialog').getByLabel('Why (optional, for the history)').fill('Too slow');
  await page.getByRole('dialog').getByRole('button', { name: 'Switch off' }).click();
  await page.getByText('1 flag selected').waitFor({ state: 'detached' });
});

test('the history is filtered, and each entry has an address', async () => {
  await open(`${FLAG}?tab=history`);
  await page.getByLabel('Changes of').selectOption('The flag itself');
  const entries = page.locator('.timeline > li');
  await entries.filter({ hasText: 'strategy' }).first().waitFor({ state: 'detached' });
  await entries.filter({ hasText: 'Flag metadata updated' }).waitFor();
  expect(new URL(page.url()).search).toBe('?tab=history&kind=flag');
  await page.getByLabel('Environment').selectOption('Development');
  await page.getByText('No event matches the filters.').waitFor();
  await page.getByLabel('Environment').selectOption('Any');
  await page.getByLabel('Changes of').selectOption('Everything');
  await page.getByLabel('Through').selectOption('GitOps or another controller');
  await entries.filter({ hasText: 'through our-controller' }).first().waitFor();
  await entries.filter({ hasText: 'Flag metadata updated' }).waitFor({ state: 'detached' });
  expect(new URL(page.url()).search).toBe('?tab=history&channel=controller');
  await page.getByLabel('Through').selectOption('Console');
  await entries.filter({ hasText: 'Flag metadata updated' }).waitFor();
  await entries.filter({ hasText: 'our-controller' }).first().waitFor({ state: 'detached' });
  await page
    .getByRole('link', { name: /^Link to the entry/ })
    .first()
    .click();
  await page.getByText(REASON).waitFor();
  expect(await page.locator('.timeline > li').count()).toBe(1);
  await page.reload();
  await page.getByText(REASON).waitFor();
  expect(await page.locator('.timeline > li').count()).toBe(1);
  await page.getByRole('link', { name: 'The whole history' }).click();
  await expect.poll(() => page.locator('.timeline > li').count()).toBeGreaterThan(1);
});

test('the events of all flags tell the same, with ramps in words', async () => {
  await open('/events?feature=cart');
  await page.getByText(REASON).waitFor();
  await page.getByText('5 % for 24h, 100 %').waitFor();
  await expectAccessible(page);
  await page.getByLabel('Through').selectOption('Console');
  await page.getByText('5 % for 24h, 100 %').waitFor({ state: 'detached' });
  await page
    .getByRole('row', { name: /Fewer clicks/ })
    .getByRole('link')
    .last()
    .click();
  await expect.poll(() => page.getByRole('row').count()).toBe(2);
  expect(new URL(page.url()).search).toMatch(/^\?id=\d+$/);
});

test('Evaluate asks for the fields of the rules, and its address asks again', async () => {
  await open(`${FLAG}?tab=evaluate`);
  await page.getByLabel('Field').nth(2).waitFor();
  const names = await Promise.all(
    (await page.getByLabel('Field', { exact: true }).all()).map((one) => one.inputValue()),
  );
  expect(names).toEqual(['country', 'plan', 'sessionId']);
  expect(await page.getByLabel('Value').first().getAttribute('placeholder')).toBe('SE');
  await page.getByLabel('Environment').selectOption('Production');
  await page.getByLabel('Value').first().fill('SE');
  await button('Evaluate').click();
  await page.locator('.why').waitFor();
  expect(new URL(page.url()).search).toBe('?tab=evaluate&environment=production&context.country=SE');
  await page.reload();
  await page.locator('.why').waitFor();
  expect(await page.getByLabel('Value').first().inputValue()).toBe('SE');
  await expectAccessible(page);
});

describe('copies', () => {
  const GIT = 'kustomize-controller';
  const gradual = { name: 'flexibleRollout', parameters: { rollout: 1, stickiness: 'default', groupId: 'g' } };
  const ramped = { ...gradual, ramp: { startAt: '2031-01-01T00:00:00Z', steps } };
  const inProduction = async (flag: string) =>
    (await instance.flag(`${instance.home}/${flag}`)).spec.environments.production;

  beforeAll(async () => {
    const { home, other, cluster } = instance;
    const writers = writersOf(cluster);
    const development = { enabled: true, strategies: { ramped }, variants: [{ name: 'blue' }] };
    await instance.apply(
      anEnvironment(`${home}/staging`, { displayName: 'Staging', sortOrder: 2 }),
      anEnvironment(`${home}/production`, { type: 'production', displayName: 'Production', sortOrder: 3 }),
      aFlag(`${home}/till`, { environments: { development } }),
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
    writers.close();
  });

  test('a flag gets the configuration of another environment, without the start of the ramp, after a review', async () => {
    await openPage(page, `${instance.url}/projects/shop/features/till`);
    await page.locator('a[href*="environment=production"]', { hasText: 'Copy from…' }).click();
    await button('Copy from Development').click();
    await page.getByRole('heading', { name: 'Copy the configuration of Development to Production' }).waitFor();
    expect(await page.getByLabel('Difference', { exact: true }).innerText()).toMatch(/\+ +production:/);
    await expectAccessible(page);
    expect(await inProduction('till')).toBeUndefined();
    await page.getByLabel('Why (optional, for the history)').fill('Ready');
    await button('Save').click();
    await page.getByText('Saved.', { exact: true }).waitFor();
    const copied = await inProduction('till');
    expect(Object.values(copied.strategies)).toEqual([{ ...gradual, ramp: { steps } }]);
    expect([copied.variants, copied.enabled]).toEqual([[{ name: 'blue' }], undefined]);
    expect(new URL(page.url()).search).toBe('?tab=edit&environment=production');
  });

  test('a copy of fields that Git owns shows the change for Git', async () => {
    await openPage(
      page,
      `${instance.url}/projects/shop/features/applied?tab=edit&environment=production&copy=development`,
    );
    await page.getByText(`${GIT} owns some of these fields.`).waitFor();
    expect(await page.getByLabel('Change for Git').innerText()).toMatch(/\+ +name: flexibleRollout/);
    await button('Back to editing').click();
    await page.getByRole('button', { name: 'Review' }).waitFor();
  });

  test('the comparison of a project starts with the last two environments, and leads to the copy', async () => {
    await openPage(page, `${instance.url}/projects/shop/compare`);
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
    await openPage(page, `${instance.url}/environments`);
    await page.getByRole('row', { name: /^elsewhere/ }).waitFor();
    await page.getByLabel('Project').selectOption('shop');
    await page.getByRole('row', { name: /^elsewhere/ }).waitFor({ state: 'detached' });
    await page.getByRole('row', { name: /^apart/ }).waitFor();
  });
});

test('no page violated the policy, logged an error or requested another host', () => {
  expect(visitor.faults).toEqual([]);
});
