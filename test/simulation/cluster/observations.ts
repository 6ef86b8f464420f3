/** What a client sees of the answers of an API server, without what differs from one server to the other. */
import { isClusterError } from '../../../src/errors.ts';
import type { Call, Query } from '../../../src/kube/api/transport.ts';
import { recordOf } from '../../../src/model/json.ts';
import type { Frame } from './api-server.ts';
import type { FieldSet, KubeObject } from './etcd.ts';
import { placeOf } from './resources.ts';
import { type Known, type KnownObject, type KnownPage, pageKeyOf } from './script-step.ts';

/** A client of one server, and what it has seen. */
export interface Observer extends Known {
  /** What the client sees of the answer. */
  observe(call: Call, answer: () => Promise<unknown>): Promise<unknown>;
  /** What the client sees of the frames of a watch, but for bookmarks that come with time. */
  framesOf(watch: OpenedWatch): readonly unknown[];
  /** The newest version that the client has seen. */
  readonly newest: number;
}

export interface OpenedWatch {
  readonly path: string;
  readonly query?: Query;
  readonly frames: readonly Frame[];
  /** The newest version before. */
  readonly openedAt: number;
}

/** Fields whose ownership is not compared. */
const LEFT_OUT = new Set(['f:annotations', 'f:tags']);

interface Memory {
  readonly objects: Map<string, KnownObject>;
  readonly pages: Map<string, KnownPage>;
  /** Uids and versions by the order in which they are seen. */
  readonly name: (value: string, of: 'uid' | 'version') => string;
  newest: number;
}

export function createObserver(): Observer {
  const names = new Map<string, string>();
  const memory: Memory = {
    ...{ objects: new Map(), pages: new Map(), newest: 0 },
    name(value, of) {
      const key = `${of} ${value}`;
      if (!names.has(key)) names.set(key, `${of} ${names.size}`);
      return names.get(key) ?? '';
    },
  };
  return {
    ...{ objects: memory.objects, pages: memory.pages },
    get newest() {
      return memory.newest;
    },
    async observe(call, answer) {
      try {
        const body = await answer();
        return isList(body) ? seenList(memory, call, body) : seenAnswer(memory, call, body as KubeObject);
      } catch (error) {
        if (!isClusterError(error)) throw error;
        const { status, reason, causes = [] } = error.answer ?? {};
        const { code, retryAfterSeconds } = error;
        return { code, status, reason, retryAfterSeconds, causes: causes.map((cause) => cause.reason) };
      }
    },
    framesOf: (watch) => framesOf(memory, watch),
  };
}

interface List {
  /** Null in an empty list of nothing but metadata. */
  readonly items: readonly KubeObject[] | null;
  readonly metadata: {
    readonly resourceVersion: string;
    readonly remainingItemCount?: number;
    readonly continue?: string;
  };
}

function isList(body: unknown): body is List {
  return recordOf(body)['items'] !== undefined;
}

/** The version of a list: the one that was asked for, that of its first page, or the present one. */
function seenList(memory: Memory, call: Call, { items, metadata }: List): unknown {
  const { resourceVersion, remainingItemCount, continue: token } = metadata;
  const key = pageKeyOf(call);
  const version = call.query?.['continue'] ? memory.pages.get(key)?.version : call.query?.['resourceVersion'];
  if (token) memory.pages.set(key, { token, version: resourceVersion });
  else memory.pages.delete(key);
  return {
    ...{ items: items?.map((item) => seenObject(memory, call.path, item)), remainingItemCount },
    isMore: Boolean(token),
    isAtItsVersion: version === undefined ? Number(resourceVersion) >= memory.newest : resourceVersion === version,
  };
}

function seenAnswer(memory: Memory, call: Call, body: KubeObject): unknown {
  if (body.kind === 'Status') return seenStatus(body);
  const { namespace, name, uid, resourceVersion } = body.metadata;
  const all = call.path.slice(0, call.path.indexOf(namespace) + namespace.length);
  const one = `${all}/${placeOf(call.path).resource.plural}/${name}`;
  const versions = memory.objects.get(one)?.versions ?? [];
  const isNewer = versions.at(-1) !== resourceVersion;
  memory.objects.set(one, { uid, versions: isNewer ? [...versions, resourceVersion] : versions });
  memory.newest = Math.max(memory.newest, Number(resourceVersion));
  return seenObject(memory, call.path, body);
}

function seenStatus(body: unknown): unknown {
  const { kind, status, code, reason } = recordOf(body);
  return { kind, status, code, reason };
}

/** Nobody reads who owns fields of built-in kinds. */
function seenObject({ name }: Memory, path: string, object: KubeObject): unknown {
  const { metadata, apiVersion: _, kind: __, ...rest } = object;
  const { uid, resourceVersion, generation, annotations, labels, managedFields = [] } = metadata;
  const { isCustom } = placeOf(path).resource;
  const isSeen = ([key]: readonly [string, string]) => !isCustom || !key.startsWith('vexil.dev/');
  return {
    ...rest,
    name: metadata.name,
    uid: uid && name(uid, 'uid'),
    version: resourceVersion && name(resourceVersion, 'version'),
    generation,
    labels,
    annotations: Object.entries(annotations ?? {}).filter(isSeen),
    managers: (isCustom ? managedFields : [])
      .map(({ manager, operation, subresource, fieldsV1 }) => ({
        ...{ manager, operation, subresource },
        fields: JSON.stringify(asOwned(fieldsV1, operation === 'Apply')),
      }))
      .sort((one, other) => JSON.stringify(one).localeCompare(JSON.stringify(other))),
  };
}

/**
 * Left out is the ownership of stamps, that of lists, whose items the model does not tell apart, and that of the
 * existence of maps that were applied, which depends on the schema.
 */
function asOwned(fields: FieldSet, isApplied: boolean): FieldSet {
  const members = Object.entries(fields)
    .filter(([field]) => (field === '.' ? !isApplied : !LEFT_OUT.has(field)))
    .sort(([one], [other]) => one.localeCompare(other))
    .map(([field, below]): [string, FieldSet] => [field, asOwned(below, isApplied)])
    .filter(([field, below]) => field !== 'f:metadata' || Object.keys(below).length > 0);
  const isAlone = members.length === 1 && members[0]?.[0] === '.';
  return isAlone ? {} : Object.fromEntries(members);
}

function framesOf(memory: Memory, { path, frames, openedAt }: OpenedWatch): readonly unknown[] {
  let before = openedAt;
  return frames.map(({ type, object }) => {
    if (type === 'ERROR') return [type, seenStatus(object)];
    const { metadata, apiVersion, kind } = object as KubeObject;
    const version = Number(metadata.resourceVersion);
    const isLater = version >= before;
    before = Math.max(before, version);
    if (type !== 'BOOKMARK') return [type, seenObject(memory, path, object as KubeObject)];
    return [type, { apiVersion, kind, isLater, annotations: metadata.annotations }];
  });
}
