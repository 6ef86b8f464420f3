/** Makes new screenshots for the README from the demo. */
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import type { Page } from 'playwright-core';
import { launchChromium } from '../support/chromium.ts';
import { readSettings } from './settings.ts';
import { startDemo } from './start-demo.ts';

const FOLDER = join(import.meta.dirname, '../../docs/images');
const MAX_BYTES = 150_000;
const GIT = 'kustomize-controller';

const say = (line: string) => void process.stderr.write(`${line}\n`);

async function takePicture(page: Page, name: string): Promise<void> {
  const path = join(FOLDER, name);
  await page.locator('.waiting').first().waitFor({ state: 'detached' });
  await page.screenshot({ path });
  const { size } = await stat(path);
  if (size > MAX_BYTES) throw new Error(`${name} has ${size} bytes, and may have ${MAX_BYTES}.`);
  say(`wrote docs/images/${name}, ${size} bytes`);
}

const settings = await readSettings({ ...process.env, VEXIL_HTTP_PORT: '0' });
const demo = await startDemo({ settings, say, signal: new AbortController().signal });
try {
  await mkdir(FOLDER, { recursive: true });
  const browser = await launchChromium();
  try {
    const context = await browser.newContext({ locale: 'en-GB', viewport: { width: 1200, height: 900 } });
    const page = await context.newPage();
    await page.goto(`${settings.url}/projects/shop`);
    await page.getByRole('row', { name: /one-page-checkout/ }).waitFor();
    await page.getByText(`owned by ${GIT}`).first().waitFor();
    // Permissions arrive after the flags, and turn words into switches.
    await page
      .getByRole('row', { name: /gift-wrapping/ })
      .getByRole('switch')
      .nth(2)
      .waitFor();
    await takePicture(page, 'console-flags.png');
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize({ width: 1200, height: 640 });
    await page.goto(`${settings.url}/projects/shop/features/one-page-checkout`);
    await page.getByRole('heading', { level: 2 }).first().waitFor();
    await takePicture(page, 'console-flag.png');
  } finally {
    await browser.close();
  }
} finally {
  await demo.stop();
}
process.exit(0);
