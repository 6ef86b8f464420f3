/** One kind with its cache, its calls and the watches that keep the cache true. */
import type { Kind } from '../schema/kind.ts';
import type { IndexKeys } from './buckets.ts';
import type { Clock } from './pause.ts';
import type { IsProtected } from './protection.ts';
import { createResource, type Resource } from './resource.ts';
import { createStore } from './store.ts';
import type { Transport } from './transport.ts';
import { runWatch, type WatchNotice } from './watch.ts';

export interface Connection {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: () => number;
  readonly backoff: (attempt: number) => number;
  /** Whose fields a change may not take unasked. */
  readonly isProtected: IsProtected;
  /** What the watch of a kind in a namespace (absent: in all) lives through. */
  readonly observe: (kind: string, namespace: string | undefined, notice: WatchNotice) => void;
  /** Told what a subscriber to a cache threw. */
  readonly onFault: (error: unknown) => void;
}

export interface KindPlace<S, T> {
  readonly kind: Kind<S, T>;
  readonly indexes: Readonly<Record<string, IndexKeys<S, T>>>;
  /** The watched namespaces; `undefined` stands for all. */
  readonly namespaces: readonly (string | undefined)[];
}

export interface ConnectedKind<S, T> {
  readonly resource: Resource<S, T>;
  /** Watches until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
  /** True while a watch has failed and is not connected again: the cache may lack what was created since. */
  isCutOff(): boolean;
}

export function connectKind<S, T>(
  { observe, onFault, ...connection }: Connection,
  { kind, indexes, namespaces }: KindPlace<S, T>,
): ConnectedKind<S, T> {
  const store = createStore({ kind, indexes, onFault });
  const sinks = namespaces.map((namespace) => ({ namespace, sink: store.sink(namespace) }));
  const cutOff = new Set<string | undefined>();
  const followConnection = (namespace: string | undefined, notice: WatchNotice) => {
    if (notice.type === 'failed' || notice.type === 'silent') cutOff.add(namespace);
    // A watch that goes on where it was brings the rest at once; a list counts when it is complete.
    if (notice.type === 'synced' || (notice.type === 'opened' && notice.phase === 'watching')) cutOff.delete(namespace);
  };
  return {
    resource: createResource({ ...connection, kind, store, namespaces }),
    async run(signal) {
      const notice = (namespace: string | undefined) => (what: WatchNotice) => {
        followConnection(namespace, what);
        observe(kind.kind, namespace, what);
      };
      await Promise.all(
        sinks.map(({ namespace, sink }) =>
          runWatch({ ...connection, kind, namespace, sink, signal, observe: notice(namespace) }),
        ),
      );
    },
    isCutOff: () => cutOff.size > 0,
  };
}
