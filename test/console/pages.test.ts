/** The other pages of the console in a real Chromium, in several tabs, and while a dependency is unavailable. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { parse } from 'yaml';
import { aFlag, aProject, aSegment, aStrategyType, aUser } from '../support/builders.ts';
import { launchChromium } from '../support/chromium.ts';
import { freePorts } from '../support/control-plane/ports.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { proxiedKubeconfig, proxyFor } from '../support/fault-proxy/proxied-kubeconfig.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { type RunningApp, startApp } from '../support/running-app.ts';
import { QUICK_WATCH } from '../support/timings.ts';
import { tokensDirectly } from '../support/tokens-directly.ts';
import { type Writers, writersOf } from '../support/written-as.ts';
import { expectAccessible, show, signInAt, type Visitor, visit } from './browser.ts';
import { reportAs, streamsOf } from './other-clients.ts';

const TOKEN = `*:*.${randomBytes(28).toString('hex')}`;
const GIT = 'kustomize-controller';
const MARKUP = '<img src=x onerror=alert(1)>';
const everyone = { strategies: { all: { name: 'default' } } };

let instance: Instance;
let writers: Writers;
let browser: Browser;
let visitor: Visitor;
let page: Page;
let viewerToken: string;

beforeAll(async () => {
  const settings = {
    ...{ VEXIL_AUTH: 'token', VEXIL_ADMIN_TOKEN: TOKEN },
    ...{ VEXIL_USAGE_FLUSH_INTERVAL: '100ms', VEXIL_USAGE_REFRESH: '200ms' },
  };
  [instance, browser] = await Promise.all([startInstance('pages', { settings }), launchChromium()]);
  const { home, cluster } = instance;
  writers = writersOf(cluster);
  const direct = tokensDirectly(cluster.kubeconfig, home);
  await instance.apply(
    aUser(`${home}/viewer`, { id: 10, rootRole: 'Viewer', displayName: 'Vi' }),
    aUser(`${home}/grace`, { id: 11, displayName: 'Grace' }),
    aStrategyType(`${home}/country`, { description: MARKUP }),
    aFlag(`${home}/plain`, { environments: { development: everyone } }),
    aFlag(`${home}/apart`, { environments: { development: { enabled: true, ...everyone }, production: everyone } }),
    aFlag(`${home}/stop`, { type: 'kill-switch' }),
    aSegment(`${home}/beta`, { id: 7 }),
    aFlag(`${home}/stowed`, { archived: true, description: MARKUP }),
    aFlag(`${home}/gone`, { archived: true }),
  );
  await writers.apply(GIT, aProject(`${home}/held`, { description: 'As in Git' }));
  await instance.judged(aProject(`${home}/held`));
  await direct.create('viewer', { type: 'personal', user: 'viewer' });
  viewerToken = await direct.untilReady('viewer');
  direct.close();
  visitor = await visit(browser, instance.url);
  page = visitor.page;
  await signIn(page, TOKEN);
});
afterAll(async () => {
  await browser.close();
  writers.close();
  await instance.stop();
});

const signIn = (there: Page, token: string, path = '/') => signInAt(there, instance.url + path, token);

const open = (path: string) => show(page, instance.url + path);
const row = (name: string) => page.getByRole('row', { name });
const button = (name: string) => page.getByRole('button', { name, exact: true });
const dialog = () => page.getByRole('dialog');
const until = (what: string, look: () => Promise<boolean>) => waitUntil({ what, everyMs: 20 }, look);
const switchPlain = (enabled: boolean) =>
  writers.merge('kubectl-patch', aFlag(`${instance.home}/plain`), { environments: { development: { enabled } } });

describe('changes', () => {
  let first: Visitor;
  const tabs: Page[] = [];
  const untilShown = (enabled: boolean) =>
    Promise.all(
      tabs.map((tab) => {
        const development = tab.getByRole('row', { name: /plain/ }).getByRole('cell').first();
        return development.getByText(enabled ? 'On' : 'Off', { exact: true }).waitFor();
      }),
    );

  beforeAll(async () => {
    first = await visit(browser, instance.url);
    await signIn(first.page, viewerToken, '/projects/shop?q=plain');
    tabs.push(first.page);
    for (let index = 1; index < 3; index += 1) {
      const tab = await first.openTab();
      await tab.goto(`${instance.url}/projects/shop?q=plain`);
      tabs.push(tab);
    }
  });
  afterAll(() => first.context.close());

  test('reach all tabs of a browser long before they would poll, through one stream', async () => {
    await untilShown(false);
    expect(await streamsOf(instance.url, viewerToken)).toBe(1);
    let enabled = false;
    const change = async () => {
      enabled = !enabled;
      await switchPlain(enabled);
      const start = performance.now();
      await untilShown(enabled);
      return performance.now() - start;
    };
    // Tabs that poll are hardly ever all in time; a machine that is busy is late now and then.
    await until('all tabs show a change at once', async () => (await change()) < 4_000);
    if (enabled) await change();
  });

  test('reach the others when the tab that reads the stream is closed', async () => {
    await tabs.shift()?.close();
    await until('another tab reads the stream', async () => (await streamsOf(instance.url, viewerToken)) === 1);
    for (const enabled of [true, false]) {
      await switchPlain(enabled);
      await untilShown(enabled);
    }
    expect(first.faults).toEqual([]);
  });
});

test('several flags are changed at once, after a confirmation', async () => {
  const { home } = instance;
  const isStale = async (name: string) => (await instance.flag(`${home}/${name}`)).spec.stale === true;
  await open('/projects/shop');
  await page.getByLabel('Select plain').check();
  await page.getByLabel('Select apart').check();
  await page.getByText('2 flags selected').waitFor();
  await page.getByLabel('Select stop').check();
  await page.getByText('3 flags selected').waitFor();
  await expectAccessible(page);
  await button('Archive').click();
  await dialog().getByText('stop is a kill switch.').waitFor();
  await dialog().getByRole('button', { name: 'Cancel' }).click();
  await page.getByLabel('Select stop').uncheck();
  await button('Mark as stale').click();
  await dialog().getByRole('button', { name: 'Mark as stale' }).click();
  await until('both are stale', async () => (await isStale('plain')) && (await isStale('apart')));
  await page.getByText('2 flags selected').waitFor({ state: 'detached' });
});

test('environments are compared: the differences, in pages, with a search', async () => {
  await open('/environments?by=state');
  await row('apart').waitFor();
  expect(await row('plain').count()).toBe(0);
  expect(await row('apart').textContent()).toContain('shop');
  await page.getByRole('combobox', { name: /^Compare/ }).selectOption('switches and configuration');
  await row('plain').getByText('Strategy 1: On for everyone.').waitFor();
  await expectAccessible(page);
  await page.getByLabel('Search').fill('nothing');
  await page.getByText('No flag differs.').waitFor();
  expect(new URL(page.url()).search).toBe('?q=nothing');
});

test('an environment is disabled after a confirmation, and enabled again', async () => {
  const isEnabled = async () =>
    (await instance.specOf('environment', `${instance.home}/development`)).enabled !== false;
  await open('/environments');
  await button('Disable development').click();
  await dialog().getByRole('button', { name: 'Disable' }).click();
  await until('it is disabled', async () => !(await isEnabled()));
  await button('Enable development').click();
  await dialog().getByRole('button', { name: 'Enable' }).click();
  await until('it is enabled', isEnabled);
});

describe('the settings of a project', () => {
  test('are reviewed, then saved', async () => {
    const description = async () => (await instance.specOf('project', `${instance.home}/shop`)).description;
    await open('/projects/shop/settings');
    await page.getByLabel('Description').fill(MARKUP);
    await button('Review').click();
    await dialog().getByText(MARKUP).waitFor();
    expect(await description()).toBeUndefined();
    await dialog().getByRole('button', { name: 'Save' }).click();
    await until('it is saved', async () => (await description()) === MARKUP);
  });

  test('that Git owns are not written; the dialog has the change to commit', async () => {
    await open('/projects/held/settings');
    await page.getByLabel('Description').fill('As clicked');
    await button('Review').click();
    await page.getByRole('dialog', { name: `${GIT} owns this project` }).waitFor();
    expect(await dialog().getByLabel('YAML').textContent()).toContain('description: As clicked');
    expect((await instance.specOf('project', `${instance.home}/held`)).description).toBe('As in Git');
    await dialog().getByRole('button', { name: 'Force the change' }).click();
    await until('it is forced', async () => {
      return (await instance.specOf('project', `${instance.home}/held`)).description === 'As clicked';
    });
  });

  test('add and remove members', async () => {
    const members = async () => (await instance.specOf('project', `${instance.home}/shop`)).members;
    await open('/projects/shop/access');
    await page.getByLabel('User', { exact: true }).fill('grace');
    await button('Add Grace').click();
    await row('Grace').waitFor();
    expect(await members()).toEqual({ grace: 'member' });
    await page.getByLabel('Role of grace').selectOption('Owner');
    const role = page.getByLabel('Role of grace').locator('option:checked');
    await until('the page shows the other role', async () => (await role.textContent()) === 'Owner');
    expect(await members()).toEqual({ grace: 'owner' });
    await page.getByLabel('Role of grace').selectOption('Member');
    await page.getByRole('alert').filter({ hasText: 'at least one owner' }).waitFor();
    await page.getByLabel('User', { exact: true }).fill('viewer');
    await button('Add Vi').click();
    await button('Remove viewer').click();
    await dialog().getByRole('button', { name: 'Remove' }).click();
    await row('Vi').waitFor({ state: 'detached' });
    expect(await members()).toEqual({ grace: 'owner' });
    await page.getByText('YAML of the members and roles').click();
    await page
      .getByLabel('YAML of the members and roles')
      .getByText(/kind: FlagUser\s+metadata:\s+name: grace/)
      .waitFor();
  });
});

test('a token is created with its value shown once, and revoked', async () => {
  const status = async (authorization: string) =>
    (await fetch(`${instance.url}/api/client/features`, { headers: { authorization } })).status;
  await open('/tokens');
  await button('New token').click();
  await dialog().getByLabel('Name').fill('backend');
  await dialog().getByLabel('Environment').selectOption('Development');
  await expectAccessible(page);
  await dialog().getByRole('button', { name: 'Create' }).click();
  const value = `${await dialog().getByLabel('value', { exact: true }).textContent()}`;
  expect(await status(value)).toBe(200);
  await dialog().getByRole('button', { name: 'Done' }).click();
  await row('backend').waitFor();
  expect(await page.content()).not.toContain(value);
  await reportAs(instance.url, value);
  await button('Revoke backend').click();
  await dialog().getByRole('button', { name: 'Revoke' }).click();
  await until('it is refused', async () => (await status(value)) === 401);
});

test('an application shows its flags, its SDKs, its edges and its problems', async () => {
  await until('the report is stored', async () => {
    await open('/applications');
    await page.getByRole('table', { name: 'Outdated SDKs' }).or(page.getByText('no outdated SDK')).waitFor();
    return (await page.getByRole('row', { name: 'no-such-flag' }).count()) === 1;
  });
  await page.getByRole('row', { name: 'web <b>' }).and(row('edge-of-site-east')).waitFor();
  await page.getByRole('link', { name: 'web <b>' }).first().click();
  await page.getByRole('heading', { level: 1, name: 'web <b>' }).waitFor();
  await page.getByText('In development it asks for no-such-flag, which is no flag, or an archived one.').waitFor();
  await page.getByText('In development it uses unleash-client-node:5.6.1, which is outdated.').waitFor();
  await page.getByRole('table', { name: 'Edges' }).getByRole('row', { name: 'edge-of-site-east' }).waitFor();
  await page.getByRole('link', { name: 'plain', exact: true }).waitFor();
  await expectAccessible(page);
});

test('an import shows its plan, and writes nothing before it is confirmed', async () => {
  const document = { version: 4, features: [{ name: 'imported', project: 'shop' }] };
  const file = { name: 'state.json', mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(document)) };
  await open('/import-export');
  await page.getByLabel('Document', { exact: true }).setInputFiles(file);
  const before = await instance.everything();
  await button('Show the plan').click();
  await page.getByText('Create: 1 flags').click();
  await page.getByText('imported', { exact: true }).waitFor();
  expect(await instance.everything()).toEqual(before);
  await expectAccessible(page);
  await button('Import').click();
  await page.getByText('The document is imported.').waitFor();
  await instance.flag(`${instance.home}/imported`);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download' }).click(),
  ]);
  expect(parse(readFileSync(await download.path(), 'utf8')).features).toContainEqual(
    expect.objectContaining({ name: 'imported' }),
  );
});

test('events are found by the filters of the address', async () => {
  await until('the import is recorded', async () => {
    await open('/events?feature=imported&type=feature-created');
    await page.locator('.waiting').first().waitFor({ state: 'detached' });
    return (await page.getByRole('row', { name: 'imported' }).count()) === 1;
  });
  await page.getByText('What changed').click();
  await page.getByText('+ name: imported').waitFor();
  await page.getByLabel('Author').fill('no such author');
  await page.getByText('No event is found.').waitFor();
  expect(new URL(page.url()).searchParams.get('author')).toBe('no such author');
});

test('archived flags are revived, or deleted after their name is typed', async () => {
  await open('/archive');
  await page.getByText(MARKUP).waitFor();
  await button('Revive stowed').click();
  await until('it is revived', async () => {
    return (await instance.flag(`${instance.home}/stowed`)).spec.archived !== true;
  });
  await button('Delete gone').click();
  expect(await dialog().getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true);
  await expectAccessible(page);
  await dialog().getByLabel('Type gone to confirm').fill('gone');
  await page.keyboard.press('Enter');
  await until('it is deleted', async () => (await instance.flagsNamed('gone')).length === 0);
});

test('strategy types are defined, changed and deprecated', async () => {
  const spec = () => instance.specOf('strategydefinition', `${instance.home}/by-team`);
  await open('/strategies');
  await page.getByText(MARKUP).waitFor();
  await page.getByRole('link', { name: 'New strategy type' }).click();
  await page.getByLabel('Name', { exact: true }).fill('by-team');
  await button('Add a parameter').click();
  await page.getByRole('group', { name: 'Parameter 1' }).getByLabel('Name').fill('team');
  await expectAccessible(page);
  await button('Save').click();
  await page.getByRole('link', { name: 'Edit by-team' }).click();
  await page.getByLabel('Description').first().fill('For teams');
  await button('Save').click();
  await button('Deprecate by-team').click();
  await button('Reactivate by-team').waitFor();
  expect(await spec()).toMatchObject({ description: 'For teams', deprecated: true, parameters: [{ name: 'team' }] });
});

test.each([
  ...['/environments', '/projects/shop/settings', '/projects/shop/access', '/tokens', '/import-export', '/events'],
  ...['/archive', '/strategies', '/applications', '/reports/stale', '/strategies/country/edit', '/notifications'],
  ...['/segments', '/segments/create', '/segments/edit/7'],
])('%s is accessible, light and dark, wide and narrow', async (path) => {
  await open(path);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.locator('.waiting').first().waitFor({ state: 'detached' });
  await expectAccessible(page);
});

test('no page violated the policy, logged an error or requested another host', () => {
  expect(visitor.faults).toEqual([]);
});

test('while the API server or Vexil is down the page shows it, and recovers by itself', async () => {
  const proxy = await proxyFor(inject('controlPlane'));
  const [port = 0] = await freePorts(1);
  const settings = {
    KUBECONFIG: await proxiedKubeconfig(proxy, instance.kubeconfig),
    ...{ VEXIL_NAMESPACE: instance.home, VEXIL_HTTP_PORT: `${port}`, ...QUICK_WATCH },
  };
  const start = async (): Promise<RunningApp> => {
    const app = await startApp(settings);
    await app.ready();
    return app;
  };
  let app = await start();
  const { page: tab, context } = await visit(browser, app.url);
  const state = (name: 'on' | 'off') =>
    tab.getByRole('switch', { name: 'plain in Development', exact: true, checked: name === 'on' });
  const notice = (text: string) => tab.getByText(text);
  try {
    await tab.goto(`${app.url}/projects/shop?q=plain`);
    await state('off').waitFor();
    await proxy.close();
    await notice('Vexil cannot reach the API server').waitFor();
    await switchPlain(true);
    await proxy.open();
    await notice('Vexil cannot reach the API server').waitFor({ state: 'hidden' });
    await state('on').waitFor();
    await app.stop();
    await notice('Vexil cannot be reached').waitFor();
    await switchPlain(false);
    app = await start();
    await notice('Vexil cannot be reached').waitFor({ state: 'hidden' });
    await state('off').waitFor();
  } finally {
    await context.close();
    await app.stop();
    await proxy.stop();
  }
});
