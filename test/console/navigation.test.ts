/**
 * The ways between pages in a real Chromium: to older events, to flags of all projects, and where the focus is then.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { adminClient } from '../support/admin-client.ts';
import { aFlag, anEnvironment, aProject } from '../support/builders.ts';
import { launchChromium } from '../support/chromium.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { untilRecording } from '../support/until-recording.ts';
import { expectAccessible, show, signInAt, type Visitor, visit } from './browser.ts';

const TOKEN = `*:*.${randomBytes(28).toString('hex')}`;

let instance: Instance;
let browser: Browser;
let visitor: Visitor;
let page: Page;

beforeAll(async () => {
  const settings = { VEXIL_AUTH: 'token', VEXIL_ADMIN_TOKEN: TOKEN };
  [instance, browser] = await Promise.all([startInstance('navigation', { settings }), launchChromium()]);
  await instance.apply(
    aFlag(`${instance.home}/apart`),
    aProject(`${instance.home}/bare`, { displayName: 'The bare one' }),
    ...['qa', 'load'].map((name) => anEnvironment(`${instance.home}/${name}`, { sortOrder: 8 })),
  );
  visitor = await visit(browser, instance.url);
  page = visitor.page;
  await signInAt(page, `${instance.url}/`, TOKEN);
});
afterAll(async () => {
  await browser.close();
  await instance.stop();
});

const open = (path: string) => show(page, instance.url + path);
const button = (name: string) => page.getByRole('button', { name, exact: true });
const dialog = () => page.getByRole('dialog');
const until = (what: string, look: () => Promise<boolean>) => waitUntil({ what, everyMs: 20 }, look);

test('all pages of the history of a flag can be read', async () => {
  const call = adminClient(instance.url, { authorization: TOKEN });
  await untilRecording(instance.cluster, call, { flag: '/projects/shop/features/apart', namespace: instance.home });
  const tags = Array.from({ length: 65 }, (_, index) => ({ type: 'simple', value: `tag-${index}` }));
  for (const change of [{ addedTags: tags }, { removedTags: tags }]) {
    expect((await call('PUT /features/apart/tags', { body: change })).status).toBe(200);
  }
  const query = '/search/events?feature=IS:apart&type=IS_ANY_OF:feature-tagged,feature-untagged&limit=1';
  await until('all is recorded', async () => (await call(`GET ${query}`)).body.total === 130);
  await open('/projects/shop/features/apart?tab=history');
  // When the page reads its content again after a change, it reads no further page.
  await until('all events are shown', async () => {
    if ((await page.locator('.timeline > li').count()) >= 130) return true;
    await button('Show more')
      .click({ timeout: 1000 })
      .catch(() => undefined);
    return false;
  });
  await button('Show more').waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Search these events' }).click();
  await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor();
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Events');
});

test('a search on the first page finds flags of all projects', async () => {
  await open('/');
  await page.getByLabel('Search flags in all projects').fill('apar');
  await expectAccessible(page);
  await page.getByRole('link', { name: 'apart' }).click();
  await page.getByRole('heading', { level: 1, name: 'apart' }).waitFor();
  expect(await page.getByRole('navigation', { name: 'Pages' }).locator('[aria-current]').textContent()).toBe(
    'Projects',
  );
});

test('a dialog is accessible, and returns the focus', async () => {
  await open('/projects/shop/features/apart');
  await button('Clone').click();
  await dialog().waitFor();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await dialog().waitFor({ state: 'detached' });
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Clone');
});

test('the answer to a change does not take users from the page to which they have gone meanwhile', async () => {
  await open('/projects/shop/features/apart');
  await button('Clone').click();
  const { promise: isElsewhere, resolve: answer } = Promise.withResolvers<void>();
  await page.route('**/clone*', (route) => isElsewhere.then(() => route.continue()));
  await dialog().getByLabel('Name of the copy').fill('apart-again');
  const answered = page.waitForResponse(/\/clone/);
  await dialog().getByRole('button', { name: 'Clone', exact: true }).click();
  await open('/projects/bare');
  await page.getByRole('heading', { level: 1, name: 'The bare one' }).waitFor();
  answer();
  expect(await (await answered).finished()).toBe(null);
  expect((await answered).status()).toBe(201);
  await page.evaluate('new Promise(requestAnimationFrame)');
  expect(new URL(page.url()).pathname).toBe('/projects/bare');
  await page.unroute('**/clone*');
});

test('the page for unknown addresses is accessible', async () => {
  await open('/nowhere/at/all');
  await page.getByRole('heading', { level: 1, name: 'Not found' }).waitFor();
  await expectAccessible(page);
});

test('a flag or a project that does not exist has no buttons and no tabs', async () => {
  await open('/projects/shop/features/no-such-flag');
  await page.getByText('There is no such object: the flag no-such-flag in the project shop.').waitFor();
  await expectAccessible(page);
  expect(await page.locator('main').getByRole('button').count()).toBe(0);
  expect(await page.locator('.tabs').count()).toBe(0);
  await open('/projects/no-such-project');
  await page.getByText('There is no such object: the project no-such-project.').waitFor();
  expect(await page.locator('.tabs').count()).toBe(0);
});

test('a project is named for people, with its id, and says that it has no flags', async () => {
  await open('/');
  await page.getByRole('link', { name: 'The bare one' }).click();
  await page.getByRole('heading', { level: 1, name: 'The bare one' }).waitFor();
  await page.locator('.title').getByText('bare', { exact: true }).waitFor();
  await page.getByText('This project has no flags yet.').waitFor();
  await page.getByLabel('Search').fill('x');
  await page.getByText('No flag matches the search.').waitFor();
  await expect.poll(() => page.title()).toContain('The bare one');
  expect(await page.locator('link[rel=icon]').getAttribute('href')).toMatch(/^data:image\/svg/);
});

test('what makes something new is at the right, and what deletes is red', async () => {
  await page.setViewportSize({ width: 1440, height: 900 });
  const creating = {
    '/': ['button', 'New project'],
    '/projects/shop': ['button', 'New flag'],
    '/segments': ['link', 'New segment'],
    '/strategies': ['link', 'New strategy type'],
    '/tokens': ['button', 'New token'],
  } as const;
  for (const [path, [role, name]] of Object.entries(creating)) {
    await open(path);
    const control = page.locator('main').getByRole(role, { name, exact: true });
    const [box, whole] = [await control.boundingBox(), await page.locator('main').boundingBox()];
    const right = (box?.x ?? 0) + (box?.width ?? 0);
    expect((whole?.x ?? 0) + (whole?.width ?? 0) - right, path).toBeLessThan(100);
    expect(await control.getAttribute('class'), path).toContain('primary');
  }
  await open('/projects/bare/settings');
  expect(await button('Delete bare').getAttribute('class')).toBe('danger');
  await page.setViewportSize({ width: 1200, height: 800 });
});

test('four environments of a flag stand in one row', async () => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await open('/projects/shop/features/apart');
  const cards = page.locator('.cards.environments > li');
  await cards.nth(3).waitFor();
  const tops = await cards.evaluateAll((all) => all.map((card) => card.getBoundingClientRect().top));
  expect([tops.length, new Set(tops).size]).toEqual([4, 1]);
  await page.setViewportSize({ width: 1200, height: 800 });
});

test('tabs of a flag are links', async () => {
  await open('/projects/shop/features/apart');
  const tab = page.getByRole('link', { name: 'History', exact: true });
  expect(await tab.getAttribute('href')).toBe('/projects/shop/features/apart?tab=history');
  await tab.click();
  await page.waitForURL(/apart\?tab=history$/);
  expect(await tab.getAttribute('aria-current')).toBe('page');
});

test('a narrow navigation shows the present page', async () => {
  await page.setViewportSize({ width: 400, height: 800 });
  await open('/import-export');
  const link = page.getByRole('navigation', { name: 'Pages' }).locator('[aria-current]');
  await expect.poll(async () => (await link.boundingBox())?.x ?? 400).toBeLessThan(280);
  await page.setViewportSize({ width: 1200, height: 800 });
});

test('the sign-in page leads on somebody who is signed in, and says how to get a token', async () => {
  await open('/login?next=/events');
  await page.getByText('How do I get a token?').click();
  await page.getByText('kubectl create token NAME').waitFor();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Go on' }).click();
  await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor();
});

test('a page says so when Vexil hangs, and recovers by itself', async () => {
  const { page: watched, context } = await visit(browser, instance.url);
  await watched.clock.install();
  await signInAt(watched, `${instance.url}/projects/shop`, TOKEN);
  const control = watched.getByRole('switch', { name: 'apart in Development' });
  await control.waitFor();
  let isHung = true;
  // No answer comes as long as the handler does not let the request go on.
  const hang = (url: string) => watched.route(url, (route) => (isHung ? undefined : route.continue()));
  await hang('**/health');
  await hang('**/features/**/on');
  await control.click();
  for (let seconds = 0; seconds < 45; seconds += 1) await watched.clock.runFor(1_000);
  await watched.getByText('Vexil cannot be reached. The page shows what was last known').waitFor();
  const dialog = watched.getByRole('dialog', { name: 'The switch may not have been changed' });
  await dialog.getByText('Vexil has not answered within 15 seconds. It is not known whether').waitFor();
  await dialog.getByRole('button', { name: 'Close' }).click();
  isHung = false;
  await watched.clock.runFor(25_000);
  await watched.getByText('Vexil cannot be reached.').waitFor({ state: 'hidden' });
  await context.close();
});

test('the link of Argo CD opens the flag', async () => {
  const blocks = readFileSync('docs/health.md', 'utf8').match(/```yaml\n[^`]*resource\.links[^`]*```/g) ?? [];
  const entry = parse(blocks.join('').replaceAll(/```(yaml)?/g, ''));
  const [{ url }] = parse(entry.data['resource.links']);
  const flag = await instance.flag(`${instance.home}/apart`);
  const rendered = url
    .replace('https://vexil.example.com', instance.url)
    .replace('{{.resource.spec.project}}', flag.spec.project)
    .replace('{{or .resource.spec.name .resource.metadata.name}}', flag.spec.name ?? flag.metadata.name);
  await page.goto(rendered);
  await page.getByRole('heading', { level: 1, name: 'apart' }).waitFor();
});

test('no page violated the policy, logged an error or requested another host', () => {
  expect(visitor.faults).toEqual([]);
});
