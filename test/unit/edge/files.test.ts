/** The edge without an upstream: documents, bootstrap files and manifests, which are read again when they change. */
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { edgeDocuments } from '../../../cli/evaluate/edge-documents.ts';
import { silentTerminal } from '../../../cli/terminal.ts';
import { waitUntil } from '../../support/control-plane/wait-until.ts';
import { type RunningEdge, startEdge } from '../../support/running-edge.ts';
import { documentOf } from '../../support/scripted-upstream.ts';

const PRODUCTION = '*:production.0123456789abcdef0123456789';
const DEVELOPMENT = '*:development.0123456789abcdef0123456789';
const patience = { everyMs: 20 };
let folder: string;
let edge: RunningEdge | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vexil-files-'));
});
afterEach(async () => {
  await edge?.stop();
  edge = undefined;
  await rm(folder, { recursive: true });
});

const file = (name: string) => join(folder, name);
const write = (name: string, content: unknown) =>
  writeFile(file(name), typeof content === 'string' ? content : JSON.stringify(content));

async function start(from: string, tokens = PRODUCTION): Promise<void> {
  const readManifests = (path: string) => edgeDocuments(path, { ...silentTerminal, now: Date.now });
  edge = await startEdge({ BOOTSTRAP_FILE: from, TOKENS: tokens }, { readManifests });
}

const ask = (token: string) => fetch(`${edge?.url}/api/client/features`, { headers: { authorization: token } });

async function statesFor(token = PRODUCTION): Promise<string> {
  const answer = await ask(token);
  if (answer.status !== 200) return `${answer.status}`;
  const { features } = (await answer.json()) as { features: { name: string; enabled: boolean }[] };
  return features.map(({ name, enabled }) => `${name} ${enabled}`).join(', ');
}

test('an answer of client/features is for its environment, and other tokens are refused', async () => {
  await write('flags.json', { ...documentOf('one'), query: { environment: 'production' } });
  await start(file('flags.json'), `${PRODUCTION},${DEVELOPMENT}`);
  expect([
    await statesFor(),
    await statesFor(DEVELOPMENT),
    await statesFor('*:production.another-token-value'),
  ]).toEqual(['one true', '503', '401']);
});

test('a bootstrap file of an SDK is for each environment; a change is taken, and a broken file keeps the last state', async () => {
  await write('flags.json', documentOf('one').features);
  await start(file('flags.json'), `${PRODUCTION},${DEVELOPMENT}`);
  expect([await statesFor(), await statesFor(DEVELOPMENT)]).toEqual(['one true', 'one true']);
  const goodAt = async () => Date.parse((await ask(PRODUCTION)).headers.get('vexil-good-at') ?? '');
  const before = await goodAt();
  await waitUntil({ what: 'the unchanged file is still good', ...patience }, async () => (await goodAt()) > before);
  await write('flags.json', '{"features": [');
  await waitUntil({ what: 'the broken file is noticed', ...patience }, async () =>
    edge?.log.some(({ msg }) => msg === 'files: cannot be used, the last good state stays'),
  );
  expect(await statesFor()).toBe('one true');
  await write('flags.json', documentOf('two').features);
  await waitUntil({ what: 'the change is served', ...patience }, async () => (await statesFor()) === 'two true');
  await write('flags.json', '{"features": [');
  await waitUntil({ what: 'the same fault is named again', ...patience }, async () =>
    edge ? edge.log.filter(({ msg }) => `${msg}`.startsWith('files: cannot be used')).length === 2 : false,
  );
});

test('two files for the same environment are refused, because the flags of one would be missing', async () => {
  for (const name of ['a', 'b']) await write(`${name}.json`, documentOf(name));
  await expect(start(folder)).rejects.toThrow(`${file('a.json')} and ${file('b.json')} are both for any environment`);
});

test('is not ready without flags for the environment of a token', async () => {
  await write('flags.json', { ...documentOf('one'), query: { environment: 'production' } });
  await start(file('flags.json'), `${PRODUCTION},${DEVELOPMENT}`);
  const ready = await fetch(`${edge?.url}/ready`);
  expect([ready.status, await ready.text()]).toEqual([
    503,
    expect.stringContaining('the files have no flags for development'),
  ]);
  expect(await (await ask(DEVELOPMENT)).text()).toContain('The files have none');
});

const platform = `
apiVersion: vexil.dev/v1beta1
kind: Environment
metadata: { name: production }
spec: { type: production }
---
apiVersion: vexil.dev/v1beta1
kind: Project
metadata: { name: default }
spec: { displayName: Default }
`;
const flag = (name: string, environment: string) => `
apiVersion: vexil.dev/v1beta1
kind: FeatureFlag
metadata: { name: ${name} }
spec:
  environments:
    production: ${environment}
`;

test('manifests are judged as by lint: a flag without a strategy is off, and a window closes in time', async () => {
  const window = (until: number) =>
    flag(
      'c-window',
      `{ enabled: true, activeUntil: "${new Date(until).toISOString()}", strategies: { all: { name: default } } }`,
    );
  await write('platform.yaml', platform);
  await write('on.yaml', flag('a-on', '{ enabled: true, strategies: { all: { name: default } } }'));
  await write('none.yaml', flag('b-none', '{ enabled: true }'));
  await write('window.yaml', window(Date.now() + 3_600_000));
  await start(folder);
  expect(await statesFor()).toBe('a-on true, b-none false, c-window true');
  const until = Math.ceil(Date.now() / 1000) * 1000 + 1_000;
  await write('window.yaml', window(until));
  await waitUntil(
    { what: 'the window closes', ...patience },
    async () => (await statesFor()) === 'a-on true, b-none false, c-window false',
  );
  expect(Date.now()).toBeGreaterThanOrEqual(until);
});

test('manifests that the API server would reject, and tokens that do not say what they are for, end the start', async () => {
  await write('platform.yaml', platform);
  await write('flag.yaml', flag('bad', '{ enabled: "perhaps" }'));
  await expect(start(folder)).rejects.toThrow('the API server would reject these manifests');
  await write('flags.json', documentOf('one'));
  await expect(start(file('flags.json'), 'secret-of-production')).rejects.toThrow('a token must say what it is for');
});

test('links within the folder are followed, as those of a mounted ConfigMap, also if one leads to a folder above', async () => {
  await mkdir(file('..data'));
  await write(join('..data', 'flags.json'), documentOf('one'));
  await symlink(join('..data', 'flags.json'), file('flags.json'));
  // Two links to the folder would be 2^40 paths.
  await symlink('.', file('here'));
  await symlink('.', file('there'));
  await start(folder);
  expect(await statesFor()).toBe('one true');
});

test.each([
  ['a file elsewhere', '/proc/self/environ', 'leads out of the folder'],
  ['a device without an end', '/dev/zero', 'leads out of the folder'],
])('a link to %s is refused', async (_, target, why) => {
  await write('flags.json', documentOf('one'));
  await symlink(target, file('other.json'));
  await expect(start(folder)).rejects.toThrow(why);
});

test('a file that is a device is refused', async () => {
  await symlink('/dev/zero', file('flags.json'));
  await expect(start(file('flags.json'))).rejects.toThrow('is no plain file');
});
