/**
 * The life of a release: installed, used, upgraded, rolled back, run next to another release, uninstalled, installed
 * again.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Finished } from '../../scripts/tools/run-program.ts';
import { adminClient, type Call } from '../support/admin-client.ts';
import { stampOf, untilAuthorsAreGuarded } from '../support/author-policy.ts';
import { aFlag, anEnvironment, aProject, type Manifest } from '../support/builders.ts';
import { containerIn as containerOfDeployment, runDeployment } from '../support/chart/run-deployment.ts';
import { type RunJob, withJobs } from '../support/chart/run-jobs.ts';
import { abilitiesOf } from '../support/control-plane/abilities.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane/start-control-plane.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { frozen, frozenPath } from '../support/releases/frozen.ts';
import type { Stored } from '../support/stored.ts';
import { type Helm, projectHelm, type Values } from '../support/tools/helm.ts';
import { untilRecording } from '../support/until-recording.ts';

const HOME = 'vexil-system';
const FIRST: Values = { watch: { namespaces: ['shop'] } };

let plane: ControlPlane;
let helm: Helm;
let folder: string;
let recordsAuthors: boolean;
let installed: { readonly result: Finished; readonly jobs: readonly RunJob[] };

beforeAll(async () => {
  plane = await startControlPlane();
  helm = await projectHelm(plane.kubeconfig);
  folder = await mkdtemp(join(tmpdir(), 'vexil-release-'));
  for (const name of ['shop', 'other']) await plane.kubectlOrThrow(['create', 'namespace', name]);
  installed = await install({ release: 'vexil', namespace: HOME, values: FIRST });
  ({ recordsAuthors } = await abilitiesOf(plane));
  await untilAuthorsAreGuarded(plane, [HOME, 'shop']);
});

afterAll(async () => {
  await plane?.stop();
  await helm?.end();
  if (folder) await rm(folder, { recursive: true, force: true });
});

interface Installation {
  readonly release: string;
  readonly namespace: string;
  readonly values: Values;
  /** The chart; the present one by default. */
  readonly chart?: string;
}

function install({ release, namespace, values, chart = helm.chart }: Installation) {
  const args = ['install', release, chart, '--namespace', namespace, '--create-namespace'];
  return withJobs(plane, namespace, helm.run(args, values));
}

const upgrade = (values: Values) =>
  withJobs(plane, HOME, helm.runOrThrow(['upgrade', 'vexil', helm.chart, '-n', HOME], values));

async function get(what: string, namespace: string = HOME): Promise<Stored> {
  return JSON.parse(await plane.kubectlOrThrow(['get', what, '-n', namespace, '-o', 'json']));
}

/** Whether the object exists and is not being deleted: no controller here removes the finalizers of claims. */
async function isThere(what: string, namespace: string = HOME): Promise<boolean> {
  const path = 'jsonpath={.metadata.name} {.metadata.deletionTimestamp}';
  const { code, stdout } = await plane.kubectl(['get', what, '-n', namespace, '-o', path]);
  return code === 0 && stdout.endsWith(' ');
}

async function create(manifest: Manifest): Promise<Stored> {
  const args = ['create', '-f', '-', '-o', 'json'];
  return JSON.parse(await plane.kubectlOrThrow(args, { input: JSON.stringify(manifest) }));
}

const adminToken = async (namespace: string = HOME) =>
  Buffer.from((await get('secret/vexil-admin-token', namespace)).data.token, 'base64').toString();

const containerIn = (namespace: string) => containerOfDeployment({ cluster: plane, namespace, folder });
const runOperator = (namespace: string, name = 'vexil') => runDeployment({ cluster: plane, namespace, name, folder });

describe('installed', () => {
  test('its notes say what to run, and a Job has created the first objects of the instance', async () => {
    const { result, jobs } = installed;
    expect(result.code, result.stderr).toBe(0);
    expect(result.stdout).toContain(`kubectl get secret`);
    expect(jobs.map(({ name, code, stdout }) => [name, code, stdout])).toEqual([
      ['vexil-defaults', 0, expect.stringContaining('Environment production: created')],
    ]);
    const { items } = await get('environments,projects');
    expect(items.map(({ kind, metadata }: Stored) => `${kind} ${metadata.name}`)).toEqual([
      'Environment development',
      'Environment production',
      'Project default',
    ]);
  });

  test('the operator runs under exactly these rights and settings, records the history, and identifies the callers', async () => {
    const operator = await runOperator(HOME);
    try {
      expect(operator.container.environment).toMatchObject({
        VEXIL_NAMESPACE: HOME,
        VEXIL_WATCH_NAMESPACES: 'shop',
        VEXIL_AUTH: 'token',
      });
      const anyone = adminClient(operator.url);
      expect((await anyone('GET /projects')).status).toBe(401);
      const call = adminClient(operator.url, { authorization: await adminToken() });
      await create(aProject('shop/shop'));
      await waitUntil({ what: 'the project is served' }, async () => (await call('GET /projects/shop')).status === 200);
      await live(call);

      await plane.kubectlOrThrow(['create', 'serviceaccount', 'ada', '-n', 'shop']);
      const token = (await plane.kubectlOrThrow(['create', 'token', 'ada', '-n', 'shop'])).trim();
      const person = adminClient(operator.url, { authorization: `Bearer ${token}` });
      expect((await person('GET /projects/shop/features/checkout')).status).toBe(403);
      await plane.kubectlOrThrow([
        'create',
        'rolebinding',
        'people',
        '--clusterrole=vexil-edit',
        '--serviceaccount=shop:ada',
        '-n',
        'shop',
      ]);
      await waitUntil({ what: 'the right is known' }, async () => {
        return (await person('GET /projects/shop/features/checkout')).status === 200;
      });
    } finally {
      expect(await operator.stop()).toEqual({ code: 0, signal: null });
    }
  });

  /** Makes each kind of write that the roles allow. */
  async function live(call: Call): Promise<void> {
    expect((await call('POST /projects/shop/features', { body: { name: 'checkout' } })).status).toBe(201);
    const path = '/projects/shop/features/checkout/environments/production';
    expect((await call(`POST ${path}/strategies`, { body: { name: 'default' } })).status).toBe(200);
    expect((await call(`POST ${path}/on`)).status).toBe(200);
    const clone = { name: 'staging', type: 'pre-production', projects: ['shop'] };
    expect((await call('POST /environments/production/clone', { body: clone })).status).toBe(200);
    const token = { tokenName: 'ci', type: 'client', environment: 'production', projects: ['*'] };
    expect((await call('POST /api-tokens', { body: token })).status).toBe(201);
    await plane.kubectlOrThrow(['wait', 'ff/checkout', '-n', 'shop', '--for=condition=Ready', '--timeout=30s']);
    await untilRecording(plane, call, { flag: '/projects/shop/features/checkout', namespace: 'shop' });
  }

  test('policies stamp the author if they can, protect environments, and let no user forge the history', async () => {
    const stamp = stampOf(await create(aFlag('shop/by-hand', { project: 'shop' })));
    expect(stamp['created-by']).toBe(recordsAuthors ? 'admin' : undefined);
    await create(anEnvironment(`${HOME}/guarded`, { protected: true }));
    const deleted = await plane.kubectl(['delete', 'fenv/guarded', '-n', HOME]);
    expect(deleted.stderr).toContain('environment guarded is protected');
    const event = {
      ...{ apiVersion: 'v1', kind: 'Event', reason: 'Forged', type: 'Normal', involvedObject: { namespace: 'shop' } },
      metadata: { name: 'forged', namespace: 'shop', labels: { 'vexil.dev/audit': 'true' } },
    };
    const forged = await plane.kubectl(['create', '-f', '-'], { input: JSON.stringify(event) });
    expect(forged.stderr).toContain('only Vexil writes Events');
  });
});

describe('upgraded', () => {
  test('settings change, the token stays, and changes of users to the first environments stay', async () => {
    const token = await adminToken();
    await plane.kubectlOrThrow(['delete', 'fenv/production', '-n', HOME]);
    const patch = '{"spec":{"displayName":"Ours"}}';
    await plane.kubectlOrThrow(['patch', 'fenv/development', '-n', HOME, '--type=merge', '-p', patch]);
    await putFormerDefinition();
    // kubectl keeps the versions of the present definition.
    const before = await get('featureflags.v1alpha1.vexil.dev/checkout', 'shop');
    const { jobs } = await upgrade({ ...FIRST, config: { logLevel: 'debug' } });

    expect(jobs).toEqual([]);
    expect(await adminToken()).toBe(token);
    const { environment } = await containerIn(HOME);
    expect(environment).toMatchObject({ VEXIL_LOG_LEVEL: 'debug', VEXIL_ADMIN_TOKEN: token });
    expect((await get('fenv/development')).spec.displayName).toBe('Ours');
    expect(await isThere('fenv/production')).toBe(false);
    // The definition is the present one, and the objects are unchanged.
    expect(await columns()).toContain('Changed by');
    expect((await get('ff/checkout', 'shop')).spec).toEqual(before.spec);
  });

  const columns = async () => {
    const { spec } = await get('crd/featureflags.vexil.dev');
    return spec.versions[0].additionalPrinterColumns.map(({ name }: Stored) => name);
  };

  /** Installs a definition as a chart of that time would have left it. */
  async function putFormerDefinition(): Promise<void> {
    const [release = ''] = frozen('schema-');
    const path = frozenPath(release, 'crds', 'featureflags.yaml');
    await plane.kubectlOrThrow(['apply', '--server-side', '--field-manager=helm', '--force-conflicts', '-f', path]);
    expect(await columns()).not.toContain('Changed by');
  }

  test('the same again changes nothing', async () => {
    const before = await get('deploy/vexil');
    await upgrade({ ...FIRST, config: { logLevel: 'debug' } });
    expect((await get('deploy/vexil')).metadata.generation).toBe(before.metadata.generation);
  });

  test('to two replicas on PostgreSQL the volume stays, and a rollback goes back to it', async () => {
    const claim = (await get('pvc/vexil-history')).metadata.uid;
    const url = 'postgres://vexil:secret@db.example.com/vexil';
    await plane.kubectlOrThrow(['create', 'secret', 'generic', 'archive', '-n', HOME, `--from-literal=url=${url}`]);
    await upgrade({ ...FIRST, replicas: 2, audit: { postgres: { existingSecret: 'archive' } } });
    expect((await get('deploy/vexil')).spec).toMatchObject({ replicas: 2, strategy: { type: 'RollingUpdate' } });
    expect((await containerIn(HOME)).environment['VEXIL_AUDIT_URL']).toBe(url);
    expect(await isThere('pvc/vexil-history')).toBe(true);

    await helm.runOrThrow(['rollback', 'vexil', '-n', HOME]);
    expect((await get('deploy/vexil')).spec).toMatchObject({ replicas: 1, strategy: { type: 'Recreate' } });
    expect((await containerIn(HOME)).environment['VEXIL_AUDIT_URL']).toMatch(/^sqlite:.*\/audit\.db$/);
    expect(await isThere('pvc/vexil-history')).toBe(true);
    expect((await get('pvc/vexil-history')).metadata.uid).toBe(claim);
    expect(await isThere('pdb/vexil')).toBe(false);
  });
});

describe('with another release in the cluster', () => {
  const SECOND: Values = { crds: { install: false }, rbac: { aggregate: false } };

  test.each<[string, Values, RegExp]>([
    ['the same definitions', { rbac: { aggregate: false } }, /set crds\.install=false/],
    ['the same roles for users', { crds: { install: false } }, /set rbac\.aggregate=false/],
    [
      'a namespace that is watched',
      { ...SECOND, watch: { namespaces: ['shop'] } },
      /leave shop out of watch\.namespaces/,
    ],
    [
      'all namespaces',
      { ...SECOND, watch: { namespaces: ['*'] } },
      /vexil-flags of (shop|vexil-system) belongs to the release vexil/,
    ],
  ])('%s: refused, with instructions', async (_, values, words) => {
    const { result } = await install({ release: 'second', namespace: 'other', values });
    expect(result.code).not.toBe(0);
    expect(result.stderr).toMatch(words);
    expect(await isThere('deploy/second-vexil', 'other')).toBe(false);
  });

  test('the first one watches all namespaces: refused, with instructions', async () => {
    await upgrade({ watch: { namespaces: ['*'] } });
    const { result } = await install({ release: 'second', namespace: 'other', values: SECOND });
    expect(result.code).not.toBe(0);
    expect(result.stderr).toMatch(
      /belongs to the release vexil in the namespace vexil-system: it watches all namespaces/,
    );
    expect(await isThere('deploy/second-vexil', 'other')).toBe(false);
    await upgrade(FIRST);
  });

  test('each has its namespaces, and neither changes the records of the other, also after an upgrade', async () => {
    const former = frozenPath(frozen('chart-').at(-1) ?? '');
    const { result, jobs } = await install({ release: 'second', namespace: 'other', values: SECOND, chart: former });
    expect([result.code, result.stderr]).toEqual([0, '']);
    expect(jobs.map(({ code }) => code)).toEqual([0]);
    await helm.runOrThrow(['upgrade', 'second', helm.chart, '-n', 'other', '--reset-then-reuse-values']);
    await untilAuthorsAreGuarded(plane, ['other']);
    const operator = await runOperator('other', 'second-vexil');
    try {
      const secret = (await get('secret/second-vexil-admin-token', 'other')).data.token;
      const call = adminClient(operator.url, { authorization: Buffer.from(secret, 'base64').toString() });
      await waitUntil(
        { what: 'the project is served' },
        async () => (await call('GET /projects/default')).status === 200,
      );
      expect((await call('POST /projects/default/features', { body: { name: 'theirs' } })).status).toBe(201);
      expect(stampOf(await get('ff/theirs', 'other'))).toMatchObject({ 'changed-by': 'bootstrap-token' });
      expect((await call('GET /projects')).body.projects.map(({ id }: Stored) => id)).toEqual(['default']);
      await untilRecording(plane, call, { flag: '/projects/default/features/theirs', namespace: 'other' });
    } finally {
      await operator.stop();
    }
    await helm.runOrThrow(['uninstall', 'second', '-n', 'other']);
    expect(await isThere('ff/theirs', 'other')).toBe(true);
  });
});

describe('uninstalled', () => {
  test('flags, their definitions, the history and the ids stay; everything else is deleted', async () => {
    const before = (await get('ff/checkout', 'shop')).spec;
    await helm.runOrThrow(['uninstall', 'vexil', '-n', HOME]);
    expect((await get('ff/checkout', 'shop')).spec).toEqual(before);
    for (const kept of ['pvc/vexil-history', 'cm/vexil-defaults', 'crd/projects.vexil.dev', 'fenv/development']) {
      expect([kept, await isThere(kept)]).toEqual([kept, true]);
    }
    const { items } = await get('all,sa,secrets,roles,rolebindings,pdb,networkpolicies');
    const ours = items.filter(({ metadata }: Stored) => metadata.labels?.['app.kubernetes.io/managed-by'] === 'Helm');
    expect(ours.map(({ kind, metadata }: Stored) => `${kind}/${metadata.name}`)).toEqual([]);
    const wide = await get(
      `clusterroles,clusterrolebindings,validatingadmissionpolicies${recordsAuthors ? ',mutatingadmissionpolicies' : ''}`,
    );
    expect(wide.items.filter(({ metadata }: Stored) => metadata.name.startsWith('vexil'))).toEqual([]);
  });

  test('a new installation finds all of them, and creates nothing that was deleted', async () => {
    const { result } = await install({ release: 'vexil', namespace: HOME, values: FIRST });
    expect([result.code, result.stderr]).toEqual([0, '']);
    expect(await isThere('fenv/production')).toBe(false);
    const operator = await runOperator(HOME);
    try {
      const call = adminClient(operator.url, { authorization: await adminToken() });
      expect((await call('GET /projects/shop/features/checkout')).body).toMatchObject({
        name: 'checkout',
        project: 'shop',
      });
    } finally {
      await operator.stop();
    }
  });
});
