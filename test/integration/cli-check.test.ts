/** `vexil check` in a cluster where the file of a release is applied, and one thing at a time is broken. */
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { renderInstall } from '../../scripts/release/rendered-install.ts';
import { vexil } from '../support/command-line.ts';
import { type Finished, runProgram } from '../support/control-plane/run-program.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane/start-control-plane.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';

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

const apply = (folder: string) =>
  plane.kubectl(['apply', '--server-side', '--force-conflicts', '-k', join(PROJECT, folder)]);

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

const patchStatus = (what: string, status: object) =>
  kubectl(
    'patch',
    ...what.split(' '),
    '-n',
    HOME,
    '--subresource=status',
    '--type=merge',
    '-p',
    JSON.stringify({ status }),
  );

const kubectl = (...args: readonly string[]) => plane.kubectlOrThrow(args);

/** Reports what controllers, the kubelet and the leader would report. */
async function settle(): Promise<void> {
  await patchStatus('deployment vexil', { replicas: 1, readyReplicas: 1, availableReplicas: 1 });
  await patchStatus('pvc vexil-history', { phase: 'Bound' });
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

/** What is broken, and the problem that is reported. `mend` is run as it is printed if it is a command that mends. */
interface Case {
  readonly breaks: () => Promise<unknown>;
  readonly check: string;
  readonly verdict: 'warning' | 'error';
  readonly says: string;
  readonly mend: string;
  readonly undo?: () => Promise<unknown>;
}

const cases: Readonly<Record<string, Case>> = {
  'a CRD is missing': {
    breaks: async () => {
      await kubectl('delete', 'crd', 'segments.vexil.dev');
    },
    check: 'definitions',
    verdict: 'error',
    says: 'the CRD segments.vexil.dev is missing',
    mend: 'kubectl apply --server-side --force-conflicts -f crds/',
  },
  'a CRD is older': {
    breaks: () =>
      kubectl(
        ...['patch', 'crd', 'projects.vexil.dev', '--type=json', '-p'],
        JSON.stringify([{ op: 'remove', path: `${SPEC}/usedFlags` }]),
      ),
    check: 'definitions',
    verdict: 'error',
    says: 'the CRD projects.vexil.dev is older than this version: it lacks spec.usedFlags',
    mend: 'kubectl apply --server-side --force-conflicts -f crds/',
  },
  'a CRD is newer': {
    breaks: () =>
      kubectl(
        ...['patch', 'crd', 'projects.vexil.dev', '--type=json', '-p'],
        JSON.stringify([{ op: 'add', path: `${SPEC}/later`, value: { type: 'string' } }]),
      ),
    check: 'definitions',
    verdict: 'warning',
    says: 'the CRD projects.vexil.dev is newer than this program: it has spec.later',
    mend: 'use the command line of the version that is installed',
    undo: () =>
      kubectl(
        ...['patch', 'crd', 'projects.vexil.dev', '--type=json', '-p'],
        JSON.stringify([{ op: 'remove', path: `${SPEC}/later` }]),
      ),
  },
  'a permission is missing': {
    breaks: () =>
      kubectl('patch', 'role', 'vexil', '-n', HOME, '--type=json', '-p', '[{"op":"remove","path":"/rules/0"}]'),
    check: 'permissions',
    verdict: 'error',
    says: 'the operator may not list flagusers, watch flagusers in the operator namespace',
    mend: 'kubectl apply --server-side --force-conflicts -k config/overlays/namespaced # or your overlay',
  },
  'tokens cannot be reviewed': {
    breaks: () => kubectl('delete', 'clusterrolebinding', 'vexil-identities'),
    check: 'permissions',
    verdict: 'warning',
    says: 'the operator may not review tokens of Kubernetes: callers need tokens of Vexil',
    mend: 'nothing if that is intended',
    undo: () => apply('config/overlays/namespaced'),
  },
  'a policy is missing': {
    breaks: () => kubectl('delete', 'validatingadmissionpolicy', 'vexil-environment-changes'),
    check: 'policies',
    verdict: 'warning',
    says: 'vexil-environment-changes is not installed: freezes and approvals do not bind kubectl and Git',
    mend: 'kubectl apply --server-side --force-conflicts -k config/overlays/namespaced # or your overlay',
  },
  'a policy is not bound': {
    breaks: () => kubectl('delete', 'mutatingadmissionpolicybinding', 'vexil-author'),
    check: 'policies',
    verdict: 'warning',
    says: 'the admission policy vexil-author has no binding: changes by kubectl and Git have no author',
    mend: 'kubectl apply --server-side --force-conflicts -k config/overlays/namespaced # or your overlay',
  },
  'a policy only warns': {
    breaks: () =>
      kubectl(
        ...['patch', 'validatingadmissionpolicybinding', 'vexil-statuses', '--type=merge', '-p'],
        '{"spec":{"validationActions":["Warn"]}}',
      ),
    check: 'policies',
    verdict: 'warning',
    says: 'the binding of the admission policy vexil-statuses does not deny',
    mend: 'kubectl patch validatingadmissionpolicybinding vexil-statuses --type=merge',
  },
  'a webhook without a Service refuses every write': {
    breaks: () => plane.apply([aWebhook() as never]),
    check: 'webhooks',
    verdict: 'error',
    says: 'the webhook all.example.com refuses objects of Vexil: its Service gone/webhook does not exist',
    mend: 'kubectl get validatingwebhookconfiguration broken -o yaml',
    undo: () => kubectl('delete', 'validatingwebhookconfiguration', 'broken'),
  },
  'a Secret is missing': {
    breaks: () => setVariable({ name: 'VEXIL_X', valueFrom: { secretKeyRef: { name: 'gone', key: 'url' } } }),
    check: 'secrets',
    verdict: 'error',
    says: 'the Secret gone that the operator needs is missing',
    mend: 'kubectl create secret generic gone -n vexil-system --from-literal=KEY=VALUE',
  },
  'the volume is not bound': {
    breaks: () => patchStatus('pvc vexil-history', { phase: 'Pending' }),
    check: 'storage',
    verdict: 'error',
    says: 'vexil-history of the history is Pending and not bound: is there a default storage class?',
    mend: 'kubectl describe persistentvolumeclaim vexil-history -n vexil-system',
    undo: settle,
  },
  'two replicas have a database each': {
    breaks: () => kubectl('scale', 'deployment/vexil', '-n', HOME, '--replicas=2'),
    check: 'storage',
    verdict: 'error',
    says: '2 replicas have a history in SQLite each',
    mend: 'use PostgreSQL, or one replica',
    undo: () => kubectl('scale', 'deployment/vexil', '-n', HOME, '--replicas=1'),
  },
  'an image cannot be pulled': {
    breaks: async () => {
      await patchStatus('deployment vexil', { replicas: 1, readyReplicas: 0, availableReplicas: 0 });
      await waitingPod();
    },
    check: 'pods',
    verdict: 'error',
    says: '0 of 1 replica are available: ImagePullBackOff: no such image',
    mend: 'kubectl describe pods -n vexil-system',
    undo: async () => {
      await kubectl('delete', 'pod', 'vexil-abc', '-n', HOME, '--force', '--grace-period=0');
      await settle();
    },
  },
  'no replica leads': {
    breaks: () => kubectl('delete', 'lease', 'vexil', '-n', HOME),
    check: 'clock',
    verdict: 'error',
    says: 'no replica leads: no status is written, and nothing is recorded',
    mend: 'kubectl logs -n vexil-system -l app.kubernetes.io/component=operator',
    undo: settle,
  },
  'the clock of the leader is wrong': {
    breaks: () => leadAt(new Date(Date.now() + 600_000)),
    check: 'clock',
    verdict: 'warning',
    says: 's ahead of that of the API server: windows, ramps and freezes take effect at a wrong time',
    mend: 'synchronise the clocks of the nodes (NTP)',
    undo: settle,
  },
  'the operator has another version': {
    breaks: () => kubectl('set', 'image', 'deployment/vexil', '-n', HOME, 'vexil=vexil:0.1.0'),
    check: 'versions',
    verdict: 'warning',
    says: `the operator has the version 0.1.0, and this program ${manifest.version}`,
    mend: 'use the command line of the version of the operator',
    undo: () => kubectl('set', 'image', 'deployment/vexil', '-n', HOME, `vexil=vexil:${manifest.version}`),
  },
  'a flag is not Ready': {
    breaks: async () => {
      await kubectl('create', 'namespace', 'shop');
      const spec = { project: 'shop', environments: {} };
      const flag = {
        apiVersion: 'vexil.dev/v1beta1',
        kind: 'FeatureFlag',
        metadata: { name: 'a', namespace: 'shop' },
        spec,
      };
      await plane.apply([flag as never]);
      const ready = { type: 'Ready', status: 'False', reason: 'ProjectNotFound', message: 'no project' };
      const conditions = [{ ...ready, lastTransitionTime: '2026-01-01T00:00:00Z' }];
      const patch = JSON.stringify({ status: { conditions } });
      await kubectl('patch', 'ff', 'a', '-n', 'shop', '--subresource=status', '--type=merge', '-p', patch);
    },
    check: 'objects',
    verdict: 'warning',
    says: '1 of 1 featureflags are not Ready, such as shop/a: ProjectNotFound',
    mend: 'kubectl get featureflags -A',
    undo: () => kubectl('delete', 'ff', 'a', '-n', 'shop'),
  },
};

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

async function setVariable(variable: object): Promise<void> {
  const patch = [{ op: 'add', path: '/spec/template/spec/containers/0/env/-', value: variable }];
  await kubectl('patch', 'deployment', 'vexil', '-n', HOME, '--type=json', '-p', JSON.stringify(patch));
}

async function waitingPod(): Promise<void> {
  const labels = { 'app.kubernetes.io/name': 'vexil', 'app.kubernetes.io/component': 'operator' };
  const { spec: template } = JSON.parse(await kubectl('get', 'deployment', 'vexil', '-n', HOME, '-o', 'json')).spec
    .template;
  const { serviceAccountName: _, ...spec } = template;
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'vexil-abc', namespace: HOME, labels }, spec };
  await plane.apply([pod as never]);
  const waiting = { reason: 'ImagePullBackOff', message: 'no such image' };
  const status = { name: 'vexil', image: 'vexil:x', imageID: '', ready: false, restartCount: 0, state: { waiting } };
  await patchStatus('pod vexil-abc', { containerStatuses: [status] });
}

test.each(Object.entries(cases))('%s', async (_what, { breaks, check: name, verdict, says, mend, undo }) => {
  await breaks();
  const found = await waitUntil({ what: 'the problem is found' }, async () => {
    const all = await problems();
    return all.some(({ message }) => message.includes(says)) && all;
  });
  const problem = found.find(({ message }) => message.includes(says));
  expect(problem).toMatchObject({ check: name, verdict, mend: expect.stringContaining(mend) });
  const { code, stdout } = await check();
  const isBad = found.some((one) => one.verdict === 'error');
  expect([code, stdout]).toEqual([isBad ? 1 : 0, expect.stringContaining(mend)]);
  if (undo === undefined) await runAsPrinted(problem?.mend ?? '');
  else await undo();
  if (name === 'secrets') await kubectl('delete', 'secret', 'gone', '-n', HOME).then(() => removeVariable());
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

async function removeVariable(): Promise<void> {
  const patch = '[{"op":"remove","path":"/spec/template/spec/containers/0/env/1"}]';
  await kubectl('patch', 'deployment', 'vexil', '-n', HOME, '--type=json', '-p', patch);
}

test('what the user may not read is unknown, and the rest is checked', async () => {
  await kubectl('create', 'serviceaccount', 'reader', '-n', HOME);
  await kubectl(
    'create',
    'role',
    'reader',
    '-n',
    HOME,
    '--verb=get,list',
    '--resource=deployments.apps,configmaps,pods',
  );
  await kubectl('create', 'rolebinding', 'reader', '-n', HOME, '--role=reader', `--serviceaccount=${HOME}:reader`);
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
  const second = JSON.parse(await kubectl('get', 'deployment', 'vexil', '-n', HOME, '-o', 'json'));
  const { apiVersion, kind, spec } = second;
  await plane.apply([{ apiVersion, kind, metadata: { name: 'vexil', namespace: 'default' }, spec } as never]);
  const several = await check();
  expect([several.code, several.stderr]).toEqual([64, expect.stringContaining('Select one with -n')]);
  await kubectl('delete', 'deployment', 'vexil', '-n', 'default');
});
