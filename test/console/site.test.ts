/** The documentation as a static site, in a browser. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { runSiteProgram, type SiteServer, serveSite, siteFolder } from '../support/built-site.ts';
import { launchChromium } from '../support/chromium.ts';
import { expectAccessible, type Visitor, visit } from './browser.ts';

let folder: Awaited<ReturnType<typeof siteFolder>>;
let server: SiteServer;
let browser: Browser;
let visitor: Visitor;

beforeAll(async () => {
  folder = await siteFolder();
  expect(await runSiteProgram(folder.path)).toMatchObject({ code: 0 });
  server = await serveSite(folder.path);
  browser = await launchChromium();
  visitor = await visit(browser, new URL(server.url).origin);
});
afterAll(async () => {
  await browser?.close();
  server?.stop();
  await folder?.end();
});

test('the address above the versions leads to the newest, and the list of versions to each', async () => {
  const { page } = visitor;
  await page.goto(`${server.url}/`);
  await page.getByRole('heading', { level: 1, name: 'Documentation' }).waitFor();
  expect(page.url()).toBe(`${server.url}/${manifest.version}/index.html`);
  await page.getByRole('link', { name: `Version ${manifest.version}` }).click();
  await page.getByRole('link', { name: manifest.version }).click();
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Freezes' }).click();
  await expect.poll(() => page.title()).toBe(`Freezes – Vexil ${manifest.version}`);
});

test('a search finds the matching heading', async () => {
  const { page } = visitor;
  await page.goto(`${server.url}/${manifest.version}/adr/0001-maps-instead-of-lists.html`);
  await page.getByRole('searchbox', { name: 'Search' }).fill('murmurhash bucket');
  await page.keyboard.press('Enter');
  await page.getByRole('status').getByText('for “murmurhash bucket”').waitFor();
  await page.getByRole('main').getByRole('link').first().click();
  await expect.poll(() => page.url()).toMatch(/\/evaluation\.html#strategy-types$/);
  await page.goto(`${server.url}/${manifest.version}/search.html?q=${encodeURIComponent('<b>xyzzyx</b>')}`);
  await page.getByText('No results for “<b>xyzzyx</b>”').waitFor();
});

test.each(['index', 'health', 'search'])('%s.html is accessible', async (name) => {
  const { page } = visitor;
  await page.goto(`${server.url}/${manifest.version}/${name}.html?q=freeze`);
  if (name === 'search') await page.getByText('results for “freeze”').waitFor();
  await expectAccessible(page);
});

test('no page logged an error, or requested another host', () => {
  expect(visitor.faults).toEqual([]);
});
