/** Secrets that notification sinks use. */
import type { Cluster } from './cluster.ts';

interface SinkSecretParts {
  readonly namespace: string;
  /** The name of the Secret; by default that of the sink. */
  readonly name?: string;
  readonly sink: string;
  readonly value: string;
}

export async function createSinkSecret(cluster: Cluster, parts: SinkSecretParts): Promise<void> {
  const { namespace, sink, name = sink, value } = parts;
  const metadata = { namespace, name, labels: { 'vexil.dev/notification-sink': sink } };
  const body = { apiVersion: 'v1', kind: 'Secret', metadata, stringData: { secret: value } };
  await cluster.request({ method: 'POST', path: `/api/v1/namespaces/${namespace}/secrets`, body });
}
