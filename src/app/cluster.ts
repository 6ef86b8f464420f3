/** The kinds that are watched, each with its cache. */

import type { Place } from '../audit/recorder.ts';
import {
  environmentIndexes,
  flagIndexes,
  projectIndexes,
  roleIndexes,
  strategyIndexes,
  tokenIndexes,
  userIndexes,
} from '../catalog/indexes.ts';
import type { Config } from '../config/load-config.ts';
import { type ConnectedKind, type Connection, connectKind, type KindPlace } from '../kube/connected-kind.ts';
import { protection } from '../kube/protection.ts';
import type { Resource } from '../kube/resource.ts';
import { apiToken } from '../schema/api-token.ts';
import { environment } from '../schema/environment.ts';
import { featureFlag } from '../schema/feature-flag.ts';
import { flagRole } from '../schema/flag-role.ts';
import { flagUser } from '../schema/flag-user.ts';
import type { Ref } from '../schema/object.ts';
import { project } from '../schema/project.ts';
import { strategyDefinition } from '../schema/strategy-definition.ts';
import type { Metrics } from '../telemetry/metrics.ts';

export type Cluster = ReturnType<typeof connectCluster>;

/** Between two attempts to connect a watch: with a longer cap, statuses and answers stay behind long after the API server is back. */
export const WATCH_WAITS = { baseMs: 1_000, capMs: 5_000 };

export function connectCluster(config: Config, connecting: Omit<Connection, 'isProtected'>) {
  const { namespace: home, watchNamespaces, protectedManagers } = config;
  const connection: Connection = { ...connecting, isProtected: protection(protectedManagers) };
  const watched = watchNamespaces === '*' ? [undefined] : watchNamespaces;
  const connectedKinds: Omit<ConnectedKind<never, never>, 'resource'>[] = [];
  const places: Place[] = [];
  const connected = <S, T>(place: KindPlace<S, T>): Resource<S, T> => {
    const { resource, ...watched } = connectKind(connection, place);
    connectedKinds.push(watched);
    places.push(...place.namespaces.map((namespace) => placeOf(resource, namespace)));
    return resource;
  };
  const caches = {
    flags: connected({ kind: featureFlag, indexes: flagIndexes, namespaces: watched }),
    projects: connected({ kind: project, indexes: projectIndexes, namespaces: watched }),
    environments: connected({ kind: environment, indexes: environmentIndexes, namespaces: [home] }),
    users: connected({ kind: flagUser, indexes: userIndexes, namespaces: [home] }),
    roles: connected({ kind: flagRole, indexes: roleIndexes, namespaces: [home] }),
    tokens: connected({ kind: apiToken, indexes: tokenIndexes, namespaces: [home] }),
    strategies: connected({ kind: strategyDefinition, indexes: strategyIndexes, namespaces: [home] }),
  };
  return {
    caches,
    resources: Object.values(caches),
    /** Where all of them are watched. */
    places: places as readonly Place[],
    run: (signal: AbortSignal) => Promise.all(connectedKinds.map(({ run }) => run(signal))),
    isCutOff: () => connectedKinds.some(({ isCutOff }) => isCutOff()),
  };
}

function placeOf<S, T>({ kind, all, live }: Resource<S, T>, namespace: string | undefined): Place {
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
