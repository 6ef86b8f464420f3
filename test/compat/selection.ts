/** The test files that depend on the API server, by the oldest version of Kubernetes that they run on. */
import { compareVersions } from '../../scripts/tools/pins.ts';

const integration = (...names: readonly string[]) => names.map((name) => `test/integration/${name}.test.ts`);
const contract = (...names: readonly string[]) => names.map((name) => `test/contract/${name}.test.ts`);
const soak = (...names: readonly string[]) => names.map((name) => `test/soak/${name}.test.ts`);

const EVERYWHERE = [
  // Admission and CEL.
  ...integration('crd-rules', 'crd-use', 'stamps', 'event-forging', 'freezes', 'cli-freezes'),
  ...integration('protected-environment', 'people-roles', 'odd-values', 'approvals-matrix', 'api-versions'),
  ...contract('freezes', 'freezes-ramps', 'cluster-refusals', 'operator-permissions', 'bulk', 'conditional'),
  ...contract('approvals', 'names'),
  ...soak('author-older-cluster'),
  // Watches, lists, and the history, which is recorded from watches.
  ...integration('ready-events', 'reconcile-rest', 'reconcile-tampering', 'sdk-unavailable', 'leader', 'kube-calls'),
  ...integration('faults-reconcile', 'faults-replicas', 'faults-stored', 'faults-write', 'paused-replica'),
  ...integration('api-tokens', 'name-claims', 'name-claims-restart'),
  ...contract('client-streams', 'changes'),
  ...soak('faults-watch', 'kube-watch', 'absence', 'audit-downtime', 'etcd-restored'),
  // Ownership.
  ...integration('gitops-matrix', 'gitops-programs', 'gitops-rollouts', 'reapply', 'judging', 'segments'),
  ...contract('field-ownership', 'field-ownership-owners', 'ownership', 'dry-run', 'manifest', 'state-removals'),
  ...soak('gitops-recipes'),
  // Installation, upgrades and the demo.
  ...integration('chart-template', 'edge-chart', 'default-objects', 'upgrade', 'program', 'cli-cluster'),
  ...soak('chart-install', 'chart-rollback', 'demo', 'kustomize'),
  // Reviews of the API server.
  ...contract('access-reviews', 'kubernetes-identities', 'permissions'),
  // A tenth of the endpoints.
  ...contract('feature-create', 'feature-update', 'feature-search', 'strategy-update', 'switch', 'rollouts'),
  ...contract('state-import', 'specification/*'),
];

/** Counts streamed lists. */
const SINCE_1_34 = soak('faults-control-plane');

/** Need `sort()` in CEL. */
const SINCE_1_35 = [
  ...integration('environment-permission'),
  ...contract('environment-permission', 'environment-ways'),
];

/** Need MutatingAdmissionPolicy. */
const SINCE_1_36 = [...integration('author-*', 'audit'), 'test/compat/*.test.ts'];

/** Globs for a minor version such as `1.33`. */
export function compatTests(minor: string): readonly string[] {
  const isAtLeast = (first: string) => compareVersions(minor, first) >= 0;
  return [
    ...EVERYWHERE,
    ...(isAtLeast('1.34') ? SINCE_1_34 : []),
    ...(isAtLeast('1.35') ? SINCE_1_35 : []),
    ...(isAtLeast('1.36') ? SINCE_1_36 : []),
  ];
}
