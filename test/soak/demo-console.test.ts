/** The first ten minutes of a new user: the demo in a real Chromium, as docs/tutorial.md says. */
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium } from '../support/chromium.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { DEMO_START_MS, demoThatRuns, type RunningDemo, runInDemo, stopDemos } from '../support/running-demo.ts';

const GIT = 'kustomize-controller';
const FILE = fileURLToPath(new URL('../../config/samples/git/gift-wrapping.yaml', import.meta.url));
const TEN_MINUTES_MS = 600_000;

let demo: RunningDemo;
let browser: Browser;
let page: Page;
let url: string;

beforeAll(async () => {
  [demo, browser] = await Promise.all([demoThatRuns(), launchChromium()]);
  url = /Console +(\S+)/.exec(demo.stdout())?.[1] ?? '';
  page = await browser.newPage({ locale: 'en-GB', viewport: { width: 1440, height: 900 } });
}, DEMO_START_MS);
afterAll(async () => {
  await browser?.close();
  await stopDemos();
});

const open = (path: string) => page.goto(new URL(path, url).href);
const dialog = () => page.getByRole('dialog');
const shopSays = (line: string) =>
  waitUntil({ what: `the shop says ${line}` }, () => demo.stderr().trimEnd().split('\n').includes(`web-shop: ${line}`));
/** What Flux does after a commit that edits the file so. */
async function commit(edit: string): Promise<void> {
  const apply = `kubectl apply --server-side --field-manager=${GIT} -f -`;
  expect(await runInDemo(demo, `sed '${edit}' ${FILE} | ${apply}`)).toMatchObject({ code: 0 });
}
async function clickSwitch(): Promise<void> {
  await open('/projects/shop');
  await page.getByRole('switch', { name: 'gift-wrapping in Production' }).click();
}

test('a flag is made, shown by the application, changed by Git, held against a click, and told in the history', async () => {
  const start = performance.now();
  await open('/');
  await page.getByRole('link', { name: 'Web shop' }).click();
  await page.getByRole('button', { name: 'New flag' }).click();
  await dialog().getByLabel('Name', { exact: true }).fill('free-returns');
  await dialog().getByRole('checkbox', { name: 'in Production' }).check();
  await dialog().getByLabel(/^Why/).fill('Customers ask for it');
  await dialog().getByRole('button', { name: 'Create', exact: true }).click();
  await shopSays('free-returns: on for 100 of 100 customers');

  const half =
    'half: { name: flexibleRollout, parameters: { rollout: 50, groupId: gift-wrapping, stickiness: default } }';
  await commit(`s/everyone:.*/${half}/`);
  await shopSays('gift-wrapping: on for 56 of 100 customers');

  await clickSwitch();
  const ways = page.getByRole('dialog', { name: `${GIT} owns this switch` });
  await ways.getByText('the Flux Kustomization flux-system/shop-flags:').waitFor();
  await ways.getByRole('button', { name: 'Hand over' }).click();
  await page.getByRole('dialog', { name: 'Hand the field over?' }).getByRole('button', { name: 'Hand over' }).click();
  await ways.getByText('Vexil is an owner now. Remove the field from Git.').waitFor();
  await commit('/enabled:/d');
  await clickSwitch();
  await dialog().getByRole('button', { name: 'Switch off' }).click();
  await shopSays('gift-wrapping: off');

  await open('/projects/shop/features/gift-wrapping?tab=history');
  await page.getByText('in the console').first().waitFor();
  await page.getByText(`through ${GIT}`).first().waitFor();
  await open('/projects/shop/features/free-returns?tab=history');
  await page.getByText('Customers ask for it').first().waitFor();
  expect(performance.now() - start).toBeLessThan(TEN_MINUTES_MS);
});

test.each([
  ...[
    '/',
    '/environments',
    '/segments',
    '/strategies',
    '/applications',
    '/reports/stale',
    '/events',
    '/archive',
    '/change-requests',
  ],
  ...['/tokens', '/projects/shop', '/projects/shop/compare', '/projects/shop/access'],
  ...['', '?tab=history', '?tab=owners'].map((tab) => `/projects/shop/features/gift-wrapping${tab}`),
])('the page %s of the demo is not empty', async (path) => {
  await open(path);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.locator('.waiting').first().waitFor({ state: 'detached' });
  await page.waitForLoadState('networkidle');
  // Rows, cards or entries; not only the words that nothing is there.
  const content = page.locator('main :is(tbody tr, li, section.card)');
  await content.first().waitFor();
});
