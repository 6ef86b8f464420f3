/** Policies in files of the API server, as docs/static-admission.md says: no request changes or deletes them. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { projectBinaries } from '../../scripts/tools/control-plane/project-binaries.ts';
import { runProgram } from '../../scripts/tools/run-program.ts';
import { stampOf } from '../support/author-policy.ts';
import { aFlag } from '../support/builders.ts';
import { installAdmission } from '../support/control-plane/install-admission.ts';
import { installDefinitions } from '../support/control-plane/install-definitions.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane/start-control-plane.ts';
import { untilAdmitted } from '../support/control-plane/until-admitted.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';

const PROJECT = fileURLToPath(new URL('../..', import.meta.url));
const KINDS = ['validating', 'mutating'] as const;
const HOME = 'vexil-system';
const OPERATOR = { namespace: HOME, name: 'vexil' };
const GUARD = 'vexil-guard.static.k8s.io';

let folder: string;
let plane: ControlPlane;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vexil-static-'));
  const config = await writeFiles();
  plane = await startControlPlane({
    apiServerArgs: [
      `--admission-control-config-file=${config}`,
      // Kubernetes 1.37 has it by default.
      '--feature-gates=ManifestBasedAdmissionControlConfig=true',
    ],
  });
  await installDefinitions(plane);
  await installAdmission(plane, ['environment-changes.yaml']);
  await plane.kubectlOrThrow(['create', 'namespace', HOME]);
  await untilAdmitted(plane, HOME);
  await plane.kubectlOrThrow(['create', 'serviceaccount', OPERATOR.name, '-n', HOME]);
  const binding = ['--clusterrole=cluster-admin', `--serviceaccount=${HOME}:${OPERATOR.name}`];
  await plane.kubectlOrThrow(['create', 'clusterrolebinding', 'operator', ...binding]);
});
afterAll(async () => {
  await plane?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Does what the page says, in another folder, and returns the path of the configuration. */
async function writeFiles(): Promise<string> {
  const { kubectl } = await projectBinaries();
  for (const kind of KINDS) {
    const { stdout } = await runProgram(kubectl, ['kustomize', join(PROJECT, 'config/static-admission', kind)]);
    await mkdir(join(folder, kind));
    await writeFile(join(folder, kind, 'vexil.yaml'), stdout);
  }
  const page = await readFile(join(PROJECT, 'docs/static-admission.md'), 'utf8');
  const text = /^ *# admission\.yaml\n(?<text>.*?)^ *```$/ms.exec(page)?.groups?.['text'] ?? '';
  const config = join(folder, 'admission.yaml');
  await writeFile(config, text.replaceAll('/etc/kubernetes/vexil', folder));
  return config;
}

/** The error message of a command of the administrator. */
const refusalOf = async (...args: readonly string[]): Promise<string> => (await plane.kubectl(args)).stderr;

const anEvent = (name: string) =>
  JSON.stringify({
    ...{ apiVersion: 'v1', kind: 'Event', involvedObject: { namespace: HOME } },
    metadata: { name, namespace: HOME, labels: { 'vexil.dev/audit': '1' } },
  });

test('the policies hold, although no object of them is in the cluster', async () => {
  const forged = aFlag(`${HOME}/forged`);
  const annotations = { 'vexil.dev/changed-by': 'eve' };
  await plane.apply([{ ...forged, metadata: Object.assign({ annotations }, forged.metadata) }]);
  expect(stampOf(await plane.getObject('ff/forged', HOME))).toMatchObject({ 'changed-by': 'admin' });

  const create = ['create', '-f', '-'];
  const { stderr } = await plane.kubectl(create, { input: anEvent('forged') });
  expect(stderr).toContain("ValidatingAdmissionPolicy 'vexil-audit-events.static.k8s.io'");
  const kubeconfig = await plane.kubeconfigFor(OPERATOR);
  await plane.kubectlOrThrow(create, { input: anEvent('real'), kubeconfig });
});

test('an administrator deletes neither a policy that cannot be a file, nor its binding, nor a definition', async () => {
  const policy = 'vexil-environment-changes';
  for (const [resource, name] of [
    ['validatingadmissionpolicy', policy],
    ['validatingadmissionpolicybinding', policy],
    ['validatingadmissionpolicy', '--all'],
    ['crd', 'featureflags.vexil.dev'],
  ] as const) {
    expect(await refusalOf('delete', resource, name)).toContain(GUARD);
  }
  const collection = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  await expect(plane.request({ method: 'DELETE', path: collection })).rejects.toThrow(GUARD);
  const audits = JSON.stringify({ spec: { validationActions: ['Audit'] } });
  const patch = ['patch', 'validatingadmissionpolicybinding', policy, '--type=merge', '-p', audits];
  expect(await refusalOf(...patch)).toContain(GUARD);
  // An upgrade that changes no spec passes.
  await plane.kubectlOrThrow(['label', 'validatingadmissionpolicybinding', policy, 'helm.sh/chart=vexil-9.9.9']);
});

test('a file that cannot be read changes nothing, and the removal of the file opens what it kept', async () => {
  const deletion = ['delete', 'crd', 'featureflags.vexil.dev', '--dry-run=server'];
  const failed = async () =>
    /reloads_total\{.*Validating.*status="failure"\} [1-9]/.test(
      await plane.kubectlOrThrow(['get', '--raw', '/metrics']),
    );
  const broken = join(folder, 'validating/broken.yaml');
  await writeFile(broken, 'kind: Unknown\n');
  await waitUntil({ what: 'the broken file is counted', timeoutMs: 90_000, everyMs: 250 }, failed);
  expect(await refusalOf(...deletion)).toContain(GUARD);
  await rm(broken);
  await rm(join(folder, 'validating/vexil.yaml'));
  await waitUntil({ what: 'the definition can be deleted', timeoutMs: 90_000, everyMs: 250 }, async () => {
    return (await plane.kubectl(deletion)).code === 0;
  });
});
