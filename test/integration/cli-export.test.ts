/** `vexil export` and `vexil mcp` against a cluster and a running operator, as processes. */
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { aFlag } from '../support/builders.ts';
import { PROGRAM, vexil } from '../support/command-line.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { type Writers, writersOf } from '../support/written-as.ts';

const TOKEN = `*:*.${'5e'.repeat(28)}`;
const GIT = 'kustomize-controller';
const on = { environments: { production: { enabled: true, strategies: { all: { name: 'default' } } } } };

let instance: Instance;
let writers: Writers;
let folder: string;

beforeAll(async () => {
  instance = await startInstance('export', { settings: { VEXIL_AUTH: 'token', VEXIL_ADMIN_TOKEN: TOKEN } });
  writers = writersOf(instance.cluster);
  folder = await mkdtemp(join(tmpdir(), 'vexil-export-'));
  const { home } = instance;
  const flags = [aFlag(`${home}/held`, on), aFlag(`${home}/free`, { description: 'by people' }), aFlag(`${home}/gone`)];
  for (const flag of flags) await writers.apply(flag.metadata.name === 'held' ? GIT : 'kubectl', flag);
  await writers.merge('kubectl-edit', aFlag(`${home}/held`), { type: 'operational' });
  await instance.judged(...flags);
});
afterAll(async () => {
  writers?.close();
  await instance?.stop();
  if (folder) await rm(folder, { recursive: true, force: true });
});

const environment = () => ({ VEXIL_SERVER: instance.url, VEXIL_TOKEN: TOKEN });

async function exported(...args: string[]) {
  const { cluster, home } = instance;
  const connection = ['--kubeconfig', cluster.kubeconfig, '--namespace', home];
  return vexil(['export', ...connection, ...args], { cwd: folder, environment: environment() });
}

test('an export has a file for each flag; a second one makes no difference, and names deleted flags', async () => {
  const { cluster, home } = instance;
  expect(await exported('--to', 'all')).toMatchObject({
    code: 0,
    stdout: '3 files written, 0 unchanged\n',
    stderr: '',
  });
  const file = join(folder, 'all', home, 'featureflags/held.yaml');
  const { spec } = await instance.flag(`${home}/held`);
  expect(parse(await readFile(file, 'utf8'))).toEqual({
    apiVersion: 'vexil.dev/v1beta1',
    kind: 'FeatureFlag',
    metadata: { name: 'held', namespace: home },
    spec,
  });
  const { mtimeMs } = await stat(file);
  await cluster.request({ method: 'DELETE', path: `/apis/vexil.dev/v1beta1/namespaces/${home}/featureflags/gone` });
  const headers = { authorization: TOKEN };
  await expect
    .poll(async () => (await instance.call('GET /projects/shop/features/gone', { headers })).status)
    .toBe(404);
  const gone = `all/${home}/featureflags/gone.yaml`;
  expect((await exported('--to', 'all')).stdout).toBe(
    `${gone}: its flag is not exported any more, delete it or give --prune\n0 files written, 2 unchanged, 1 without a flag\n`,
  );
  expect((await stat(file)).mtimeMs).toBe(mtimeMs);
  expect((await exported('--to', 'all', '--prune')).stdout).toContain(`${gone}: deleted\n`);
  expect(await readdir(join(folder, 'all', home, 'featureflags'))).toEqual(['free.yaml', 'held.yaml']);
});

test('an export of the fields of Git, or of those of users, uses the answer of the server', async () => {
  const { home } = instance;
  const specIn = async (owned: string) => {
    await exported('--to', owned, '--owned-by', owned);
    return parse(await readFile(join(folder, owned, home, 'featureflags/held.yaml'), 'utf8')).spec;
  };
  expect(await specIn('git')).toEqual({ project: 'shop', ...on });
  expect(await specIn('people')).toEqual({ project: 'shop', type: 'operational' });
});

async function connected(...args: string[]): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  const env = { PATH: process.env['PATH'] ?? '', ...environment() };
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [PROGRAM, 'mcp', ...args], env }));
  onTestFinished(() => client.close());
  return client;
}

async function ask(client: Client, name: string, input: Record<string, unknown>): Promise<string> {
  const { content, isError } = await client.callTool({ name, arguments: input });
  const [{ text }] = content as [{ text: string }];
  return isError ? `error: ${text}` : text;
}

test('the tools of vexil mcp read; without --allow-writes none of them writes', async () => {
  const client = await connected();
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(['flags', 'explain', 'history', 'evaluate', 'stale_report']);
  expect(tools.every(({ annotations }) => annotations?.readOnlyHint)).toBe(true);
  expect(JSON.parse(await ask(client, 'flags', { query: 'hel' })).features).toMatchObject([{ name: 'held' }]);
  const explained = JSON.parse(await ask(client, 'explain', { flag: 'held' }));
  expect(explained.feature).toMatchObject({ name: 'held', type: 'operational' });
  expect(JSON.stringify(explained.ownership)).toContain(GIT);
  const input = { flag: 'held', environment: 'production', context: { userId: '7' } };
  expect(JSON.parse(await ask(client, 'evaluate', input))).toMatchObject({ enabled: true, context: { userId: '7' } });
  expect(await ask(client, 'evaluate', { ...input, at: '2030' })).toMatch(/^error: .*must be a time with a zone/);
  expect(JSON.parse(await ask(client, 'history', { flag: 'held' })).events).toBeInstanceOf(Array);
  expect(JSON.parse(await ask(client, 'stale_report', {}))).toHaveProperty('total');
  expect(await ask(client, 'evaluate', { flag: 'hold' })).toContain('Did you mean "held"?');
  expect(await ask(client, 'flags', { limit: 0 })).toMatch(/^error: the input of flags is not valid/);
  expect(await ask(client, 'switch', { ...input, enabled: false })).toContain('--allow-writes');
});

test('a switch needs its dry run first, and is refused if Git owns it', async () => {
  const client = await connected('--allow-writes');
  const { home } = instance;
  const read = async () => (await instance.flag(`${home}/free`)).spec;
  await writers.merge('kubectl-edit', aFlag(`${home}/free`), {
    environments: { production: { strategies: { all: { name: 'default' } } } },
  });
  const input = { flag: 'free', environment: 'production', enabled: true };
  await instance.judged(aFlag(`${home}/free`));
  const before = await read();
  expect(await ask(client, 'switch', { ...input, confirm: true })).toMatch(/^error: call it without confirm first/);
  expect(await ask(client, 'switch', input)).toContain('enabled: true');
  expect(await read()).toEqual(before);
  expect(await ask(client, 'switch', { ...input, confirm: true })).toBe('The flag is switched on in production.');
  expect((await read()).environments.production.enabled).toBe(true);
  const refused = await ask(client, 'switch', { ...input, flag: 'held', enabled: false });
  expect(refused).toMatch(/^error: .*kustomize-controller/);
  expect(refused).toContain('enabled: false');
});

test('a ramp needs its dry run first, is changed only by its times, and is refused if it cannot change', async () => {
  const client = await connected('--allow-writes');
  const { home } = instance;
  const ramp = { steps: [{ rollout: 5, for: '24h' }, { rollout: 100 }] };
  const strategies = { gradual: { name: 'flexibleRollout', ramp } };
  await writers.apply(GIT, aFlag(`${home}/rising`, { environments: { production: { strategies } } }));
  await instance.judged(aFlag(`${home}/rising`));
  const read = async () => (await instance.flag(`${home}/rising`)).spec.environments.production.strategies.gradual;
  const input = { flag: 'rising', environment: 'production', action: 'start' };
  expect(await ask(client, 'ramp', { ...input, confirm: true })).toMatch(/^error: call it without confirm first/);
  expect(await ask(client, 'ramp', input)).toContain('startAt: ');
  expect(await ask(client, 'ramp', { ...input, action: 'abort', confirm: true })).toMatch(/^error: call it without/);
  expect(await read()).toEqual(strategies.gradual);
  const confirmed = { ...input, strategy: 'gradual', confirm: true };
  expect(await ask(client, 'ramp', confirmed)).toBe('The ramp in production is changed: start.');
  expect(await read()).toEqual({ ...strategies.gradual, ramp: { ...ramp, startAt: expect.any(String) } });
  expect(await ask(client, 'ramp', input)).toMatch(/^error: .*The ramp is Running\. Skip to step 1 to begin again\./);
  expect(await ask(client, 'ramp', { ...input, action: 'skip' })).toMatch(/^error: .*step/);
  expect(await ask(client, 'ramp', { ...input, flag: 'held' })).toContain('there is no strategy with a ramp');
});
