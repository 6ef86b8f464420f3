/** Rebuilds the missed frames of a watch from the audit log of the API server. */
import type { Replay } from '../../kube/cache/watch.ts';
import type { VersionRange } from '../../kube/cache/watch-state.ts';
import type { RawObject } from '../../kube/object/raw-object.ts';
import { asRawObject } from '../../kube/object/raw-object.ts';
import type { ObjectVersion } from '../../kube/replay/incarnations.ts';
import { createPast, type PastParts, type ReadablePast } from '../../kube/replay/past.ts';
import type { Archive, KnownObject } from '../archive/archive.ts';
import type { WriteFacts } from '../archive/witnesses/logged-writes.ts';
import { generationIn } from './fingerprint.ts';
import type { LogReplayed } from './notice.ts';

export interface LogReplayParts extends Omit<PastParts, 'signal'> {
  readonly archive: Pick<Archive, 'knownIn' | 'states' | 'log'>;
  /** Reads older versions in etcd, which has all of a short absence. */
  readonly etcd: Replay;
  /** Resolves when what the log has now is in the archive. */
  readonly caughtUp: (signal: AbortSignal) => Promise<void>;
  readonly onReplayed: (replayed: LogReplayed) => void;
}

/** Frames whose objects are read at once. */
const OBJECTS_PER_PAGE = 16;

/**
 * The log counts where etcd has forgotten versions. A list of the present says what the log lacks: each object that it
 * does not explain is read as it is now, so that nothing is missing at the end.
 */
export function createLogReplay(parts: LogReplayParts): Replay {
  const { archive, etcd, kind, namespace, caughtUp } = parts;
  let isByLog = false;
  return {
    saw: etcd.saw,
    async seek(from, signal) {
      const found = await etcd.seek(from, signal);
      isByLog = false;
      if (found.isRewritten || found.version === from) return found;
      await caughtUp(signal);
      const range = { resource: kind.plural, namespace, from: Number(from), until: Number(found.present) };
      isByLog = (await archive.log.range(range)).some(({ revision }) => revision !== null);
      return isByLog ? { ...found, version: from } : found;
    },
    frames: (range, signal) => (isByLog ? framesOfLog(parts, range, signal) : etcd.frames(range, signal)),
  };
}

/** One frame of the replay, with how its object is found. */
interface PlannedFrame {
  readonly type: 'MODIFIED' | 'DELETED';
  readonly version: number;
  readonly uid: string;
  /** The write in the log that has the object; undefined: the log does not have it. */
  readonly write: WriteFacts | undefined;
  /** namespace/name of an object that is read from the API server; undefined: the log or the archive has it. */
  readonly key: string | undefined;
  /** When the object was deleted, in ms since 1970. */
  readonly deletedAt?: number;
  /** The log has no event of this change. */
  readonly isMissing: boolean;
}

interface Evidence {
  readonly range: { readonly from: number; readonly until: number };
  readonly writes: readonly WriteFacts[];
  readonly deletions: ReadonlyMap<string, WriteFacts>;
  /** The objects at the end of the range, by uid. */
  readonly present: ReadonlyMap<string, ObjectVersion & { readonly key: string }>;
  readonly known: ReadonlyMap<string, KnownObject>;
}

async function* framesOfLog(parts: LogReplayParts, { from, until }: VersionRange, signal: AbortSignal) {
  const { archive, scope, kind, namespace, onReplayed } = parts;
  const past = createPast({ ...parts, signal });
  const range = { from: Number(from), until: Number(until) };
  const logged = await archive.log.range({ resource: kind.plural, namespace, ...range });
  const present = await past.identitiesAt(BigInt(until));
  const known = await archive.knownIn(scope);
  const evidence: Evidence = {
    range,
    writes: firstOfEach(logged.filter(({ revision }) => revision !== null)),
    deletions: new Map(
      logged
        .filter(({ revision }) => revision === null)
        .map((one) => [one.uid, one] as const)
        .toReversed(),
    ),
    present: new Map([...present].map(([key, one]) => [one.uid, { ...one, key }])),
    known: new Map(known.map((one) => [one.uid, one])),
  };
  const planned = planOf(evidence);
  let missing = 0;
  for (let at = 0; at < planned.length; at += OBJECTS_PER_PAGE) {
    const some = planned.slice(at, at + OBJECTS_PER_PAGE);
    const frames = await readObjects({ archive, past, until: BigInt(until) }, some);
    for (const { frame, isMissing } of frames) {
      missing += Number(isMissing && !isExplained(frame, evidence));
      yield frame;
    }
  }
  onReplayed({ writes: evidence.writes.length + evidence.deletions.size, missing });
  yield { type: 'BOOKMARK', object: { metadata: { resourceVersion: until } } };
}

/** A write that changes nothing is answered with the version of an earlier one. */
function firstOfEach(writes: readonly WriteFacts[]): readonly WriteFacts[] {
  const byVersion = new Map<number, WriteFacts>();
  for (const write of writes) {
    const { revision = 0, completedAt } = write;
    const first = byVersion.get(revision ?? 0);
    if (first === undefined || first.completedAt > completedAt) byVersion.set(revision ?? 0, write);
  }
  return [...byVersion.values()].toSorted((one, other) => (one.revision ?? 0) - (other.revision ?? 0));
}

function planOf(evidence: Evidence): readonly PlannedFrame[] {
  const { writes, range } = evidence;
  const last = new Map(writes.map((write) => [write.uid, write]));
  const changes = writes.map((write): PlannedFrame => {
    const place = { version: write.revision ?? range.from, uid: write.uid };
    return { type: 'MODIFIED', ...place, write, key: undefined, isMissing: false };
  });
  const all = [...changes, ...deletedOf(evidence, last), ...unexplainedOf(evidence, last)];
  return all.toSorted((one, other) => one.version - other.version || Number(isGone(one)) - Number(isGone(other)));
}

const isGone = ({ type }: PlannedFrame) => type === 'DELETED';

/** Known objects that are gone. A deletion has no version, so it gets that of the last write before it. */
function deletedOf({ writes, deletions, present, known, range }: Evidence, last: ReadonlyMap<string, WriteFacts>) {
  const uids = new Set([...known.keys(), ...last.keys()]);
  return [...uids].flatMap((uid): readonly PlannedFrame[] => {
    if (present.has(uid)) return [];
    const deletion = deletions.get(uid);
    const write = last.get(uid);
    const place = { type: 'DELETED', uid, write, key: undefined } as const;
    if (deletion === undefined) return [{ ...place, version: range.until, isMissing: true }];
    const before = writes.findLast(({ receivedAt }) => receivedAt <= deletion.receivedAt)?.revision ?? range.from;
    const version = Math.max(before, write?.revision ?? range.from);
    return [{ ...place, version, deletedAt: deletion.receivedAt, isMissing: false }];
  });
}

/** Objects whose present version the log does not have: a write of a status, or an event that is missing. */
function unexplainedOf({ present, range }: Evidence, last: ReadonlyMap<string, WriteFacts>): readonly PlannedFrame[] {
  return [...present.values()].flatMap(({ uid, key, version }): readonly PlannedFrame[] => {
    const isExplained = version <= BigInt(range.from) || version === BigInt(last.get(uid)?.revision ?? 0);
    if (isExplained) return [];
    return [{ type: 'MODIFIED', version: Number(version), uid, write: undefined, key, isMissing: true }];
  });
}

interface ObjectSources {
  readonly archive: LogReplayParts['archive'];
  readonly past: ReadablePast;
  /** The end of the range: the versions before it may be gone from etcd. */
  readonly until: bigint;
}

interface ReadFrame {
  readonly frame: { readonly type: PlannedFrame['type']; readonly object: RawObject };
  readonly isMissing: boolean;
}

/** A write whose object the log does not have is left out: the next version of the object shows that it is missing. */
async function readObjects(
  { archive, past, until }: ObjectSources,
  planned: readonly PlannedFrame[],
): Promise<readonly ReadFrame[]> {
  const texts = await archive.log.objects(planned.flatMap(({ write }) => write?.id ?? []));
  const states = await archive.states(planned.filter(isGone).map(({ uid }) => uid));
  const textOf = ({ type, uid, write }: PlannedFrame) => {
    return texts.get(write?.id ?? '') ?? (type === 'DELETED' ? states.get(uid)?.object : undefined);
  };
  const read = planned.map(async (one): Promise<readonly ReadFrame[]> => {
    const { key } = one;
    if (key !== undefined) return [frameOf(one, await past.objectAt(key, until))];
    const text = textOf(one);
    return text === undefined ? [] : [frameOf(one, asRawObject(JSON.parse(text)))];
  });
  return (await Promise.all(read)).flat();
}

function frameOf({ type, version, deletedAt, isMissing }: PlannedFrame, found: RawObject): ReadFrame {
  const deletionTimestamp = deletedAt === undefined ? {} : { deletionTimestamp: new Date(deletedAt).toISOString() };
  const metadata = { ...found.metadata, resourceVersion: `${version}`, ...deletionTimestamp };
  return { frame: { type, object: { ...found, metadata } }, isMissing };
}

/** Whether the last logged or known version of the object had the same spec: then only its status was written. */
function isExplained({ object: { metadata }, type }: ReadFrame['frame'], { writes, known }: Evidence): boolean {
  if (type === 'DELETED') return false;
  const fingerprint = known.get(metadata.uid)?.fingerprint;
  const logged = writes.findLast(({ uid }) => uid === metadata.uid)?.generation;
  return (logged ?? (fingerprint === undefined ? 0 : generationIn(fingerprint))) === metadata.generation;
}
