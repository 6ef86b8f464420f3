/** The ConfigMap that stores the highest integer id assigned so far, by kind. */
import { ClusterError, isClusterError } from '../../errors.ts';
import { recordOf } from '../../model/json.ts';
import type { Ref } from '../../model/object.ts';
import { versionOf } from '../object/raw-object.ts';
import { resourcePath } from './paths.ts';
import type { Transport, WriteFence } from './transport.ts';

export interface HighestIds {
  /** The highest id, by the plural of the kind. */
  readonly highest: Readonly<Record<string, number>>;
  /** resourceVersion of the ConfigMap; undefined: it does not exist. */
  readonly version: string | undefined;
}

export interface HighestIdsClient {
  read(signal?: AbortSignal): Promise<HighestIds>;
  /** Replaces exactly the version in `over`; throws `conflict` or `name-taken` after a concurrent write. */
  write(highest: HighestIds['highest'], over: HighestIds, fence?: WriteFence): Promise<HighestIds>;
}

const CONFIG_MAPS = { plural: 'configmaps', root: 'api/v1' };
const FIELD_MANAGER = 'vexil';

export function createHighestIds(transport: Transport, ref: Ref): HighestIdsClient {
  const all = resourcePath(CONFIG_MAPS, ref.namespace);
  const path = resourcePath(CONFIG_MAPS, ref.namespace, ref.name);
  const query = { fieldManager: FIELD_MANAGER };
  return {
    async read(signal) {
      try {
        return taken(ref, await transport.request({ method: 'GET', path, signal }));
      } catch (error) {
        if (isClusterError(error, 'not-found')) return { highest: {}, version: undefined };
        throw error;
      }
    },
    async write(highest, { version }, fence) {
      const data = Object.fromEntries(Object.entries(highest).map(([plural, id]) => [plural, `${id}`]));
      if (version === undefined) {
        const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: ref, data };
        return taken(ref, await transport.request({ method: 'POST', path: all, query, body, ...fence }));
      }
      // A patch keeps labels and annotations, which backup tools select by.
      const body = { metadata: { resourceVersion: version }, data };
      const contentType = 'application/merge-patch+json';
      return taken(ref, await transport.request({ method: 'PATCH', path, query, contentType, body, ...fence }));
    },
  };
}

/** Ids are 32-bit integers in clients. */
const MAX_ID = 2 ** 31 - 1;

/** Throws on an invalid number instead of guessing: an id that is assigned twice is worse than one that is delayed. */
function taken({ namespace, name }: Ref, answer: unknown): HighestIds {
  const data = recordOf(recordOf(answer)['data']);
  const entries = Object.entries(data).map(([plural, text]) => [plural, Number(text)] as const);
  const odd = entries.find(([, id]) => !Number.isInteger(id) || id < 0 || id > MAX_ID);
  if (odd) {
    const message = `The ConfigMap ${namespace}/${name} has a value for ${odd[0]} that is not a whole number from 0 to ${MAX_ID}: correct it, or delete the ConfigMap to start from the ids of existing objects`;
    throw new ClusterError('invalid', message);
  }
  return { highest: Object.fromEntries(entries), version: versionOf(answer) };
}
