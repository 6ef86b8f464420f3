/** A model of etcd: every version of every key, up to compaction. */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Metadata;
  readonly [member: string]: unknown;
}

export interface Metadata {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation?: number;
  readonly creationTimestamp: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly managedFields?: readonly ManagedFields[];
}

export interface ManagedFields {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly time: string;
  readonly fieldsType: 'FieldsV1';
  readonly fieldsV1: FieldSet;
  readonly subresource?: string;
}

/** Owned fields: `f:` and the name of a member, with those below; empty: the value as a whole. */
export interface FieldSet {
  readonly [field: string]: FieldSet;
}

/** One write. */
export interface Write {
  readonly revision: number;
  readonly key: string;
  /** Absent: the key was new. */
  readonly before?: KubeObject;
  /** Absent: the key was removed. */
  readonly after?: KubeObject;
}

/** What a key had from some time on. */
export interface KeptObject {
  /** Ms since 1970. */
  readonly at: number;
  readonly key: string;
  readonly object: KubeObject | undefined;
}

export interface Etcd {
  readonly revision: number;
  /** Everything that ever happened, restores included, in its order. */
  readonly log: readonly KeptObject[];
  /** Revisions below cannot be read any more. */
  readonly compacted: number;
  /** The object at a revision; undefined: there was none. */
  get(key: string, at?: number): KubeObject | undefined;
  /** The objects below a prefix, in the order of their keys. */
  list(prefix: string, at?: number): readonly KubeObject[];
  /** Stores an object, whose resourceVersion becomes the revision; without an object, removes the key. */
  write(key: string, object: KubeObject | undefined): Write;
  /** All writes above a revision. */
  since(revision: number): readonly Write[];
  /** The writes of others, to keys that nobody here reads. */
  skip(revisions: number): void;
  compact(revision: number): void;
  /** As from a backup: later writes are gone, and their revisions come again. */
  restore(revision: number): void;
}

/** `now` gives ms since 1970. */
export function createEtcd(now: () => number): Etcd {
  const log: KeptObject[] = [];
  let writes: Write[] = [];
  let revision = 1;
  let compacted = 1;
  const versionsOf = new Map<string, Write[]>();

  function get(key: string, at = revision): KubeObject | undefined {
    return versionsOf.get(key)?.findLast((write) => write.revision <= at)?.after;
  }

  return {
    get revision() {
      return revision;
    },
    get log() {
      return log;
    },
    get compacted() {
      return compacted;
    },
    get,
    list(prefix, at) {
      const keys = [...versionsOf.keys()].filter((key) => key.startsWith(prefix)).sort();
      return keys.flatMap((key) => get(key, at) ?? []);
    },
    write(key, object) {
      const before = get(key);
      revision += 1;
      const after = object && frozen(withVersion(object, revision));
      const write: Write = { revision, key, ...(before && { before }), ...(after && { after }) };
      writes.push(write);
      log.push({ at: now(), key, object: after });
      versionsOf.set(key, [...(versionsOf.get(key) ?? []), write]);
      return write;
    },
    since: (after) => writes.slice(writes.findLastIndex((write) => write.revision <= after) + 1),
    skip(revisions) {
      revision += revisions;
    },
    compact(to) {
      compacted = Math.max(compacted, to);
    },
    restore(to) {
      revision = to;
      writes = writes.filter((write) => write.revision <= to);
      for (const [key, versions] of versionsOf) {
        versionsOf.set(
          key,
          versions.filter((write) => write.revision <= to),
        );
        log.push({ at: now(), key, object: get(key) });
      }
    },
  };
}

export function withVersion(object: KubeObject, revision: number): KubeObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: `${revision}` } };
}

/** The same objects go to all processes, none of which may change them. */
function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const member of Object.values(value)) frozen(member);
  }
  return value;
}
