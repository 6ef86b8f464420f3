/** `vexil import --from-url` as a program: it is patient, goes on after an interruption, and writes to a cluster. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { PROGRAM, vexil } from '../support/command-line.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import {
  type ScriptedUnleash,
  scriptedFlag,
  scriptedWorld,
  startScriptedUnleash,
} from '../support/scripted-unleash.ts';

let instance: Instance;
beforeAll(async () => {
  instance = await startInstance('import-server');
});
afterAll(() => instance.stop());

let folder: string;
let old: ScriptedUnleash | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vexil-import-'));
});
afterEach(async () => {
  await old?.stop();
  await rm(folder, { recursive: true, force: true });
});

const SECRET = '*:production.0123456789abcdef0123456789abcdef';
const environment = { UNLEASH_TOKEN: 'an-admin-token' };
const run = (server: ScriptedUnleash, ...args: readonly string[]) =>
  vexil(['import', '--from-url', server.url, ...args], { cwd: folder, environment });

async function started(answers: Readonly<Record<string, unknown>>): Promise<ScriptedUnleash> {
  old = await startScriptedUnleash(answers);
  return old;
}

test('goes on after an interruption without asking again for what it has read', async () => {
  const names = Array.from({ length: 40 }, (_, index) => `flag-${index}`);
  const server = await started(scriptedWorld(names));
  const hanging = new Promise<void>((resolve) => {
    server.answers.set('/projects/shop/features/flag-30', () => resolve());
  });
  const child = spawn(process.execPath, [PROGRAM, 'import', '--from-url', server.url, '--to', 'flags'], {
    cwd: folder,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  await hanging;
  child.kill('SIGINT');
  expect(await once(child, 'exit')).toEqual([130, null]);
  const before = server.calls.length;
  server.answers.set('/projects/shop/features/flag-30', scriptedFlag('flag-30'));
  const { code, stderr } = await run(server, '--to', 'flags');
  expect([code, stderr]).toEqual([0, expect.stringContaining('flags are here from an interrupted reading')]);
  const again = server.calls.slice(before).filter((path) => path.includes('/features/flag-'));
  expect(again.length).toBeLessThan(20);
  expect(await readFile(join(folder, 'flags/shop/featureflags/flag-29.yaml'), 'utf8')).toContain("rollout: '50'");
  await expect(stat(join(folder, 'flags/.vexil-import.ndjson'))).rejects.toThrow('ENOENT');
});

test('waits as long as a busy server asks, and reads on', async () => {
  const server = await started(scriptedWorld(['busy']));
  let refusals = 0;
  server.answers.set('/projects/shop/features/busy', (_: unknown, response: import('node:http').ServerResponse) => {
    refusals += 1;
    if (refusals === 1) return response.writeHead(429, { 'Retry-After': '2' }).end();
    return response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(scriptedFlag('busy')));
  });
  const { code, stderr } = await run(server, '--to', 'flags');
  expect([code, refusals]).toEqual([0, 2]);
  expect(stderr).toContain('it answers 429: the next attempt is in 2 s');
});

test.each<[string, unknown, string, number]>([
  ['a wrong token', 401, 'does not accept the token (401): it must be an admin token', 77],
  ['another address', 302, 'leads to another address (302)', 69],
  ['a web page', '<html>', 'answers a web page: is it the address of Unleash?', 69],
  ['another form', { environments: 7 }, 'answers in a form that is not known (environments:', 69],
])('says what is wrong with %s, without the token', async (_, answer, message, status) => {
  const server = await started(scriptedWorld([]));
  server.answers.set('/environments', (_request: unknown, response: import('node:http').ServerResponse) => {
    if (typeof answer === 'number') return response.writeHead(answer, { Location: 'http://127.0.0.1:1/' }).end();
    return response.end(typeof answer === 'string' ? answer : JSON.stringify(answer));
  });
  const { code, stderr } = await run(server, '--to', 'flags');
  expect([code, stderr]).toEqual([status, expect.stringContaining(message)]);
  expect(stderr).not.toContain(environment.UNLEASH_TOKEN);
});

test('keeps the values of tokens out of the folder for Git', async () => {
  const server = await started(scriptedWorld([]));
  const { code, stderr } = await run(server, '--to', 'flags', '--secrets', 'flags/tokens.yaml');
  expect([code, stderr]).toEqual([64, expect.stringContaining('keep the values of tokens out of the folder for Git')]);
  expect(server.calls).toEqual([]);
});

test('writes to the cluster, again after a change there, and not over a change here', async () => {
  const { home, cluster } = instance;
  const token = { secret: SECRET, tokenName: 'backend', type: 'client', environment: 'production', projects: ['*'] };
  const server = await started({ ...scriptedWorld(['first', 'second'], 'moved'), '/api-tokens': { tokens: [token] } });
  const apply = () =>
    run(server, '--apply', '--yes', '-n', home, '--operator-namespace', home, '--kubeconfig', cluster.kubeconfig);
  const created = await apply();
  expect([created.code, created.stderr, created.stdout]).toEqual([
    0,
    expect.anything(),
    expect.stringContaining('create 2 FeatureFlags'),
  ]);
  const read = async (name: string) => (await instance.flag(`${home}/${name}`)).spec;
  expect((await read('first')).environments.production).toMatchObject({ enabled: true });
  expect((await instance.specOf('apitoken', `${home}/backend`)).secretRef).toEqual({ name: 'backend-imported' });
  const features = await fetch(`${instance.url}/api/client/features`, { headers: { Authorization: SECRET } });
  expect(features.status).toBe(200);

  // The old server loses a strategy and its flag goes off; the console switches the other one off here.
  const off = { name: 'production', enabled: false, strategies: [], variants: [] };
  server.answers.set('/projects/moved/features/first', scriptedFlag('first', { environments: [off] }));
  const path = `/projects/moved/features/second/environments/production/off`;
  expect((await instance.call(`POST ${path}`)).status).toBe(200);
  const second = await apply();
  expect([second.code, second.stdout]).toEqual([1, expect.stringContaining('1 object written')]);
  expect(second.stdout).toContain('is owned by "vexil-api" with another value');
  expect((await read('first')).environments.production).toEqual({ enabled: false });
  expect((await read('second')).environments.production.enabled).toBe(false);
});

test('asks before it writes to the cluster', async () => {
  const server = await started(scriptedWorld(['asked'], 'asked'));
  const { home, cluster } = instance;
  const args = ['--apply', '-n', home, '--operator-namespace', home, '--kubeconfig', cluster.kubeconfig];
  const { code, stderr } = await run(server, ...args);
  expect([code, stderr]).toEqual([64, expect.stringContaining('give --yes')]);
  await writeFile(join(folder, 'none'), '');
  expect((await cluster.kubectl(['get', 'featureflag', 'asked', '-n', home])).code).toBe(1);
});
