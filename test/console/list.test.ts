/** The list of flags in a real Chromium: columns, filters, views, favourites, selections, shortcuts, density. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aFlag, labelled } from '../support/builders.ts';
import { launchChromium } from '../support/chromium.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { type Writers, writersOf } from '../support/written-as.ts';
import { EVERY_LOOK, expectAccessible, openPage, type Visitor, visit } from './browser.ts';

const GIT = 'kustomize-controller';
const FAR = '2090-06-01T08:00:00Z';
/** So many flags fit in a window of 1440 × 900, beside those that the tests name. */
const FITTING = 15;
const gradual = (rollout: number) => ({
  enabled: true,
  strategies: { some: { name: 'flexibleRollout', parameters: { rollout, stickiness: 'default', groupId: 'g' } } },
});

let instance: Instance;
let writers: Writers;
let browser: Browser;
let visitor: Visitor;
let page: Page;

beforeAll(async () => {
  const usage = { VEXIL_USAGE_FLUSH_INTERVAL: '100ms', VEXIL_USAGE_REFRESH: '200ms' };
  [instance, browser] = await Promise.all([startInstance('list', { settings: usage }), launchChromium()]);
  const { home, cluster } = instance;
  writers = writersOf(cluster);
  const chosen = {
    name: 'default',
    constraints: [{ contextName: 'userId', operator: 'IN' as const, values: ['ada'] }],
  };
  await instance.apply(
    labelled(
      aFlag(`${home}/alpha`, {
        tags: ['team:cash', 'simple:cart', 'area:web'],
        environments: { production: gradual(25) },
      }),
      {
        app: 'cart',
      },
    ),
    aFlag(`${home}/beta`, { tags: ['team:cash'], environments: { production: { ...gradual(100), activeUntil: FAR } } }),
    aFlag(`${home}/gamma`, {
      type: 'experiment',
      environments: { production: { enabled: true, strategies: { chosen } } },
    }),
    ...Array.from({ length: FITTING }, (_, index) =>
      aFlag(`${home}/other-${index}`, { description: 'A long description that no row has room for. '.repeat(9) }),
    ),
  );
  const owned = aFlag(`${home}/held`, { environments: { development: gradual(100) } });
  await writers.apply(GIT, owned);
  await instance.judged(owned);
  visitor = await visit(browser, instance.url);
  page = visitor.page;
});
afterAll(async () => {
  await browser.close();
  writers.close();
  await instance.stop();
});

const open = (path: string) => openPage(page, instance.url + path);
const row = (name: string) => page.getByRole('row', { name: new RegExp(`^(Select )?${name}\\b`) });
const button = (name: string) => page.getByRole('button', { name, exact: true });
const names = () => page.locator('tbody th a').allTextContents();
const dialog = () => page.getByRole('dialog');

test('a row has share, schedule, tags and owner of a flag', async () => {
  await open('/projects/shop');
  expect(await row('alpha').textContent()).toMatch(/for 25 % of users.*team:cash.*cart.*\+1: area:web.*never/);
  expect(await row('beta').textContent()).toMatch(/for everyone.*window ends 1 Jun 2090/);
  expect(await row('gamma').textContent()).toContain('for chosen users');
  expect(await row('held').getByRole('cell').last().textContent()).toContain(GIT);
});

test(`${FITTING} flags fit in a window of 1440 × 900`, async () => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await open('/projects/shop');
  const box = await page
    .locator('tbody tr')
    .nth(FITTING - 1)
    .boundingBox();
  expect((box?.y ?? 900) + (box?.height ?? 0)).toBeLessThanOrEqual(900);
  await page.setViewportSize({ width: 1200, height: 800 });
});

describe('the filters', () => {
  const until = (wanted: readonly string[]) => expect.poll(names).toEqual(wanted);

  test('are in the address, and each can be removed', async () => {
    await open('/projects/shop');
    await button('Filters').click();
    await page.getByLabel('Tag', { exact: true }).fill('team:cash');
    await until(['alpha', 'beta']);
    await page.getByLabel('In an environment').selectOption('Production: on for a part');
    await until(['alpha']);
    expect(decodeURIComponent(new URL(page.url()).search)).toBe('?tag=team:cash&in=production:part');
    await expectAccessible(page, EVERY_LOOK);
    await button('Remove the filter Tag: team:cash').click();
    await until(['alpha', 'gamma']);
  });

  test.each([
    ['label=app%3Dcart', ['alpha']],
    ['type=experiment', ['gamma']],
    ['schedule=window', ['beta']],
    ['owner=KUSTOM', ['held']],
    ['in=production:everyone', ['beta']],
    ['tag=cart', ['alpha']],
    ['seen=week', []],
    ['seen=never&q=other-1', ['other-1', 'other-10', 'other-11', 'other-12', 'other-13', 'other-14']],
  ])('of the address ?%s are used', async (search, wanted) => {
    await open(`/projects/shop?${search}`);
    await until(wanted);
  });
});

test('views and favourites are kept in the browser', async () => {
  await open('/projects/shop?tag=team%3Acash');
  await button('Save as a view').click();
  await dialog().getByLabel('Name of the view').fill('Cash');
  await dialog().getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'beta as a favourite' }).click();
  await open('/projects/shop');
  await page.getByRole('link', { name: 'Cash', exact: true }).click();
  await expect.poll(names).toEqual(['alpha', 'beta']);
  await page.getByRole('link', { name: 'Favourites', exact: true }).click();
  await expect.poll(names).toEqual(['beta']);
  await page.getByRole('button', { name: 'beta as a favourite' }).click();
  await page.getByText('You have no favourites in this project.').waitFor();
  await page.getByRole('link', { name: 'Cash', exact: true }).click();
  await button('Delete the view').click();
  await page.getByRole('link', { name: 'Cash', exact: true }).waitFor({ state: 'detached' });
});

test('all flags are selected, and get and lose tags', async () => {
  await open('/projects/shop?tag=team%3Acash');
  await page.getByLabel('Select all flags').check();
  await page.getByText('2 flags selected').waitFor();
  await button('Tags').click();
  await dialog().getByLabel('Value of the tag').fill('both');
  await page.keyboard.press('Enter');
  await dialog().getByLabel('simple:cart (1)').check();
  await expectAccessible(page);
  await dialog().getByRole('button', { name: 'Go on' }).click();
  await dialog().getByText('Add simple:both. Remove simple:cart. Other tags stay.').waitFor();
  await dialog().getByRole('button', { name: 'Change the tags' }).click();
  await page.getByText('2 flags selected').waitFor({ state: 'detached' });
  const tagsOf = async (name: string) => (await instance.flag(`${instance.home}/${name}`)).spec.tags.toSorted();
  expect(await tagsOf('alpha')).toEqual(['area:web', 'simple:both', 'team:cash']);
  expect(await tagsOf('beta')).toEqual(['simple:both', 'team:cash']);
});

test('a slash is for the search of the page, and it or Ctrl-K finds flags and pages from any page', async () => {
  await open('/projects/shop');
  await page.keyboard.press('/');
  await page.keyboard.type('gam');
  await expect.poll(names).toEqual(['gamma']);
  await row('gamma').getByRole('link').click();
  await page.getByRole('heading', { level: 1, name: 'gamma' }).waitFor();
  await page.keyboard.press('Control+k');
  await dialog().getByRole('option', { name: 'gamma recent, in shop' }).waitFor();
  await expectAccessible(page);
  await page.keyboard.type('alph');
  await dialog().getByRole('option', { name: 'alpha in shop', selected: true }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'alpha' }).waitFor();
  // The page of a flag has no search of its own.
  await page.keyboard.press('/');
  await page.keyboard.type('segm');
  await dialog().getByRole('option', { name: 'Segments page', selected: true }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Segments' }).waitFor();
});

test('no page violated the policy, logged an error or requested another host', () => {
  expect(visitor.faults).toEqual([]);
});
