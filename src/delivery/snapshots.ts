/** The answers that SDKs read: the flags of an environment as bytes, put together from the bytes of each flag. */
import { joined } from '../model/bytes.ts';
import { collectInTurns, turnsOfRequest } from '../runtime/turns.ts';
import { closingOf, OPENING, type SnapshotQuery } from '../wire/client/document.ts';
import { uniqueSegments } from '../wire/client/segment.ts';
import type { FlagGroup, FlagOrigin } from './flag-origin.ts';
import { createFlagsInEnvironment, haveSameItems } from './flags-in-environment.ts';
import { keepAnswers } from './kept-answers.ts';
import { bytesFor, isAskedFor, type ServedFlag, serve } from './served-flag.ts';

export interface Snapshot {
  readonly bytes: Buffer;
  /** The part of the bytes that is the flags, with commas between them. */
  readonly features: Buffer;
  /** A JSON list. */
  readonly segments: string;
}

/** One query whose answer changes. */
export interface SnapshotSource {
  /**
   * Makes the bytes of new and changed flags a few at a time, so that `current` takes little time and other requests do
   * not wait for thousands of flags. Undefined if there is nothing to do.
   */
  prepare(): Promise<void> | undefined;
  /** Returns the same object until its bytes change. */
  current(): Snapshot;
}

/** The bound of all snapshots together; the least recently asked are dropped, and made again when asked for. */
const MAX_BYTES = 128 * 1024 * 1024;
/** The estimated size of a source in addition to its bytes and its key. */
const SOURCE_BYTES = 3 * 1024;
/**
 * The estimated share of the compressed bytes, brotli and gzip: flags are compressed to less than a tenth. They are
 * dropped with the source.
 */
const COMPRESSED_SHARE = 0.2;

export interface Snapshots {
  /** Returns the same source until it is dropped because it was not used. */
  source(query: SnapshotQuery): SnapshotSource;
  /** Undefined if the flag does not exist, or not in these projects. */
  feature(name: string, query: SnapshotQuery): Buffer | undefined;
  /** Undefined if SDKs read no flag of this name. */
  served(name: string, environment: string): ServedFlag | undefined;
  /** Makes each flag when the iteration reaches it. */
  everyServed(environment: string): Iterable<ServedFlag>;
}

export function createSnapshots(origin: FlagOrigin): Snapshots {
  const flags = createFlagsInEnvironment(origin, serve);

  const sources = keepAnswers<SnapshotSource>({ maxSize: MAX_BYTES });
  const newSource = (query: SnapshotQuery, key: string): SnapshotSource => {
    const around = SOURCE_BYTES + 2 * key.length;
    const source = createSource({
      version: origin.version,
      groups: () => origin.groups(query.projects),
      itemsOf: (group) => flags.inGroup(group, query.environment, (flag) => isAskedFor(flag, query)),
      assemble: (items) => assemble(items, query),
      onSize: (size) => sources.set(key, source, { size: Math.ceil(size * (1 + COMPRESSED_SHARE)) + around }),
    });
    sources.set(key, source, { size: around });
    return source;
  };

  return {
    source(query: SnapshotQuery): SnapshotSource {
      const key = keyOfQuery(query);
      return sources.get(key) ?? newSource(query, key);
    },

    feature(name: string, query: SnapshotQuery): Buffer | undefined {
      const flag = flags.named(name, query);
      return flag && bytesFor(flag, query);
    },

    served: (name: string, environment: string): ServedFlag | undefined =>
      flags.named(name, { environment, projects: undefined }),

    *everyServed(environment: string): Iterable<ServedFlag> {
      for (const group of origin.groups(undefined)) yield* flags.inGroup(group, environment);
    },
  };
}

/** A key that is the same for queries with the same answer. */
export function keyOfQuery(query: SnapshotQuery): string {
  const { environment, projects, tags, namePrefix, inlinesSegments, isForEdge } = query;
  return JSON.stringify([environment, projects, tags, namePrefix, inlinesSegments, isForEdge]);
}

function assemble(items: readonly ServedFlag[], query: SnapshotQuery): Snapshot {
  const segments = uniqueSegments(items.flatMap((item) => item.segments));
  const closing = closingOf(query, segments);
  const own = items.map((item) => bytesFor(item, query));
  const bytes = joined(OPENING, own, closing);
  const features = bytes.subarray(Buffer.byteLength(OPENING), bytes.length - Buffer.byteLength(closing));
  return { bytes, features, segments: JSON.stringify(query.inlinesSegments ? [] : segments) };
}

interface Kept {
  /** The version of the flags. */
  readonly version: number;
  readonly groups: readonly FlagGroup[];
  readonly snapshot: Snapshot;
}

interface SourceParts {
  readonly version: () => number;
  readonly groups: () => readonly FlagGroup[];
  readonly itemsOf: (group: FlagGroup) => Iterable<ServedFlag>;
  readonly assemble: (items: readonly ServedFlag[]) => Snapshot;
  /** Called for each new snapshot, with its size in bytes. */
  readonly onSize: (bytes: number) => void;
}

/** Looks at the groups only after a change, and at the flags of a group only after a change in it. */
function createSource(parts: SourceParts): SnapshotSource {
  const { version, groups: presentGroups, itemsOf, onSize } = parts;
  const known = new WeakMap<FlagGroup, readonly ServedFlag[]>();
  let kept: Kept | undefined;
  let preparing: Promise<void> | undefined;
  const prepare = async (groups: readonly FlagGroup[]): Promise<void> => {
    const turn = turnsOfRequest();
    for (const group of groups) if (!known.has(group)) known.set(group, await collectInTurns(itemsOf(group), turn));
  };
  const next = (groups: readonly FlagGroup[]): Snapshot => {
    if (kept && haveSameItems(kept.groups, groups)) return kept.snapshot;
    const snapshot = parts.assemble(groups.flatMap((group) => known.get(group) ?? [...itemsOf(group)]));
    if (kept?.snapshot.bytes.equals(snapshot.bytes)) return kept.snapshot;
    onSize(snapshot.bytes.length);
    return snapshot;
  };
  return {
    prepare() {
      if (kept?.version === version()) return undefined;
      preparing ??= prepare(presentGroups()).finally(() => {
        preparing = undefined;
      });
      return preparing;
    },
    current() {
      const present = version();
      if (kept?.version !== present) {
        const groups = presentGroups();
        kept = { version: present, groups, snapshot: next(groups) };
      }
      return kept.snapshot;
    },
  };
}
