/** An operator that watches all namespaces, under the ClusterRole that ships. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { adminClient, type Call } from '../support/admin-client.ts';
import { installDefinitions } from '../support/control-plane/install-definitions.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane/start-control-plane.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { startApp } from '../support/running-app.ts';

let plane: ControlPlane;
let call: Call;
let stop: () => Promise<void>;

beforeAll(async () => {
  plane = await startControlPlane();
  await installDefinitions(plane);
  await plane.kubectlOrThrow(['create', 'namespace', 'vexil-system']);
  for (const file of ['home.yaml', 'everywhere.yaml']) {
    const input = await readFile(new URL(`../../config/rbac/${file}`, import.meta.url), 'utf8');
    await plane.kubectlOrThrow(['apply', '-f', '-'], { input });
  }
  const app = await startApp({
    KUBECONFIG: await plane.kubeconfigFor({ namespace: 'vexil-system', name: 'vexil' }),
    VEXIL_NAMESPACE: 'vexil-system',
    VEXIL_WATCH_NAMESPACES: '*',
  });
  await app.ready();
  call = adminClient(app.url);
  stop = app.stop;
});

afterAll(async () => {
  await stop?.();
  await plane?.stop();
});

test('sees a namespace that is created later, judges its flags and writes to them', async () => {
  await plane.kubectlOrThrow(['create', 'namespace', 'late']);
  const flag = (name: string) => ({
    apiVersion: 'vexil.dev/v1alpha1',
    kind: 'FeatureFlag',
    metadata: { name, namespace: 'late' },
    spec: { project: 'late' },
  });
  const project = { ...flag('late'), kind: 'Project', spec: {} };
  const input = [project, flag('first')].map((object) => JSON.stringify(object)).join('\n---\n');
  await plane.kubectlOrThrow(['apply', '-f', '-'], { input });

  await plane.kubectlOrThrow(['wait', '-n', 'late', '--for=condition=Ready', '--timeout=30s', 'ff/first', 'fp/late']);
  await waitUntil({ what: 'the project is served' }, async () => (await call('GET /projects/late')).status === 200);
  expect((await call('POST /projects/late/features', { body: { name: 'second' } })).status).toBe(201);
  expect(await plane.kubectlOrThrow(['get', 'ff', '-n', 'late', '-o', 'name'])).toBe(
    'featureflag.vexil.dev/first\nfeatureflag.vexil.dev/second\n',
  );
});

test('refuses a name that a flag of another namespace has', async () => {
  await plane.kubectlOrThrow(['create', 'namespace', 'other']);
  const project = {
    apiVersion: 'vexil.dev/v1alpha1',
    kind: 'Project',
    metadata: { name: 'other', namespace: 'other' },
  };
  await plane.kubectlOrThrow(['apply', '-f', '-'], { input: JSON.stringify(project) });
  await waitUntil({ what: 'the project is served' }, async () => (await call('GET /projects/other')).status === 200);
  const answer = await call('POST /projects/other/features', { body: { name: 'first' } });
  expect([answer.status, answer.body.name]).toEqual([409, 'NameExistsError']);
});
