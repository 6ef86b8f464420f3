/** What the console creates, and the manifests that it shows to commit. */
import { randomBytes } from 'node:crypto';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { adminClient } from '../support/admin-client.ts';
import { aFlag, anEnvironment, aProject } from '../support/builders.ts';
import { launchChromium } from '../support/chromium.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { untilRecorded } from '../support/recorded-events.ts';
import { addField } from './added-field.ts';
import { expectAccessible, show, signInAt, type Visitor, visit } from './browser.ts';

const TOKEN = `*:*.${randomBytes(28).toString('hex')}`;
const naming = { pattern: '[a-z]+-[a-z]+', example: 'one-two', description: 'Two words' };
const freezes = [{ name: 'year-end', from: '2090-12-20T00:00:00Z', until: '2091-01-03T00:00:00Z' }];
const staging = { enabled: false, protected: true, type: 'pre-production', sortOrder: 7, freezes };

let instance: Instance;
let browser: Browser;
let visitor: Visitor;
let page: Page;

beforeAll(async () => {
  const settings = { VEXIL_AUTH: 'token', VEXIL_ADMIN_TOKEN: TOKEN };
  [instance, browser] = await Promise.all([startInstance('creation', { settings }), launchChromium()]);
  const { home } = instance;
  await instance.apply(
    anEnvironment(`${home}/staging`, staging),
    aProject(`${home}/named`, { flagNaming: naming, managedFields: 'TakeOver', usedFlags: 'Refuse' }),
  );
  visitor = await visit(browser, instance.url);
  page = visitor.page;
  await signInAt(page, instance.url, TOKEN);
});
afterAll(async () => {
  await browser.close();
  await instance.stop();
});

const open = (path: string) => show(page, instance.url + path);
const button = (name: string, within: Page | Locator = page) => within.getByRole('button', { name, exact: true });
const dialog = () => page.getByRole('dialog');
const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true });
const field = (name: string) => dialog().getByLabel(name, { exact: true });
const yamlIn = async (within: Locator, label: string) =>
  parse(`${await within.getByRole('region', { name: label, exact: true }).textContent()}`);

test('a new flag shows the naming pattern, the error of the API next to the field, its YAML, and then its page', async () => {
  const { home } = instance;
  await open('/projects/named');
  await button('New flag').click();
  await dialog()
    .getByText('It must match [a-z]+-[a-z]+, such as one-two. Two words. The name cannot be changed later.')
    .waitFor();
  await field('Name').fill('One');
  await button('Create', dialog()).click();
  await dialog().getByRole('alert').filter({ hasText: '[a-z]+-[a-z]+' }).waitFor();
  expect(await field('Name').getAttribute('aria-invalid')).toBe('true');
  await field('Name').fill('new-checkout');
  await field('Type').selectOption('Experiment');
  await field('Description').fill(' The new checkout ');
  await field('Lifetime in days').fill('30');
  await dialog().getByLabel('Impression data').check();
  await button('Show the YAML for Git', dialog()).click();
  const shown = await yamlIn(dialog(), 'YAML');
  await expectAccessible(page);
  expect(await instance.flagsNamed('new-checkout')).toEqual([]);
  await button('Create', dialog()).click();
  await heading('new-checkout').waitFor();
  const { spec } = await instance.flag(`${home}/new-checkout`);
  expect(spec).toEqual({
    ...{ project: 'named', type: 'experiment', description: 'The new checkout', impressionData: true },
    lifetimeDays: 30,
  });
  expect(shown.spec).toEqual(spec);
  await open('/projects/named');
  await button('New flag').click();
  await field('Name').fill('new-checkout');
  await button('Create', dialog()).click();
  await dialog().getByRole('alert').filter({ hasText: 'already exists' }).waitFor();
});

test('a new flag is on for everyone after three clicks', async () => {
  const { home } = instance;
  await open('/projects/named');
  await button('New flag').click();
  await field('Name').fill('quick-start');
  await dialog().getByRole('checkbox', { name: 'in Development' }).click();
  await expectAccessible(page);
  await button('Create', dialog()).click();
  await page.getByRole('switch', { name: 'quick-start in Development', checked: true }).waitFor();
  const { spec } = await instance.flag(`${home}/quick-start`);
  expect(Object.keys(spec.environments)).toEqual(['development']);
  const { enabled, strategies } = spec.environments.development;
  expect([enabled, Object.values(strategies)]).toMatchObject([true, [{ name: 'default' }]]);
});

test('a new flag is on for a share of the users', async () => {
  await open('/projects/named');
  await button('New flag').click();
  await field('Name').fill('some-users');
  await dialog().getByRole('checkbox', { name: 'in Development' }).check();
  await dialog().getByLabel('% of the users').fill('25');
  await button('Create', dialog()).click();
  await page.getByRole('switch', { name: 'some-users in Development', checked: true }).waitFor();
  await page.getByText('On for 25 % of users.').waitFor();
});

test('a switch without a strategy offers everyone, or the editor of the environment', async () => {
  await open('/projects/named');
  await button('New flag').click();
  await field('Name').fill('still-off');
  await button('Create', dialog()).click();
  const control = page.getByRole('switch', { name: 'still-off in Development' });
  await control.click();
  await dialog().getByText('still-off has no enabled strategy in Development, so it would be on for nobody.').waitFor();
  await expectAccessible(page);
  await dialog().getByRole('link', { name: 'Add a strategy' }).click();
  await page.waitForURL(/still-off\?tab=edit&environment=development$/);
  await button('Add a strategy').waitFor();
  await page.goBack();
  await control.click();
  await button('Switch on for everyone', dialog()).click();
  await page.getByRole('switch', { name: 'still-off in Development', checked: true }).waitFor();
  await page.getByText('On for everyone.').waitFor();
  await page.getByRole('link', { name: 'Edit in Development' }).click();
  await page.waitForURL(/still-off\?tab=edit&environment=development$/);
});

test('a new project shows its YAML, and then its page', async () => {
  await open('/');
  await button('New project').click();
  await field('Id').fill('shop');
  await button('Create', dialog()).click();
  await dialog().getByRole('alert').filter({ hasText: 'already exists' }).waitFor();
  await field('Id').fill('market');
  await field('Name').fill('The market');
  await button('Show the YAML for Git', dialog()).click();
  const shown = await yamlIn(dialog(), 'YAML');
  await expectAccessible(page);
  await button('Create', dialog()).click();
  await heading('The market').waitFor();
  const spec = await instance.specOf('project', `${instance.home}/market`);
  expect(spec).toEqual({ displayName: 'The market' });
  expect(shown.spec).toEqual(spec);
});

test('the YAML of an environment and of a project is the present object', async () => {
  const metadata = (name: string) => ({ name, namespace: instance.home });
  await open('/environments');
  await page.getByText('YAML of staging').click();
  expect(await yamlIn(page.locator('main'), 'YAML of staging')).toMatchObject({
    metadata: metadata('staging'),
    spec: staging,
  });
  await open('/projects/named/settings');
  await page.getByText('YAML of named').click();
  expect(await yamlIn(page.locator('main'), 'YAML of named')).toMatchObject({
    metadata: metadata('named'),
    spec: { flagNaming: naming, managedFields: 'TakeOver', usedFlags: 'Refuse' },
  });
});

test('no page violated the policy, logged an error or requested another host', () => {
  expect(visitor.faults).toEqual([]);
});

test('a field that the API document gains is in the form, the draft, the overview and the history', async () => {
  const { home, url } = instance;
  await instance.apply(aFlag(`${home}/paid`, { description: 'Costs' }));
  await instance.apply(aFlag(`${home}/paid`, { description: 'Costs money' }));
  await untilRecorded(
    adminClient(url, { authorization: TOKEN }),
    'feature=IS:paid&type=IS:feature-metadata-updated',
    1,
  );
  page = await visitor.openTab();
  onTestFinished(() => page.unrouteAll({ behavior: 'ignoreErrors' }));
  const bodies = await addField(page);
  await open('/projects/shop/features/paid');
  await page.locator('.about div').filter({ hasText: 'Cost centre' }).filter({ hasText: 'retail' }).waitFor();

  await open('/projects/shop/features/paid?tab=history');
  await page.getByText('costCentre').first().waitFor();
  expect(await page.locator('main').innerText()).toMatch(/costCentre\s+retail\s+wholesale/);
  await page.getByRole('button', { name: /^Put it back: Flag metadata updated/ }).click();
  await page.getByLabel('Difference').waitFor();
  expect(bodies.at(-1)).toMatchObject({ description: 'Costs', costCentre: 'retail' });

  await open('/projects/shop/features/paid?tab=edit');
  const input = page.getByLabel('Cost centre');
  expect(await input.inputValue()).toBe('retail');
  await page.getByText('Who pays for the flag.').waitFor();
  await input.fill('ops');
  await page.getByText('1 change, not saved yet.').waitFor();
  await open('/projects/shop/features/paid');
  await open('/projects/shop/features/paid?tab=edit');
  expect(await input.inputValue()).toBe('ops');
  await button('Review').click();
  await button('Save').waitFor();
  expect(bodies.at(-1)).toMatchObject({ description: 'Costs money', costCentre: 'ops' });

  await open('/projects/shop');
  await button('New flag').click();
  await field('Name').fill('billed');
  await field('Cost centre').fill('sales');
  await button('Show the YAML for Git', dialog()).click();
  await dialog().getByRole('region', { name: 'YAML' }).waitFor();
  expect(bodies.at(-1)).toMatchObject({ name: 'billed', costCentre: 'sales' });
});
