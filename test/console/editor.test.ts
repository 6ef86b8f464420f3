/**
 * The editor of the console in a real Chromium: drafts, the review, what Git owns, history, the playground, segments.
 */
import { randomBytes } from 'node:crypto';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { adminClient } from '../support/admin-client.ts';
import { aFlag, aSegment } from '../support/builders.ts';
import { launchChromium } from '../support/chromium.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { untilRecorded } from '../support/recorded-events.ts';
import { tokensDirectly } from '../support/tokens-directly.ts';
import { type Writers, writersOf } from '../support/written-as.ts';
import { expectAccessible, show, signInAt, type Visitor, visit } from './browser.ts';

const TOKEN = `*:*.${randomBytes(28).toString('hex')}`;
const GIT = 'kustomize-controller';
const MARKUP = '<img src=x onerror=alert(1)>';
const rollout = (percent: number) => ({
  name: 'flexibleRollout',
  parameters: { rollout: percent, stickiness: 'default', groupId: 'g' },
});

let instance: Instance;
let writers: Writers;
let browser: Browser;
let visitor: Visitor;
let page: Page;
let sdkToken: string;

beforeAll(async () => {
  const usage = { VEXIL_USAGE_FLUSH_INTERVAL: '100ms', VEXIL_USAGE_REFRESH: '200ms' };
  const settings = { VEXIL_AUTH: 'token', VEXIL_ADMIN_TOKEN: TOKEN, ...usage };
  [instance, browser] = await Promise.all([startInstance('console-editor', { settings }), launchChromium()]);
  const { home, cluster } = instance;
  writers = writersOf(cluster);
  const direct = tokensDirectly(cluster.kubeconfig, home);
  await instance.apply(
    aSegment(`${home}/beta`, { description: MARKUP }),
    aFlag(`${home}/checkout`, {
      description: MARKUP,
      environments: {
        development: { enabled: true, strategies: { first: rollout(10), second: { name: 'default' } } },
      },
    }),
    aFlag(`${home}/payments`),
    aFlag(`${home}/asked`, { environments: { production: { strategies: { all: { name: 'default' } } } } }),
    aFlag(`${home}/user`, {
      environments: { development: { strategies: { a: { name: 'default', segments: ['beta'] } } } },
    }),
  );
  await writers.apply(
    GIT,
    aFlag(`${home}/held`, { environments: { development: { enabled: true, strategies: { main: rollout(20) } } } }),
  );
  await instance.flag(`${home}/held`);
  await direct.create('sdk', { type: 'client', environment: 'production' });
  sdkToken = await direct.untilReady('sdk');
  direct.close();
  visitor = await visit(browser, instance.url);
  page = visitor.page;
  await signInAt(page, `${instance.url}/`, TOKEN);
});
afterAll(async () => {
  await browser.close();
  writers.close();
  await instance.stop();
});

const open = (path: string) => show(page, instance.url + path);
const edit = (flag: string, environment = 'development') =>
  open(`/projects/shop/features/${flag}?tab=edit&environment=${environment}`);
const button = (name: string | RegExp, within: Page | Locator = page) =>
  within.getByRole('button', { name, exact: true });
const specOf = async (flag: string) => (await instance.flag(`${instance.home}/${flag}`)).spec;
const review = () => button('Review').click();
const difference = () => page.getByLabel('Difference').allInnerTexts();
const save = async () => {
  await button('Save').click();
  await page.getByText('Saved.', { exact: true }).waitFor();
};

describe('the editor of an environment', () => {
  test('shows the effect of a rollout change before it is saved', async () => {
    await edit('checkout');
    const before = await instance.versions();
    await page.getByRole('spinbutton', { name: 'percent' }).fill('45');
    await page.getByText('1 change, not saved yet.').waitFor();
    await expectAccessible(page);
    await review();
    await page.getByLabel('Difference').waitFor();
    const [shown] = await difference();
    expect(shown).toMatch(/− +rollout: 10\n\+ +rollout: 45/);
    expect(await page.getByLabel('Owners of the fields').textContent()).toContain('rollout');
    expect(await instance.versions()).toEqual(before);
    await save();
    expect((await specOf('checkout')).environments.development.strategies.first.parameters.rollout).toBe(45);
  });

  test('saves several changes at once: order, a new strategy with a constraint and a segment, variants', async () => {
    await edit('checkout');
    await button('Move strategy 2 up').click();
    await button('Add a strategy').click();
    const third = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: /^Strategy 3/ }) });
    await third.getByText('Constraints').click();
    await button('Add a constraint', third).click();
    await third.getByLabel('Operator').selectOption('STR_ENDS_WITH');
    await third.getByLabel('Values').fill('@example.com\n@example.org');
    await third.getByText('Segments').click();
    await third.getByLabel('Segment', { exact: true }).fill('beta');
    await page.keyboard.press('Enter');
    for (const [index, name] of ['red', 'blue'].entries()) {
      await page.getByRole('button', { name: 'Add a variant' }).last().click();
      await page
        .getByRole('group', { name: `Variant ${index + 1}` })
        .getByLabel('Name')
        .fill(name);
    }
    const red = page.getByRole('group', { name: 'Variant 1' });
    await red.getByLabel('Weight').selectOption('fix');
    await red.getByLabel('Percent').fill('100');
    await page.getByRole('alert').getByText('They must leave something').waitFor();
    await red.getByLabel('Percent').fill('12.5');
    await page.getByText('87.5 %').waitFor();
    await review();
    await page.getByRole('heading', { level: 3 }).first().waitFor();
    expect(await page.getByRole('heading', { level: 3 }).allTextContents()).toEqual([
      'Set the variants in development',
      'Put the strategies in order',
      'Add a strategy: 3 (flexibleRollout)',
    ]);
    await save();
    const { strategies, variants } = (await specOf('checkout')).environments.development;
    expect(strategies.second.sortOrder ?? 0).toBeLessThan(strategies.first.sortOrder);
    const [, added] = Object.entries(strategies).find(([key]) => !['first', 'second'].includes(key)) ?? [];
    expect(added).toMatchObject({
      name: 'flexibleRollout',
      parameters: { rollout: 0, stickiness: 'default', groupId: 'checkout' },
      constraints: [{ operator: 'STR_ENDS_WITH', values: ['@example.com', '@example.org'] }],
      segments: ['beta'],
    });
    expect(variants).toMatchObject([{ name: 'red', weightType: 'fix', weight: 125 }, { name: 'blue' }]);
  });

  test('shows the refusal of the API, and offers no way to save the change', async () => {
    await edit('payments');
    await button('Add a strategy').click();
    await page.getByText('Constraints').click();
    await button('Add a constraint').click();
    await page.getByLabel('Operator').selectOption('NUM_GT');
    await page.getByLabel('Value', { exact: true }).fill('many');
    await review();
    await page.getByRole('alert').getByText('need a number').waitFor();
    expect(await button('Save').count()).toBe(0);
    await button('Back to editing').click();
    expect(await page.getByLabel('Value', { exact: true }).inputValue()).toBe('many');
  });

  test('overwrites no change since the review', async () => {
    await edit('user');
    await page.getByLabel('Title').fill('mine');
    await review();
    await page.getByLabel('Difference').waitFor();
    await writers.merge('kubectl-patch', aFlag(`${instance.home}/user`), { description: 'theirs' });
    await instance.flag(`${instance.home}/user`);
    await button('Save').click();
    await page.getByRole('alert').getByText('Nothing was saved.').waitFor();
    expect((await specOf('user')).environments.development.strategies.a.title).toBeUndefined();
    await save();
    expect(await specOf('user')).toMatchObject({ description: 'theirs' });
  });

  test('names the saved steps when one of them fails', async () => {
    const { home } = instance;
    await edit('user');
    await page.getByLabel('Title').fill('ours');
    await button('Add a variant').last().click();
    await page.getByLabel('Name').fill('only');
    await review();
    await page.getByLabel('Difference').first().waitFor();
    // Git applies the title unchanged between the two requests.
    await page.route('**/strategies/*', async (route) => {
      const environments = { development: { strategies: { a: { name: 'default', title: 'mine' } } } };
      if (!route.request().url().includes('dryRun')) await writers.apply(GIT, aFlag(`${home}/user`, { environments }));
      await route.continue();
    });
    await button('Save').click();
    const outcome = page.locator('.outcome');
    await outcome.waitFor();
    // The test waits until the requests of the next review are done.
    await button('Discard the rest').waitFor();
    await page.unrouteAll();
    expect(await outcome.textContent()).toContain('Saved: Set the variants in development.');
    expect(await outcome.textContent()).toContain('Not saved: Change the strategy 1');
    expect(await outcome.textContent()).toContain(GIT);
    await button('Discard the rest').click();
    expect((await specOf('user')).environments.development).toMatchObject({
      strategies: { a: { title: 'mine' } },
      variants: [{ name: 'only' }],
    });
  });
});

test('a change of fields that Git owns names the owner, and is saved in the way that the user chooses', async () => {
  const ownedRollout = async () => (await specOf('held')).environments.development.strategies.main.parameters.rollout;
  await edit('held');
  await page.getByRole('spinbutton', { name: 'percent' }).fill('30');
  const before = await instance.versions();
  await review();
  await page.getByText(`${GIT} owns some of these fields.`).waitFor();
  expect(await button('Save').count()).toBe(0);
  const yaml = await page.getByLabel('YAML').first().textContent();
  await expectAccessible(page);
  expect(await instance.versions()).toEqual(before);
  await instance.cluster.kubectlOrThrow(['apply', '--server-side', `--field-manager=${GIT}`, '-f', '-'], {
    input: `${yaml}`,
  });
  expect(await ownedRollout()).toBe(30);

  // Without the draft of the tab.
  await page.reload();
  await page.getByRole('spinbutton', { name: 'percent' }).fill('40');
  await review();
  await button('Hand over').click();
  await page.getByRole('dialog', { name: 'Hand the field over?' }).getByRole('button', { name: 'Hand over' }).click();
  await page.getByText('Vexil is an owner now.').waitFor();
  expect(await ownedRollout()).toBe(30);
  await button('Back to editing').click();
  await review();
  await button('Force the change').click();
  await page.getByText('Saved.', { exact: true }).waitFor();
  expect(await ownedRollout()).toBe(40);
});

test('the fields and dependencies of a flag are edited, and the history restores them', async () => {
  await open('/projects/shop/features/checkout?tab=edit');
  await page.getByLabel('Description').fill('The new checkout');
  await page.getByLabel(/^Stale/).check();
  for (const wrong of ['0', '3651', 'x']) {
    await page.getByLabel('Lifetime in days').fill(wrong);
    await page.getByText('Lifetime in days: a whole number from 1 to 3650, or empty.').waitFor();
    expect(await button('Review').isDisabled()).toBe(true);
  }
  await page.getByLabel('Lifetime in days').fill('30');
  await page.getByLabel('Parent flag').fill('paym');
  await button('Add a dependency').click();
  await page.getByRole('group', { name: 'payments' }).getByLabel('The parent must be').selectOption('off');
  await expectAccessible(page);
  await review();
  await page.getByLabel('Difference').first().waitFor();
  await save();
  const wanted = { description: 'The new checkout', stale: true, lifetimeDays: 30 };
  expect(await specOf('checkout')).toMatchObject({
    ...wanted,
    dependencies: [{ feature: 'payments', enabled: false }],
  });

  const call = adminClient(instance.url, { authorization: TOKEN });
  await untilRecorded(call, 'feature=IS:checkout&type=IS:feature-metadata-updated', 1);
  await open('/projects/shop/features/checkout?tab=history');
  const putBack = page.getByRole('button', { name: /^Put it back: Flag metadata updated/ });
  await putBack.first().waitFor();
  await putBack.first().click();
  await page.getByLabel('Difference').waitFor();
  await button('Save').click();
  await putBack.nth(1).waitFor();
  const spec = await specOf('checkout');
  expect(spec).toMatchObject({ description: MARKUP, dependencies: [{ feature: 'payments' }] });
  expect([spec.stale ?? false, spec.lifetimeDays]).toEqual([false, undefined]);
});

describe('evaluations', () => {
  test('of one flag explain the result', async () => {
    await open('/projects/shop/features/payments?tab=evaluate');
    await page.getByLabel('Value').fill('ada');
    await button('Evaluate').last().click();
    await page.getByText('the flag is not switched on in "development"').waitFor();
    await expectAccessible(page);
  });

  test('of a project show each flag with its reason', async () => {
    await open('/playground');
    await page.getByLabel('Project', { exact: true }).fill('shop');
    await button('Only this project').click();
    await page.getByLabel('Value').fill('ada');
    await button('Evaluate').click();
    await page.getByRole('heading', { name: 'held shop' }).waitFor();
    expect(await page.locator('.results').textContent()).toContain('bucket');
    await page.getByLabel('Search').fill('payments');
    await page.getByText('1 of 5 flags').waitFor();
    await expectAccessible(page);
  });

  test('use the chosen time', async () => {
    const [activeFrom, strategies] = ['2090-01-01T00:00:00Z', { all: { name: 'default' } }];
    const environments = { production: { enabled: true, activeFrom, strategies } };
    await instance.apply(aFlag(`${instance.home}/later`, { environments }));
    await open('/projects/shop/features/later?tab=evaluate');
    await page.getByLabel('Environment').selectOption('production');
    await button('Evaluate').last().click();
    await page.locator('.why:not(.on)').waitFor();
    await page.getByLabel('At', { exact: true }).fill('2090-06-01T12:00');
    await button('Evaluate').last().click();
    await page.locator('.why.on').waitFor();
  });
});

test('segments are created, changed, and deleted when no flag uses them', async () => {
  await open('/segments');
  await page.getByRole('row', { name: /beta/ }).getByText('2 flags').waitFor();
  expect(await page.getByText(MARKUP).count()).toBe(1);
  await button('Delete beta').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('link', { name: 'user', exact: true }).waitFor();
  await button('Delete', dialog).click();
  await dialog.getByRole('alert').getByText('beta').waitFor();
  await button('Cancel', dialog).click();

  await page.getByRole('link', { name: 'New segment' }).click();
  await page.getByLabel('Name').fill('staff');
  await button('Add a constraint').click();
  await page.getByLabel('Values').fill('ada');
  await review();
  await page.getByLabel('Difference').waitFor();
  expect((await difference()).join()).toMatch(/\+ +name: staff/);
  await button('Save').click();
  await page.getByRole('link', { name: 'staff' }).click();
  await page.getByLabel('Values').fill('ada\nlin');
  await review();
  await page.getByLabel('Difference').waitFor();
  expect((await difference()).join()).toMatch(/ +- ada\n\+ +- lin/);
  await button('Save').click();
  await button('Delete staff').click();
  await page.getByRole('dialog').getByText('No flag').waitFor();
  const { segments } = (await instance.call('GET /segments', { headers: { authorization: TOKEN } })).body;
  expect(segments.map(({ name, constraints }: { name: string; constraints: object[] }) => [name, constraints])).toEqual(
    [
      ['beta', []],
      ['staff', [expect.objectContaining({ values: ['ada', 'lin'] })]],
    ],
  );
  await button('Delete', page.getByRole('dialog')).click();
  await page.getByRole('link', { name: 'staff' }).waitFor({ state: 'detached' });
});

test('archiving a flag that production asks for names the applications first; cloning it creates another flag', async () => {
  const bucket = { start: new Date(), stop: new Date(), toggles: { asked: { yes: 1, no: 0 } } };
  const body = { appName: 'web-shop', instanceId: 'host-1', bucket };
  const authorization = sdkToken;
  const sent = await instance.call('POST //api/client/metrics', { body, headers: { authorization } });
  expect(sent.status).toBe(202);
  await waitUntil({ what: 'the use is known', everyMs: 100 }, async () => {
    const request = 'DELETE /projects/shop/features/asked?dryRun=true';
    const { headers } = await instance.call(request, { headers: { authorization: TOKEN } });
    return headers.has('warning');
  });
  await open('/projects/shop/features/asked');
  await button('Clone').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name of the copy').fill('asked-again');
  await button('Clone', dialog).click();
  await page.getByRole('heading', { level: 1, name: 'asked-again' }).waitFor();
  await open('/projects/shop/features/asked');
  await button('Archive').click();
  await dialog.getByText('asked, by web-shop').waitFor();
  await expectAccessible(page);
  expect((await specOf('asked')).archived).toBeUndefined();
  await button('Archive', dialog).click();
  await page.getByRole('heading', { level: 1, name: 'shop' }).waitFor();
  expect((await specOf('asked')).archived).toBe(true);
});

test('no page violated the policy, logged an error or requested another host', () => {
  expect(visitor.faults).toEqual([]);
});
