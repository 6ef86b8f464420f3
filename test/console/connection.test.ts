/**
 * What the console transfers first, and how its requests and its session end, in a real Chromium: drafts stay, failures
 * are shown.
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aFlag } from '../support/builders.ts';
import { launchChromium } from '../support/chromium.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { writersOf } from '../support/written-as.ts';
import { expectAccessible, show, signInAt, type Visitor, visit } from './browser.ts';
import { PREFIX, type PrefixProxy, startPrefixProxy } from './prefix-proxy.ts';

const TOKEN = `*:*.${randomBytes(28).toString('hex')}`;
const MAX_INITIAL_BYTES = 150_000;
const MAX_WAIT_MS = 15_000;
/** Importing this many flags takes longer than the first line takes to arrive. */
const FLAGS = 20;
/** Keeps in `shown` what the page says about the progress. Runs in the page. */
const RECORD_PROGRESS = `
  window.shown = [];
  new MutationObserver(() => {
    const status = document.querySelector('[role=status] progress')?.parentElement;
    if (status) shown.push(status.textContent.trim());
  }).observe(document.body, { subtree: true, childList: true, characterData: true });
  undefined`;

let instance: Instance;
let browser: Browser;
let proxy: PrefixProxy;
/** The address of the console below the prefix of the proxy. */
let root: string;
/** Signed in there. */
let visitor: Visitor;
/** Whether an import begins to answer, and then hangs. */
let isHung = false;

beforeAll(async () => {
  const settings = { VEXIL_AUTH: 'token', VEXIL_ADMIN_TOKEN: TOKEN, VEXIL_IMPORT_PROGRESS_INTERVAL: '10ms' };
  [instance, browser] = await Promise.all([startInstance('connection', { settings }), launchChromium()]);
  await instance.apply(aFlag(`${instance.home}/cart`), aFlag(`${instance.home}/drafted`));
  proxy = await startPrefixProxy(instance.url, {
    answerInstead(asked, answer) {
      if (!isHung || !asked.url?.includes('/state/import')) return false;
      asked.resume();
      answer.writeHead(202, { 'content-type': 'application/x-ndjson' });
      answer.write('{"phase":"checking","done":0,"writes":1}\n');
      return true;
    },
  });
  root = `${proxy.url}${PREFIX}`;
  visitor = await visit(browser, proxy.url);
  await signInAt(visitor.page, `${root}/`, TOKEN);
});
afterAll(async () => {
  proxy.stop();
  await browser.close();
  await instance.stop();
});

test(`the first visit of a project, then of the first page, transfers at most ${MAX_INITIAL_BYTES} bytes`, async () => {
  const { page: fresh, context } = await visit(browser, instance.url);
  // The browser has the session, but no files.
  const headers = { 'sec-fetch-site': 'same-origin' };
  const signedIn = await context.request.post(`${instance.url}/auth/session`, { data: { token: TOKEN }, headers });
  expect(signedIn.status()).toBe(200);
  const assets = new Map<string, number>();
  const encodings = new Set<string | undefined>();
  fresh.on('requestfinished', async (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith('/api/')) return;
    if (pathname.endsWith('.js')) encodings.add((await request.response())?.headers()['content-encoding']);
    // What the browser has kept is not transferred again.
    const { responseBodySize } = await request.sizes();
    assets.set(pathname, Math.max(assets.get(pathname) ?? 0, responseBodySize));
  });
  for (const [path, shown] of [
    ['/projects/shop', 'cart'],
    ['/', 'shop'],
  ] as const) {
    await fresh.goto(instance.url + path);
    await fresh.getByText(shown).first().waitFor();
    await fresh.waitForLoadState('networkidle');
  }
  const bytes = [...assets.values()].reduce((sum, size) => sum + size, 0);
  expect([...encodings]).toEqual(['br']);
  expect(bytes).toBeLessThanOrEqual(MAX_INITIAL_BYTES);
  await context.close();
});

test('an application is connected by what the page shows, and the page says so', async () => {
  const { page, faults } = visitor;
  await show(page, `${root}/applications`);
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
});

test('a sign-in or an import that gets no answer, or no further one, ends with a sentence', async () => {
  const { page, context } = await visit(browser, proxy.url);
  await page.clock.install();
  await page.goto(`${root}/login?next=/import-export`);
  await page.getByLabel('Token').fill(TOKEN);
  const signIn = page.getByRole('button', { name: 'Sign in' });
  await page.route('**/auth/session', () => undefined);
  await signIn.click();
  await expectEnd(page, 'Vexil has not answered within 15 seconds. Sign in again later.');
  await page.unrouteAll();
  await signIn.click();
  await chooseDocument(page, { version: 4, features: [] });
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

test('the progress of an import is shown for the plan and for the import', async () => {
  const { page, faults } = visitor;
  await show(page, `${root}/import-export`);
  const features = Array.from({ length: FLAGS }, (_, index) => ({ name: `imported-${index}`, project: 'shop' }));
  await chooseDocument(page, { version: 4, features });
  await page.evaluate(RECORD_PROGRESS);
  const shown = async () => (await page.evaluate<string[]>('shown')).join('\n');
  await page.getByRole('button', { name: 'Show the plan' }).click();
  await page.getByText(`Create: ${FLAGS} flags`).waitFor();
  expect(await shown()).toMatch(new RegExp(`Checking: \\d+ of ${FLAGS} objects$`, 'm'));
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await page.getByText('The document is imported.').waitFor();
  expect(await shown()).toMatch(new RegExp(`Writing: \\d+ of ${FLAGS} objects$`, 'm'));
  expect(await page.getByRole('progressbar').count()).toBe(0);
  const headers = { authorization: TOKEN };
  expect((await instance.call('GET /search/features?query=imported-&limit=1', { headers })).body.total).toBe(FLAGS);
  isHung = true;
  await page.getByRole('button', { name: 'Show the plan' }).click();
  await page.getByText('Checking: 0 of 1 objects').waitFor();
  await expectAccessible(page);
  isHung = false;
  expect(faults).toEqual([]);
});

describe('the end of a session', () => {
  const FLAG = '/projects/shop/features/drafted';
  const touch = async (description: string) => {
    const writers = writersOf(instance.cluster);
    await writers.merge('kubectl-patch', aFlag(`${instance.home}/drafted`), { description });
    writers.close();
  };

  test('a draft stays, and is saved after signing in in another tab', async () => {
    const { page, context, faults } = visitor;
    await show(page, `${root}${FLAG}?tab=edit`);
    const description = page.getByLabel('Description');
    await description.fill('Ours');
    await context.clearCookies();
    await touch('theirs');
    const notice = page.getByText('Your session has ended');
    await notice.waitFor();
    expect(await description.inputValue()).toBe('Ours');
    await expectAccessible(page);
    const [tab] = await Promise.all([
      context.waitForEvent('page'),
      page.getByRole('link', { name: 'Sign in again' }).click(),
    ]);
    await tab.getByLabel('Token').fill(TOKEN);
    await tab.getByRole('button', { name: 'Sign in' }).click();
    await tab.getByRole('button', { name: 'Sign out' }).waitFor();
    await notice.waitFor({ state: 'hidden' });
    expect(await description.inputValue()).toBe('Ours');
    await page.getByRole('button', { name: 'Review' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.', { exact: true }).waitFor();
    expect((await instance.flag(`${instance.home}/drafted`)).spec.description).toBe('Ours');
    expect(faults).toEqual([]);
    await tab.close();
  });

  test('a link asks before it leaves a draft, and the tab keeps the draft', async () => {
    const { page, faults } = visitor;
    const tab = (name: string) => page.getByRole('link', { name, exact: true });
    await show(page, `${root}${FLAG}?tab=edit`);
    const description = page.getByLabel('Description');
    await description.fill('Not yet');
    await tab('Environments').click();
    const dialog = page.getByRole('dialog', { name: 'Leave without saving?' });
    await dialog.waitFor();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Stay' }).click();
    expect(await description.inputValue()).toBe('Not yet');
    await tab('Environments').click();
    await dialog.getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('heading', { level: 1, name: 'Environments' }).waitFor();
    await tab('Segments').click();
    await page.getByRole('heading', { level: 1, name: 'Segments' }).waitFor();
    await page.goBack();
    await page.goBack();
    expect(await description.inputValue()).toBe('Not yet');
    await page.getByText('1 change, not saved yet.').waitFor();
    await page.getByRole('button', { name: 'Discard' }).click();
    await tab('Overview').click();
    await page.getByRole('heading', { name: 'Development' }).waitFor();
    await tab('Edit').click();
    expect(await description.inputValue()).not.toBe('Not yet');
    expect(faults).toEqual([]);
  });

  test('a failed sign-out shows an error', async () => {
    const { page, context } = visitor;
    await page.route('**/auth/session', (route) => route.abort());
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('alert').filter({ hasText: 'You are still signed in' }).waitFor();
    expect(await context.cookies()).toHaveLength(1);
  });

  test('without a draft the page leads to the sign-in page', async () => {
    const { page, context } = visitor;
    await show(page, `${root}${FLAG}`);
    await page.getByRole('heading', { level: 2, name: 'Development' }).waitFor();
    await context.clearCookies();
    await touch('again');
    await page.getByLabel('Token').waitFor();
    expect(new URL(page.url()).searchParams.get('next')).toBe(FLAG);
  });
});

async function chooseDocument(page: Page, content: object): Promise<void> {
  const file = { name: 'state.json', mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(content)) };
  await page.getByLabel('Document', { exact: true }).setInputFiles(file);
}

/** The sentence must not be there before, and must be there when the time is over. */
async function expectEnd(page: Page, sentence: string): Promise<void> {
  await page.clock.runFor(MAX_WAIT_MS - 2_000);
  expect(await page.getByText(sentence).count()).toBe(0);
  await page.clock.runFor(3_000);
  await page.getByText(sentence).waitFor();
}
