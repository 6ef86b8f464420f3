/** The console with 10,000 flags in a project: the time until the first rows appear, and the results of a search. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { aFlag } from '../../support/builders.ts';
import { launchChromium } from '../../support/chromium.ts';
import { createMany } from '../../support/create-many.ts';
import { startInstance } from '../../support/instance.ts';
import { startLimitedReplica } from '../../support/limited-replica.ts';
import type { Replica } from '../../support/replica.ts';
import { untilJudged } from '../../support/until-judged.ts';

const FLAGS = 10_000;
const TRIES = 5;
/** The limit in docs/console.md. */
const MAX_FIRST_ROWS_MS = 1_500;
const MAX_SEARCH_MS = 500;

let replica: Replica;
let stop: (() => Promise<void>) | undefined;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  browser = await launchChromium();
  const instance = await startInstance('large');
  await instance.stop();
  const everyone = { strategies: { all: { name: 'default' } } };
  const flags = Array.from({ length: FLAGS }, (_, index) =>
    aFlag(`${instance.home}/flag-${`${index}`.padStart(5, '0')}`, {
      description: `The flag with the number ${index}`,
      environments: { development: { enabled: index % 3 === 0, ...everyone }, production: everyone },
    }),
  );
  await createMany(instance.cluster, flags);
  ({ replica, stop } = await startLimitedReplica(instance));
  await untilJudged(replica, ['FeatureFlag']);
  page = await browser.newPage();
}, 1_200_000);
afterAll(async () => {
  await browser?.close();
  await stop?.();
});

const rowOf = (name: string) => page.getByRole('row', { name: new RegExp(name) });

/** The shortest of several tries: a busy machine makes some of them slow, but more work makes all of them slow. */
async function fastestMs(work: (index: number) => Promise<void>): Promise<number> {
  const took: number[] = [];
  for (let index = 0; index < TRIES; index += 1) {
    const start = performance.now();
    await work(index);
    took.push(performance.now() - start);
  }
  return Math.min(...took);
}

test(`the first rows appear within ${MAX_FIRST_ROWS_MS} ms`, async () => {
  const ms = await fastestMs(async () => {
    await page.goto(`${replica.url}/projects/shop`);
    await rowOf('flag-00000').waitFor();
  });
  process.stdout.write(`first rows of ${FLAGS} flags: ${Math.round(ms)} ms\n`);
  expect(ms).toBeLessThan(MAX_FIRST_ROWS_MS);
});

test(`a search answers within ${MAX_SEARCH_MS} ms`, async () => {
  const search = page.getByLabel('Search');
  const ms = await fastestMs(async (index) => {
    await search.fill(`0${index}99`);
    await rowOf(`flag-0${index}990`).waitFor();
    await rowOf('flag-00000').waitFor({ state: 'detached' });
  });
  process.stdout.write(`search in ${FLAGS} flags: ${Math.round(ms)} ms\n`);
  expect(ms).toBeLessThan(MAX_SEARCH_MS);
});

test('a filter by owner checks every flag', async () => {
  const start = performance.now();
  await page.goto(`${replica.url}/projects/shop?show=ineffective`);
  await page.getByText('No flag matches the search.').waitFor();
  process.stdout.write(`filter of ${FLAGS} flags: ${Math.round(performance.now() - start)} ms\n`);
});
