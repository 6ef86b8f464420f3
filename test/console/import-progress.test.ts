/** The progress of an import in a real Chromium. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium } from '../support/chromium.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { expectAccessible, visit } from './browser.ts';

/** Importing this many flags takes longer than the first line takes to arrive. */
const FLAGS = 150;

let instance: Instance;
let browser: Browser;

beforeAll(async () => {
  [instance, browser] = await Promise.all([
    startInstance('import-progress', { settings: { VEXIL_IMPORT_PROGRESS_INTERVAL: '100ms' } }),
    launchChromium(),
  ]);
});
afterAll(async () => {
  await browser.close();
  await instance.stop();
});

test('is shown for the plan and for the import', async () => {
  const { page, context, faults } = await visit(browser, instance.url);
  const features = Array.from({ length: FLAGS }, (_, index) => ({ name: `imported-${index}`, project: 'shop' }));
  const buffer = Buffer.from(JSON.stringify({ version: 4, features }));
  const progress = page.getByText(new RegExp(`(Checking|Writing): \\d+ of ${FLAGS} objects$`));
  // Playwright looks every half second after a while, and the progress may be shown for a shorter time.
  const untilShown = () => waitUntil({ what: 'the progress', everyMs: 10 }, async () => (await progress.count()) > 0);
  await page.goto(`${instance.url}/import-export`);
  await page
    .getByLabel('Document', { exact: true })
    .setInputFiles({ name: 'state.json', mimeType: 'application/json', buffer });
  await page.getByRole('button', { name: 'Show the plan' }).click();
  await untilShown();
  await page.getByText(`Create: ${FLAGS} flags`).waitFor();
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await untilShown();
  await expectAccessible(page);
  await page.getByText('The document is imported.').waitFor();
  expect(await progress.count()).toBe(0);
  expect((await instance.call('GET /search/features?query=imported-&limit=1')).body.total).toBe(FLAGS);
  expect(faults).toEqual([]);
  await context.close();
});
