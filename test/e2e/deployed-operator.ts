/** An operator for one test file as users run it: a release of the chart, reached through its Service. */
import { type OperatorWishes, operatorValues } from '../support/chart/operator-values.ts';
import type { RunningApp } from '../support/running-app.ts';
import { writesOf } from '../support/writes.ts';
import { realCluster } from './cluster.ts';
import { ensureDefinitions } from './ensure-definitions.ts';
import { releaseIn, served } from './release.ts';

interface DeployedOperator extends RunningApp {
  readonly home: string;
  readonly kubeconfig: string;
}

/** Resolves when the operator is ready. Its log stays in the pod. */
export async function deployOperator(home: string, wishes: OperatorWishes): Promise<DeployedOperator> {
  const cluster = realCluster();
  await ensureDefinitions(cluster);
  const token = wishes.settings?.['VEXIL_ADMIN_TOKEN'];
  const release = releaseIn({ cluster, namespace: home, ...(token && { token }) });
  await release.install(operatorValues(wishes));
  const [url, opsUrl] = [await release.url(), await release.open('ops')];
  const ready = async () => void (await served(release.call, 'GET //health'));
  await ready();
  return {
    ...{ home, url, opsUrl, ready, log: [] },
    writes: () => writesOf(opsUrl),
    kubeconfig: await cluster.kubeconfigFor({ namespace: home, name: 'vexil' }),
    async stop() {
      await release.helm('uninstall', release.name);
      cluster.close();
    },
  };
}
