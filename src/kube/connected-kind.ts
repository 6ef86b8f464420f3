/** One kind with its cache, its client and the watches that fill the cache. */

import type { Clock } from '../model/clock.ts';
import type { Kind } from '../model/kind.ts';
import type { Transport } from './api/transport.ts';
import type { IndexKeys } from './cache/secondary-index.ts';
import { createStore } from './cache/store.ts';
import { runWatch, type WatchNotice } from './cache/watch.ts';
import type { IsProtected } from './write/match-protected-managers.ts';
import { createResource, type Resource } from './write/resource.ts';

export interface Connection {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: () => number;
  readonly backoff: (attempt: number) => number;
  /** Managers whose fields a change takes over only if forced. */
  readonly isProtected: IsProtected;
  /** Receives the notices of the watch of a kind in a namespace (undefined: in all namespaces). */
  readonly observe: (kind: string, namespace: string | undefined, notice: WatchNotice) => void;
  /** Receives errors that a subscriber to a cache throws. */
  readonly onFault: (error: unknown) => void;
}

export interface KindPlace<S, T, Index extends string> {
  readonly kind: Kind<S, T>;
  readonly indexes: Readonly<Record<Index, IndexKeys<S, T>>>;
  /** The watched namespaces; `undefined` stands for all. */
  readonly namespaces: readonly (string | undefined)[];
}

export interface ConnectedKind<S, T, Index extends string> {
  readonly resource: Resource<S, T, Index>;
  /** Watches until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
  /** True while a watch has failed and is not reconnected: the cache may lack objects created since. */
  isCutOff(): boolean;
}

export function connectKind<S, T, Index extends string>(
  { observe, onFault, ...connection }: Connection,
  { kind, indexes, namespaces }: KindPlace<S, T, Index>,
): ConnectedKind<S, T, Index> {
  const store = createStore({ kind, indexes, onFault });
  const sinks = namespaces.map((namespace) => ({ namespace, sink: store.sink(namespace) }));
  const cutOff = new Set<string | undefined>();
  const followConnection = (namespace: string | undefined, notice: WatchNotice) => {
    if (notice.type === 'failed' || notice.type === 'silent') cutOff.add(namespace);
    // A resumed watch delivers missed events at once; a list counts only when it is complete.
    if (notice.type === 'synced' || (notice.type === 'opened' && notice.phase === 'watching')) cutOff.delete(namespace);
  };
  return {
    resource: createResource({ ...connection, kind, store, namespaces }),
    async run(signal) {
      const observeIn = (namespace: string | undefined) => (notice: WatchNotice) => {
        followConnection(namespace, notice);
        observe(kind.kind, namespace, notice);
      };
      await Promise.all(
        sinks.map(({ namespace, sink }) =>
          runWatch({ ...connection, kind, namespace, sink, signal, observe: observeIn(namespace) }),
        ),
      );
    },
    isCutOff: () => cutOff.size > 0,
  };
}
