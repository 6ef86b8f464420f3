/** The program of the Job that creates the first objects of a new instance, with the rights of the operator. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { runProgram } from '../../scripts/tools/run-program.ts';
import { anEnvironment } from '../support/builders.ts';
import { sharedCluster } from '../support/cluster.ts';
import { authorityFile } from '../support/control-plane/access.ts';
import { objectPath } from '../support/control-plane/objects.ts';
import { grantOperatorRoles, SERVICE_ACCOUNT } from '../support/operator-roles.ts';
import type { Stored } from '../support/stored.ts';

const cluster = sharedCluster();
const { hostname, port } = new URL(cluster.server);
let program: string;
let folder: string;
let home: string;

const staging = { kind: 'Environment', plural: 'environments', name: 'staging', spec: { type: 'test' } };
const project = { kind: 'Project', plural: 'projects', name: 'default', spec: { displayName: 'Default' } };

/** Runs the program as the pod would. */
function run(objects: readonly object[]) {
  return runProgram(process.execPath, ['--input-type=module', '--eval', program], {
    environment: {
      NAMESPACE: home,
      OBJECTS: JSON.stringify(objects),
      KUBERNETES_SERVICE_HOST: hostname,
      KUBERNETES_SERVICE_PORT: port,
      NODE_EXTRA_CA_CERTS: authorityFile(cluster.directory),
      SERVICE_ACCOUNT_FOLDER: folder,
    },
  });
}

const names = async (resource: string) =>
  (await cluster.getObject(resource, home)).items.map(({ metadata }: Stored) => metadata.name);

beforeAll(async () => {
  program = await readFile(new URL('../../charts/vexil/files/create-defaults.mjs', import.meta.url), 'utf8');
  folder = await mkdtemp(join(tmpdir(), 'vexil-account-'));
});
afterAll(() => rm(folder, { recursive: true }));

beforeEach(async () => {
  home = await cluster.freshNamespace('defaults');
  await grantOperatorRoles(cluster, home, []);
  const path = `${objectPath(`serviceaccount/${SERVICE_ACCOUNT}`, home)}/token`;
  const { status }: Stored = await cluster.request({ method: 'POST', path, body: { spec: {} } });
  await writeFile(join(folder, 'token'), status.token);
});

describe('the defaults', () => {
  test('are created once: deleted ones stay deleted, changed ones stay changed', async () => {
    const first = await run([staging, project]);
    expect([first.code, first.stdout]).toEqual([0, 'Environment staging: created\nProject default: created\n']);
    await cluster.deleteObject('fenv/staging', home);
    await cluster.patchObject('fp/default', home, { spec: { displayName: 'Ours' } });
    const second = await run([staging, project]);
    expect([second.code, second.stdout]).toEqual([0, 'The ConfigMap vexil-defaults says that this was done before.\n']);
    expect(await names('fenv')).toEqual([]);
    expect((await cluster.getObject('fp/default', home)).spec.displayName).toBe('Ours');
  });

  test('do not change an object with the name, whatever its object name', async () => {
    await cluster.apply([anEnvironment(`${home}/stage-2`, { name: 'staging', type: 'production' })]);
    const { code, stdout } = await run([staging]);
    expect([code, stdout]).toEqual([0, 'Environment staging: is there already\n']);
    expect(await names('fenv')).toEqual(['stage-2']);
  });

  test('have no other field owner, so that the API may write them, and have an author', async () => {
    await run([staging]);
    const { metadata } = await cluster.getObject('fenv/staging', home);
    expect(metadata.managedFields).toMatchObject([{ manager: 'vexil-chart', operation: 'Update' }]);
    expect(metadata.annotations).toMatchObject({ 'vexil.dev/created-by': 'vexil-chart' });
  });

  test('end with the error of the API server for an invalid object, without the ConfigMap that says that they exist', async () => {
    const { code, stderr } = await run([{ ...staging, spec: { type: 'test', sortOrder: -1 } }]);
    expect([code, stderr]).toEqual([1, expect.stringContaining('spec.sortOrder')]);
    expect(await names('configmaps')).not.toContain('vexil-defaults');
  });
});
