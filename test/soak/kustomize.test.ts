/** The shipped kustomizations, and those that docs/kustomize.md shows: built, applied, and used to run an operator. */
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { adminClient, type Call } from '../support/admin-client.ts';
import { containerOf } from '../support/as-kubelet.ts';
import { stampOf, untilAuthorsAreGuarded } from '../support/author-policy.ts';
import { aFlag, anEnvironment, aProject } from '../support/builders.ts';
import { abilitiesOf } from '../support/control-plane/abilities.ts';
import type { AnyObject } from '../support/control-plane/access.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane/start-control-plane.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { build, forOlderCluster, layOutExamples, overlay, useOlderCluster } from '../support/kustomize.ts';
import { startApp } from '../support/running-app.ts';
import type { Stored } from '../support/stored.ts';
import { manifestsIn } from '../support/tools/helm.ts';
import { untilRecording } from '../support/until-recording.ts';

const PROJECT = fileURLToPath(new URL('../..', import.meta.url));
const KEPT = ['CustomResourceDefinition', 'Namespace', 'PersistentVolumeClaim'];

let plane: ControlPlane;
let examples: string;
let recordsAuthors: boolean;

beforeAll(async () => {
  plane = await startControlPlane();
  examples = await layOutExamples();
  ({ recordsAuthors } = await abilitiesOf(plane));
  if (!recordsAuthors) await useOlderCluster(examples);
});

afterAll(async () => {
  await plane?.stop();
  await rm(examples, { recursive: true, force: true });
});

const folders = new Map<string, Promise<readonly Stored[]>>();

/** The objects of a folder, which is built once. */
function built(folder: string): Promise<readonly Stored[]> {
  const found = folders.get(folder) ?? build(plane, folder);
  folders.set(folder, found);
  return found;
}

const titleOf = ({ kind, metadata }: Stored) => `${kind}/${metadata.name}`;
const named = (objects: readonly Stored[], kind: string, name = 'vexil'): Stored =>
  objects.find((one) => one.kind === kind && one.metadata.name.replace(/-[0-9a-z]{10}$/, '') === name);

/** Applies a folder as the documentation says: again, as long as the API server does not serve a new CRD. */
async function apply(folder: string): Promise<void> {
  await waitUntil({ what: `${folder} is applied`, timeoutMs: 60_000, everyMs: 500 }, async () => {
    const { code, stderr } = await plane.kubectl(['apply', '--server-side', '-k', folder]);
    if (code !== 0 && !/no matches for kind|not found/.test(stderr)) throw new Error(stderr);
    return code === 0;
  });
}

describe('the result of a build', () => {
  test.each(['crds', 'config/rbac', 'config/admission', 'config/admission/opt-in', 'config/admission/older'])(
    '%s has all its files',
    async (folder) => {
      const { resources } = parse(await readFile(join(PROJECT, folder, 'Kustomization'), 'utf8'));
      const files = (await readdir(join(PROJECT, folder))).filter((name) => name.endsWith('.yaml'));
      expect(resources.toSorted()).toEqual(files.toSorted());
    },
  );

  test.each(['namespaced', 'cluster', 'ha'] as const)(
    '%s has the roles for its watched namespaces, and no others',
    async (name) => {
      const objects = await built(overlay(name));
      const roles = objects.map(titleOf).filter((title) => /Role(Binding)?\//.test(title));
      const flags = name === 'cluster' ? ['ClusterRole', 'ClusterRoleBinding'] : ['Role', 'RoleBinding'];
      expect(roles.toSorted()).toEqual(
        [
          ...['vexil-admin', 'vexil-approve', 'vexil-edit', 'vexil-view'].map((people) => `ClusterRole/${people}`),
          'ClusterRoleBinding/vexil-identities',
          ...flags.map((kind) => `${kind}/vexil-flags`),
          ...['Role/vexil', 'RoleBinding/vexil'],
        ].sort(),
      );
      expect(named(objects, 'ConfigMap', 'vexil-settings').data['VEXIL_WATCH_NAMESPACES']).toBe(
        name === 'cluster' ? '*' : undefined,
      );
    },
  );

  test('ha has two replicas without a volume, with the history in the database of a Secret', async () => {
    const objects = await built(overlay('ha'));
    const { replicas, strategy, template } = named(objects, 'Deployment').spec;
    const [{ env, volumeMounts }] = template.spec.containers;
    expect([replicas, strategy.type]).toEqual([2, 'RollingUpdate']);
    expect(env.find(({ name }: Stored) => name === 'VEXIL_AUDIT_URL').valueFrom.secretKeyRef).toEqual({
      name: 'vexil-archive',
      key: 'url',
    });
    expect(volumeMounts.map(({ mountPath }: Stored) => mountPath)).toEqual(['/tmp']);
    expect(template.spec.volumes).toEqual([{ name: 'tmp', emptyDir: {} }]);
    expect(objects.map(({ kind }) => kind)).not.toContain('PersistentVolumeClaim');
    expect(named(objects, 'PodDisruptionBudget').spec.selector).toEqual(named(objects, 'Deployment').spec.selector);
  });

  test('the image has the version of the project', async () => {
    const { version } = JSON.parse(await readFile(join(PROJECT, 'package.json'), 'utf8'));
    const [{ image }] = named(await built(overlay('namespaced')), 'Deployment').spec.template.spec.containers;
    expect(image).toBe(`vexil:${version}`);
  });

  test('kubectl apply -f applies the same folders: it ignores files without an extension', async () => {
    const admission = recordsAuthors ? 'config/admission' : 'config/admission/older';
    const folders = ['crds', admission].flatMap((folder) => ['-f', join(PROJECT, folder)]);
    const args = ['apply', '--dry-run=client', ...folders];
    const { code, stderr } = await plane.kubectl(args);
    expect([code, stderr]).toEqual([0, '']);
  });

  test('for an older cluster another policy replaces the author policy', async () => {
    const objects = await built(join(examples, 'older'));
    const policies = objects.filter(({ kind }) => /AdmissionPolicy$/.test(kind)).map(titleOf);
    expect(policies.sort()).toEqual(
      [
        ...['audit-events', 'change-approvals', 'change-requests', 'environment-changes'],
        ...['protected-environment', 'stamps', 'statuses'],
      ].map((name) => `ValidatingAdmissionPolicy/vexil-${name}`),
    );
    expect(JSON.stringify(objects)).not.toContain('vexil-system');
  });

  test('a signed history has its key as a file', async () => {
    const objects = await built(join(examples, 'signed'));
    const { spec } = objects.find(({ kind }) => kind === 'Deployment')?.spec.template ?? {};
    const [{ env, volumeMounts }] = spec.containers;
    expect(env).toContainEqual({ name: 'VEXIL_HISTORY_SIGNING_KEY_FILE', value: '/etc/vexil/signing/key.pem' });
    expect(volumeMounts).toContainEqual({ name: 'signing', mountPath: '/etc/vexil/signing', readOnly: true });
    const { secret } = spec.volumes.find(({ name }: Stored) => name === 'signing');
    expect(secret).toMatchObject({ secretName: 'vexil-history-key', items: [{ key: 'key.pem', path: 'key.pem' }] });
  });

  test('in another namespace no manifest contains the default one', async () => {
    const text = await plane.kubectlOrThrow(['kustomize', join(examples, 'operator')]);
    expect(text).toContain("'system:serviceaccount:flags:vexil'");
    expect(text.match(/.*vexil-system.*/g)).toBeNull();
  });

  test('roles in further namespaces are bound to the ServiceAccount in its namespace', async () => {
    const objects = await built(join(examples, 'some'));
    const bindings = objects.filter(({ kind, metadata }) => kind === 'RoleBinding' && metadata.name === 'vexil-flags');
    expect(bindings.map(({ metadata, subjects }) => [metadata.namespace, subjects[0].namespace]).sort()).toEqual([
      ['billing', 'flags'],
      ['flags', 'flags'],
      ['shop', 'flags'],
    ]);
    expect(named(objects, 'ConfigMap', 'vexil-settings').data['VEXIL_WATCH_NAMESPACES']).toBe('shop,billing');
  });
});

test('an overlay for some namespaces gives an operator there all its rights, and its policies recognise it', async () => {
  const folder = join(examples, 'some');
  for (const name of ['flags', 'shop', 'billing']) await plane.kubectl(['create', 'namespace', name]);
  await apply(folder);
  // A claim has a new version after each apply.
  const everything = () => plane.kubectlOrThrow(['get', 'deploy,sa,cm,role,svc', '-n', 'flags', '-o', 'json']);
  const before = await everything();
  await apply(folder);
  expect(await everything()).toBe(before);

  const { template } = named(await built(folder), 'Deployment').spec;
  const container = await containerOf({ cluster: plane, namespace: 'flags', template, folder: join(examples, 'pod') });
  const app = await startApp({
    ...container.environment,
    KUBECONFIG: await plane.kubeconfigFor({ namespace: 'flags', name: container.serviceAccount }),
    VEXIL_NAMESPACE: 'flags',
    VEXIL_AUTH: 'none',
  });
  try {
    await app.ready();
    await untilAuthorsAreGuarded(plane, ['flags', 'shop']);
    const manifests = [anEnvironment('flags/production'), aProject('shop/shop'), aFlag('shop/f', { project: 'shop' })];
    for (const manifest of manifests) {
      await plane.kubectlOrThrow(['create', '-f', '-'], { input: JSON.stringify(manifest) });
    }
    const call = adminClient(app.url);
    const path = '/projects/shop/features/f';
    await waitUntil({ what: 'the flag is served' }, async () => (await call(`GET ${path}`)).status === 200);
    const body = [{ op: 'replace', path: '/description', value: 'through the API' }];
    expect((await call(`PATCH ${path}`, { body })).status).toBe(200);

    // The author policy keeps a stamp only if the operator has written it.
    const flag = JSON.parse(await plane.kubectlOrThrow(['get', 'ff/f', '-n', 'shop', '-o', 'json']));
    expect(stampOf(flag)).toMatchObject({
      ...(recordsAuthors && { 'created-by': 'admin' }),
      'changed-by': 'unknown',
      'changed-via': 'anonymous',
    });
    // The policy about Events also accepts only the operator.
    await untilRecording(plane, call, { flag: path, namespace: 'shop' });
    const event = JSON.stringify({
      ...{
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name: 'forged', namespace: 'shop', labels: { 'vexil.dev/audit': '1' } },
      },
      ...{ involvedObject: { namespace: 'shop' }, reason: 'Forged', type: 'Normal' },
    });
    const forged = await plane.kubectl(['create', '-f', '-'], { input: event });
    expect(forged.stderr).toContain('only Vexil writes Events');
    expect(app.log.filter(({ level }) => level === 'error')).toEqual([]);
  } finally {
    await app.stop();
  }
});

test.each(['namespaced', 'cluster', 'ha'] as const)(
  '%s is applied, and deleted again except for flags and history',
  async (name) => {
    const folder = recordsAuthors ? overlay(name) : await forOlderCluster(examples, overlay(name));
    await apply(folder);
    await apply(join(PROJECT, 'config/defaults'));
    const options = ['--ignore-not-found', '--wait=false'];
    await plane.kubectlOrThrow(['delete', '-k', folder, '-l', 'vexil.dev/keep!=true', ...options]);

    const left = JSON.parse(await plane.kubectlOrThrow(['get', '-k', folder, '--ignore-not-found', '-o', 'json']));
    expect(left.items.filter(({ metadata }: Stored) => metadata.deletionTimestamp)).toEqual([]);
    const wanted = (await built(folder)).filter(({ kind }) => KEPT.includes(kind));
    expect(left.items.map(titleOf).sort()).toEqual(wanted.map(titleOf).sort());
    const kept = await plane.kubectlOrThrow(['get', 'fenv,fp', '-n', 'vexil-system', '-o', 'name']);
    expect(kept.trim().split('\n')).toHaveLength(3);
  },
);

/** The operator runs under the shipped ClusterRole. */
describe('an operator that watches all namespaces', () => {
  let call: Call;
  let stop: (() => Promise<void>) | undefined;
  const apply = async (...objects: readonly AnyObject[]) => plane.apply(objects);
  const inNamespace = (name: string) => [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name } },
    aProject(`${name}/${name}`),
  ];

  beforeAll(async () => {
    for (const file of ['home.yaml', 'everywhere.yaml']) {
      await apply(...(manifestsIn(await readFile(join(PROJECT, 'config/rbac', file), 'utf8')) as AnyObject[]));
    }
    const app = await startApp({
      KUBECONFIG: await plane.kubeconfigFor({ namespace: 'vexil-system', name: 'vexil' }),
      VEXIL_NAMESPACE: 'vexil-system',
      VEXIL_WATCH_NAMESPACES: '*',
    });
    stop = app.stop;
    await app.ready();
    call = adminClient(app.url);
  });
  afterAll(() => stop?.());

  test('sees a namespace that is created later, judges its flags and writes to them', async () => {
    await apply(...inNamespace('late'), aFlag('late/first', { project: 'late' }));
    await waitUntil({ what: 'both are ready' }, async () => {
      const objects: Stored[] = await Promise.all(['ff/first', 'fp/late'].map((what) => plane.getObject(what, 'late')));
      return objects.every(
        ({ status }) => status?.conditions?.[0].type === 'Ready' && status.conditions[0].status === 'True',
      );
    });
    await waitUntil({ what: 'the project is served' }, async () => (await call('GET /projects/late')).status === 200);
    expect((await call('POST /projects/late/features', { body: { name: 'second' } })).status).toBe(201);
    const { items }: Stored = await plane.getObject('ff', 'late');
    expect(items.map(({ metadata }: Stored) => metadata.name)).toEqual(['first', 'second']);
  });

  test('refuses a name that a flag of another namespace has', async () => {
    await apply(...inNamespace('other'));
    await waitUntil({ what: 'the project is served' }, async () => (await call('GET /projects/other')).status === 200);
    const answer = await call('POST /projects/other/features', { body: { name: 'first' } });
    expect([answer.status, answer.body.name]).toEqual([409, 'NameExistsError']);
  });
});
