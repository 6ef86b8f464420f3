/** The past in a real Chromium: flags and lists as they were, what changed, and putting a flag back. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { aFlag } from '../support/builders.ts';
import { launchChromium } from '../support/chromium.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { inNextSecond, untilVersionsAreKept } from '../support/in-next-second.ts';
import { type RecordingInstance, startRecordingInstance } from '../support/recording-instance.ts';
import { expectAccessible, show, type Visitor, visit } from './browser.ts';

const SHOTS = process.env['VEXIL_SHOTS'];
const FLAG = '/projects/shop/features/cart';
const strategies = {
  some: { name: 'flexibleRollout', parameters: { rollout: 25, stickiness: 'default', groupId: 'cart' } },
  staff: { name: 'default', constraints: [{ contextName: 'userId', operator: 'IN' as const, values: ['42'] }] },
};
const cart = {
  description: 'One page for cart and payment',
  tags: ['simple:payments'],
  environments: {
    production: { enabled: true, activeUntil: '2040-01-01T00:00:00Z', strategies },
    development: { enabled: true, strategies: { all: { name: 'default' } } },
  },
};

let instance: RecordingInstance;
let browser: Browser;
let visitor: Visitor;
let page: Page;
let then: string;

beforeAll(async () => {
  [instance, browser] = await Promise.all([startRecordingInstance('console-past'), launchChromium()]);
  const { home, call } = instance;
  await untilVersionsAreKept(call, 'shop');
  await instance.apply(
    aFlag(`${home}/cart`, cart),
    aFlag(`${home}/gone`, { ...cart, description: 'gone today' }),
    aFlag(`${home}/again`, { ...cart, description: 'the first' }),
  );
  then = await inNextSecond();
  await inNextSecond();
  await call(`POST ${FLAG}/environments/production/off`);
  await instance.apply(aFlag(`${home}/cart`, { description: 'Fewer clicks' }), aFlag(`${home}/new`, cart));
  for (const name of ['gone', 'again']) {
    await call(`DELETE /projects/shop/features/${name}`);
    await call(`DELETE /archive/${name}`);
  }
  await instance.apply(aFlag(`${home}/again`, { ...cart, description: 'the second' }));
  await inNextSecond();
  await waitUntil({ what: 'the last change is recorded' }, async () => {
    const { body } = await call('GET /search/events?feature=IS:again&type=IS:feature-created');
    return body.total === 2;
  });
  visitor = await visit(browser, instance.url);
  page = visitor.page;
});
afterAll(async () => {
  await browser?.close();
  await instance?.stop();
});

const open = (path: string) => show(page, instance.url + path);
const button = (name: string) => page.getByRole('button', { name, exact: true });
const link = (name: string) => page.getByRole('link', { name, exact: true });
const at = (more: Readonly<Record<string, string>> = {}) => `?${new URLSearchParams({ ...more, at: then })}`;
const shot = async (name: string) => {
  if (SHOTS) await page.screenshot({ path: `${SHOTS}/${name}.png`, fullPage: true });
};
const specOf = async (name: string) => (await instance.flag(`${instance.home}/${name}`)).spec;

test('a flag as it was: nothing can be changed, and the way back is there', async () => {
  await open(`${FLAG}${at()}`);
  await page.getByText(`You look at ${then.slice(0, 10)}`).waitFor();
  await page.getByText('One page for cart and payment').waitFor();
  await page.getByText('simple:payments').waitFor();
  const production = page.locator('.card', { hasText: 'production' });
  await production.getByText('On', { exact: true }).first().waitFor();
  expect(await page.getByRole('switch').count()).toBe(0);
  for (const name of ['Edit', 'Clone', 'Archive']) {
    expect(await page.locator('main').getByText(name, { exact: true }).count(), name).toBe(0);
  }
  await shot('flag-past');
  await expectAccessible(page);
  await link('YAML').click();
  await page.getByText('description: One page for cart and payment').waitFor();
  await shot('flag-past-yaml');
  await link('Evaluate').click();
  await button('Evaluate').click();
  await page.getByRole('heading', { name: 'Result' }).waitFor();
  await shot('flag-past-evaluate');
  await button('Back to now').click();
  await link('Overview').click();
  await page.getByText('Fewer clicks').waitFor();
  await shot('flag-now');
});

test('the evaluation follows the time of the page, and keeps a side of a change for its own time only', async () => {
  const field = page.getByLabel('At', { exact: true });
  const parameter = (name: string) => new URL(page.url()).searchParams.get(name);
  await open(`${FLAG}?tab=evaluate`);
  await button('Evaluate').waitFor();
  await page.locator('summary', { hasText: 'As of now' }).click();
  const local = await page.evaluate<string>(
    `new Date(${Date.parse(then)} - new Date(${Date.parse(then)}).getTimezoneOffset() * 60_000).toISOString().slice(0, 19)`,
  );
  await page.getByLabel('Show the state at').fill(local);
  await button('Show').click();
  await page.getByText(`You look at ${then.slice(0, 10)}`).waitFor();
  await expect.poll(() => field.inputValue()).toContain(local.slice(0, 16));
  await button('Back to now').click();
  await expect.poll(() => field.inputValue()).toBe('');

  await open(`${FLAG}${at({ tab: 'evaluate', inGap: 'before' })}`);
  await page.locator('.why').waitFor();
  await button('Evaluate').click();
  await expect.poll(() => parameter('environment')).not.toBeNull();
  expect([parameter('at'), parameter('inGap')]).toEqual([then, 'before']);
  await field.fill('2090-06-01T12:00');
  await button('Evaluate').click();
  await expect.poll(() => parameter('at')).toContain('2090-06-01');
  expect(parameter('inGap')).toBeNull();
});

test('a time is chosen with the keyboard', async () => {
  await open(FLAG);
  await page.getByText('Fewer clicks').waitFor();
  const choice = page.locator('summary', { hasText: 'As of now' });
  await choice.focus();
  await page.keyboard.press('Enter');
  await page.getByLabel('Show the state at').fill('2024-02-29T10:00:00');
  await shot('time-choice');
  await expectAccessible(page);
  await page.getByLabel('Show the state at').press('Enter');
  await page.getByText('The history has complete versions since').waitFor();
  expect(new URL(page.url()).searchParams.get('at')).toMatch(/^2024-02-29T/);
  await shot('time-before-history');
});

test.each([
  [FLAG, '2999-01-01T00:00:00Z', 'is in the future'],
  ['/projects/shop', '2026-02-29T00:00:00Z', 'the month has no such day'],
  [FLAG, 'yesterday', 'must be a time with a zone'],
])('on %s, the time %s in the address is refused with a sentence', async (path, time, complaint) => {
  await open(`${path}?at=${time}`);
  await page.getByRole('alert').filter({ hasText: complaint }).waitFor();
  await button('Back to now').waitFor();
});

test('the flags of a project as they were lead to a flag as it was', async () => {
  await open(`/projects/shop${at()}`);
  await page.getByRole('row', { name: /gone/ }).waitFor();
  expect(await link('new').count()).toBe(0);
  expect(await button('New flag').count()).toBe(0);
  await shot('project-past');
  await expectAccessible(page);
  await link('gone').click();
  await page.getByText('gone today').first().waitFor();
  expect(new URL(page.url()).searchParams.get('at')).toBe(then);
});

test('what changed between two times, for a project and for a flag', async () => {
  await open(`/projects/shop${at()}`);
  await link('What changed since').click();
  await page.getByRole('article', { name: 'gone deleted' }).waitFor();
  await page.getByRole('article', { name: 'new created' }).waitFor();
  await page.getByRole('article', { name: 'again deleted and made again' }).waitFor();
  await page.getByRole('article', { name: 'cart changed' }).getByText('Fewer clicks').waitFor();
  await shot('project-changes');
  await expectAccessible(page);
  await open(`${FLAG}?tab=changes`);
  await page.getByText('Choose a time to see what changed since.').waitFor();
  await open(`${FLAG}?${new URLSearchParams({ tab: 'changes', from: then, to: then })}`);
  await page.getByText('Nothing differs.').waitFor();
  await shot('flag-no-changes');
});

test('an uncertain time offers both sides', async () => {
  const { cluster, home, call } = instance;
  await instance.apply(aFlag(`${home}/brief`, { ...cart, description: 'briefly there' }));
  const time = await inNextSecond();
  // kubectl leaves no time of a deletion.
  await cluster.deleteObject('ff/brief', home);
  await waitUntil({ what: 'the deletion is recorded' }, async () => {
    const { body } = await call('GET /search/events?feature=IS:brief&type=IS:feature-deleted');
    return body.total === 1;
  });
  const address = `/projects/shop/features/brief?at=${time}`;
  await open(address);
  await page.getByRole('heading', { name: /^Uncertain between .* UTC and .* UTC$/ }).waitFor();
  await shot('uncertain');
  await expectAccessible(page);
  await button('Show the state before').click();
  await page.getByText('briefly there').waitFor();
  await open(address);
  await button('Show the state after').click();
  await page.getByText('There was no such flag then.').waitFor();
  await open(`/projects/shop/changes?from=${time}`);
  await page.getByRole('article', { name: 'brief uncertain' }).waitFor();
  await shot('changes-uncertain');
  await button('not made yet').click();
  await page.getByRole('article', { name: 'brief deleted' }).waitFor();
});

test('a flag is put back after a review, and the history says so', async () => {
  await open(`${FLAG}${at()}`);
  await link('Put back…').click();
  await page.getByText('One page for cart and payment').first().waitFor();
  await shot('put-back');
  await expectAccessible(page);
  await button('Back to the past').click();
  await page.getByText('You look at').waitFor();
  await link('Put back…').click();
  await page.getByLabel('Why (optional, for the history)').fill('An incident');
  await button('Save').click();
  await button('Archive').waitFor();
  expect(await specOf('cart')).toEqual({ ...cart, project: 'shop' });
  await open(`${FLAG}?tab=history`);
  await page
    .getByText(/Restored to .*: An incident/)
    .first()
    .waitFor();
  await shot('history');
  await page
    .getByRole('link', { name: /^The flag before this: / })
    .first()
    .click();
  await page.getByText('Fewer clicks').waitFor();
});

test('a flag that is gone is made again, and another object of the name is named', async () => {
  await open('/projects/shop/features/gone');
  await link('search its history').waitFor();
  await shot('gone-now');
  await open(`/projects/shop/features/gone${at()}`);
  await link('Put back…').click();
  await page.getByText('It is made again, as a new object.').waitFor();
  await shot('put-back-gone');
  await button('Save').click();
  await button('Archive').waitFor();
  expect(await specOf('gone')).toMatchObject({ description: 'gone today' });
  await open(`/projects/shop/features/again${at({ tab: 'restore' })}`);
  await page.getByText('another one has its name now').waitFor();
  await shot('put-back-other');
  await button('Save').click();
  await button('Archive').waitFor();
  expect(await specOf('again')).toMatchObject({ description: 'the first' });
});

test('nothing on the pages broke', () => {
  expect(visitor.faults).toEqual([]);
});
