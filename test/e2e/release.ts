/** A release of the chart, installed with Helm as users do it, and its API from outside. */
import { join } from 'node:path';
import { stringify } from 'yaml';
import { runProgram } from '../../scripts/tools/run-program.ts';
import { adminClient, type Call } from '../support/admin-client.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import type { Pod, RealCluster } from './cluster.ts';
import { openEntryPoint } from './entry-point.ts';
import { PROJECT, STATE } from './stage.ts';

const CHART = join(PROJECT, 'charts/vexil');
export const ADMIN_TOKEN = `*:*.${'e2'.repeat(32)}`;
const TOKEN_SECRET = 'admin-token';

export type Values = Readonly<Record<string, unknown>>;

export interface ReleasePlace {
  readonly cluster: RealCluster;
  readonly namespace: string;
  /** The name of the release; `vexil` by default. */
  readonly name?: string;
  /** The admin token that the release starts with. */
  readonly token?: string;
}

export interface Release {
  readonly namespace: string;
  readonly name: string;
  /** Installs or upgrades the release. Resolves when every pod is ready. */
  install(values: Values, options?: InstallOptions): Promise<void>;
  /** Runs a Helm command about this release, and returns its output. */
  helm(...args: readonly string[]): Promise<string>;
  pods(): Promise<readonly Pod[]>;
  /** Opens a route to a port of its Service. */
  open(port: 'http' | 'ops'): Promise<string>;
  /** Calls the API with the admin token. */
  call: Call;
  /** The URL of the admin API. */
  url(): Promise<string>;
}

export interface InstallOptions {
  /** The folder or archive of the chart; the present chart by default. */
  readonly chart?: string;
}

export function releaseIn({ cluster, namespace, name = 'vexil', token = ADMIN_TOKEN }: ReleasePlace): Release {
  const entryPoints = new Map<string, Promise<string>>();
  const helm = (args: readonly string[], input?: string) =>
    runHelm(cluster, [...args, '--namespace', namespace], input);
  const open = (port: 'http' | 'ops') => {
    const entryPoint = entryPoints.get(port) ?? openEntryPoint(cluster, { namespace, service: name, port });
    entryPoints.set(port, entryPoint);
    return entryPoint;
  };
  const url = () => open('http');
  return {
    namespace,
    name,
    open,
    url,
    async install(values, { chart = CHART } = {}) {
      await createToken(cluster, namespace, token);
      const args = ['upgrade', '--install', name, chart, '--values', '-', '--wait', '--timeout', '120s'];
      await helm(args, stringify({ ...remainingValues(cluster), ...values }));
    },
    helm: (...args) => helm(args),
    pods: () => cluster.pods(namespace, `app.kubernetes.io/instance=${name},app.kubernetes.io/component=operator`),
    call: async (request, options) => adminClient(await url(), { authorization: token })(request, options),
  };
}

/** The values that every release of a test has: the image and the token. */
function remainingValues({ stage }: RealCluster): Values {
  return {
    image: { ...stage.operatorImage, pullPolicy: 'Never' },
    adminToken: { create: false, existingSecret: TOKEN_SECRET, key: 'token' },
  };
}

async function createToken(cluster: RealCluster, namespace: string, token: string): Promise<void> {
  await cluster.apply({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: TOKEN_SECRET, namespace },
    stringData: { token },
  });
}

/** Returns the output of helm; throws with its error message if it fails. */
export async function runHelm({ stage }: RealCluster, args: readonly string[], input?: string): Promise<string> {
  const home = join(STATE, 'helm');
  const { code, stdout, stderr } = await runProgram(stage.helm, args, {
    ...(input === undefined ? {} : { input }),
    environment: {
      KUBECONFIG: stage.kubeconfig,
      HELM_CACHE_HOME: join(home, 'cache'),
      HELM_CONFIG_HOME: join(home, 'config'),
      HELM_DATA_HOME: join(home, 'data'),
    },
  });
  if (code !== 0) throw new Error(`helm ${args.join(' ')} failed with ${code}:\n${stderr}`);
  return stdout;
}

/** Resolves with the answer when it is 200. A pod that became ready a moment ago may not be reachable yet. */
export function served(call: Call, request: string) {
  return waitUntil({ what: `${request} is answered`, timeoutMs: 60_000 }, async () => {
    const answer = await call(request).catch(() => undefined);
    return answer?.status === 200 && answer;
  });
}
