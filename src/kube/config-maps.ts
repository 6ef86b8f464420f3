/** ConfigMaps that are watched one by one, each by its name, and written over exactly what was read. */
import { AppError } from '../errors.ts';
import type { Ref } from '../schema/object.ts';
import { resourcePath } from './paths.ts';
import { asRawObject, isRecord } from './raw-object.ts';
import { isAtMost } from './version.ts';
import { runWatch, type WatchNotice, type WatchParts, type WatchSink } from './watch.ts';

type Data = Readonly<Record<string, string>>;

export interface WatchedConfigMapParts extends Pick<WatchParts, 'transport' | 'clock' | 'random' | 'backoff'> {
  readonly ref: Ref;
  readonly observe: (notice: WatchNotice) => void;
  /** Called whenever the data may be another; undefined: the ConfigMap is not there. */
  readonly onData: (data: Data | undefined) => void;
}

export interface WatchedConfigMap {
  /** Resolves once the API server has said whether it is there. */
  readonly whenSynced: Promise<void>;
  /** Undefined: it is not there. */
  readonly data: Data | undefined;
  /** Watches until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
  /** Makes this its data; throws if anybody else was faster. */
  write(data: Data, signal: AbortSignal): Promise<void>;
}

const CONFIG_MAPS = { plural: 'configmaps', root: 'api/v1' };
const FIELD_MANAGER = 'vexil';

interface Known {
  readonly version: string;
  readonly data: Data;
}

export function createWatchedConfigMap(parts: WatchedConfigMapParts): WatchedConfigMap {
  const { ref, onData, observe, transport, clock, random, backoff } = parts;
  let known: Known | undefined;
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
    async write(data, signal) {
      const { namespace, name } = ref;
      if (known === undefined) {
        const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: ref, data };
        take(
          await transport.request({
            ...common,
            method: 'POST',
            path: resourcePath(CONFIG_MAPS, namespace),
            body,
            signal,
          }),
        );
        return;
      }
      // A patch, so that labels and annotations stay, which backups go by.
      const gone = Object.keys(known.data).filter((key) => !(key in data));
      const changed = Object.entries(data).filter(([key, value]) => known?.data[key] !== value);
      const body = {
        metadata: { resourceVersion: known.version },
        data: Object.fromEntries([...changed, ...gone.map((key) => [key, null] as const)]),
      };
      const contentType = 'application/merge-patch+json';
      const path = resourcePath(CONFIG_MAPS, namespace, name);
      take(await transport.request({ ...common, method: 'PATCH', path, contentType, body, signal }));
    },
  };
}

function dataOf(raw: unknown): Data {
  const data = isRecord(raw) ? (raw['data'] ?? {}) : undefined;
  if (!isRecord(data)) throw new AppError('unavailable', 'The API server sent a ConfigMap without data');
  return Object.fromEntries(
    Object.entries(data).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
