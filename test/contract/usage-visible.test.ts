/** A caller who may read one project sees no SDK reports of other projects. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAccount } from '../support/account.ts';
import { adminClient, type Call } from '../support/admin-client.ts';
import { aFlag } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { grantReviews } from '../support/operator-roles.ts';
import { openStoredUsage, usageFile } from '../support/stored-usage.ts';

const BOOTSTRAP = 'the-bootstrap-token';
const DAY = 86_400_000;
const OLD_SDK = 'unleash-client-node:1.0.0';

let instance: Instance;
let file: Awaited<ReturnType<typeof usageFile>>;
let asAdmin: Call;
/** Calls as a user who may read only the project `shop`. */
let asReader: Call;

/**
 * Writes reports. Everything in the project `pay` is named `hidden`. The application `both` asks for flags of both
 * projects.
 */
async function reportAll(): Promise<void> {
  const usage = openStoredUsage(file.url);
  const { home, other } = instance;
  const uidOf = async (place: string) => (await instance.flag(place)).metadata.uid as string;
  const count = (flagUid: string, appName: string, days = 0) => {
    const at = Date.now() - days * DAY;
    const place = { flagUid, environment: 'production', appName, variants: new Map<string, number>() };
    usage.count({ ...place, yes: 1, no: 0, at, arrivedAt: at });
  };
  const [shown, hidden] = [await uidOf(`${home}/shown-flag`), await uidOf(`${other}/hidden-flag`)];
  for (const appName of ['web', 'both']) count(shown, appName);
  for (const appName of ['hidden-app', 'both']) count(hidden, appName);
  count(await uidOf(`${home}/shown-unused`), 'web', 60);
  count(await uidOf(`${other}/hidden-unused`), 'hidden-app', 60);
  for (const appName of ['web', 'both', 'hidden-app']) {
    const sdk = { environment: 'production', appName, sdkVersion: OLD_SDK, strategies: ['default'] };
    usage.addSdk({ ...sdk, instanceId: `of-${appName}` });
  }
  const name = { environment: 'production', appName: 'both', archivedUid: '' };
  usage.addName({ ...name, name: 'hidden-name' });
  usage.addName({ ...name, name: 'hidden-old', archivedUid: await uidOf(`${other}/hidden-old`) });
  usage.addName({ ...name, name: 'shown-old', archivedUid: await uidOf(`${home}/shown-old`) });
  await usage.flush();
  await usage.close();
}

beforeAll(async () => {
  file = await usageFile();
  const settings = {
    ...file.settings,
    VEXIL_USAGE_REFRESH: '200ms',
    VEXIL_AUTH: 'token',
    VEXIL_ADMIN_TOKEN: BOOTSTRAP,
  };
  instance = await startInstance('usage-visible', { settings });
  const { cluster, home, other } = instance;
  const inPay = { project: 'pay' };
  await instance.apply(
    ...[aFlag(`${home}/shown-flag`), aFlag(`${home}/shown-unused`), aFlag(`${home}/shown-old`, { archived: true })],
    ...[aFlag(`${other}/hidden-flag`, inPay), aFlag(`${other}/hidden-unused`, inPay)],
    aFlag(`${other}/hidden-old`, { ...inPay, archived: true }),
  );
  await reportAll();
  await grantReviews(cluster, home);
  const rules = { [home]: [[['get'], ['projects'], ['shop']]] as const };
  const { token } = await createAccount(cluster, { namespace: home, name: 'reader', rules });
  asAdmin = adminClient(instance.url, { authorization: BOOTSTRAP });
  asReader = adminClient(instance.url, { authorization: token });
  await waitUntil({ what: 'the reader is let in' }, async () => (await asReader('GET /projects/shop')).status === 200);
  await waitUntil({ what: 'what SDKs have reported is known' }, async () => {
    const { body } = await asAdmin('GET /reports/stale?reason=Unused');
    return body.total === 2;
  });
});
afterAll(async () => {
  await instance?.stop();
  await file?.remove();
});

const PATHS = [
  ...['/metrics/applications', '/metrics/applications/both', '/metrics/applications/both/overview'],
  ...['/metrics/instances/both/environment/production', '/metrics/sdks/outdated', '/metrics/unknown-flags'],
  ...['/reports/stale', '/reports/stale?project=pay'],
  ...['/metrics/applications?query=hidden', '/reports/stale?name=hidden-unused'],
];

test.each(PATHS)('%s names nothing of other projects', async (path) => {
  const { status, text } = await asReader(`GET ${path}`);
  expect(status).toBe(200);
  expect(text).not.toMatch(/hidden|"pay"/);
  const { text: csv } = await asReader(`GET ${path}`, { headers: { accept: 'text/csv' } });
  expect(csv).not.toMatch(/hidden|pay/);
});

test.each([
  '/metrics/applications/hidden-app',
  '/metrics/applications/hidden-app/overview',
  '/metrics/instances/hidden-app/environment/production',
])('%s is answered as an unknown one', async (path) => {
  const [hidden, unknown] = await Promise.all([
    asReader(`GET ${path}`),
    asReader(`GET ${path.replace('hidden', 'no')}`),
  ]);
  expect([hidden.status, unknown.status, (await asAdmin(`GET ${path}`)).status]).toEqual([404, 404, 200]);
  expect(hidden.body.message.replace('hidden', 'no')).toBe(unknown.body.message);
});

describe('a caller sees everything of its own project', () => {
  const names = (found: readonly { readonly appName?: string; readonly name?: string }[]) =>
    found.map(({ appName, name }) => appName ?? name).sort();

  test('applications', async () => {
    const { body } = await asReader('GET /metrics/applications');
    expect([names(body.applications), body.total]).toEqual([['both', 'web'], 2]);
    const all = await asAdmin('GET /metrics/applications');
    expect([names(all.body.applications), all.body.total]).toEqual([['both', 'hidden-app', 'web'], 3]);
    const usage = [{ project: 'shop', environments: ['production'] }];
    expect(body.applications).toMatchObject([{ appName: 'both', usage }, { usage }]);
    expect((await asReader('GET /metrics/applications/both')).body.seenToggles).toEqual([
      { name: 'shown-flag', project: 'shop' },
      { name: 'shown-old', notFound: true },
    ]);
    expect((await asReader('GET /metrics/applications/both/overview')).body).toMatchObject({
      ...{ projects: ['shop'], featureCount: 1 },
      environments: [{ issues: { missingFeatures: ['shown-old'] } }],
    });
  });

  test('old SDKs and unknown names belong to no project', async () => {
    expect((await asReader('GET /metrics/sdks/outdated')).body).toEqual({ sdks: [] });
    expect((await asAdmin('GET /metrics/sdks/outdated')).body.sdks).toMatchObject([{ sdkVersion: OLD_SDK }]);
    const unknown = async (call: Call) => names((await call('GET /metrics/unknown-flags')).body.unknownFlags);
    expect(await unknown(asReader)).toEqual(['shown-old']);
    expect(await unknown(asAdmin)).toEqual(['hidden-name', 'hidden-old', 'shown-old']);
  });

  test('flags that can be removed', async () => {
    const stale = async (call: Call) => {
      const { body } = await call('GET /reports/stale');
      expect(body.total).toBe(body.findings.length);
      return names(body.findings);
    };
    expect(await stale(asReader)).toEqual(['shown-old', 'shown-unused']);
    expect(await stale(asAdmin)).toEqual(['hidden-name', 'hidden-old', 'hidden-unused', 'shown-old', 'shown-unused']);
  });
});
