/** Kubeconfig files are merged as kubectl merges them. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { createCredentialSource } from '../../../../src/kube/api/credentials.ts';
import { loadKubeConfig } from '../../../../src/kube/api/kubeconfig.ts';

let folder: string;
const path = (name: string) => join(folder, name);
const list = (...names: string[]) => names.map(path).join(delimiter);

/** Writes a kubeconfig with a cluster, a user and a context for each name. */
async function write(name: string, contexts: readonly string[], current?: string): Promise<void> {
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    ...(current !== undefined && { 'current-context': current }),
    clusters: contexts.map((one) => ({ name: one, cluster: { server: `https://${one}.${name}.example.com` } })),
    users: contexts.map((one) => ({ name: one, user: { token: `of-${one}` } })),
    contexts: contexts.map((one) => ({ name: one, context: { cluster: one, user: one, namespace: `ns-${one}` } })),
  };
  await writeFile(path(name), stringify(config));
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vexil-kubeconfig-'));
  await write('first', ['staging']);
  await write('second', ['staging', 'production'], 'production');
  await write('third', ['other'], 'other');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test.each([
  ['the first current context', undefined, 'https://production.second.example.com'],
  ['a context by name, as the first file has it', 'staging', 'https://staging.first.example.com'],
  ['a context of a later file', 'other', 'https://other.third.example.com'],
] as const)('of several files, of which some may be missing: %s', (_title, context, server) => {
  const config = loadKubeConfig(list('missing', 'first', 'second', 'third'), context);
  expect(config.getCurrentCluster()?.server).toBe(server);
  expect(config.getCurrentUser()?.token).toBe(`of-${config.getCurrentContext()}`);
});

test('an unknown context is an error that names the contexts', () => {
  expect(() => loadKubeConfig(list('second', 'third'), 'prod')).toThrow(
    'The kubeconfig has no context "prod". Its contexts are: other, production, staging',
  );
});

test('the only file must be there, and must have a current context', () => {
  expect(() => loadKubeConfig(list('missing'))).toThrow(`The kubeconfig ${path('missing')} cannot be used`);
  expect(() => loadKubeConfig(list('first'))).toThrow('No Kubernetes cluster is configured');
});

test('the token of an exec plugin is sent', async () => {
  const credential = {
    apiVersion: 'client.authentication.k8s.io/v1',
    kind: 'ExecCredential',
    status: { token: 'made' },
  };
  const exec = { apiVersion: credential.apiVersion, command: 'echo', args: [JSON.stringify(credential)] };
  const config = {
    clusters: [{ name: 'one', cluster: { server: 'https://one.example.com' } }],
    users: [{ name: 'one', user: { exec: { ...exec, interactiveMode: 'Never' } } }],
    contexts: [{ name: 'one', context: { cluster: 'one', user: 'one' } }],
    'current-context': 'one',
  };
  await writeFile(path('exec'), stringify(config));
  const source = createCredentialSource(loadKubeConfig(path('exec')));
  expect((await source.get()).headers['Authorization']).toBe('Bearer made');
  source.close();
});
