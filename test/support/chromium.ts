/** A real Chromium without a window. */
import { access } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env } from 'node:process';
import packaged from '@sparticuz/chromium';
import { type Browser, chromium } from 'playwright-core';
import { withLock } from '../../scripts/tools/lock.ts';

const INSTALLED = '/usr/bin/chromium';

/**
 * Starts the program that `VEXIL_BROWSER` names; otherwise the one of the machine, or the one of the npm package. The
 * caller closes it.
 */
export async function launchChromium(): Promise<Browser> {
  // The arguments of the package switch off the web security that tests check.
  return chromium.launch({
    executablePath: await findChromium(),
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
  });
}

async function findChromium(): Promise<string> {
  const named = env['VEXIL_BROWSER'];
  if (named !== undefined) return named;
  const isInstalled = await access(INSTALLED).then(
    () => true,
    () => false,
  );
  // The package takes a file that another process still unpacks for the whole program.
  return isInstalled ? INSTALLED : withLock(join(tmpdir(), 'vexil-chromium.lock'), () => packaged.executablePath());
}
