/** The edge after a crash, without its upstream: it serves what it had, and nothing that is damaged. */
import { lstat, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { waitUntil } from '../../support/control-plane/wait-until.ts';
import { type EdgeProgram, startEdgeProgram } from '../../support/edge-program.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../../support/scripted-upstream.ts';

const TOKEN = '*:production.0123456789abcdef0123456789';
let folder: string;
let upstream: ScriptedUpstream;
let edge: EdgeProgram;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vexil-backup-'));
  upstream = await startScriptedUpstream();
  upstream.tokens.add(TOKEN);
  upstream.serve('one', 'two');
  await start();
  const isKept = async () => (await readdir(folder)).filter((name) => name.endsWith('.json')).length === 2;
  await waitUntil({ what: 'the state is kept', everyMs: 20 }, isKept);
  await edge.end('SIGKILL');
  await upstream.stop();
});
afterEach(async () => {
  await edge.end('SIGTERM');
  await rm(folder, { recursive: true });
});

async function start(settings: Readonly<Record<string, string>> = {}): Promise<void> {
  edge = await startEdgeProgram({ UPSTREAM_URL: upstream.url, TOKENS: TOKEN, BACKUP_FOLDER: folder, ...settings });
}

const ask = () => fetch(`${edge.url}/api/client/features`, { headers: { authorization: TOKEN } });

test('serves the last good state within a second, says its age, and is ready', async () => {
  await start();
  const began = performance.now();
  await waitUntil({ what: 'the first answer', everyMs: 5 }, async () => (await ask()).status === 200);
  expect(performance.now() - began).toBeLessThan(1_000);
  const answer = await ask();
  const { features } = (await answer.json()) as { features: { name: string }[] };
  expect(features.map(({ name }) => name)).toEqual(['one', 'two']);
  expect(Date.parse(answer.headers.get('vexil-good-at') ?? '')).toBeLessThan(Date.now());
  expect((await fetch(`${edge.url}/ready`)).status).toBe(200);
});

test('writes through no link in its folder', async () => {
  const victim = join(folder, 'victim');
  await writeFile(victim, 'mine');
  const kept = (await readdir(folder)).filter((name) => name.endsWith('.json'));
  for (const name of kept) await symlink(victim, join(folder, `${name}.tmp`));
  upstream = await startScriptedUpstream();
  upstream.tokens.add(TOKEN);
  upstream.serve('three');
  await start();
  const isWritten = async () => {
    const texts = await Promise.all(kept.map((name) => readFile(join(folder, name), 'utf8')));
    return texts.some((text) => text.includes('three'));
  };
  await waitUntil({ what: 'the new state is kept', everyMs: 20 }, isWritten);
  expect(await readFile(victim, 'utf8')).toBe('mine');
  for (const name of kept) expect((await lstat(join(folder, name))).isSymbolicLink()).toBe(false);
  await upstream.stop();
});

test('serves on while its folder cannot be written, and says so once', async () => {
  upstream = await startScriptedUpstream();
  upstream.tokens.add(TOKEN);
  upstream.serve('one');
  await start({ FEATURES_REFRESH_INTERVAL_SECONDS: '1' });
  const logged = (text: string) => edge.lines.filter((line) => line.includes(text)).length;
  await rename(folder, `${folder}-away`);
  for (const name of ['three', 'four', 'five']) {
    upstream.serve(name);
    const isServed = async () => (await (await ask()).text()).includes(name);
    await waitUntil({ what: `${name} is served`, everyMs: 20 }, isServed);
  }
  await waitUntil({ what: 'the log says so', everyMs: 20 }, async () => logged('backup: cannot be written') > 0);
  await rename(`${folder}-away`, folder);
  await waitUntil({ what: 'it is written again', everyMs: 20 }, async () => logged('backup: is written again') > 0);
  expect(logged('backup: cannot be written')).toBe(1);
  const texts = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')));
  expect(texts.join('')).toContain('five');
  await upstream.stop();
});

test('is not ready with a state that is older than the longest staleness, and serves it all the same', async () => {
  await start({ VEXIL_EDGE_MAX_STALENESS: '1ms' });
  await waitUntil({ what: 'the first answer', everyMs: 5 }, async () => (await ask()).status === 200);
  const ready = await fetch(`${edge.url}/internal-backstage/ready`);
  expect([ready.status, await ready.text()]).toEqual([
    503,
    expect.stringContaining('the flags of production are those of'),
  ]);
});

test('does not trust a token that was confirmed too long ago', async () => {
  await start({ VEXIL_EDGE_TRUST_TOKENS_FOR: '1ms' });
  expect((await ask()).status).toBe(503);
});

test('moves a damaged file aside, names it, and does not serve it', async () => {
  const [name = ''] = (await readdir(folder)).filter((one) => one.startsWith('flags-'));
  const text = await readFile(join(folder, name), 'utf8');
  await writeFile(join(folder, name), text.replace('"one"', '"eno"'));
  await start();
  expect((await ask()).status).toBe(503);
  expect((await fetch(`${edge.url}/ready`)).status).toBe(503);
  expect((await readdir(folder)).filter((one) => one.startsWith(`${name}.damaged-`)).length).toBe(1);
  expect(edge.lines.find((line) => line.includes('backup: a damaged file'))).toContain(name);
});

test('no file has the value of a token', async () => {
  const texts = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')));
  expect(texts.join('')).not.toContain('0123456789abcdef');
  await start();
});
