/** Approvals in a real Chromium: asking for a change at the switch and in the editor, and deciding on it. */
import type { APIResponse, Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { adminClient, type Call } from '../support/admin-client.ts';
import { aChangeRequest, aFlag, anEnvironment, aProject, aRole, aSegment, aUser } from '../support/builders.ts';
import { launchChromium } from '../support/chromium.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import type { Stored } from '../support/stored.ts';
import { tokensDirectly } from '../support/tokens-directly.ts';
import { expectAccessible, show, signInAt, visit } from './browser.ts';

const strategies = { all: { name: 'default' } };

let instance: Instance;
let browser: Browser;
let asAuthor: Call;
const pages = new Map<string, Page>();
const people = ['author', 'approver', 'editor'] as const;
const pageOf = (name: (typeof people)[number]): Page => {
  const page = pages.get(name);
  if (!page) throw new Error(`there is no ${name}`);
  return page;
};

beforeAll(async () => {
  [instance, browser] = await Promise.all([
    startInstance('approval-pages', { settings: { VEXIL_AUTH: 'token' } }),
    launchChromium(),
  ]);
  const { home, cluster } = instance;
  const change = ['UPDATE_FEATURE_ENVIRONMENT', 'UPDATE_FEATURE', 'CREATE_FEATURE_STRATEGY', 'UPDATE_FEATURE_STRATEGY'];
  await instance.apply(
    aUser(`${home}/author`),
    aUser(`${home}/approver`),
    aUser(`${home}/editor`, { rootRole: 'Editor' }),
    aRole(`${home}/author`, { permissions: [...change, 'UPDATE_PROJECT'].map((name) => ({ name })) }),
    aRole(`${home}/approver`, { permissions: [{ name: 'APPROVE_CHANGE_REQUEST', environment: 'production' }] }),
    anEnvironment(`${home}/production`, { displayName: 'Production', sortOrder: 2, approvals: { required: 1 } }),
  );
  await instance.apply(
    aProject(`${home}/shop`, { members: { author: 'author', approver: 'approver' } }),
    aSegment(`${home}/testers`, {
      id: 7,
      project: 'shop',
      constraints: [{ contextName: 'userId', operator: 'IN', values: ['lin'] }],
    }),
    aFlag(`${home}/segmented`, {
      environments: { production: { enabled: true, strategies: { all: { name: 'default', segments: ['testers'] } } } },
    }),
    ...['switched', 'discussed', 'refused', 'own', 'decided'].map((name) => {
      return aFlag(`${home}/${name}`, { environments: { production: { enabled: false, strategies } } });
    }),
  );
  const direct = tokensDirectly(cluster.kubeconfig, home);
  for (const user of people) {
    await direct.create(user, { type: 'personal', user });
    const { page } = await visit(browser, instance.url);
    const token = await direct.untilReady(user);
    if (user === 'author') asAuthor = adminClient(instance.url, { authorization: token });
    await signInAt(page, `${instance.url}/`, token);
    pages.set(user, page);
  }
  direct.close();
});
afterAll(async () => {
  await browser?.close();
  await instance?.stop();
});

const open = (page: Page, path: string) => show(page, instance.url + path);

/** The author asks to switch the flag on. */
async function ask(flag: string, reason: string): Promise<void> {
  const query = new URLSearchParams({ changeRequest: 'true', reason });
  const { status, text } = await asAuthor(`POST /projects/shop/features/${flag}/environments/production/on?${query}`);
  expect(status, text).toBe(202);
}

const cardOf = (page: Page, flag: string) => page.getByRole('region', { name: `${flag} in production` });
const isOn = async (flag: string) =>
  (await instance.flag(`${instance.home}/${flag}`)).spec.environments.production.enabled === true;

/** The page learns of it only when it asks again by itself. */
const untilNoneIsOpen = (flag: string) =>
  waitUntil({ what: `the leader has counted the decision on ${flag}` }, async () => {
    const { body } = await asAuthor(`GET /projects/shop/change-requests?open=true&feature=${flag}`);
    return body.changeRequests.length === 0;
  });

/** The approver approves the request with this title and reason. Returns its card. */
async function approve(title: string, reason: string) {
  const review = pageOf('approver');
  await open(review, '/change-requests');
  const card = review.getByRole('region', { name: title });
  await card.getByText(`Why: ${reason}`).waitFor();
  await card.getByRole('button', { name: 'Approve' }).click();
  await review.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
  return card;
}

test('a switch that needs approval offers to ask for it, and another person approves it on the page of requests', async () => {
  const asking = pageOf('author');
  await open(asking, '/projects/shop/features/switched');
  await asking.getByRole('switch', { name: 'switched in Production' }).click();
  const offer = asking.getByRole('dialog', { name: 'This change needs approval' });
  const text = offer.getByText('needs the approval of another person');
  await text.waitFor();
  expect(await text.textContent()).toBe(
    'A change in the environment "production" needs the approval of another person.',
  );
  await expectAccessible(asking);
  await offer.getByLabel('Why').fill('The launch');
  await offer.getByRole('button', { name: 'Ask for approval' }).click();
  await offer.getByText('You asked for approval.').waitFor();
  await asking.getByRole('link', { name: 'Show change requests' }).click();
  await cardOf(asking, 'switched').waitFor();
  const page = pageOf('approver');
  await open(page, '/change-requests');
  const card = cardOf(page, 'switched');
  await card.getByText('Why: The launch').waitFor();
  expect(await card.textContent()).toContain('Asked for by author');
  await card.getByText('"enabled": true').waitFor();
  await expectAccessible(page);
  await card.getByRole('button', { name: 'Approve' }).click();
  const dialog = page.getByRole('dialog', { name: 'Approve this change?' });
  await dialog.getByLabel('Comment').fill('Looks right');
  await dialog.getByRole('button', { name: 'Approve' }).click();
  await waitUntil({ what: 'the flag is on' }, () => isOn('switched'));
  await open(page, '/change-requests?show=all');
  await card.getByText('Applied').waitFor();
  expect(await card.textContent()).toContain('approver approved it');
});

test('the page of the flag says what waits, and the review says what users get', async () => {
  const { home } = instance;
  const share = (rollout: number) => ({ gradual: { name: 'flexibleRollout', parameters: { rollout } } });
  const startAt = new Date(Date.now() + 3_600_000).toISOString();
  const ramp = { startAt, steps: [{ rollout: 100 }] };
  await instance.apply(
    aFlag(`${home}/wider`, { environments: { production: { enabled: true, strategies: share(25) } } }),
  );
  const region = { name: 'default', constraints: [{ contextName: 'region', operator: 'IN', values: ['eu'] }] };
  const strategies = { gradual: { ...share(50).gradual, ramp }, region };
  const variants = [{ name: 'blue', weight: 1000 }];
  const production = { enabled: true, strategies, variants };
  await instance.apply(aChangeRequest(`${home}/wider-1`, 'wider', { environments: { production } } as object));
  const page = pageOf('approver');
  await open(page, '/projects/shop/features/wider');
  await page.getByText('ada asks to change strategies, variants. In review, 0 of 1 approvals.').waitFor();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Review the request of ada' }).click();
  const card = cardOf(page, 'wider');
  await card.getByText('Before: on for 25 % of users. After: on for 50 % of users, and everyone if region').waitFor();
  await card.getByText(/^Users such as .*: off → on \(strategy region\), variant blue/).waitFor();
  await expectAccessible(page);
  await card.getByLabel('When').selectOption({ index: 1 });
  await card.getByText('After: on for everyone').waitFor();
  await open(page, '/change-requests');
  await cardOf(page, 'wider').getByText('What users get').click();
  await cardOf(page, 'wider').getByText('Before: on for 25 % of users.').waitFor();
});

test('people discuss a request on its page, also its author, and it still waits', async () => {
  await ask('discussed', 'Now?');
  for (const [name, text] of [
    ['approver', 'Why not on Monday?'],
    ['author', 'The campaign begins'],
  ] as const) {
    const page = pageOf(name);
    await open(page, '/change-requests');
    await cardOf(page, 'discussed').getByRole('link', { name: 'Open the request' }).click();
    const card = cardOf(page, 'discussed');
    await card.getByLabel('Comment').fill(text);
    await card.getByRole('button', { name: 'Comment' }).click();
    await card.getByText(`${name} commented on it`).waitFor();
    expect(await card.getByLabel('Comment').inputValue()).toBe('');
  }
  const text = await cardOf(pageOf('author'), 'discussed').textContent();
  expect(text).toMatch(/Why not on Monday\?.*The campaign begins/s);
  expect(text).toContain('In review, 0 of 1 approvals');
});

test('a rejection ends the request with its comment, and the page says so although the leader counts it later', async () => {
  await ask('refused', 'Please');
  const page = pageOf('approver');
  const card = cardOf(page, 'refused');
  const list = '**/api/admin/change-requests?*';
  let isCounted = false;
  let reads = 0;
  let before: APIResponse | undefined;
  await page.route(list, async (route) => {
    reads += 1;
    if (isCounted) return route.continue();
    before ??= await route.fetch();
    return route.fulfill({ response: before });
  });
  await page.clock.install();
  await open(page, '/change-requests');
  await card.getByRole('button', { name: 'Reject' }).click();
  const dialog = page.getByRole('dialog', { name: 'Reject this change?' });
  await dialog.getByLabel('Comment').fill('Not on a Friday');
  await page.clock.pauseAt((await page.evaluate<number>('Date.now()')) + 1_000);
  let waited = 0;
  const after = (what: string, isTrue: () => Promise<boolean>) =>
    waitUntil({ what, everyMs: 10 }, async () => {
      await page.clock.runFor(10);
      waited += 10;
      return isTrue();
    });
  reads = 0;
  await dialog.getByRole('button', { name: 'Reject' }).click();
  await after('the list is read after the decision', async () => reads > 0);
  await untilNoneIsOpen('refused');
  isCounted = true;
  await after('the request is no longer open', async () => (await card.count()) === 0);
  expect(waited).toBeLessThan(5_000);
  await page.clock.resume();
  await page.unroute(list);

  await open(page, '/change-requests?show=all');
  await card.getByText('approver rejected it').waitFor();
  expect(await isOn('refused')).toBe(false);
});

test('a token of no user sees no button that asks or decides', async () => {
  await ask('decided', 'By whom?');
  const direct = tokensDirectly(instance.cluster.kubeconfig, instance.home);
  await direct.create('nobody', { type: 'admin' });
  const { page } = await visit(browser, instance.url);
  await signInAt(page, `${instance.url}/change-requests`, await direct.untilReady('nobody'));
  direct.close();
  const card = cardOf(page, 'decided');
  await card.getByText('Only a user can decide.').waitFor();
  expect(await card.getByRole('button', { name: 'Approve' }).count()).toBe(0);
  await open(page, '/projects/shop/features/decided');
  await page.getByRole('switch', { name: 'decided in Production' }).click();
  const dialog = page.getByRole('dialog', { name: 'This change needs approval' });
  await dialog.getByText('Only a user can ask for approval.').waitFor();
  expect(await dialog.getByRole('button', { name: 'Ask for approval' }).count()).toBe(0);
});

test('the author cannot approve, and can withdraw', async () => {
  await ask('own', 'Mine');
  const page = pageOf('author');
  await open(page, '/change-requests');
  const card = cardOf(page, 'own');
  await card.getByRole('button', { name: 'Approve' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
  await card.getByRole('alert').waitFor();
  await card.getByRole('button', { name: 'Withdraw' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click();
  await untilNoneIsOpen('own');
  await open(page, '/change-requests?show=all');
  await cardOf(page, 'own').getByText('Cancelled').waitFor();
});

test('the page of requests shows those of the user, and those that wait for the user', async () => {
  await ask('own', 'Again');
  const choose = async (name: (typeof people)[number], choice: string) => {
    const page = pageOf(name);
    await open(page, '/change-requests');
    await page.getByLabel('Show').selectOption(choice);
    return page;
  };
  await cardOf(await choose('author', 'My open requests'), 'own').waitFor();
  await (await choose('author', 'To approve by me')).getByText('There is no such request.').waitFor();
  await (await choose('approver', 'My open requests')).getByText('There is no such request.').waitFor();
  const page = await choose('approver', 'To approve by me');
  await cardOf(page, 'own').waitFor();
});

test('a segment in use: the review offers to ask, and another person approves it', async () => {
  await waitUntil({ what: 'the segment is in use' }, async () => {
    const path = `/apis/vexil.dev/v1beta1/namespaces/${instance.home}/segments/testers`;
    const { status }: Stored = await instance.cluster.request({ method: 'GET', path });
    return status?.environments?.includes('production');
  });
  const page = pageOf('editor');
  await open(page, '/segments/edit/7');
  await page.getByLabel('Values').fill('lin\nada');
  await page.getByRole('button', { name: 'Review' }).click();
  await page.getByText('needs the approval of another person').first().waitFor();
  await page.getByLabel('Why').fill('Ada tests');
  await page.getByRole('button', { name: 'Ask for approval' }).click();
  await page.getByText('You asked for approval.').waitFor();
  const review = pageOf('approver');
  await open(review, '/change-requests');
  const listed = review.getByRole('region', { name: 'Segment testers in production' });
  await listed.getByText('What users get').click();
  await listed.getByText('1 flag uses the segment.').waitFor();
  await listed.getByRole('heading', { name: 'segmented in production' }).waitFor();
  await listed.getByText(/^Users such as userId ada: off → on/).waitFor();
  const card = await approve('Segment testers in production', 'Ada tests');
  await card.waitFor({ state: 'detached' });
});

test('an environment that a project uses: the dialog offers to ask, and another person approves it', async () => {
  const page = pageOf('author');
  await open(page, '/projects/shop/settings');
  await page.getByRole('button', { name: 'Stop using production' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Stop using it' }).click();
  const dialog = page.getByRole('dialog', { name: 'This change needs approval' });
  await dialog.getByLabel('Why').fill('Not launched yet');
  await dialog.getByRole('button', { name: 'Ask for approval' }).click();
  await dialog.getByText('You asked for approval.').waitFor();
  await approve('Project shop in production', 'Not launched yet');
  await waitUntil({ what: 'the project does not use production' }, async () => {
    const path = `/apis/vexil.dev/v1beta1/namespaces/${instance.home}/projects/shop`;
    const { spec }: Stored = await instance.cluster.request({ method: 'GET', path });
    return spec.environments && !spec.environments.includes('production');
  });
});
