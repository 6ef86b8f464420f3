/** A watch of its own that writes down every version of every flag. */
import { isRecord } from '../../../src/kube/raw-object.ts';
import type { Transport } from '../../../src/kube/transport.ts';
import { isAbove } from '../../../src/kube/version.ts';
import { fieldsOf } from './fields.ts';
import type { Version } from './history.ts';

export interface VersionWatch {
  /** In the order of the API server, from before the watch began. */
  readonly versions: readonly Version[];
  /** Throws what ended the watch before its time. */
  stop(): Promise<void>;
}

const LONGEST_SECONDS = 3600;

interface Flag {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
  readonly spec?: unknown;
}

/** `path` is that of the flags of a namespace. Nothing is resumed: a stream that breaks fails the run. */
export async function watchVersions(transport: Transport, path: string): Promise<VersionWatch> {
  const list = (await transport.request({ method: 'GET', path })) as {
    readonly metadata: { readonly resourceVersion: string };
    readonly items: readonly Flag[];
  };
  const end = new AbortController();
  const versions = list.items.map(asVersion);
  const query = { watch: true, resourceVersion: list.metadata.resourceVersion, timeoutSeconds: LONGEST_SECONDS };
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

/** Ends by a throw. */
async function read(frames: AsyncIterable<unknown>, versions: Version[]): Promise<never> {
  for await (const frame of frames) {
    const { type, object } = isRecord(frame) ? frame : {};
    if (type !== 'MODIFIED') throw new Error(`the watch of the versions told ${JSON.stringify(frame).slice(0, 500)}`);
    const version = asVersion(object as Flag);
    const last = versions.findLast(({ flag }) => flag === version.flag);
    if (!last || !isAbove(version.version, last.version)) {
      throw new Error(`version ${version.version} of ${version.flag} came after ${last?.version}`);
    }
    versions.push(version);
  }
  throw new Error('the API server ended the watch of the versions');
}

function asVersion({ metadata, spec }: Flag): Version {
  return {
    flag: metadata.name,
    version: metadata.resourceVersion,
    fields: fieldsOf(spec),
    seenAt: performance.now(),
  };
}
