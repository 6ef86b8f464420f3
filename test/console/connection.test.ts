/** What the console transfers first, and how its requests end, in a real Chromium. */
import { randomBytes } from 'node:crypto';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { aFlag } from '../support/builders.ts';
import { launchChromium } from '../support/chromium.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { signInAt, visit } from './browser.ts';
import { PREFIX, type PrefixProxy, startPrefixProxy } from './prefix-proxy.ts';

const TOKEN = `*:*.${randomBytes(28).toString('hex')}`;
const MAX_INITIAL_BYTES = 150_000;
const MAX_WAIT_MS = 15_000;

let instance: Instance;
let browser: Browser;
let proxy: PrefixProxy;
/** Whether an import begins to answer, and then hangs. */
let isHung = false;

beforeAll(async () => {
  const settings = { VEXIL_AUTH: 'token', VEXIL_ADMIN_TOKEN: TOKEN };
  [instance, browser] = await Promise.all([startInstance('connection', { settings }), launchChromium()]);
  await instance.apply(aFlag(`${instance.home}/cart`));
  proxy = await startPrefixProxy(instance.url, {
    answerInstead(asked, answer) {
      if (!isHung || !asked.url?.includes('/state/import')) return false;
      asked.resume();
      answer.writeHead(202, { 'content-type': 'application/x-ndjson' });
      answer.write('{"phase":"checking","done":0,"writes":1}\n');
      return true;
    },
  });
});
afterAll(async () => {
  proxy.stop();
  await browser.close();
  await instance.stop();
});

test.each(['/', '/projects/shop'])(
  `the first visit of %s transfers at most ${MAX_INITIAL_BYTES} bytes`,
  async (path) => {
    const { page, context } = await visit(browser, instance.url);
    await signInAt(page, `${instance.url}/`, TOKEN);
    // Another profile of the browser has the session, but no files.
    const { page: fresh, context: other } = await visit(browser, instance.url);
    await other.addCookies(await context.cookies());
    const assets = new Map<string, number>();
    const encodings = new Set<string | undefined>();
    fresh.on('requestfinished', async (request) => {
      const { pathname } = new URL(request.url());
      if (pathname.startsWith('/api/')) return;
      if (pathname.endsWith('.js')) encodings.add((await request.response())?.headers()['content-encoding']);
      assets.set(pathname, (await request.sizes()).responseBodySize);
    });
    await fresh.goto(instance.url + path);
    await fresh
      .getByText(path === '/' ? 'shop' : 'cart')
      .first()
      .waitFor();
    await fresh.waitForLoadState('networkidle');
    const bytes = [...assets.values()].reduce((sum, size) => sum + size, 0);
    expect([...encodings]).toEqual(['br']);
    expect(bytes).toBeLessThanOrEqual(MAX_INITIAL_BYTES);
    await Promise.all([context.close(), other.close()]);
  },
);

test('a sign-in that gets no answer ends with a sentence', async () => {
  const { page, context } = await visit(browser, instance.url);
  await page.clock.install();
  await page.goto(`${instance.url}/login`);
  await page.getByLabel('Token').fill(TOKEN);
  await page.route('**/auth/session', () => undefined);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expectEnd(page, 'Vexil has not answered within 15 seconds. Sign in again later.');
  await page.getByRole('button', { name: 'Sign in' }).isEnabled();
  await context.close();
});

test('an import that gets no answer, or no further one, ends with a sentence', async () => {
  const { page, context } = await visit(browser, new URL(proxy.url).origin);
  await page.clock.install();
  await signInAt(page, `${proxy.url}${PREFIX}/import-export`, TOKEN);
  const buffer = Buffer.from(JSON.stringify({ version: 4, features: [] }));
  await page
    .getByLabel('Document', { exact: true })
    .setInputFiles({ name: 'state.json', mimeType: 'application/json', buffer });
  const sentence = 'Vexil has not answered within 15 seconds. The import has stopped. Import the document again';
  const plan = page.getByRole('button', { name: 'Show the plan' });
  isHung = true;
  await plan.click();
  await page.getByText('Checking: 0 of 1 objects').waitFor();
  await expectEnd(page, sentence);
  await page.route('**/state/import?*', () => undefined);
  await plan.click();
  await page.getByText('Checking').first().waitFor();
  await expectEnd(page, sentence);
  isHung = false;
  await context.close();
});

/** The sentence must not be there before, and must be there when the time is over. */
async function expectEnd(page: Page, sentence: string): Promise<void> {
  await page.clock.runFor(MAX_WAIT_MS - 2_000);
  expect(await page.getByText(sentence).count()).toBe(0);
  await page.clock.runFor(3_000);
  await page.getByText(sentence).waitFor();
}
