/**
 * The editor in a real Chromium: changes by others while it saves, windows, ramps, tags, segments of Git, the keyboard.
 */
import { randomBytes } from 'node:crypto';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { adminClient } from '../support/admin-client.ts';
import { aFlag, aSegment } from '../support/builders.ts';
import { launchChromium } from '../support/chromium.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { untilRecorded } from '../support/recorded-events.ts';
import { type Writers, writersOf } from '../support/written-as.ts';
import { expectAccessible, show, signInAt, type Visitor, visit } from './browser.ts';

const TOKEN = `*:*.${randomBytes(28).toString('hex')}`;
const GIT = 'kustomize-controller';
const rollout = { name: 'flexibleRollout', parameters: { rollout: 10, stickiness: 'default', groupId: 'g' } };
const inDevelopment = (more: object = {}) => ({
  environments: { development: { enabled: true, strategies: { main: rollout }, ...more } },
});

let instance: Instance;
let writers: Writers;
let browser: Browser;
let visitor: Visitor;
let page: Page;

beforeAll(async () => {
  const settings = { VEXIL_AUTH: 'token', VEXIL_ADMIN_TOKEN: TOKEN };
  [instance, browser] = await Promise.all([startInstance('console-editor-parts', { settings }), launchChromium()]);
  const { home, cluster } = instance;
  writers = writersOf(cluster);
  await instance.apply(
    aFlag(`${home}/shared`, inDevelopment()),
    aFlag(`${home}/sale`, { ...inDevelopment({ activeUntil: '2032-07-01T16:00:00Z' }), tags: ['simple:old'] }),
    aFlag(`${home}/keys`, inDevelopment()),
  );
  await writers.apply(
    GIT,
    aSegment(`${home}/held`, { constraints: [{ contextName: 'userId', operator: 'IN', values: ['ada'] }] }),
  );
  visitor = await visit(browser, instance.url);
  page = visitor.page;
  const devtools = await visitor.context.newCDPSession(page);
  await devtools.send('Emulation.setTimezoneOverride', { timezoneId: 'Europe/Berlin' });
  await signInAt(page, instance.url, TOKEN);
});
afterAll(async () => {
  await browser.close();
  writers.close();
  await instance.stop();
});

const open = (path: string) => show(page, instance.url + path);
const edit = (flag: string, environment = '&environment=development') =>
  open(`/projects/shop/features/${flag}?tab=edit${environment}`);
const button = (name: string, within: Page | Locator = page) => within.getByRole('button', { name, exact: true });
const specOf = async (flag: string) => (await instance.flag(`${instance.home}/${flag}`)).spec;
const hereOf = async (flag: string) => (await specOf(flag)).environments.development;
const patch = (flag: string, spec: object) => writers.merge('kubectl-patch', aFlag(`${instance.home}/${flag}`), spec);
const review = async () => {
  await button('Review').click();
  await page.getByLabel('Difference', { exact: true }).first().waitFor();
};
const difference = async () => (await page.getByLabel('Difference', { exact: true }).allInnerTexts()).join('\n');
const save = async () => {
  await button('Save').click();
  await page.getByText('Saved.', { exact: true }).waitFor();
};

test('a change by kubectl between two requests of one edit is not silently overwritten', async () => {
  await edit('shared');
  await page.getByLabel('Title').fill('ours');
  await page.getByRole('button', { name: 'Add a variant' }).last().click();
  await page.getByLabel('Name').fill('only');
  await review();
  let isPatched = false;
  await page.route('**/strategies/*', async (route) => {
    if (!isPatched && !route.request().url().includes('dryRun')) {
      isPatched = true;
      await patch('shared', { environments: { development: { strategies: { main: { title: 'theirs' } } } } });
    }
    await route.continue();
  });
  await button('Save').click();
  const outcome = page.locator('.outcome');
  await outcome.waitFor();
  // The test waits until the requests of the next review are done.
  await button('Save').waitFor();
  await page.unrouteAll();
  const shown = `${await outcome.textContent()}`;
  expect(shown).toContain('Not saved: Change the strategy 1 (flexibleRollout). Somebody else has made a change');
  expect(shown).toContain('Saved: Set the variants in development.');
  const others = await page.getByLabel('Changed since the review').first().innerText();
  expect(others).toMatch(/\+ +title: theirs/);
  expect(others).toMatch(/\+ +- name: only/);
  expect(await difference()).toMatch(/− +title: theirs\n\+ +title: ours/);
  await expectAccessible(page);
  expect(await hereOf('shared')).toMatchObject({
    strategies: { main: { title: 'theirs' } },
    variants: [{ name: 'only' }],
  });
  await save();
  expect(await hereOf('shared')).toMatchObject({
    strategies: { main: { title: 'ours' } },
    variants: [{ name: 'only' }],
  });
});

test('if an answer does not name the version, the remaining changes are reviewed again', async () => {
  await edit('shared');
  await page.getByLabel('Title').fill('again');
  await page.getByLabel('Name').fill('other');
  await review();
  await page.route('**/development/variants', async (route) => {
    const response = await route.fetch();
    const { 'vexil-manifest-etag': etag, ...headers } = response.headers();
    expect(etag).toBeDefined();
    await route.fulfill({ response, headers });
  });
  await button('Save').click();
  await page.getByRole('alert').getByText('Vexil did not say which version it has saved.').waitFor();
  await button('Save').waitFor();
  await page.unrouteAll();
  const stored = () => hereOf('shared');
  expect(await stored()).toMatchObject({ strategies: { main: { title: 'ours' } }, variants: [{ name: 'other' }] });
  await save();
  expect((await stored()).strategies.main.title).toBe('again');
});

describe('times', () => {
  test('a window and a ramp are edited in the zone of the viewer, and reviewed', async () => {
    await edit('sale');
    await page.getByText('Europe/Berlin.').waitFor();
    const [from, until] = [page.getByLabel('Active from'), page.getByLabel('Active until')];
    expect(await until.inputValue()).toBe('2032-07-01T18:00');
    await from.fill('2033-12-01T08:00');
    await page.getByRole('alert').getByText('The window must end after it begins.').waitFor();
    expect(await button('Review').isDisabled()).toBe(true);
    await from.fill('2031-12-01T08:00');
    await page.getByText(/^1 Dec 2031, 08:00 (CET|GMT\+1)$/).waitFor();

    await page.getByText('Ramp', { exact: false }).first().click();
    await button('Add a ramp').click();
    await page.getByLabel('Start (Europe/Berlin)').fill('2031-12-01T09:30');
    const step = page.getByRole('group', { name: 'Step 1' });
    await step.getByLabel('Rollout in percent').fill('5');
    await step.getByLabel(/^Lasts/).fill('a day');
    await page.getByRole('alert').getByText('Step 1 of the ramp needs a duration').waitFor();
    await step.getByLabel(/^Lasts/).fill('1h30m');
    await button('Remove step 2').click();
    await expectAccessible(page);
    await review();
    expect(await page.getByRole('heading', { level: 3 }).allTextContents()).toEqual([
      'Set the window in development',
      'Change the strategy 1 (flexibleRollout)',
    ]);
    expect(await difference()).toMatch(/\+ +activeFrom: '2031-12-01T08:00:00\+01:00'/);
    await save();
    expect(await hereOf('sale')).toMatchObject({
      activeFrom: '2031-12-01T08:00:00+01:00',
      activeUntil: '2032-07-01T16:00:00Z',
      strategies: {
        main: {
          ...rollout,
          ramp: { startAt: '2031-12-01T09:30:00+01:00', steps: [{ rollout: 5, for: '1h30m' }, { rollout: 100 }] },
        },
      },
    });
    await open('/projects/shop/features/sale');
    await page.getByText(/from 1 Dec 2031, 08:00 (CET|GMT\+1) until 1 Jul 2032, 18:00 (CEST|GMT\+2)/).waitFor();
  });

  test('a ramp that is paused while it is edited stays paused; then ramp and window are removed', async () => {
    await edit('sale');
    await page.getByLabel('Title').fill('slowly');
    const pausedAt = '2031-12-01T09:00:00Z';
    await patch('sale', { environments: { development: { strategies: { main: { ramp: { pausedAt } } } } } });
    await instance.flag(`${instance.home}/sale`);
    await review();
    expect(await difference()).not.toMatch(/[+−] +pausedAt/);
    await save();
    expect((await hereOf('sale')).strategies.main).toMatchObject({ title: 'slowly', ramp: { pausedAt } });

    await page.getByText('It stays paused.').waitFor();
    await button('Remove the ramp').click();
    await page.getByText('1 change, not saved yet.').waitFor();
    await page.getByText('Saved.', { exact: true }).waitFor({ state: 'detached' });
    await page.getByLabel('Active from').fill('');
    await page.getByLabel('Active until').fill('');
    await review();
    await save();
    const { strategies, ...rest } = await hereOf('sale');
    expect(rest).toEqual({ enabled: true });
    expect(strategies.main.ramp).toBeUndefined();
  });
});

test('tags are edited, and tags that other users add meanwhile stay', async () => {
  await edit('sale', '');
  await button('Remove the tag simple:old').click();
  await page.getByLabel('Value of the tag').fill('x');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').getByText('2 to 50 characters').waitFor();
  await page.getByLabel('Value of the tag').fill('new one');
  await button('Add the tag').click();
  await expectAccessible(page);
  await patch('sale', { tags: ['simple:old', 'simple:theirs'] });
  await instance.flag(`${instance.home}/sale`);
  await review();
  expect(await difference()).toMatch(/\+ +- simple:new one\n− +- simple:old|− +- simple:old\n\+ +- simple:new one/);
  await save();
  expect((await specOf('sale')).tags.toSorted()).toEqual(['simple:new one', 'simple:theirs']);

  const call = adminClient(instance.url, { authorization: TOKEN });
  await untilRecorded(call, 'feature=IS:sale&type=IS:feature-untagged', 1);
  await open('/projects/shop/features/sale?tab=history');
  await page.getByRole('button', { name: /^Put it back: Flag untagged/ }).click();
  await page.getByLabel('Difference', { exact: true }).waitFor();
  await button('Save').click();
  await page
    .getByRole('button', { name: /^Put it back: Flag tagged/ })
    .first()
    .waitFor();
  await expect.poll(async () => (await specOf('sale')).tags).toContain('simple:old');
});

test('a segment that Git owns is shown as it would be, with the owned fields and the change for Git', async () => {
  await open('/segments');
  await page.getByRole('link', { name: 'held' }).click();
  await page.getByLabel('Values').fill('ada\nlin');
  const before = await instance.versions();
  await review();
  expect(await difference()).toMatch(/\+ +- lin/);
  await page.getByText(`${GIT} owns some of these fields.`).waitFor();
  expect(await page.getByLabel('Owners of the fields').getByRole('listitem').allTextContents()).toEqual([
    expect.stringContaining(`spec.constraints is owned by "${GIT}"`),
  ]);
  expect(await button('Save').count()).toBe(0);
  await expectAccessible(page);
  const yaml = `${await page.getByLabel('YAML').first().textContent()}`;
  expect(await instance.versions()).toEqual(before);
  const { cluster } = instance;
  await cluster.kubectlOrThrow(['apply', '--server-side', `--field-manager=${GIT}`, '-f', '-'], { input: yaml });
  await expect
    .poll(async () => {
      // Without the draft of the tab.
      await page.goto(`${instance.url}/segments`);
      await page.getByRole('link', { name: 'held' }).click();
      return page.getByLabel('Values').inputValue();
    })
    .toBe('ada\nlin');
});

describe('with the keyboard only', () => {
  const isFocused = async (there: Locator) => (await there.and(page.locator(':focus')).count()) > 0;

  /** Presses Tab until the element has the focus. */
  const tabTo = async (there: Locator) => {
    await there.waitFor();
    for (let presses = 0; presses < 60; presses += 1) {
      if (await isFocused(there)) return;
      await page.keyboard.press('Tab');
    }
    throw new Error(`Tab does not reach ${there}`);
  };

  test('opens the editor, changes a rollout, reviews it, and saves it', async () => {
    await open('/projects/shop/features/keys');
    await tabTo(page.getByRole('link', { name: 'Edit', exact: true }));
    await page.keyboard.press('Enter');
    await tabTo(page.getByRole('combobox', { name: 'Edit' }));
    await page.keyboard.type('in Dev');
    await tabTo(page.getByRole('slider', { name: 'rollout' }));
    for (let steps = 0; steps < 5; steps += 1) await page.keyboard.press('ArrowRight');
    await tabTo(button('Review'));
    await page.keyboard.press('Enter');
    await page.getByLabel('Difference', { exact: true }).waitFor();
    expect(await isFocused(page.getByRole('heading', { name: 'Review before saving' }))).toBe(true);
    expect(await difference()).toMatch(/− +rollout: 10\n\+ +rollout: 15/);
    await tabTo(button('Back to editing'));
    await page.keyboard.press('Enter');
    await button('Review').waitFor();
    expect(await isFocused(button('Review'))).toBe(true);
    await page.keyboard.press('Enter');
    await tabTo(button('Save'));
    await page.keyboard.press('Enter');
    const saved = page.getByText('Saved.', { exact: true });
    await saved.waitFor();
    await expect.poll(() => isFocused(saved)).toBe(true);
    expect((await hereOf('keys')).strategies.main.parameters.rollout).toBe(15);
  });
});

/** Runs in the page. */
const PASTE = `(() => {
  const clipboardData = new DataTransfer();
  clipboardData.setData('text', 'ada, bob,cleo');
  const paste = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
  document.activeElement.dispatchEvent(paste);
})()`;

test('many strategies are folded, and a list with commas is pasted as lines', async () => {
  const many = Object.fromEntries(['a', 'b', 'c'].map((key) => [key, { name: 'default', title: `The ${key}` }]));
  await instance.apply(aFlag(`${instance.home}/many`, { environments: { development: { strategies: many } } }));
  await edit('many');
  const settings = page.getByText('Settings of strategy 2', { exact: true });
  await settings.waitFor();
  expect(await page.getByLabel('Title').filter({ visible: true }).count()).toBe(0);
  await settings.click();
  expect(await page.getByLabel('Title').filter({ visible: true }).inputValue()).toBe('The b');
  const part = page.locator('li.piece').nth(1);
  await part.getByText('Constraints').click();
  await part.getByRole('button', { name: 'Add a constraint' }).click();
  const values = part.getByLabel('Values');
  await values.focus();
  await page.evaluate(PASTE);
  expect(await values.inputValue()).toBe('ada\nbob\ncleo');
  await expectAccessible(page);
});

test('no page violated the policy, logged an error or requested another host', () => {
  expect(visitor.faults).toEqual([]);
});
