/** The page of the notification sinks in a real Chromium. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { aFlag, aSink } from '../support/builders.ts';
import { launchChromium } from '../support/chromium.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { untilRecording } from '../support/until-recording.ts';
import { startReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';
import { expectAccessible, openPage, type Visitor, visit } from './browser.ts';

const MARKUP = '<img src=x onerror=alert(1)>';

let instance: Instance;
let receiver: WebhookReceiver;
let browser: Browser;
let visitor: Visitor;
let page: Page;

beforeAll(async () => {
  receiver = await startReceiver(({ path }) => (path === '/picky' ? 422 : 204));
  const settings = {
    VEXIL_SINK_ALLOWED_NETWORKS: '127.0.0.1',
    VEXIL_SINK_RETRY_MAX: '50ms',
    VEXIL_SINK_STATUS_INTERVAL: '100ms',
  };
  [instance, browser] = await Promise.all([startInstance('notifications', { settings }), launchChromium()]);
  visitor = await visit(browser, instance.url);
  page = visitor.page;
});
afterAll(async () => {
  await browser.close();
  await instance.stop();
  await receiver.stop();
});

const row = (name: string) => page.getByRole('row', { name });

test('without a sink, the page has the YAML to begin with', async () => {
  await openPage(page, `${instance.url}/`);
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Notifications' }).click();
  await page.getByRole('heading', { level: 1, name: 'Notifications' }).waitFor();
  await page.getByText('There is no notification sink that you may see.').waitFor();
  await page.getByLabel('YAML of a new sink').getByText('kind: NotificationSink').waitFor();
});

test('each sink says where it posts, what it gets, and how far it is', async () => {
  const { home, other, cluster, call } = instance;
  const flag = '/projects/shop/features/begun';
  await instance.apply(
    aFlag(`${home}/begun`),
    aSink(`${home}/taken`, { url: `${receiver.url}/path-part?key=query-part`, filter: { projects: ['shop'] } }),
    aSink(`${home}/nowhere`, { url: 'https://hooks.invalid/path-part', filter: { expression: `"${MARKUP}" != ""` } }),
    aSink(`${home}/picky`, { url: `${receiver.url}/picky` }),
    aSink(`${home}/bus`, { type: 'NATS', url: 'nats://127.0.0.1:9', subject: 'vexil' }),
    aSink(`${other}/inside`, { url: 'https://10.0.0.1/path-part', filter: { types: ['feature-created'] } }),
  );
  await untilRecording(cluster, call, { flag, namespace: home });
  await openPage(page, `${instance.url}/notifications`);
  await row('taken').getByText(new URL(receiver.url).host, { exact: true }).waitFor();
  await row('taken').getByText('Changes of project shop', { exact: true }).waitFor();
  // The page is read again by itself.
  await row('taken').getByText('Delivering').waitFor();
  await row('nowhere')
    .getByText(/^Failing since .*: the connection failed/)
    .waitFor();
  await row('nowhere').getByText(MARKUP).waitFor();
  await row('picky')
    .getByText(/^Last set aside: entry \d+: answered 422 5 times$/)
    .waitFor();
  await row('bus').getByText('subject vexil', { exact: true }).waitFor();
  await row('inside').getByText('The address of the URL is not public').waitFor();
  await row('inside').getByText('nothing yet').waitFor();
  await expect.poll(() => row('taken').textContent()).not.toContain('nothing yet');
  for (const hidden of ['path-part', 'query-part']) expect(await page.content()).not.toContain(hidden);
});

test('the commands that test a sink and send entries again are there to copy', async () => {
  const place = `${instance.home}/taken`;
  await page.getByText(`Commands for ${place}`, { exact: true }).click();
  const command = (label: string) => page.getByLabel(`${label}: ${place}`, { exact: true }).textContent();
  const sink = `taken -n ${instance.home}`;
  expect(await command('test with vexil')).toBe(`vexil sink test ${sink}`);
  expect(await command('replay with vexil')).toMatch(
    new RegExp(`^vexil sink replay ${sink} --from 20[-0-9]+T[0-9:]+Z$`),
  );
  expect(await command('test with kubectl')).toContain(
    `kubectl annotate sink ${sink} --overwrite vexil.dev/test-request`,
  );
  expect(await command('replay with kubectl')).toMatch(/replay-from="20[-0-9]+T[0-9:]+Z \$\(date \+%s\)"$/);
  await page.getByText('Example of a new sink').click();
  await expectAccessible(page);
  expect(visitor.faults).toEqual([]);
});
