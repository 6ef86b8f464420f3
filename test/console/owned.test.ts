/** What Git owns, in a real Chromium: the ways to change it, a selection that contains it, and the hand-over. */
import { randomBytes } from 'node:crypto';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { adminClient } from '../support/admin-client.ts';
import { aFlag, aProject, labelled } from '../support/builders.ts';
import { launchChromium } from '../support/chromium.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { type Writers, writersOf } from '../support/written-as.ts';
import { expectAccessible, show, signInAt, type Visitor, visit } from './browser.ts';

const TOKEN = `*:*.${randomBytes(28).toString('hex')}`;
const GIT = 'kustomize-controller';
const off = { development: { enabled: false, strategies: { all: { name: 'default' } } } };
const owned = { environments: off, stale: false, tags: ['simple:till'], archived: false };

let instance: Instance;
let writers: Writers;
let browser: Browser;
let visitor: Visitor;
let page: Page;

beforeAll(async () => {
  const settings = { VEXIL_AUTH: 'token', VEXIL_ADMIN_TOKEN: TOKEN };
  [instance, browser] = await Promise.all([startInstance('owned-pages', { settings }), launchChromium()]);
  const { home, cluster } = instance;
  writers = writersOf(cluster);
  await instance.apply(aFlag(`${home}/plain`, { environments: off, tags: ['simple:till'] }));
  const flux = 'kustomize.toolkit.fluxcd.io';
  const labels = { [`${flux}/name`]: 'flags', [`${flux}/namespace`]: 'flux-system' };
  const ownedFlags = [
    labelled(aFlag(`${home}/held`, owned), labels),
    labelled(aFlag(`${home}/linked`, owned), labels),
    aFlag(`${home}/held-too`, owned),
    aFlag(`${home}/held-kill`, { ...owned, type: 'kill-switch' }),
  ];
  for (const flag of ownedFlags) await writers.apply(GIT, flag);
  await instance.judged(...ownedFlags);
  visitor = await visit(browser, instance.url);
  page = visitor.page;
  await signInAt(page, `${instance.url}/`, TOKEN);
});
afterAll(async () => {
  await browser.close();
  writers.close();
  await instance.stop();
});

const call = (request: string) => adminClient(instance.url, { authorization: TOKEN })(request);
const open = (path: string) => show(page, instance.url + path);
const button = (name: string) => page.getByRole('button', { name, exact: true });
const switchOf = (flag: string) => page.getByRole('switch', { name: `${flag} in Development`, exact: true });

test('a switch that Git owns opens a dialog with the ways to resolve it, and writes nothing', async () => {
  await open('/projects/shop');
  const before = await instance.versions();
  await switchOf('held').click();
  const dialog = page.getByRole('dialog', { name: `${GIT} owns this switch` });
  const yaml = await dialog.getByLabel('YAML').first().textContent();
  await dialog.getByText(`what ${GIT} applies, the Flux Kustomization flux-system/flags:`).waitFor();
  expect(await dialog.getByLabel('Change for Git').locator('del, ins').allTextContents()).toEqual([
    '−       enabled: false',
    '+       enabled: true',
  ]);
  await page.setViewportSize({ width: 1440, height: 900 });
  for (const name of ['Hand over', 'Force the change', 'Close']) {
    const box = await dialog.getByRole('button', { name, exact: true }).boundingBox();
    expect((box?.y ?? 900) + (box?.height ?? 0), name).toBeLessThan(900);
  }
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Close' }).click();
  expect(await instance.versions()).toEqual(before);
  await instance.cluster.kubectlOrThrow(['apply', '--server-side', `--field-manager=${GIT}`, '-f', '-'], {
    input: `${yaml}`,
  });
  await page.getByRole('switch', { name: 'held in Development', exact: true, checked: true }).waitFor();
});

test('the ways come first, and what would be asked stands where the change is forced', async () => {
  await open('/projects/shop');
  await switchOf('held-kill').click();
  const ways = page.getByRole('dialog', { name: `${GIT} owns this switch` });
  await ways.getByText('held-kill is a kill switch.').waitFor();
  await ways.getByText('For everyone.').waitFor();
  await ways.getByRole('button', { name: 'Close' }).click();
});

describe('with a template of the address in Git', () => {
  const expected = (flag: string) => `https://git.example.com/acme/flags/edit/main/${instance.home}/${flag}.yaml`;
  const linkIn = (place: Page | Locator) => place.getByRole('link', { name: 'Open a change in Git' });

  test('dialogs, the review and the YAML of a flag have the link, and name the repository', async () => {
    const editUrl = 'https://git.example.com/acme/flags/edit/main/{namespace}/{name}.yaml';
    await writers.merge('kubectl-patch', aProject(`${instance.home}/shop`), { editUrl });
    await expect
      .poll(async () => (await call('GET /projects/shop/features/linked/status')).body.editUrl)
      .toBe(expected('linked'));
    await open('/projects/shop');
    await switchOf('linked').click();
    const dialog = page.getByRole('dialog', { name: `${GIT} owns this switch` });
    expect(await linkIn(dialog).getAttribute('href')).toBe(expected('linked'));
    await dialog.getByText('flux-system/flags, from git.example.com/acme/flags:').waitFor();
    await expectAccessible(page);
    await open('/projects/shop/features/linked?tab=yaml');
    expect(await linkIn(page).getAttribute('href')).toBe(expected('linked'));
    await open('/projects/shop/features/linked?tab=edit&environment=development');
    await button('Add a strategy').click();
    await page.getByRole('button', { name: 'Remove strategy 1' }).click();
    await button('Review').click();
    expect(await linkIn(page).first().getAttribute('href')).toBe(expected('linked'));
  });

  test('an address that is no web page is rejected by the API server', async () => {
    const patch = ['--type=merge', '-p', JSON.stringify({ spec: { editUrl: 'javascript:alert(1)' } })];
    const { code, stderr } = await instance.cluster.kubectl(['patch', 'fp', 'shop', '-n', instance.home, ...patch]);
    expect([code, stderr]).toEqual([1, expect.stringContaining('spec.editUrl')]);
  });
});

test('a reason gets into the change for Git', async () => {
  const { body } = await call('POST /projects/shop/features/linked/environments/development/on?reason=Sale%0Ax');
  expect(body.sources[0].yaml).toMatch(/^# Reason: Sale x\napiVersion:/);
});

describe('a selection', () => {
  const bar = () => page.getByRole('region', { name: 'Change the selected flags' });
  const dialog = () => page.getByRole('dialog');
  const select = async (...names: readonly string[]) => {
    await open('/projects/shop');
    for (const name of names) await page.getByLabel(`Select ${name}`, { exact: true }).check();
  };
  const specOf = async (flag: string) => (await instance.flag(`${instance.home}/${flag}`)).spec;
  const left = `1 of 2 flags (held-too) is owned by ${GIT} and left as it is`;

  interface Action {
    readonly name: string;
    readonly others: string;
    readonly prepare?: () => Promise<void>;
    /** What the spec says after the action. */
    readonly after: (spec: Awaited<ReturnType<typeof specOf>>) => boolean;
  }
  const actions: readonly Action[] = [
    {
      name: 'Switch on',
      others: 'Switch the others on in Development',
      after: ({ environments }) => environments.development.enabled,
    },
    { name: 'Mark as stale', others: 'Mark the others as stale', after: ({ stale }) => stale },
    {
      name: 'Tags',
      others: 'Change the tags of the others',
      async prepare() {
        await dialog().getByLabel('simple:till (2)').check();
        await dialog().getByRole('button', { name: 'Go on' }).click();
        await expectAccessible(page);
      },
      after: ({ tags = [] }) => tags.length === 0,
    },
    { name: 'Archive', others: 'Archive the others', after: ({ archived }) => archived },
  ];

  test.each(actions)('$name leaves what Git owns, and changes the others', async ({ name, others, prepare, after }) => {
    await select('held-too', 'plain');
    const before = await specOf('held-too');
    await bar().getByRole('button', { name, exact: true }).click();
    await prepare?.();
    await dialog().getByText(left).waitFor();
    await dialog().getByRole('button', { name: others }).click();
    await page.getByText('2 flags selected').waitFor({ state: 'detached' });
    expect(after(await specOf('plain'))).toBe(true);
    expect(await specOf('held-too')).toEqual(before);
  });

  test('of Git alone opens the ways to change the flags', async () => {
    await select('held-too', 'linked');
    await bar().getByRole('button', { name: 'Mark as stale', exact: true }).click();
    const ways = page.getByRole('dialog', { name: `${GIT} owns this selection` });
    await ways.waitFor();
    const files = await ways.getByLabel('YAML').allTextContents();
    expect(files.map((text) => /^ {2}name: (.*)$/m.exec(text)?.[1])).toEqual(['held-too', 'linked']);
    await ways.getByLabel('Why (optional, for the history)').fill('Both go');
    await ways.getByRole('button', { name: 'Force the change' }).click();
    await page.getByText('2 flags selected').waitFor({ state: 'detached' });
    expect([await specOf('held-too'), await specOf('linked')]).toMatchObject([{ stale: true }, { stale: true }]);
  });
});

test('a field is handed over after a question that names the way back', async () => {
  await open('/projects/shop/features/held?tab=owners');
  const field = 'spec.environments.development.enabled';
  await button(`Hand over ${field}`).click();
  const question = page.getByRole('dialog', { name: `Hand ${field} over?` });
  await question.getByText('To take it back, commit the field to Git again').waitFor();
  await expectAccessible(page);
  await question.getByRole('button', { name: 'Cancel' }).click();
  expect(await page.getByText(`Vexil is an owner of ${field} now.`).count()).toBe(0);
  await button(`Hand over ${field}`).click();
  await question.getByRole('button', { name: 'Hand over' }).click();
  await page.getByText(`Vexil is an owner of ${field} now.`).waitFor();
  await page
    .getByRole('row', { name: field })
    .getByText(/kustomize-controller .*vexil/)
    .waitFor();
});

test('no page violated the policy, logged an error or requested another host', () => {
  expect(visitor.faults).toEqual([]);
});
