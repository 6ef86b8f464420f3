/** `vexil archive` and `vexil plan` report the applications that use a flag before it is removed. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runArchive } from '../../cli/flags/archive.ts';
import { silentTerminal } from '../../cli/terminal.ts';
import { aFlag, aProject } from '../support/builders.ts';
import { vexil } from '../support/command-line.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { openStoredUsage, usageFile } from '../support/stored-usage.ts';
import { type Writers, writersOf } from '../support/written-as.ts';

const TOKEN = `*:*.${'8e'.repeat(28)}`;
const GIT = 'kustomize-controller';
const ASKED = 'Applications that asked for the flag in the last 24 hours: till, web.\n';
const names = ['asked', 'answered', 'guarded', 'stowed', 'dropped'];

let instance: Instance;
let writers: Writers;
let folder: string;
let file: Awaited<ReturnType<typeof usageFile>>;

beforeAll(async () => {
  file = await usageFile();
  folder = await mkdtemp(join(tmpdir(), 'vexil-archive-'));
  const settings = { ...file.settings, VEXIL_USAGE_REFRESH: '200ms', VEXIL_AUTH: 'token', VEXIL_ADMIN_TOKEN: TOKEN };
  instance = await startInstance('cli-archive', { settings });
  writers = writersOf(instance.cluster);
  const { home } = instance;
  const flags = [
    ...[aFlag(`${home}/asked`), aFlag(`${home}/quiet`), aFlag(`${home}/answered`)],
    aFlag(`${home}/guarded`, { project: 'strict' }),
  ];
  await instance.apply(aProject(`${home}/strict`, { usedFlags: 'Refuse' }), ...flags);
  const ofGit = ['stowed', 'dropped', 'idle'].map((name) => aFlag(`${home}/${name}`));
  for (const flag of ofGit) await writers.apply(GIT, flag);
  await instance.judged(...ofGit);
  const usage = openStoredUsage(file.url);
  for (const name of names) {
    const { uid: flagUid } = (await instance.flag(`${home}/${name}`)).metadata;
    for (const [appName, environment] of [
      ['web', 'production'],
      ['till', 'development'],
    ] as const) {
      const now = Date.now();
      usage.count({ flagUid, appName, environment, yes: 1, no: 0, at: now, arrivedAt: now, variants: new Map() });
    }
  }
  await usage.flush();
  await usage.close();
  const isInUse = async (name: string) =>
    ((await instance.flag(`${home}/${name}`)).status.conditions as { reason: string }[]).some(
      ({ reason }) => reason === 'InUse',
    );
  await waitUntil({ what: 'the statuses say who asks' }, async () =>
    (await Promise.all(names.map(isInUse))).every(Boolean),
  );
});
afterAll(async () => {
  writers?.close();
  await instance?.stop();
  await file?.remove();
  await rm(folder, { recursive: true, force: true });
});

const archive = (...args: string[]) =>
  vexil(['archive', ...args], { environment: { VEXIL_SERVER: instance.url, VEXIL_TOKEN: TOKEN } });
const isArchived = async (name: string) => (await instance.flag(`${instance.home}/${name}`)).spec.archived === true;

test('without a terminal it names the applications, and archives only with --yes', async () => {
  const refused = await archive('asked');
  expect(refused).toMatchObject({ code: 64, stdout: '' });
  expect(refused.stderr).toMatch(/^Applications that asked .*: till, web\.\nwarning: .*production.*, by web\n/);
  expect(refused.stderr).toContain('standard input is no terminal to confirm it at, give --yes');
  expect(await isArchived('asked')).toBe(false);

  const done = await archive('asked', '--yes', '--output', 'json');
  expect(done.code).toBe(0);
  expect(JSON.parse(done.stdout)).toEqual({
    ...{ project: 'shop', feature: 'asked', archived: true, applications: ['till', 'web'] },
  });
  expect(await isArchived('asked')).toBe(true);
  const quiet = await archive('quiet', '--yes');
  expect(quiet).toMatchObject({ code: 0, stdout: 'shop/quiet is archived\n' });
  expect(quiet.stderr).toBe('No application asked for the flag in the last 24 hours.\n');
});

test('at a terminal it asks, and archives only on yes', async () => {
  const output = { text: '' };
  const answer = async (said: string) => {
    output.text = '';
    const add = (text: string) => {
      output.text += text;
    };
    const ask = (question: string) => {
      add(`${question}\n`);
      return Promise.resolve(said);
    };
    const environment = { VEXIL_TOKEN: TOKEN };
    const options = { server: instance.url, yes: false, force: false, handOver: false, patch: false } as const;
    const terminal = { ...silentTerminal, environment, ask, write: add, writeError: add };
    await runArchive('answered', { ...options, output: 'text' }, terminal);
  };
  for (const said of ['', 'n', 'yesterday']) await expect(answer(said)).rejects.toThrow('nothing was changed');
  expect(await isArchived('answered')).toBe(false);
  expect(output.text).toContain(`${ASKED}warning: `);
  expect(output.text).toContain('Archive shop/answered? It goes off in all environments. [y/N]');
  await answer('y');
  expect(await isArchived('answered')).toBe(true);
});

test('a project that refuses the removal needs --force', async () => {
  const refused = await archive('guarded', '--yes');
  expect([refused.code, refused.stdout]).toEqual([1, '']);
  expect(refused.stderr).toContain('The project "strict" refuses its removal.');
  expect(await isArchived('guarded')).toBe(false);
  expect((await archive('guarded', '--yes', '--force')).code).toBe(0);
  expect(await isArchived('guarded')).toBe(true);
});

test('a flag of Git is not archived, and the change for Git is printed', async () => {
  const { home } = instance;
  await writers.apply(GIT, aFlag(`${home}/idle`, { archived: false }));
  await instance.judged(aFlag(`${home}/idle`));
  const refused = await archive('idle', '--yes');
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain('vexil archive idle --patch');
  expect((await archive('idle', '--patch')).stdout).toContain('archived: true');
  expect(await isArchived('idle')).toBe(false);
});

test('plan marks flags in use that would be removed', async () => {
  const { home, cluster } = instance;
  const path = join(folder, 'plan.json');
  await writeFile(path, JSON.stringify(aFlag(`${home}/stowed`, { archived: true })));
  const plan = (...args: string[]) =>
    vexil(['plan', '-f', path, '--field-manager', GIT, '--prune', ...args], {
      environment: { KUBECONFIG: cluster.kubeconfig },
    });
  const [text, json] = [await plan(), await plan('--output', 'json')];
  expect([text.code, json.code]).toEqual([2, 2]);
  expect(
    JSON.parse(json.stdout).plans.map((one: { action: string; name: string; used?: string }) => [
      ...[one.action, one.name, one.used],
    ]),
  ).toEqual([
    ['change', 'stowed', expect.stringContaining('web')],
    ['delete', 'dropped', expect.stringContaining('web')],
    ['delete', 'idle', undefined],
  ]);
  expect(text.stdout).toMatch(/\n {2}! the flag is in use: Asked for in the last 24 hours: .*web/);
});
