/** The order of the test files where nobody has measured them yet, as in a fresh clone: those that take long begin first. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Those of half a minute and more; a file that is small may take long. The order of all others is Vitest's own. Where it can
 * be, one that mostly works is beside one that mostly waits, so that neither core rests.
 */
const LONG = [
  'contract/fuzz.test.ts',
  'contract/environment-clone-wait.test.ts',
  'integration/faults-replicas.test.ts',
  'integration/history.test.ts',
  'integration/faults-watch.test.ts',
  'integration/leader.test.ts',
  'integration/ids-races.test.ts',
  'integration/environment-clone-crash.test.ts',
  'integration/demo.test.ts',
  'integration/kube-watch.test.ts',
  'integration/author-forging.test.ts',
  'integration/faults-control-plane.test.ts',
  'integration/audit-faults.test.ts',
  'integration/faults-write.test.ts',
  'integration/etcd-restored.test.ts',
  'integration/rolling-restart.test.ts',
  'integration/control-plane.test.ts',
  'integration/graceful-stop.test.ts',
  'integration/audit-postgres.test.ts',
  'integration/faults-reconcile.test.ts',
  'integration/environment-clone-many.test.ts',
  'contract/access-reviews.test.ts',
  'integration/program.test.ts',
  'integration/judging.test.ts',
  'contract/bad-input/paths.test.ts',
  'integration/environment-permission.test.ts',
  'contract/bad-input/properties.test.ts',
  'integration/token-rotation.test.ts',
  'contract/abuse.test.ts',
  'integration/crd-use.test.ts',
  'integration/api-tokens.test.ts',
  'integration/api-tokens-crash.test.ts',
  'integration/audit-downtime.test.ts',
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => rank(one) - rank(other));
  }
}

function rank({ moduleId }: TestSpecification): number {
  const place = LONG.findIndex((file) => moduleId.endsWith(`/test/${file}`));
  return place === -1 ? LONG.length : place;
}
