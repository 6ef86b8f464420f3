/** Many SDKs report for half a minute while the database stops and a replica restarts: nothing is lost. */
import { expect, test } from 'vitest';
import { tortureUsage } from '../perf/usage/torture.ts';
import { sharedCluster } from '../support/cluster.ts';
import { replicaKubeconfig } from '../support/replica.ts';

test('the sums equal what was sent, without a deadlock, and the memory is bounded', async () => {
  const cluster = sharedCluster();
  const home = await cluster.freshNamespace('soak-usage');
  const outcome = await tortureUsage({
    ...{ cluster, home, kubeconfig: await replicaKubeconfig(cluster, home) },
    ...{ instances: 1_000, flags: 50, everySeconds: 60, seconds: 30, awaySeconds: 5, flushInterval: '1s' },
    say: () => undefined,
  });
  expect(outcome).toMatchObject({ reports: 500, stored: outcome.sent, dropped: 0, deadlocks: 0 });
  expect(outcome.failedFlushes).toBeGreaterThan(0);
  expect(outcome.residentMb.peak - outcome.residentMb.before).toBeLessThan(150);
});
