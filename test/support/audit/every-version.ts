/**
 * Every version that the API server has of some kinds, received by separate watches: the history must agree with them.
 */
import type { Transport } from '../../../src/kube/api/transport.ts';
import { waitUntil } from '../control-plane/wait-until.ts';
import type { Stored } from '../stored.ts';

/** One event of a watch, about one object. */
export interface SeenVersion {
  /** The plural of the kind. */
  readonly resource: string;
  /** KNOWN: the object existed before the watch began. */
  readonly type: 'KNOWN' | 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: Stored;
  /** The time at which the watch received it, in ms since 1970. */
  readonly seenAt: number;
}

export interface VersionsSeen {
  /** The versions in the order of the API server, kind by kind. */
  readonly versions: readonly SeenVersion[];
  /** Resolves when the watches have received all objects that exist now, and the deletion of all others. */
  untilUpToDate(): Promise<void>;
  /** Throws if a watch ended early. */
  stop(): Promise<void>;
}

const MAX_SECONDS = 3600;

/** Resolves when all watches are open. No watch is resumed: a stream that breaks fails the run. */
export async function seeEveryVersion(
  transport: Transport,
  namespace: string,
  resources: readonly string[],
): Promise<VersionsSeen> {
  const end = new AbortController();
  const ended = new Error('the watches of the versions are over');
  const versions: SeenVersion[] = [];
  const readings = await Promise.all(
    resources.map(async (resource) => {
      const path = `/apis/vexil.dev/v1beta1/namespaces/${namespace}/${resource}`;
      const list: Stored = await transport.request({ method: 'GET', path });
      for (const object of list.items) versions.push({ resource, type: 'KNOWN', object, seenAt: Date.now() });
      const query = { watch: true, resourceVersion: list.metadata.resourceVersion, timeoutSeconds: MAX_SECONDS };
      const frames = await transport.stream({ path, query, signal: end.signal });
      // The promise is in an object, so that it is not awaited.
      return {
        end: read(frames, (frame) => versions.push({ resource, ...frame, seenAt: Date.now() })).catch(
          (error: unknown) => error,
        ),
      };
    }),
  );
  return {
    versions,
    async untilUpToDate() {
      for (const resource of resources) {
        const path = `/apis/vexil.dev/v1beta1/namespaces/${namespace}/${resource}`;
        const { items }: Stored = await transport.request({ method: 'GET', path });
        const ofResource = () => versions.filter((one) => one.resource === resource);
        await waitUntil({ what: `the watch of ${resource} has reported what exists` }, () =>
          isUpToDate(ofResource(), items),
        );
      }
    },
    async stop() {
      end.abort(ended);
      for (const error of await Promise.all(readings.map((reading) => reading.end))) if (error !== ended) throw error;
    },
  };
}

/** The event of a write comes a little later than its answer. */
function isUpToDate(versions: readonly SeenVersion[], items: readonly Stored[]): boolean {
  const seen = new Set(versions.map(({ object }) => `${object.metadata.uid} ${object.metadata.resourceVersion}`));
  const isThere = new Set(items.map(({ metadata }) => metadata.uid));
  const gone = new Set(versions.filter(({ type }) => type === 'DELETED').map(({ object }) => object.metadata.uid));
  return (
    items.every(({ metadata }) => seen.has(`${metadata.uid} ${metadata.resourceVersion}`)) &&
    versions.every(({ object: { metadata } }) => isThere.has(metadata.uid) || gone.has(metadata.uid))
  );
}

/** Reads a stream until it throws. */
async function read(
  frames: AsyncIterable<unknown>,
  see: (frame: Omit<SeenVersion, 'resource' | 'seenAt'>) => void,
): Promise<never> {
  for await (const frame of frames) {
    const { type, object } = frame as Stored;
    if (!['ADDED', 'MODIFIED', 'DELETED'].includes(type)) throw new Error(`a watch sent ${JSON.stringify(frame)}`);
    see({ type, object });
  }
  throw new Error('the API server ended a watch of the versions');
}
