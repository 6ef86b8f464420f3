/** A separate watch that records every version of every flag. */

import type { Transport } from '../../../src/kube/api/transport.ts';
import { isRecord } from '../../../src/model/json.ts';
import { isAbove } from '../../../src/model/version.ts';
import type { Version } from './history.ts';
import { type FlagSpec, fieldsOfAbsent, fieldsOfPresent } from './life.ts';

export interface VersionWatch {
  /** The versions in the order of the API server, beginning before the watch. */
  readonly versions: readonly Version[];
  /** Throws if the watch ended early. */
  stop(): Promise<void>;
}

const MAX_SECONDS = 3600;

interface Flag {
  readonly metadata: { readonly name: string; readonly uid: string; readonly resourceVersion: string };
  readonly spec?: FlagSpec;
}

export interface WatchedFlags {
  /** The path of the flags of a namespace. */
  readonly path: string;
  /** The flags that do not exist yet. */
  readonly absent: readonly string[];
}

/** Does not resume the watch: a stream that breaks fails the run. */
export async function watchVersions(transport: Transport, { path, absent }: WatchedFlags): Promise<VersionWatch> {
  const list = (await transport.request({ method: 'GET', path })) as {
    readonly metadata: { readonly resourceVersion: string };
    readonly items: readonly Flag[];
  };
  const end = new AbortController();
  const seenAt = performance.now();
  const before = absent.map((flag) => ({ flag, version: '0', fields: fieldsOfAbsent(flag), seenAt }));
  const versions: Version[] = [...before, ...list.items.map((flag) => asVersion(flag))];
  const query = { watch: true, resourceVersion: list.metadata.resourceVersion, timeoutSeconds: MAX_SECONDS };
  const frames = await transport.stream({ path, query, signal: end.signal });
  const reading = read(frames, versions).catch((error: unknown) => error);
  return {
    versions,
    async stop() {
      const ended = new Error('the watch of the versions is over');
      end.abort(ended);
      const error = await reading;
      if (error !== ended) throw error;
    },
  };
}

/** Reads a stream until it throws. */
async function read(frames: AsyncIterable<unknown>, versions: Version[]): Promise<never> {
  for await (const frame of frames) {
    const { type, object } = isRecord(frame) ? frame : {};
    if (!isChange(type)) throw new Error(`the watch of the versions sent ${JSON.stringify(frame).slice(0, 500)}`);
    const version = asVersion(object as Flag, type);
    const last = versions.findLast(({ flag }) => flag === version.flag);
    if (!last || !isAbove(version.version, last.version)) {
      throw new Error(`version ${version.version} of ${version.flag} came after ${last?.version}`);
    }
    versions.push(version);
  }
  throw new Error('the API server ended the watch of the versions');
}

function isChange(type: unknown): type is 'ADDED' | 'MODIFIED' | 'DELETED' {
  return type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED';
}

function asVersion({ metadata, spec }: Flag, type = 'ADDED'): Version {
  const flag = spec?.name ?? metadata.name;
  return {
    flag,
    uid: metadata.uid,
    version: metadata.resourceVersion,
    fields: type === 'DELETED' ? fieldsOfAbsent(flag) : fieldsOfPresent(spec),
    seenAt: performance.now(),
  };
}
