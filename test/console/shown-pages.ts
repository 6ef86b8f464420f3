/** The open pages of a test file. What they show is printed if a test fails. */
import { stderr } from 'node:process';
import type { Page } from 'playwright-core';
import { afterAll, afterEach } from 'vitest';

const shown = new Set<Page>();
const MAX_CHARACTERS = 4000;

/** Keeps the page until it is closed. */
export function keepShown(page: Page): Page {
  shown.add(page);
  page.on('close', () => shown.delete(page));
  return page;
}

/** Call it in each test file, outside of its tests. */
export function printShownPages(): void {
  afterEach(async ({ task }) => {
    if (task.result?.state !== 'fail') return;
    for (const page of shown) {
      const text = await page.locator('body').innerText({ timeout: 5_000 });
      stderr.write(`${task.name}: ${page.url()}\n${text.slice(0, MAX_CHARACTERS)}\n`);
    }
  });
  afterAll(() => shown.clear());
}
