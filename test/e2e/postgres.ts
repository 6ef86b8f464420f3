/** A PostgreSQL in a pod, for replicas that share a history. */
import type { RealCluster } from './cluster.ts';
import { inWords } from './stage.ts';

const PASSWORD = 'of-tests-only';

/** Resolves when PostgreSQL is ready, with its URL inside the cluster. */
export async function deployPostgres(cluster: RealCluster, namespace: string): Promise<string> {
  const labels = { app: 'postgres' };
  const container = {
    name: 'postgres',
    image: inWords(cluster.stage.postgresImage),
    imagePullPolicy: 'Never',
    env: [{ name: 'POSTGRES_PASSWORD', value: PASSWORD }],
    ports: [{ containerPort: 5432 }],
    readinessProbe: { tcpSocket: { port: 5432 }, periodSeconds: 1 },
    volumeMounts: [{ name: 'data', mountPath: '/data' }],
  };
  const spec = {
    containers: [container],
    securityContext: { fsGroup: 1000 },
    terminationGracePeriodSeconds: 1,
    volumes: [{ name: 'data', emptyDir: {} }],
  };
  await cluster.apply(
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'postgres', namespace, labels }, spec },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'postgres', namespace },
      spec: { selector: labels, ports: [{ port: 5432 }] },
    },
  );
  await cluster.kubectlOrThrow(['wait', 'pod/postgres', '-n', namespace, '--for=condition=Ready', '--timeout=60s']);
  return `postgres://postgres:${PASSWORD}@postgres.${namespace}:5432/postgres`;
}
