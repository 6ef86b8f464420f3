/** Watches a single ConfigMap by name and writes it with optimistic locking. */
import { ClusterError } from '../../errors.ts';
import { isRecord } from '../../model/json.ts';
import type { Ref } from '../../model/object.ts';
import { isAtMost } from '../../model/version.ts';
import { resourcePath } from '../api/paths.ts';
import type { WriteFence } from '../api/transport.ts';
import { asRawObject } from '../object/raw-object.ts';
import { runWatch, type WatchNotice, type WatchParts, type WatchSink } from './watch.ts';

type Data = Readonly<Record<string, string>>;

export interface WatchedConfigMapParts extends Pick<WatchParts, 'transport' | 'clock' | 'random' | 'backoff'> {
  readonly ref: Ref;
  readonly observe: (notice: WatchNotice) => void;
  /** Called when the data may have changed; undefined: the ConfigMap does not exist. */
  readonly onData: (data: Data | undefined) => void;
}

export interface WatchedConfigMap {
  /** Resolves after the first list. */
  readonly whenSynced: Promise<void>;
  /** Undefined: the ConfigMap does not exist. */
  readonly data: Data | undefined;
  /** Watches until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
  /** Replaces the data; throws `conflict` or `name-taken` after a concurrent write. */
  write(data: Data, fence: WriteFence): Promise<void>;
}

const CONFIG_MAPS = { plural: 'configmaps', root: 'api/v1' };
const FIELD_MANAGER = 'vexil';

interface KnownData {
  readonly version: string;
  readonly data: Data;
}

export function createWatchedConfigMap(parts: WatchedConfigMapParts): WatchedConfigMap {
  const { ref, onData, observe, transport, clock, random, backoff } = parts;
  let known: KnownData | undefined;
  let listed: unknown;
  const sync = Promise.withResolvers<void>();

  const take = (raw: unknown): void => {
    const { metadata } = asRawObject(raw);
    if (known && isAtMost(metadata.resourceVersion, known.version)) return;
    known = { version: metadata.resourceVersion, data: dataOf(raw) };
    onData(known.data);
  };
  const sink: WatchSink = {
    begin() {
      listed = undefined;
    },
    listed: (raw) => {
      listed = raw;
    },
    unlisted: () => {
      listed = undefined;
    },
    swap() {
      known = undefined;
      if (listed !== undefined) take(listed);
      else onData(undefined);
      sync.resolve();
    },
    applied: take,
    deleted(raw) {
      if (known && isAtMost(asRawObject(raw).metadata.resourceVersion, known.version)) return;
      known = undefined;
      onData(undefined);
    },
    progressed: () => undefined,
  };
  const common = { query: { fieldManager: FIELD_MANAGER } };

  return {
    whenSynced: sync.promise,
    get data() {
      return known?.data;
    },
    run(signal) {
      const { namespace, name } = ref;
      const fieldSelector = `metadata.name=${name}`;
      const watch = { transport, clock, random, backoff, observe };
      return runWatch({ ...watch, kind: CONFIG_MAPS, namespace, fieldSelector, sink, signal });
    },
    async write(data, fence) {
      const { namespace, name } = ref;
      if (known === undefined) {
        const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: ref, data };
        take(
          await transport.request({
            ...common,
            method: 'POST',
            path: resourcePath(CONFIG_MAPS, namespace),
            body,
            ...fence,
          }),
        );
        return;
      }
      // A patch keeps labels and annotations, which backup tools select by.
      const removed = Object.keys(known.data).filter((key) => !(key in data));
      const changed = Object.entries(data).filter(([key, value]) => known?.data[key] !== value);
      const body = {
        metadata: { resourceVersion: known.version },
        data: Object.fromEntries([...changed, ...removed.map((key) => [key, null] as const)]),
      };
      const contentType = 'application/merge-patch+json';
      const path = resourcePath(CONFIG_MAPS, namespace, name);
      take(await transport.request({ ...common, method: 'PATCH', path, contentType, body, ...fence }));
    },
  };
}

function dataOf(raw: unknown): Data {
  const data = isRecord(raw) ? (raw['data'] ?? {}) : undefined;
  if (!isRecord(data)) throw new ClusterError('unavailable', 'The API server sent a ConfigMap without data');
  return Object.fromEntries(
    Object.entries(data).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
