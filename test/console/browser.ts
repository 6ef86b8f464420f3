/** A browser for the tests of the console. It records everything on a page that must not happen. */
import axeCore, { type AxeResults } from 'axe-core';
import type { Browser, BrowserContext, ConsoleMessage, Page } from 'playwright-core';
import { expect } from 'vitest';

const RULES = ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'];
/** The browser reports each refusal of the API as an error too, but assets are never refused. */
const isRefusal = (message: ConsoleMessage) =>
  /^Failed to load resource: .* status of 4\d\d/.test(message.text()) &&
  /\/(api\/admin|auth)\//.test(message.location().url);

export interface Visitor {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Policy violations, console errors, uncaught errors, requests to other hosts. */
  readonly faults: string[];
  /** Opens another page of the browser, which is watched too. */
  readonly openTab: () => Promise<Page>;
}

export async function visit(browser: Browser, origin: string): Promise<Visitor> {
  // The certificates of tests are not signed by an authority.
  const ignoreHTTPSErrors = origin.startsWith('https:');
  const viewport = { width: 1200, height: 800 };
  const context = await browser.newContext({ locale: 'en-GB', viewport, ignoreHTTPSErrors });
  context.setDefaultTimeout(120_000);
  const faults: string[] = [];
  const openTab = async () => watch(await context.newPage(), origin, faults);
  return { page: await openTab(), context, faults, openTab };
}

function watch(page: Page, origin: string, faults: string[]): Page {
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()) && !isRefusal(message)) faults.push(message.text());
  });
  page.on('pageerror', (error) => void faults.push(`${error}`));
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.origin !== origin && url.protocol !== 'data:') faults.push(`request to ${url.origin}`);
  });
  return page;
}

const LOOKS = [
  { colorScheme: 'light', width: 1200 },
  { colorScheme: 'dark', width: 1200 },
  { colorScheme: 'light', width: 375 },
] as const;

/** The result leaves out the rules that pass. */
const RUN = `axe.run(document, ${JSON.stringify({ runOnly: RULES, resultTypes: ['violations'] })})`;

/** The pages have no frames. */
async function violationsOn(page: Page): Promise<readonly string[]> {
  // Loading axe takes longer than running it, and a document keeps it.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axeCore.source);
  const { violations } = await page.evaluate<AxeResults>(RUN);
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

/** The headings of dialogs whose content is wider than they are. */
const WIDE_DIALOGS = `[...document.querySelectorAll('dialog[open]')]
  .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
  .map((dialog) => dialog.querySelector('h2')?.textContent)`;

/** Checks the page in light and dark, wide and narrow. Nothing may be wider than the window. */
export async function expectAccessible(page: Page): Promise<void> {
  for (const { colorScheme, width } of LOOKS) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.setViewportSize({ width, height: 800 });
    expect(await violationsOn(page), `${page.url()} ${colorScheme} ${width}`).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth'), page.url()).toBeLessThanOrEqual(width);
    expect(await page.evaluate(WIDE_DIALOGS), `${page.url()} ${width}`).toEqual([]);
  }
  await page.setViewportSize({ width: 1200, height: 800 });
}

/** Opens the page, and waits until it has what it asks the API for. */
export async function openPage(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await page.locator('.waiting').first().waitFor({ state: 'detached' });
}

/** Signs in on the page at this address, and waits until it is shown. */
export async function signInAt(page: Page, address: string, token: string): Promise<void> {
  await page.goto(address);
  await page.getByLabel('Token').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
}
