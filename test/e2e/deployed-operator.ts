/** An operator for one test file as people run it: a release of the chart, reached through its Service. */
import type { RunningApp } from '../support/running-app.ts';
import { realCluster } from './cluster.ts';
import { ensureDefinitions } from './ensure-definitions.ts';
import { releaseIn, served, type Values } from './release.ts';

/** Where a pod listens is the matter of the chart; the others have values of their own. */
const OF_THE_CHART = ['VEXIL_HTTP_HOST', 'VEXIL_AUTH', 'VEXIL_ADMIN_TOKEN'];

interface Deployment {
  readonly watched?: readonly string[];
  /** `VEXIL_*` variables. */
  readonly settings?: Readonly<Record<string, string>>;
}

interface DeployedOperator extends RunningApp {
  readonly home: string;
  readonly kubeconfig: string;
}

/** Resolves when it is ready. Its log stays in the pod. */
export async function deployOperator(home: string, deployment: Deployment): Promise<DeployedOperator> {
  const { watched = [], settings = {} } = deployment;
  const cluster = realCluster();
  await ensureDefinitions(cluster);
  const { VEXIL_AUTH: auth = 'none', VEXIL_ADMIN_TOKEN: token } = settings;
  const release = releaseIn({ cluster, namespace: home, ...(token && { token }) });
  await release.install({ ...valuesFor(watched, auth), config: configOf(settings, auth) });
  const [url, opsUrl] = [await release.url(), await release.open('ops')];
  const ready = async () => void (await served(release.call, 'GET //health'));
  await ready();
  return {
    ...{ home, url, opsUrl, ready, log: [] },
    kubeconfig: await cluster.kubeconfigFor({ namespace: home, name: 'vexil' }),
    async stop() {
      await release.helm('uninstall', release.name);
      cluster.close();
    },
  };
}

/** Each file has a release of its own beside others, so that what there is once in a cluster is left to those. */
function valuesFor(watched: readonly string[], auth: string): Values {
  return {
    auth,
    watch: { namespaces: watched },
    crds: { install: false },
    rbac: { aggregate: false },
    admission: { author: false, protectedEnvironments: false, auditEvents: false },
    defaults: { environments: [], project: '' },
  };
}

/** Settings as the values of the chart call them. */
function configOf(settings: Readonly<Record<string, string>>, auth: string): Values {
  const others = Object.entries(settings).filter(([name]) => !OF_THE_CHART.includes(name));
  const named = others.map(([name, value]) => [camelCase(name.replace('VEXIL_', '')), value]);
  return { ...Object.fromEntries(named), ...(auth === 'none' && { allowAnonymous: true }) };
}

function camelCase(name: string): string {
  return name.toLowerCase().replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
