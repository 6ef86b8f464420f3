/** `vexil edge check` says what would be served and from where, and what is wrong. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkEdge } from '../../../src/edge/check.ts';
import { readEdgeSettings } from '../../../src/edge/settings.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../../support/scripted-upstream.ts';

const TOKEN = '*:production.0123456789abcdef0123456789';
let upstream: ScriptedUpstream;

beforeEach(async () => {
  upstream = await startScriptedUpstream();
  upstream.tokens.add(TOKEN);
  upstream.serve('one', 'two');
});
afterEach(() => upstream.stop());

const check = (urls: string, tokens: string) =>
  checkEdge(readEdgeSettings({ upstreamUrl: urls, tokens }, {}), { version: 'test', environment: {} });

test('each upstream with its tokens', async () => {
  expect(await check(upstream.url, TOKEN)).toEqual({
    isGood: true,
    text: `${upstream.url}\n  client token: production, all projects: 2 flags, 2 of them on\n`,
  });
});

test('an upstream that is away, and a token that is not known, without its value', async () => {
  const { isGood, text } = await check(
    `${upstream.url},http://127.0.0.1:1`,
    `${TOKEN},*:production.secret-of-a-person`,
  );
  expect(isGood).toBe(false);
  expect(text).toContain('1 of 2 tokens: not known there, or not for SDKs');
  expect(text).toMatch(/^http:\/\/127\.0\.0\.1:1\n {2}cannot be read: .*cannot be reached/m);
  expect(text).not.toMatch(/secret-of|0123456789/);
});

test('files in place of an upstream: what each token gets, and files that cannot be used', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'vexil-check-'));
  const checkFiles = (name: string) =>
    checkEdge(readEdgeSettings({ from: join(folder, name), tokens: `${TOKEN},shop:staging.of-a-person` }, {}), {
      ...{ version: 'test', environment: {} },
    });
  const features = ['shop', 'pay'].map((project) => ({ name: project, project, enabled: true, strategies: [] }));
  await writeFile(join(folder, 'all.json'), JSON.stringify(features));
  expect(await checkFiles('all.json')).toEqual({
    isGood: true,
    text: `${folder}/all.json
  token: production, all projects: 2 flags, 2 of them on
  token: staging, projects shop: 1 flags, 1 of them on
`,
  });
  const query = { environment: 'production' };
  await writeFile(join(folder, 'production.json'), JSON.stringify({ version: 2, features, query }));
  const { isGood, text } = await checkFiles('production.json');
  expect(isGood).toBe(false);
  expect(text).toContain('token: staging, projects shop: the files have no flags for this environment');
  for (const name of ['absent.json', 'broken.json']) {
    await writeFile(join(folder, 'broken.json'), '{');
    expect(await checkFiles(name)).toMatchObject({ isGood: false, text: expect.stringContaining('cannot be used: ') });
  }
  await rm(folder, { recursive: true });
});
