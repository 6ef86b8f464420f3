/** The watched kinds, each with its cache. */

import type { WatchedScope } from '../audit/record/recorder.ts';
import type { Config } from '../config/load-config.ts';
import { type AnyResource, definitions, mapKinds, type Resources } from '../kinds/registry.ts';
import { type ConnectedKind, type Connection, connectKind } from '../kube/connected-kind.ts';
import { matchProtectedManagers } from '../kube/write/match-protected-managers.ts';
import type { Ref } from '../model/object.ts';
import type { KindName } from '../schema/kinds.ts';
import type { Metrics } from '../telemetry/metrics.ts';

/** The watched kinds, by their names in the registry. */
export interface Cluster {
  readonly caches: Resources;
  /** The same, as a list. */
  readonly resources: readonly AnyResource[];
  /** The scopes in which the kinds are watched. */
  readonly places: readonly WatchedScope[];
  /** Watches until the signal aborts. */
  run(signal: AbortSignal): Promise<unknown>;
  /** True while a watch has failed and is not reconnected: a cache may lack objects created since. */
  isCutOff(): boolean;
}

export function connectCluster(config: Config, connecting: Omit<Connection, 'isProtected'>): Cluster {
  const { namespace: home, watchNamespaces, protectedManagers } = config;
  const connection: Connection = { ...connecting, isProtected: matchProtectedManagers(protectedManagers) };
  const namespacesOf = { watched: watchNamespaces === '*' ? [undefined] : watchNamespaces, operator: [home] };
  const connected = mapKinds<Record<KindName, ConnectedKind<unknown, unknown, string>>>(({ kind, indexes }) =>
    connectKind(connection, { kind, indexes, namespaces: namespacesOf[kind.namespaces] }),
  );
  const connectedKinds = Object.values(connected);
  return {
    caches: mapKinds<Resources>((_, name) => connected[name].resource),
    resources: connectedKinds.map(({ resource }) => resource),
    places: definitions.flatMap(([name, { kind }]) =>
      namespacesOf[kind.namespaces].map((namespace) => placeOf(connected[name].resource, namespace)),
    ),
    run: (signal: AbortSignal) => Promise.all(connectedKinds.map(({ run }) => run(signal))),
    isCutOff: () => connectedKinds.some(({ isCutOff }) => isCutOff()),
  };
}

function placeOf({ kind, all, live }: AnyResource, namespace: string | undefined): WatchedScope {
  const isThere = (object: { readonly metadata: Ref }) =>
    namespace === undefined || object.metadata.namespace === namespace;
  const present = () => Iterator.from(all()).filter(isThere);
  return { kind, namespace, present, live };
}

export function measureCaches({ resources }: Cluster, metrics: Metrics): void {
  metrics.measure('vexil_cache_objects', 'Objects in the cache, by kind.', () =>
    resources.map(({ kind, size }) => ({ labels: { kind: kind.kind }, value: size })),
  );
}
