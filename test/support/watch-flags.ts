/** Every version of the flags of a namespace, received by a separate watch. */
import { loadKubeConfig } from '../../src/kube/api/kubeconfig.ts';
import { connect } from '../../src/kube/api/transport.ts';
import type { Stored } from './stored.ts';

interface Place {
  readonly kubeconfig: string;
  readonly namespace: string;
}

/** Calls `onFlag` with each version from now on, until the returned function is called. */
export async function watchFlags(
  { kubeconfig, namespace }: Place,
  onFlag: (flag: Stored) => void,
): Promise<() => void> {
  const transport = connect(loadKubeConfig(kubeconfig));
  const ending = new AbortController();
  const path = `/apis/vexil.dev/v1beta1/namespaces/${namespace}/featureflags`;
  const { metadata } = (await transport.request({ method: 'GET', path, query: { limit: 1 } })) as Stored;
  const query = { watch: true, resourceVersion: metadata.resourceVersion, timeoutSeconds: 3600 };
  const frames = await transport.stream({ path, query, signal: ending.signal });
  const follow = async () => {
    for await (const { object } of frames as AsyncIterable<Stored>) onFlag(object);
  };
  follow().catch(() => undefined);
  return () => {
    ending.abort(new Error('enough is seen'));
    transport.close();
  };
}
