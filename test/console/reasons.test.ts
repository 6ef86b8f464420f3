/** Each review and dialog that writes asks why, in a real Chromium, and the history keeps the answer. */
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { aFlag, anEnvironment, aSegment } from '../support/builders.ts';
import { launchChromium } from '../support/chromium.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { untilRecorded } from '../support/recorded-events.ts';
import { untilRecording } from '../support/until-recording.ts';
import { expectAccessible, show, type Visitor, visit } from './browser.ts';

const WHY = 'Why (optional, for the history)';

let instance: Instance;
let browser: Browser;
let visitor: Visitor;
let page: Page;

beforeAll(async () => {
  [instance, browser] = await Promise.all([startInstance('reasons'), launchChromium()]);
  const { home, cluster, call } = instance;
  await instance.apply(
    aFlag(`${home}/first`),
    aFlag(`${home}/cart`),
    aFlag(`${home}/old`, { archived: true }),
    aFlag(`${home}/older`, { archived: true }),
    aSegment(`${home}/paying`, { constraints: [] }),
    anEnvironment(`${home}/spare`, { sortOrder: 9 }),
  );
  await untilRecording(cluster, call, { flag: '/projects/shop/features/first', namespace: home });
  visitor = await visit(browser, instance.url);
  page = visitor.page;
});
afterAll(async () => {
  await browser.close();
  await instance.stop();
});

const open = (path: string) => show(page, instance.url + path);
const button = (name: string, within: Page | Locator = page) => within.getByRole('button', { name, exact: true });
const dialog = () => page.getByRole('dialog');
const field = (name: string) => dialog().getByLabel(name, { exact: true });

/** Afterwards the page leads on by itself. */
const press = async (name: string, title: string) => {
  await button(name, dialog()).click();
  await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor();
};

const cases: Readonly<Record<string, readonly [wanted: string, open: () => Promise<void>, done: () => Promise<void>]>> =
  {
    'a new flag, with its start': [
      'feature=IS:fresh&type=IS_ANY_OF:feature-created,feature-strategy-add,feature-environment-enabled',
      async () => {
        await open('/projects/shop');
        await button('New flag').click();
        await field('Name').fill('fresh');
        await dialog().getByRole('checkbox', { name: 'in Development' }).check();
      },
      () => press('Create', 'fresh'),
    ],
    'a clone': [
      'feature=IS:cart-copy&type=IS:feature-created',
      async () => {
        await open('/projects/shop/features/cart');
        await button('Clone').click();
      },
      () => press('Clone', 'cart-copy'),
    ],
    'the archiving of one flag': [
      'feature=IS:cart&type=IS:feature-archived',
      async () => {
        await open('/projects/shop/features/cart');
        await button('Archive').click();
      },
      () => press('Archive', 'shop'),
    ],
    'the deletion of an archived flag': [
      'feature=IS:old&type=IS:feature-deleted',
      async () => {
        await open('/archive');
        await button('Delete old').click();
        await field('Type old to confirm').fill('old');
      },
      () => button('Delete', dialog()).click(),
    ],
    'a switch that one click changes, with Shift held': [
      'feature=IS:fresh&type=IS:feature-environment-disabled',
      async () => {
        await open('/projects/shop');
        await page.getByRole('switch', { name: 'fresh in Development' }).click({ modifiers: ['Shift'] });
      },
      () => button('Switch off', dialog()).click(),
    ],
    'a button that one click does, with Shift held on the keyboard': [
      'feature=IS:older&type=IS:feature-revived',
      async () => {
        await open('/archive');
        await button('Revive older').press('Shift+Enter');
      },
      () => button('Revive', dialog()).click(),
    ],
    'a new project': [
      'project=IS:market&type=IS:project-created',
      async () => {
        await open('/');
        await button('New project').click();
        await field('Id').fill('market');
      },
      () => press('Create', 'market'),
    ],
    'the texts of a project': [
      'project=IS:shop&type=IS:project-updated',
      async () => {
        await open('/projects/shop/settings');
        await page.getByLabel('Description').fill('Everything for sale');
        await button('Review').click();
        await expectAccessible(page);
      },
      () => button('Save', dialog()).click(),
    ],
    'an environment that a project stops using': [
      'project=IS:market&type=IS:project-updated',
      async () => {
        await open('/projects/market/settings');
        await button('Stop using spare').click();
        await expectAccessible(page);
      },
      () => button('Stop using it', dialog()).click(),
    ],
    'the deletion of a project': [
      'project=IS:market&type=IS:project-deleted',
      async () => {
        await open('/projects/market/settings');
        await button('Delete market').click();
        await field('Type market to confirm').fill('market');
        await expectAccessible(page);
      },
      () => press('Delete', 'Projects'),
    ],
    'the deletion of a segment': [
      'type=IS:segment-deleted',
      async () => {
        await open('/segments');
        await button('Delete paying').click();
        await expectAccessible(page);
      },
      () => button('Delete', dialog()).click(),
    ],
    'a disabled environment': [
      'type=IS:environment-updated',
      async () => {
        await open('/environments');
        await button('Disable spare').click();
      },
      () => button('Disable', dialog()).click(),
    ],
    'a token': [
      'type=IS:api-token-created',
      async () => {
        await open('/tokens');
        await button('New token').click();
        await field('Name').fill('till');
      },
      () => button('Create', dialog()).click(),
    ],
    'the end of a token': [
      'type=IS:api-token-deleted',
      async () => {
        await open('/tokens');
        await button('Revoke till').click();
      },
      () => button('Revoke', dialog()).click(),
    ],
  };

test.each(Object.entries(cases))('%s', async (name, [wanted, prepare, finish]) => {
  await prepare();
  await dialog().getByLabel(WHY).fill(`Because of ${name}`);
  await finish();
  const count = wanted.split(',').length;
  const entries = await untilRecorded(instance.call, wanted, count);
  expect(entries.map(({ channel, reason }) => [channel, reason])).toEqual(
    Array.from({ length: count }, () => ['console', `Because of ${name}`]),
  );
});

test('a strategy type, and an import', async () => {
  await open('/strategies/create');
  await page.getByLabel('Name', { exact: true }).fill('byShelf');
  await page.getByLabel(WHY).fill('Shelves are new');
  await button('Save').click();
  const [type] = await untilRecorded(instance.call, 'type=IS:strategy-created', 1);
  expect(type?.reason).toBe('Shelves are new');
  await open('/import-export');
  const buffer = Buffer.from(JSON.stringify({ version: 4, features: [{ name: 'brought', project: 'shop' }] }));
  await page
    .getByLabel('Document', { exact: true })
    .setInputFiles({ name: 'state.json', mimeType: 'application/json', buffer });
  await button('Show the plan').click();
  await page.getByLabel(WHY).fill('From the old server');
  await button('Import').click();
  const [flag] = await untilRecorded(instance.call, 'feature=IS:brought&type=IS:feature-created', 1);
  expect(flag?.reason).toBe('From the old server');
});

test('no page violated the policy, logged an error or requested another host', () => {
  expect(visitor.faults).toEqual([]);
});
