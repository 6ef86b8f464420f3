/** A model of the API server: what it answers, and what its watches send, at each moment. */
import type { Call, StreamCall } from '../../../src/kube/api/transport.ts';
import { type Answer, expired, StatusError } from './answers.ts';
import { createEtcd, type Etcd, type KubeObject, type Write, withVersion } from './etcd.ts';
import { matches, read } from './reads.ts';
import { placeOf, prefixOf, type Served } from './resources.ts';
import { write } from './writes.ts';

export interface Frame {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: unknown;
}

export interface OpenWatch {
  /**
   * What the server does about once a minute: it sends a bookmark at the present version, unless the watch starts at a
   * later one.
   */
  bookmark(): void;
  close(): void;
}

export interface ApiServer {
  readonly etcd: Etcd;
  /** Answers a call, whatever becomes of the answer. */
  answer(call: Call): Answer;
  /** Opens a watch; `send` gets its frames in their order, and `end` is called when the server ends it. */
  watch(call: StreamCall, send: (frame: Frame) => void, end: () => void): OpenWatch;
  /** The server starts anew: all watches end, and none can be resumed from before. */
  restart(): void;
  /** As from a backup. */
  restore(revision: number): void;
  readonly openWatches: number;
}

interface Watcher {
  take(write: Write): void;
  end(): void;
}

export interface ApiServerParts {
  /** Ms since 1970. */
  readonly now: () => number;
  readonly newUid: () => string;
}

export function createApiServer({ now, newUid }: ApiServerParts): ApiServer {
  const etcd = createEtcd(now);
  const parts = { etcd, now, newUid };
  const watchers = new Set<Watcher>();
  /** Watches cannot be resumed below. */
  let oldest = etcd.revision;

  const restart = (): void => {
    oldest = etcd.revision;
    for (const watcher of [...watchers]) watcher.end();
    watchers.clear();
  };

  return {
    etcd,
    restart,
    answer(call) {
      const from = etcd.revision;
      const answer = unlessRefused(() => (call.method === 'GET' ? read(etcd, call) : write(parts, call)));
      for (const one of etcd.since(from)) for (const watcher of [...watchers]) watcher.take(one);
      return answer;
    },
    watch(call, send, end) {
      const { resource } = placeOf(call.path);
      const { from, refusal } = startOf(etcd, oldest, call);
      if (refusal) {
        send({ type: 'ERROR', object: refusal });
        end();
        return { bookmark: () => undefined, close: () => undefined };
      }
      const watcher = { take: frames(call, from, send), end };
      if (call.query?.['sendInitialEvents']) sendInitial(etcd, call, send);
      else for (const one of etcd.since(from)) watcher.take(one);
      watchers.add(watcher);
      return {
        bookmark() {
          if (etcd.revision > from) send(bookmarkOf(resource, etcd.revision));
        },
        close: () => void watchers.delete(watcher),
      };
    },
    restore(revision) {
      etcd.restore(revision);
      restart();
    },
    get openWatches() {
      return watchers.size;
    },
  };
}

function unlessRefused(work: () => Answer): Answer {
  try {
    return work();
  } catch (error) {
    if (error instanceof StatusError) return error.answer;
    throw error;
  }
}

function startOf(etcd: Etcd, oldest: number, { query = {} }: StreamCall): { from: number; refusal?: unknown } {
  if (query['sendInitialEvents']) return { from: etcd.revision };
  const from = Number(query['resourceVersion']);
  if (from >= oldest) return { from };
  return { from, refusal: expired(from, oldest).answer.body };
}

function sendInitial(etcd: Etcd, { path, query = {} }: StreamCall, send: (frame: Frame) => void): void {
  const { resource, namespace } = placeOf(path);
  for (const object of etcd.list(prefixOf(resource, namespace)))
    if (matches(object, query)) send({ type: 'ADDED', object });
  send(bookmarkOf(resource, etcd.revision, { 'k8s.io/initial-events-end': 'true' }));
}

function bookmarkOf(
  { apiVersion, kind }: Served,
  revision: number,
  annotations?: Readonly<Record<string, string>>,
): Frame {
  const metadata = { resourceVersion: `${revision}`, ...(annotations && { annotations }) };
  return { type: 'BOOKMARK', object: { apiVersion, kind, metadata } };
}

function frames({ path, query = {} }: StreamCall, from: number, send: (frame: Frame) => void): Watcher['take'] {
  const { resource, namespace } = placeOf(path);
  const prefix = prefixOf(resource, namespace);
  return ({ key, revision, before, after }) => {
    const object = after ?? before;
    if (!key.startsWith(prefix) || revision <= from || object === undefined || !matches(object, query)) return;
    send({ type: typeOf(before, after), object: after ?? withVersion(object, revision) });
  };
}

function typeOf(before: KubeObject | undefined, after: KubeObject | undefined): Frame['type'] {
  if (after === undefined) return 'DELETED';
  return before === undefined ? 'ADDED' : 'MODIFIED';
}
