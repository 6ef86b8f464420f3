/** What the parts of a replica share: settings, connections, the watched kinds and the catalog. */

import type { Archive } from '../audit/archive/archive.ts';
import { archiveIn } from '../audit/archive/open-archive.ts';
import type { Connected } from '../audit/archive/reconnect.ts';
import { type Catalog, createCatalog } from '../catalog/catalog.ts';
import type { Config } from '../config/load-config.ts';
import type { Transport } from '../kube/api/transport.ts';
import type { Timings } from '../model/settings/timings.ts';
import { exponentialBackoff } from '../runtime/backoff.ts';
import type { CallerWrites } from '../runtime/caller-writes.ts';
import { monotonicTime } from '../runtime/clock.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Tracing } from '../telemetry/tracing.ts';
import { type Cluster, connectCluster } from './cluster.ts';
import type { Machine } from './machine.ts';
import { type WiredClaims, wireNameClaims } from './name-claims.ts';
import { watchObserver } from './watch-observer.ts';

const WATCH_RETRY_MIN_MS = 1_000;

/** What comes from outside of the replica. */
interface PlatformParts {
  readonly config: Config;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly tracing: Tracing;
  readonly machine: Machine;
  readonly transport: Transport;
  readonly database: Connected;
  /** The identity of this process, different from that of any other. */
  readonly identity: string;
  readonly callerWrites: CallerWrites;
}

export interface Platform extends PlatformParts {
  /** The history in the database. */
  readonly archive: Archive;
  readonly cluster: Cluster;
  readonly names: WiredClaims;
  /** Its clock never goes back. */
  readonly catalog: Catalog;
}

export function createPlatform(parts: PlatformParts): Platform {
  const { config, logger, metrics, transport, database, machine } = parts;
  const { clock, random } = machine;
  const onFault = (error: unknown) => logger.error({ error }, 'cache: subscriber failed');
  const connection = {
    transport,
    clock,
    random,
    backoff: watchBackoff(config.timings, random),
    observe: watchObserver(logger, metrics),
    onFault,
  };
  const cluster = connectCluster(config, connection);
  const names = wireNameClaims(config, metrics, connection);
  const now = monotonicTime(machine.wallTime);
  const catalog = createCatalog(cluster.caches, now, { home: config.namespace, claims: names.claims, onFault });
  return { ...parts, archive: archiveIn(database), cluster, names, catalog };
}

function watchBackoff({ watchRetryMaxMs: capMs }: Timings, random: () => number): (attempt: number) => number {
  return exponentialBackoff({ baseMs: Math.min(WATCH_RETRY_MIN_MS, capMs), capMs, random });
}
