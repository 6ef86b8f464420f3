/** The SDKs for browsers, unmodified, in a page of another origin in a real Chromium. */
import { isDeepStrictEqual } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { adminClient } from '../support/admin-client.ts';
import { aFlag } from '../support/builders.ts';
import { launchChromium } from '../support/chromium.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { type PageServer, startPageServer } from '../support/page-server.ts';
import { readMetric } from '../support/read-metric.ts';
import { tokenValue } from '../support/sdk-world.ts';
import type { Stored } from '../support/stored.ts';
import { usageFile } from '../support/stored-usage.ts';

const ADMIN_TOKEN = `*:*.${'6e'.repeat(28)}`;
const FLAG = 'checkout';
const on = { enabled: true, strategies: { all: { name: 'default' } } };
let instance: Instance;
let pages: PageServer;
let browser: Browser;
let page: Page;
let archive: Awaited<ReturnType<typeof usageFile>>;
const complaints: string[] = [];

beforeAll(async () => {
  archive = await usageFile();
  [instance, pages, browser] = await Promise.all([
    startInstance('browser', {
      settings: { VEXIL_AUTH: 'token', VEXIL_ADMIN_TOKEN: ADMIN_TOKEN, ...archive.settings },
    }),
    startPageServer(),
    launchChromium(),
  ]);
  await switchTo(true);
  const token = await tokenValue(instance, 'page', { type: 'frontend' });
  page = await browser.newPage();
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', ({ message }) => complaints.push(message));
  await page.goto(`${pages.url}/?${new URLSearchParams({ url: instance.url, token, flag: FLAG })}`);
});
afterAll(async () => {
  await browser.close();
  pages.stop();
  await instance.stop();
  await archive.remove();
});

const switchTo = (enabled: boolean) =>
  instance.apply(aFlag(`${instance.home}/${FLAG}`, { environments: { production: { ...on, enabled } } }));

const untilShown = (sdk: 'unleash' | 'openfeature', wanted: string) =>
  waitUntil({ what: `${sdk} shows ${wanted}`, everyMs: 20 }, async () => {
    return (await page.locator(`#${sdk}`).textContent()) === wanted;
  });

const answered = (method: string, route: string, status: number) =>
  readMetric(
    instance.opsUrl,
    `vexil_http_request_duration_seconds_count{method="${method}",route="${route}",status="${status}"}`,
  );

test('unleash-proxy-client shows the flag, and a change with its next poll', async () => {
  await untilShown('unleash', 'on');
  await switchTo(false);
  await untilShown('unleash', 'off');
});

test('the OFREP web provider shows the flag, and a change that the stream reports, without polling', async () => {
  await untilShown('openfeature', 'off');
  await waitUntil({ what: 'the stream is open', everyMs: 20 }, async () => {
    return (await readMetric(instance.opsUrl, 'vexil_sdk_streams')) === 1;
  });
  await switchTo(true);
  await untilShown('openfeature', 'on');
  await switchTo(false);
  await untilShown('openfeature', 'off');
});

test('the reports of unleash-proxy-client are stored with their numbers', async () => {
  const call = adminClient(instance.url, { authorization: ADMIN_TOKEN });
  await page.evaluate('for (let turn = 0; turn < 7; turn += 1) ask()');
  await waitUntil({ what: 'as many evaluations are stored as the page has made', everyMs: 50 }, async () => {
    const { body } = await call(`GET /client-metrics/features/${FLAG}/raw`);
    const { yes, no } = await page.evaluate<{ readonly yes: number; readonly no: number }>('asked');
    // There is a row for each hour, also without reports. The page may have reported before and after a full hour.
    const stored = body.data.filter((row: Stored) => row.yes + row.no > 0);
    const from = new Set(stored.map(({ appName, environment }: Stored) => `${appName} ${environment}`));
    const sum = (count: (row: Stored) => number) =>
      stored.map(count).reduce((one: number, other: number) => one + other, 0);
    const sums = [sum((row) => row.yes), sum((row) => row.no)];
    // How many of the seven answers are yes depends on when the SDK polls.
    return yes > 0 && no > 0 && yes + no >= 9 && isDeepStrictEqual([...from, ...sums], ['page production', yes, no]);
  });
});

test('the browser sent a preflight before it sent a token to another origin, and reported no error', async () => {
  for (const route of ['/api/frontend', '/ofrep/v1/evaluate/flags']) {
    expect(await answered('OPTIONS', route, 204), route).toBeGreaterThan(0);
  }
  expect(await answered('OPTIONS', '/ofrep/v1/streams', 204)).toBe(0);
  expect(complaints).toEqual([]);
});
