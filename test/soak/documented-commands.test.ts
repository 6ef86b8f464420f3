/**
 * Commands between the demo comments of README.md and docs/ succeed, and print the documented output, when the demo
 * runs them.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, test } from 'vitest';
import { readSettings } from '../demo/settings.ts';
import { type Demo, startDemo } from '../demo/start-demo.ts';
import { demoPages, runDocumented } from '../support/documented-commands.ts';

const START_MS = 120_000;

let demo: Demo;
let url: string;
let folder: string;

beforeAll(async () => {
  const { VEXIL_CONTROL_PLANE } = process.env;
  const settings = await readSettings({ VEXIL_CONTROL_PLANE, VEXIL_HTTP_PORT: '0' });
  url = settings.url;
  demo = await startDemo({ settings, say: () => undefined, signal: new AbortController().signal });
  folder = await mkdtemp(join(tmpdir(), 'vexil-documented-'));
}, START_MS);
afterAll(async () => {
  await demo?.stop();
  if (folder) await rm(folder, { recursive: true });
});

test.each(demoPages())('%s', (page) => runDocumented({ page, folder, demo: { exports: demo.exports, url } }));
