/** `vexil check` in a cluster where the file of a release is applied, and things are broken. */
import { delimiter, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { renderInstall } from '../../scripts/release/rendered-install.ts';
import { type Finished, runProgram } from '../../scripts/tools/run-program.ts';
import { aFlag } from '../support/builders.ts';
import { vexil } from '../support/command-line.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane/start-control-plane.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import type { Stored } from '../support/stored.ts';

const PROJECT = fileURLToPath(new URL('../..', import.meta.url));
const HOME = 'vexil-system';

let plane: ControlPlane;

beforeAll(async () => {
  plane = await startControlPlane();
  const input = await renderInstall(PROJECT, 'install.yaml');
  await plane.kubectlOrThrow(['apply', '--server-side', '-f', '-'], { input });
  await settle();
  await waitUntil({ what: 'everything is served' }, async () => (await problems()).length === 0);
});
afterAll(() => plane?.stop());

const check = (...args: readonly string[]): Promise<Finished> =>
  vexil(['check', ...args], { environment: { KUBECONFIG: plane.kubeconfig } });

interface Problem {
  readonly check: string;
  readonly verdict: string;
  readonly message: string;
  readonly mend?: string;
}

async function problems(...args: readonly string[]): Promise<readonly Problem[]> {
  const { stdout } = await check('--output', 'json', ...args);
  return JSON.parse(stdout).checks.filter(({ verdict }: Problem) => verdict !== 'ok');
}

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const ADMISSION = '/apis/admissionregistration.k8s.io/v1';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const DEPLOYMENT = `/apis/apps/v1/namespaces/${HOME}/deployments/vexil`;
const CLAIM = `/api/v1/namespaces/${HOME}/persistentvolumeclaims/vexil-history`;
const LEASE = `/apis/coordination.k8s.io/v1/namespaces/${HOME}/leases/vexil`;

const remove = (path: string) => plane.request({ method: 'DELETE', path, query: { gracePeriodSeconds: 0 } });
/** A list is a JSON Patch. */
const patch = (path: string, body: object) => {
  const contentType = `application/${Array.isArray(body) ? 'json-patch' : 'merge-patch'}+json`;
  return plane.request({ method: 'PATCH', path, contentType, body });
};
const patchStatus = (path: string, status: object) => patch(`${path}/status`, { status });
const read = async (path: string): Promise<Stored> => plane.request({ method: 'GET', path });

/** Reports what controllers, the kubelet and the leader would report. */
async function settle(): Promise<void> {
  await patchStatus(DEPLOYMENT, { replicas: 1, readyReplicas: 1, availableReplicas: 1 });
  await patchStatus(CLAIM, { phase: 'Bound' });
  await leadAt(new Date());
}

async function leadAt(time: Date): Promise<void> {
  const spec = {
    holderIdentity: 'vexil-1',
    leaseDurationSeconds: 8,
    renewTime: time.toISOString().replace('Z', '000Z'),
  };
  await plane.apply([
    {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'vexil', namespace: HOME },
      spec,
    } as never,
  ]);
}

test('a complete installation has no problem, in words and as JSON', async () => {
  const { code, stdout } = await check();
  expect(code).toBe(0);
  const lines = stdout.trim().split('\n');
  expect(lines.map((line) => line.split(/ +/)[0])).toEqual(lines.map(() => 'ok'));
  expect(stdout).toContain(`the operator has the version ${manifest.version}, as this program`);
  const { verdict, checks } = JSON.parse((await check('--output', 'json')).stdout);
  expect([verdict, checks.length]).toEqual(['ok', lines.length]);
});

/** What is broken, and the problem that is reported. `mend` is run as it is printed if there is no `undo`. */
interface Case {
  readonly breaks: () => Promise<unknown>;
  readonly check: string;
  readonly says: string;
  readonly mend: string;
  readonly undo?: () => Promise<unknown>;
  /** What the mend leaves. */
  readonly cleanUp?: () => Promise<unknown>;
}

const warnings: readonly Case[] = [
  // Mended first, because an apply would add Deny to Warn, which is refused.
  {
    breaks: () =>
      patch(`${ADMISSION}/validatingadmissionpolicybindings/vexil-statuses`, { spec: { validationActions: ['Warn'] } }),
    check: 'policies',
    says: 'the binding of the admission policy vexil-statuses does not deny',
    mend: 'kubectl patch validatingadmissionpolicybinding vexil-statuses --type=merge',
  },
  {
    breaks: () =>
      patch(`${CRDS}/projects.vexil.dev`, [{ op: 'add', path: `${SPEC}/later`, value: { type: 'string' } }]),
    check: 'definitions',
    says: 'the CRD projects.vexil.dev is newer than this program: it has spec.later',
    mend: 'use the command line of the version that is installed',
    undo: () => patch(`${CRDS}/projects.vexil.dev`, [{ op: 'remove', path: `${SPEC}/later` }]),
  },
  {
    breaks: () => remove(`${RBAC}/clusterrolebindings/vexil-identities`),
    check: 'permissions',
    says: 'the operator may not review tokens of Kubernetes: callers need tokens of Vexil',
    // The mend of the policies brings it back too.
    mend: 'nothing if that is intended',
    undo: () => Promise.resolve(),
  },
  {
    breaks: () => remove(`${ADMISSION}/validatingadmissionpolicies/vexil-environment-changes`),
    check: 'policies',
    says: 'vexil-environment-changes is not installed: freezes and approvals do not bind kubectl and Git',
    mend: 'kubectl apply --server-side --force-conflicts -k config/overlays/namespaced # or your overlay',
  },
  {
    breaks: () => remove(`${ADMISSION}/mutatingadmissionpolicybindings/vexil-author`),
    check: 'policies',
    says: 'the admission policy vexil-author has no binding: changes by kubectl and Git have no author',
    mend: 'kubectl apply --server-side --force-conflicts -k config/overlays/namespaced # or your overlay',
  },
  {
    breaks: () => leadAt(new Date(Date.now() + 600_000)),
    check: 'clock',
    says: 's ahead of that of the API server: windows, ramps and freezes take effect at a wrong time',
    mend: 'synchronise the clocks of the nodes (NTP)',
    undo: settle,
  },
  {
    breaks: () => setImage('vexil:0.1.0'),
    check: 'versions',
    says: `the operator has the version 0.1.0, and this program ${manifest.version}`,
    mend: 'use the command line of the version of the operator',
    undo: () => setImage(`vexil:${manifest.version}`),
  },
  {
    breaks: async () => {
      const flag = aFlag('shop/a', { environments: {} });
      await plane.apply([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } }]);
      // The author policy refuses a kind until the API server has read the list of kinds again.
      await waitUntil({ what: 'the author policy knows the kind' }, () =>
        plane.apply([flag]).then(
          () => true,
          () => false,
        ),
      );
      const ready = { type: 'Ready', status: 'False', reason: 'ProjectNotFound', message: 'no project' };
      const conditions = [{ ...ready, lastTransitionTime: '2026-01-01T00:00:00Z' }];
      await plane.patchObject('ff/a/status', 'shop', { status: { conditions } });
    },
    check: 'objects',
    says: '1 of 1 featureflags are not Ready, such as shop/a: ProjectNotFound',
    mend: 'kubectl get featureflags -A',
    undo: () => plane.deleteObject('ff/a', 'shop'),
  },
];

const errors: readonly Case[] = [
  {
    breaks: () => remove(`${CRDS}/segments.vexil.dev`),
    check: 'definitions',
    says: 'the CRD segments.vexil.dev is missing',
    mend: 'kubectl apply --server-side --force-conflicts -f crds/',
  },
  {
    breaks: () => patch(`${CRDS}/projects.vexil.dev`, [{ op: 'remove', path: `${SPEC}/usedFlags` }]),
    check: 'definitions',
    says: 'the CRD projects.vexil.dev is older than this version: it lacks spec.usedFlags',
    mend: 'kubectl apply --server-side --force-conflicts -f crds/',
  },
  {
    breaks: () => patch(`${RBAC}/namespaces/${HOME}/roles/vexil`, [{ op: 'remove', path: '/rules/0' }]),
    check: 'permissions',
    says: 'the operator may not list flagusers, watch flagusers in the operator namespace',
    mend: 'kubectl apply --server-side --force-conflicts -k config/overlays/namespaced # or your overlay',
  },
  {
    breaks: () => plane.apply([aWebhook() as never]),
    check: 'webhooks',
    says: 'the webhook all.example.com refuses objects of Vexil: its Service gone/webhook does not exist',
    mend: 'kubectl get validatingwebhookconfiguration broken -o yaml',
    undo: () => remove(`${ADMISSION}/validatingwebhookconfigurations/broken`),
  },
  {
    breaks: () => {
      const value = { name: 'VEXIL_X', valueFrom: { secretKeyRef: { name: 'gone', key: 'url' } } };
      return patch(DEPLOYMENT, [{ op: 'add', path: `${CONTAINER}/env/-`, value }]);
    },
    check: 'secrets',
    says: 'the Secret gone that the operator needs is missing',
    mend: 'kubectl create secret generic gone -n vexil-system --from-literal=KEY=VALUE',
    cleanUp: async () => {
      await plane.deleteObject('secret/gone', HOME);
      await patch(DEPLOYMENT, [{ op: 'remove', path: `${CONTAINER}/env/${await indexOfVariable('VEXIL_X')}` }]);
    },
  },
  {
    breaks: () => patchStatus(CLAIM, { phase: 'Pending' }),
    check: 'storage',
    says: 'vexil-history of the history is Pending and not bound: is there a default storage class?',
    mend: 'kubectl describe persistentvolumeclaim vexil-history -n vexil-system',
    undo: settle,
  },
  {
    breaks: async () => {
      await patchStatus(DEPLOYMENT, { replicas: 1, readyReplicas: 0, availableReplicas: 0 });
      await waitingPod();
    },
    check: 'pods',
    says: '0 of 1 replica are available: ImagePullBackOff: no such image',
    mend: 'kubectl describe pods -n vexil-system',
    undo: async () => {
      await remove(`/api/v1/namespaces/${HOME}/pods/vexil-abc`);
      await settle();
    },
  },
  {
    breaks: () => remove(LEASE),
    check: 'clock',
    says: 'no replica leads: no status is written, and nothing is recorded',
    mend: 'kubectl logs -n vexil-system -l app.kubernetes.io/component=operator',
    undo: settle,
  },
];

/** A history in each of two replicas is reported instead of the volume. */
const replicas: readonly Case[] = [
  {
    breaks: () => patch(DEPLOYMENT, { spec: { replicas: 2 } }),
    check: 'storage',
    says: '2 replicas have a history in SQLite each',
    mend: 'use PostgreSQL, or one replica',
    undo: () => patch(DEPLOYMENT, { spec: { replicas: 1 } }),
  },
];

const CONTAINER = '/spec/template/spec/containers/0';
async function indexOfVariable(wanted: string): Promise<number> {
  const [{ env }] = (await read(DEPLOYMENT)).spec.template.spec.containers;
  return env.findIndex(({ name }: Stored) => name === wanted);
}

const setImage = (value: string) => patch(DEPLOYMENT, [{ op: 'replace', path: `${CONTAINER}/image`, value }]);
const SPEC = '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties';

function aWebhook(): object {
  const rules = [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['CREATE'], resources: ['featureflags'] }];
  const clientConfig = { service: { name: 'webhook', namespace: 'gone' } };
  const review = { admissionReviewVersions: ['v1'], sideEffects: 'None', failurePolicy: 'Fail' };
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'broken' },
    webhooks: [{ name: 'all.example.com', rules, clientConfig, ...review }],
  };
}

async function waitingPod(): Promise<void> {
  const labels = { 'app.kubernetes.io/name': 'vexil', 'app.kubernetes.io/component': 'operator' };
  const { spec: template } = (await read(DEPLOYMENT)).spec.template;
  const { serviceAccountName: _, ...spec } = template;
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'vexil-abc', namespace: HOME, labels }, spec };
  await plane.apply([pod as never]);
  const waiting = { reason: 'ImagePullBackOff', message: 'no such image' };
  const status = { name: 'vexil', image: 'vexil:x', imageID: '', ready: false, restartCount: 0, state: { waiting } };
  await patchStatus(`/api/v1/namespaces/${HOME}/pods/vexil-abc`, { containerStatuses: [status] });
}

test.each([
  ['warnings', 'warning', warnings],
  ['errors', 'error', errors],
  ['too many replicas', 'error', replicas],
] as const)('%s are found at the same time, and mended as they say', async (_what, verdict, some) => {
  for (const { breaks } of some) await breaks();
  const found = await waitUntil({ what: 'the problems are found' }, async () => {
    const all = await problems();
    return some.every(({ says }) => all.some(({ message }) => message.includes(says))) && all;
  });
  const problemOf = ({ says }: Case) => found.find(({ message }) => message.includes(says));
  expect(some.map(problemOf)).toMatchObject(
    some.map((one) => ({ check: one.check, verdict, mend: expect.stringContaining(one.mend) })),
  );
  const { code, stdout } = await check();
  expect(code).toBe(verdict === 'error' ? 1 : 0);
  for (const { mend } of some) expect(stdout).toContain(mend);
  for (const { undo } of some) await undo?.();
  const printed = some.filter(({ undo }) => undo === undefined).map((one) => problemOf(one)?.mend ?? '');
  for (const command of new Set(printed)) await runAsPrinted(command);
  for (const { cleanUp } of some) await cleanUp?.();
  await expect.poll(() => problems()).toEqual([]);
});

/** Runs the command in a shell, with the kubectl of the tests. */
async function runAsPrinted(command: string): Promise<void> {
  const PATH = [dirname(plane.kubectlProgram), process.env['PATH']].join(delimiter);
  const { code, stderr } = await runProgram('sh', ['-c', command], {
    cwd: PROJECT,
    environment: { KUBECONFIG: plane.kubeconfig, PATH },
  });
  expect(stderr).toBe('');
  expect(code).toBe(0);
}

test('what the user may not read is unknown, and the rest is checked', async () => {
  const rules = [{ apiGroups: ['', 'apps'], resources: ['deployments', 'configmaps', 'pods'], verbs: ['get', 'list'] }];
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' };
  const metadata = { name: 'reader', namespace: HOME };
  const subjects = [{ kind: 'ServiceAccount', ...metadata }];
  await plane.apply([
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
    { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata, rules },
    { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'RoleBinding', metadata, roleRef, subjects },
  ] as never);
  const KUBECONFIG = await plane.kubeconfigFor({ namespace: HOME, name: 'reader' });
  const { code, stdout } = await vexil(['check', '-n', HOME, '--output', 'json'], { environment: { KUBECONFIG } });
  expect(code).toBe(77);
  const { verdict, checks } = JSON.parse(stdout);
  expect(verdict).toBe('unknown');
  const unknown = checks.filter((one: Problem) => one.verdict === 'unknown').map((one: Problem) => one.check);
  expect(unknown).toEqual(['definitions', 'permissions', 'policies', 'webhooks', 'storage', 'clock', 'objects']);
  expect(stdout).toContain('may not get customresourcedefinitions');
});

test('an empty namespace has no operator, and of several one must be named', async () => {
  const none = await check('-n', 'default');
  expect([none.code, none.stdout]).toEqual([
    1,
    expect.stringContaining('there is no operator of Vexil in the namespace default'),
  ]);
  expect(none.stdout).toContain('helm install vexil charts/vexil');
  const { apiVersion, kind, spec } = await read(DEPLOYMENT);
  await plane.apply([{ apiVersion, kind, metadata: { name: 'vexil', namespace: 'default' }, spec } as never]);
  const several = await check();
  expect([several.code, several.stderr]).toEqual([64, expect.stringContaining('Select one with -n')]);
  await plane.deleteObject('deployment/vexil', 'default');
});
