/** What `make compat` runs against each version of Kubernetes: what the API server has a part in. */
import { defineConfig } from 'vitest/config';
import { compareVersions } from './test/support/control-plane/pins.ts';
import { kubernetesVersion } from './test/support/control-plane/versions.ts';
import { patient } from './vitest.config.ts';

const { minor } = await kubernetesVersion(process.env['VEXIL_KUBERNETES']);
const isAtLeast = (first: string) => compareVersions(minor, first) >= 0;

const EVERYWHERE = [
  // Admission and CEL.
  'test/integration/{crd-rules,crd-use,ratcheting,stamps,event-forging,freezes}.test.ts',
  'test/integration/{protected-environment,people-roles,odd-values}.test.ts',
  'test/contract/{freezes,cluster-refusals,bulk,conditional}.test.ts',
  'test/soak/author-older-cluster.test.ts',
  // Watches and lists.
  'test/integration/{ready-events,reconcile-rest,reconcile-tampering,sdk-unavailable,leader}.test.ts',
  'test/integration/{faults-reconcile,faults-write,paused-replica,api-tokens,name-claims}.test.ts',
  'test/contract/{client-streams,changes}.test.ts',
  'test/soak/{faults-watch,kube-watch}.test.ts',
  // Ownership.
  'test/integration/{gitops-matrix,gitops-programs,reapply,judging,segments}.test.ts',
  'test/contract/{field-ownership,field-ownership-owners,ownership,dry-run,manifest,state-owned-fields}.test.ts',
  // Installation, upgrades and the demo.
  'test/integration/{chart-template,default-objects,upgrade,demo,program,cli-cluster}.test.ts',
  // Reviews of the API server.
  'test/contract/{access-reviews,kubernetes-identities,permissions}.test.ts',
  // A tenth of the endpoints.
  'test/contract/{feature-create,feature-patch,feature-search,strategy-update,switch,rollouts,state-import}.test.ts',
  'test/contract/specification/*.test.ts',
];

/** Counts streamed lists. */
const SINCE_1_34 = ['test/soak/faults-control-plane.test.ts'];

/** Need `sort()` in CEL. */
const SINCE_1_35 = ['test/{integration/environment-permission,contract/environment-ways}.test.ts'];

/** Need MutatingAdmissionPolicy. */
const SINCE_1_36 = ['test/integration/author-*.test.ts', 'test/integration/audit.test.ts', 'test/compat/*.test.ts'];

export default defineConfig({
  test: {
    include: [
      ...EVERYWHERE,
      ...(isAtLeast('1.34') ? SINCE_1_34 : []),
      ...(isAtLeast('1.35') ? SINCE_1_35 : []),
      ...(isAtLeast('1.36') ? SINCE_1_36 : []),
    ],
    globalSetup: ['test/support/global-setup.ts'],
    expect: patient,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: 3,
    isolate: false,
  },
});
