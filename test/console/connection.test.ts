/** What the console transfers first, and how its requests end, in a real Chromium. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { aFlag } from '../support/builders.ts';
import { launchChromium } from '../support/chromium.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { expectAccessible, signInAt, visit } from './browser.ts';
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

test('an application is connected by what the page shows, and the page says so', async () => {
  const { page, context, faults } = await visit(browser, instance.url);
  await signInAt(page, `${instance.url}/applications`, TOKEN);
  await page.getByText('Connect an application').click();
  await page.getByLabel('Name of the application').fill('till "7"');
  await page.getByText('Waiting for till "7": an SDK registers when it starts.').waitFor();
  await page.getByRole('button', { name: 'Create a client token' }).click();
  await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('till');
  await page.getByRole('dialog').getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByText('The commands have the new token.').waitFor();
  await expectAccessible(page);
  const shown = async (label: string) =>
    `${await page.getByRole('region', { name: label, exact: true }).textContent()}`;
  const [, token = ''] = /^export UNLEASH_API_TOKEN='(.*)'$/m.exec(await shown('commands')) ?? [];
  const child = spawn(process.execPath, ['--input-type=module', '-e', await shown('code')], {
    env: { ...process.env, UNLEASH_API_TOKEN: token },
    stdio: 'ignore',
  });
  await page.getByText(/^till "7" is connected, last seen/).waitFor();
  child.kill();
  await page.getByLabel('SDK').selectOption('Go');
  expect(await shown('code')).toContain('unleash.WithAppName("till \\"7\\"")');
  expect(faults).toEqual([]);
  await context.close();
});

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
