/** A browser for the tests of the console. It records everything on a page that must not happen. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContext, ConsoleMessage, Page } from 'playwright-core';
import { expect } from 'vitest';
import { keepShown } from './shown-pages.ts';

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
  const looks = { locale: 'en-GB', viewport, reducedMotion: 'reduce' } as const;
  const context = await browser.newContext({ ...looks, ignoreHTTPSErrors });
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
  return keepShown(page);
}

/** Colours depend on the scheme only, and the layout on the width only. */
const LOOKS = [
  { colorScheme: 'dark', width: 375 },
  { colorScheme: 'light', width: 1200 },
] as const;
/** With the dark look of what only wide windows show. */
export const EVERY_LOOK = [{ colorScheme: 'dark', width: 1200 }, ...LOOKS] as const;

let loadedAxe: string | undefined;
const axeSource = () => {
  loadedAxe ??= readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  return loadedAxe;
};

/**
 * The violations of the rules, and the headings of dialogs whose content is wider than they are. The pages have no
 * frames.
 */
const CHECK = `axe.run(document, ${JSON.stringify({ runOnly: RULES, resultTypes: ['violations'] })})
  .then(({ violations }) => ({
    violations: violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html)),
    wideDialogs: [...document.querySelectorAll('dialog[open]')]
      .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
      .map((dialog) => dialog.querySelector('h2')?.textContent),
    contentWidth: document.documentElement.scrollWidth,
  }))`;

/** Checks the page in light and dark, wide and narrow. Nothing may be wider than the window. */
export async function expectAccessible(page: Page, looks: typeof LOOKS | typeof EVERY_LOOK = LOOKS): Promise<void> {
  // Loading axe takes longer than running it, and a document keeps it.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axeSource());
  for (const { colorScheme, width } of looks) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 800 });
    const { contentWidth, ...found } = await page.evaluate<{ readonly contentWidth: number }>(CHECK);
    expect(found, `${page.url()} ${colorScheme} ${width}`).toEqual({ violations: [], wideDialogs: [] });
    expect(contentWidth, page.url()).toBeLessThanOrEqual(width);
  }
}

/**
 * Shows the page as a link of the console does: the document stays, and drafts with it. Nothing else of the page before
 * stays, even if it is the same one.
 */
export async function show(page: Page, address: string): Promise<void> {
  if (!page.url().startsWith(new URL('/', address).href)) {
    await page.goto(address);
    return;
  }
  await page.evaluate(`(async () => {
    history.pushState(null, '', '/-');
    // The tasks that end the page before run first.
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    history.replaceState(null, '', ${JSON.stringify(address)});
  })()`);
}

/** Shows the page, and waits until it has what it asks the API for. */
export async function openPage(page: Page, address: string): Promise<void> {
  await show(page, address);
  await page.locator('.waiting').first().waitFor({ state: 'detached' });
}

/** Signs in on the page at this address, and waits until it is shown. */
export async function signInAt(page: Page, address: string, token: string): Promise<void> {
  await page.goto(address);
  await page.getByLabel('Token').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
}
