/** Installs the shipped admission policies of config/admission. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments, stringify } from 'yaml';
import { isClusterError } from '../../../src/errors.ts';
import type { Call } from '../../../src/kube/api/transport.ts';
import type { ControlPlaneAccess } from './access.ts';
import { waitUntil } from './wait-until.ts';

const FOLDER = fileURLToPath(new URL('../../../config/admission', import.meta.url));

type Policy =
  | 'audit-events.yaml'
  | 'author.yaml'
  | 'change-approvals.yaml'
  | 'change-requests.yaml'
  | 'environment-changes.yaml'
  | 'statuses.yaml'
  | 'protected-environment.yaml'
  | 'older/stamps.yaml'
  | 'opt-in/environment-permission.yaml';

/**
 * Installs policies for an operator in vexil-system. They take effect a moment later; the API server does not report
 * when.
 */
export async function installAdmission(
  { kubectlOrThrow }: ControlPlaneAccess,
  policies: readonly Policy[],
): Promise<void> {
  const files = policies.flatMap((policy) => ['--filename', join(FOLDER, policy)]);
  await kubectlOrThrow(['apply', '--server-side', ...files]);
}

/**
 * Installs a copy of a policy for one operator. It holds only in the namespaces of that operator, so other tests are
 * not affected.
 */
export async function installPolicyIn(
  { kubectlOrThrow }: ControlPlaneAccess,
  policy: Policy,
  [home, ...watched]: readonly [home: string, ...watched: string[]],
): Promise<void> {
  const text = (await readFile(join(FOLDER, policy), 'utf8')).replaceAll('vexil-system', home);
  const documents = parseAllDocuments(text).map((document) => document.toJS());
  const values = [home, ...watched];
  const matchExpressions = [{ key: 'kubernetes.io/metadata.name', operator: 'In', values }];
  const copies = documents.map(({ spec, metadata, ...rest }) => {
    const name = `${metadata.name}-${home}`;
    if (spec.policyName === undefined) return { ...rest, metadata: { name }, spec };
    const matchResources = { namespaceSelector: { matchExpressions } };
    return { ...rest, metadata: { name }, spec: { ...spec, policyName: name, matchResources } };
  });
  await kubectlOrThrow(['apply', '--filename', '-'], { input: copies.map((one) => stringify(one)).join('---\n') });
}

/** Resolves when a policy that was just installed refuses this call, which must be a dry run. */
export async function untilRefused(cluster: ControlPlaneAccess, call: Call, kubeconfig?: string): Promise<void> {
  await waitUntil({ what: `${call.method} ${call.path} is refused` }, () =>
    cluster.request(call, kubeconfig).then(
      () => false,
      (error: unknown) => isClusterError(error, 'forbidden', 'invalid'),
    ),
  );
}
