/** Users with partial rights in a real Chromium: no control would answer 403, and those that are there work. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signInAt, type Visitor, visit } from '../console/browser.ts';
import { createAccount } from '../support/account.ts';
import { aFlag, aProject, aRole, aSegment, aUser } from '../support/builders.ts';
import { launchChromium } from '../support/chromium.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { grantReviews } from '../support/operator-roles.ts';
import { personalTokens } from '../support/personal-tokens.ts';
import { writersOf } from '../support/written-as.ts';
import { controlsOf, settled, watchRefusals } from './controls.ts';

const GIT = 'kustomize-controller';
const steps = [{ rollout: 5, for: '24h' }, { rollout: 100 }];
const gradual = { name: 'flexibleRollout', parameters: { rollout: 1 }, ramp: { steps } };
const everywhere = {
  development: { strategies: { gradual } },
  production: { strategies: { gradual } },
};

let instance: Instance;
let browser: Browser;
const tokens = new Map<string, string>();

beforeAll(async () => {
  // The policy applies to Kubernetes users only.
  const settings = { VEXIL_AUTH: 'token', VEXIL_ENVIRONMENT_PERMISSIONS: 'true' };
  [instance, browser] = await Promise.all([startInstance('rights', { settings }), launchChromium()]);
  const { home, other, cluster } = instance;
  await grantReviews(cluster, home);
  await instance.apply(
    aRole(`${home}/switcher`, { permissions: [{ name: 'UPDATE_FEATURE_ENVIRONMENT', environment: 'development' }] }),
    aUser(`${home}/viewer`, { id: 10, displayName: 'Vi' }),
    aUser(`${home}/lin`, { id: 11, displayName: 'Lin' }),
    aUser(`${home}/ada`, { id: 12, displayName: 'Ada' }),
    aSegment(`${home}/vip`, { id: 7 }),
    aProject(`${home}/shop`, { members: { ada: 'owner', lin: 'switcher' } }),
    aFlag(`${home}/cart`, { environments: everywhere }),
    aFlag(`${home}/stowed`, { archived: true, environments: everywhere }),
    aFlag(`${other}/paid`, { project: 'pay', environments: everywhere }),
    aFlag(`${other}/spent`, { project: 'pay', archived: true, environments: everywhere }),
  );
  const writers = writersOf(cluster);
  const off = { development: { enabled: false }, production: { enabled: false } };
  for (const [namespace, project] of [
    [home, 'shop'],
    [other, 'pay'],
  ] as const) {
    const flag = aFlag(`${namespace}/held-in-${project}`, { project, description: 'As in Git', environments: off });
    await writers.apply(GIT, flag);
    await instance.judged(flag);
  }
  writers.close();
  for (const [user, token] of await personalTokens({ cluster, home }, ['viewer', 'lin'])) tokens.set(user, token);
  const { token } = await createAccount(cluster, {
    namespace: other,
    name: 'developer',
    rules: {
      [other]: [
        [['get', 'list', 'create', 'patch', 'delete'], ['featureflags']],
        [['get', 'list'], ['projects']],
        [['change-flags'], ['environments'], ['development']],
      ],
      [home]: [[['list'], ['strategydefinitions']]],
    },
  });
  tokens.set('developer', token);
});
afterAll(async () => {
  await browser.close();
  await instance.stop();
});

/** The controls of each page, except those that only read. */
type Expected = Readonly<Record<string, readonly string[]>>;

const CONTEXT = ['Only this project', 'Remove the field userId', 'Add a field'];
const onEveryPage: Expected = {
  '/': [],
  '/segments': [],
  '/segments/create': [],
  '/segments/edit/7': [],
  '/strategies': [],
  '/strategies/create': [],
  '/strategies/default/edit': [],
  '/playground': CONTEXT,
  '/reports/stale': [],
  '/notifications': [],
  '/archive': [],
  '/tokens': [],
  '/import-export': [],
};
const ofFlag = (path: string, { overview, edit, owners }: Readonly<Record<string, readonly string[]>>): Expected => ({
  [path]: overview ?? [],
  [`${path}?tab=edit`]: edit ?? overview ?? [],
  [`${path}?tab=owners`]: owners ?? [],
  [`${path}?tab=yaml`]: [],
});

/** The controls that each user sees in its project, in addition to the pages for all users. */
const users: readonly (readonly [string, Expected])[] = [
  [
    'viewer',
    {
      '/environments': [],
      '/events': [],
      '/applications': [],
      '/projects/shop': [],
      '/projects/shop/settings': [],
      '/projects/shop/access': [],
      ...ofFlag('/projects/shop/features/held-in-shop', {}),
    },
  ],
  [
    'lin',
    {
      '/environments': [],
      '/projects/shop': [
        ...['Select all flags', 'Select cart', 'cart in Development'],
        ...['Select held-in-shop', 'held-in-shop in Development'],
      ],
      '/projects/shop/settings': [],
      '/projects/shop/access': [],
      ...ofFlag('/projects/shop/features/held-in-shop', {
        overview: ['Edit in Development', 'held-in-shop in Development'],
        edit: [],
      }),
      '/projects/shop/features/held-in-shop?tab=edit&environment=production': [],
    },
  ],
  [
    'developer',
    {
      '/projects/pay': [
        'New flag',
        ...['Select all flags', 'Select held-in-pay', 'held-in-pay in Development'],
        ...['Select paid', 'paid in Development'],
      ],
      '/projects/pay/settings': [],
      ...ofFlag('/projects/pay/features/held-in-pay', {
        overview: ['Edit in Development', 'held-in-pay in Development'],
        edit: [
          'Impression data: SDKs emit an event for each evaluation',
          'Stale: it can be removed from the code',
          'Add the tag',
        ],
        owners: [
          'Hand over spec.description',
          'Hand over spec.environments.development.enabled',
          'Hand over spec.project',
        ],
      }),
      '/projects/pay/features/paid': [
        'Edit in Development',
        'paid in Development',
        'Skip to step 1',
        'Skip to step 2',
        'Start',
      ],
      '/projects/pay/features/paid?tab=edit&environment=production': [],
    },
  ],
];

/** Opens the console signed in as this user. */
async function visitAs(user: string): Promise<Visitor & { readonly refused: readonly string[] }> {
  const visitor = await visit(browser, instance.url);
  const refused = watchRefusals(visitor.page);
  await signInAt(visitor.page, `${instance.url}/`, tokens.get(user) ?? '');
  return { ...visitor, refused };
}

test.each(users)(
  '%s sees no control that would answer 403',
  async (user, expected) => {
    const { page, context, refused, faults } = await visitAs(user);
    for (const [path, controls] of Object.entries({ ...onEveryPage, ...expected })) {
      await page.goto(instance.url + path);
      await settled(page);
      expect(await controlsOf(page), path).toEqual(controls);
    }
    const places = await page.getByRole('navigation', { name: 'Pages' }).getByRole('link').allTextContents();
    expect(places.includes('Environments')).toBe('/environments' in expected);
    expect(places).not.toContain('Tokens');
    expect(places).not.toContain('Import and export');
    // No page links to the API tokens.
    expect(refused.filter((one) => !one.endsWith('/api/admin/api-tokens'))).toEqual([]);
    expect(faults).toEqual([]);
    await context.close();
  },
  // The test visits many pages, and the machine may be busy.
  180_000,
);

const isOn = async (place: string, environment = 'development') =>
  (await instance.flag(place)).spec.environments[environment].enabled === true;
const untilOn = (place: string, wanted: boolean) =>
  waitUntil({ what: `${place} is ${wanted}`, everyMs: 20 }, async () => (await isOn(place)) === wanted || undefined);

describe('the available controls work', () => {
  test('for a member who may switch in development: one flag, several flags, and undoing it from the history', async () => {
    const { page, context, refused } = await visitAs('lin');
    const { home } = instance;
    await page.goto(`${instance.url}/projects/shop`);
    await page.getByRole('switch', { name: 'cart in Development' }).click();
    await untilOn(`${home}/cart`, true);
    await page.getByLabel('Select cart').check();
    const bar = page.getByRole('region', { name: 'Change the selected flags' });
    await bar.getByRole('button', { name: 'Switch off' }).waitFor();
    expect(await bar.getByRole('option').allTextContents()).toEqual(['Development']);
    expect(await bar.getByRole('button').allTextContents()).toEqual(['Switch on', 'Switch off', 'Clear']);
    await bar.getByRole('button', { name: 'Switch off' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Switch off' }).click();
    await untilOn(`${home}/cart`, false);
    const back = page.getByRole('button', { name: /^Put it back: .* in development/ });
    await waitUntil({ what: 'both are in the history', everyMs: 100 }, async () => {
      await page.goto(`${instance.url}/projects/shop/features/cart?tab=history`);
      await settled(page);
      return (await back.count()) === 2;
    });
    await back.first().click();
    await page.getByRole('button', { name: 'Save' }).click();
    await untilOn(`${home}/cart`, true);
    expect(refused).toEqual([]);
    await context.close();
  });

  test('for a Kubernetes user of one project and environment: a switch, a ramp, a hand-over, an evaluation', async () => {
    const { page, context, refused } = await visitAs('developer');
    const { other } = instance;
    await page.goto(`${instance.url}/projects/pay/features/paid`);
    await page.getByRole('switch', { name: 'paid in Development' }).click();
    await untilOn(`${other}/paid`, true);
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page.locator('[aria-current="step"]').getByText('5 % for 24h').waitFor();
    await page.getByLabel('Parts of the flag').getByRole('link', { name: 'Edit' }).click();
    await page.getByLabel('Description').fill('As clicked');
    await page.getByRole('button', { name: 'Review' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await waitUntil({ what: 'the description is saved', everyMs: 20 }, async () => {
      return (await instance.flag(`${other}/paid`)).spec.description === 'As clicked' || undefined;
    });
    await page.goto(`${instance.url}/projects/pay/features/held-in-pay?tab=owners`);
    await page.getByRole('button', { name: 'Hand over spec.environments.development.enabled' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Hand over' }).click();
    await page.getByText('Vexil is an owner of spec.environments.development.enabled now').waitFor();
    await page.goto(`${instance.url}/playground`);
    await page.getByLabel('Environment').selectOption('Production');
    await page.getByRole('button', { name: 'Evaluate' }).click();
    await page.getByText('2 of 2 flags, 0 on').waitFor();
    expect(await isOn(`${other}/paid`, 'production')).toBe(false);
    expect(refused).toEqual([]);
    await context.close();
  });
});
