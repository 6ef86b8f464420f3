/** What a user can do on a page of the console, and what the API refuses there. */
import type { Page, Request } from 'playwright-core';

const waiting = new WeakMap<Page, Set<Request>>();

/** Collects the requests of the page that are answered 403 from now on. Call it before `settled`. */
export function watchRefusals(page: Page): string[] {
  const refused: string[] = [];
  const open = new Set<Request>();
  waiting.set(page, open);
  // The stream of changes does not end.
  const isStream = (request: Request) => request.url().endsWith('/api/admin/changes');
  page.on('request', (request) => void (isStream(request) || open.add(request)));
  page.on('requestfinished', (request) => void open.delete(request));
  page.on('requestfailed', (request) => void open.delete(request));
  page.on('response', (response) => {
    if (response.status() === 403) refused.push(`${response.request().method()} ${response.url()}`);
  });
  return refused;
}

/**
 * Resolves when the page has requested everything that it shows, including the controls that depend on the rights of
 * the user.
 */
export async function settled(page: Page): Promise<void> {
  const open = waiting.get(page);
  await page.locator('main h1').waitFor();
  const untilPainted = () =>
    page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(null))))');
  // A part that has arrived requests what it shows after that.
  const isQuiet = async () => open?.size === 0 && (await page.locator('.waiting').count()) === 0;
  for (let quiet = 0; quiet < 3; quiet = (await isQuiet()) ? quiet + 1 : 0) {
    await untilPainted();
  }
}

/** Controls that change nothing, and the tabs of a page. */
const HARMLESS =
  /^(Copy\b.*|Download all \d+ as JSON lines|Filters|.* as a favourite|Previous|Next|Show more|Overview|Edit|Evaluate|Owners|History|YAML|What changed)$/;
const CONTROL =
  /^\s*- '?(?:button|switch|checkbox|radio|link(?= "(?:New|Define|Edit|Download) )) "(.*?)"(?! \[disabled\])/;

/** The names of what the user can press or tick on the page, in their order, and of the links to forms. */
export async function controlsOf(page: Page): Promise<readonly string[]> {
  const lines = (await page.getByRole('main').ariaSnapshot()).split('\n');
  return lines.flatMap((line) => CONTROL.exec(line)?.[1] ?? []).filter((name) => !HARMLESS.test(name));
}
