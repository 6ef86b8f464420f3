/** Probes in a real cluster: the installed kind, clients, a running watch. */

import { loadKubeConfig } from '../../src/kube/api/kubeconfig.ts';
import { connect, type Transport } from '../../src/kube/api/transport.ts';
import { createStore, type Store } from '../../src/kube/cache/store.ts';
import { runWatch, type WatchNotice, type WatchParts } from '../../src/kube/cache/watch.ts';
import { matchProtectedManagers } from '../../src/kube/write/match-protected-managers.ts';
import { createResource, type Resource } from '../../src/kube/write/resource.ts';
import { API_VERSION } from '../../src/model/kind.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import type { ControlPlaneAccess } from './control-plane/access.ts';
import { waitUntil } from './control-plane/wait-until.ts';
import { PROBE, PROBE_CRD, type ProbeSpec, type ProbeStatus } from './probe.ts';

/** Installs the kind. Resolves when the API server serves it. */
export async function installProbes({ kubectlOrThrow, request }: ControlPlaneAccess): Promise<void> {
  await kubectlOrThrow(['apply', '--server-side', '-f', '-'], { input: PROBE_CRD });
  const path = `/apis/${API_VERSION}/${PROBE.plural}`;
  await waitUntil({ what: 'probes are served' }, () => request({ method: 'GET', path }).then(Boolean, () => false));
}

export interface ProbeClient {
  readonly transport: Transport;
  readonly store: Store<ProbeSpec, ProbeStatus, 'group'>;
  readonly probes: Resource<ProbeSpec, ProbeStatus>;
  readonly faults: unknown[];
}

/** A client whose cache covers one namespace. */
export function probeClient(kubeconfig: string, namespace: string): ProbeClient {
  const transport = connect(loadKubeConfig(kubeconfig));
  const faults: unknown[] = [];
  const store = createStore({
    kind: PROBE,
    indexes: { group: (probe) => [probe.spec.group ?? ''] },
    onFault: (error) => faults.push(error),
  });
  store.sink(namespace);
  const clock = systemClock;
  const probes = createResource({
    transport,
    kind: PROBE,
    store,
    namespaces: [namespace],
    isProtected: matchProtectedManagers(['@apply']),
    clock,
    random: Math.random,
  });
  return { transport, store, probes, faults };
}

export interface RunningWatch {
  readonly notices: WatchNotice[];
  /** The phases of all requests so far, in order. */
  phases(): string[];
  stop(): Promise<void>;
}

/** Runs the watch of a client until it is stopped. */
export function watchProbes(client: ProbeClient, namespace: string, options: Partial<WatchParts> = {}): RunningWatch {
  const end = new AbortController();
  const notices: WatchNotice[] = [];
  const running = runWatch({
    transport: client.transport,
    kind: PROBE,
    namespace,
    sink: client.store.sink(namespace),
    backoff: () => 100,
    clock: systemClock,
    random: Math.random,
    signal: end.signal,
    observe: (notice) => notices.push(notice),
    ...options,
  });
  return {
    notices,
    phases: () => notices.flatMap((notice) => (notice.type === 'requested' ? [notice.phase] : [])),
    async stop() {
      end.abort(new Error('The test is over'));
      await running;
      client.transport.close();
    },
  };
}
