/** The answers that SDKs read: the flags of an environment as bytes, put together from the bytes of each flag. */
import type { Catalog } from '../catalog/catalog.ts';
import type { ProjectView } from '../catalog/project-views.ts';
import { joined } from '../model/bytes.ts';
import { collectInTurns } from '../runtime/turns.ts';
import { closingOf, OPENING, type SnapshotQuery } from '../wire/client/document.ts';
import { uniqueSegments } from '../wire/client/segment.ts';
import { createFlagsInEnvironment, haveSameItems, viewsOf } from './flags-in-environment.ts';
import { keepAnswers } from './kept-answers.ts';
import { bytesFor, isAskedFor, placeOf, type ServedFlag, serve } from './served-flag.ts';

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

export function createSnapshots(catalog: Catalog): Snapshots {
  const flags = createFlagsInEnvironment(catalog, serve);

  const sources = keepAnswers<SnapshotSource>({ maxSize: MAX_BYTES });
  const newSource = (query: SnapshotQuery, key: string): SnapshotSource => {
    const around = SOURCE_BYTES + 2 * key.length;
    const source = createSource({
      version: catalog.version,
      views: () => viewsOf(catalog, query.projects),
      itemsOf: (view) => flags.inView(view, query.environment, (flag) => isAskedFor(placeOf(flag), query)),
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
      for (const view of viewsOf(catalog, undefined)) yield* flags.inView(view, environment);
    },
  };
}

/** A key that is the same for queries with the same answer. */
export function keyOfQuery({ environment, projects, tags, namePrefix, inlinesSegments }: SnapshotQuery): string {
  return JSON.stringify([environment, projects, tags, namePrefix, inlinesSegments]);
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
  /** The version of the catalog. */
  readonly version: number;
  readonly views: readonly ProjectView[];
  readonly snapshot: Snapshot;
}

interface SourceParts {
  readonly version: () => number;
  readonly views: () => readonly ProjectView[];
  readonly itemsOf: (view: ProjectView) => Iterable<ServedFlag>;
  readonly assemble: (items: readonly ServedFlag[]) => Snapshot;
  /** Called for each new snapshot, with its size in bytes. */
  readonly onSize: (bytes: number) => void;
}

/** Looks at the projects only after a change, and at the flags of a project only after a change in it. */
function createSource(parts: SourceParts): SnapshotSource {
  const { version, views: presentViews, itemsOf, onSize } = parts;
  const known = new WeakMap<ProjectView, readonly ServedFlag[]>();
  let kept: Kept | undefined;
  let preparing: Promise<void> | undefined;
  const prepare = async (views: readonly ProjectView[]): Promise<void> => {
    for (const view of views) if (!known.has(view)) known.set(view, await collectInTurns(itemsOf(view)));
  };
  const next = (views: readonly ProjectView[]): Snapshot => {
    if (kept && haveSameItems(kept.views, views)) return kept.snapshot;
    const snapshot = parts.assemble(views.flatMap((view) => known.get(view) ?? [...itemsOf(view)]));
    if (kept?.snapshot.bytes.equals(snapshot.bytes)) return kept.snapshot;
    onSize(snapshot.bytes.length);
    return snapshot;
  };
  return {
    prepare() {
      if (kept?.version === version()) return undefined;
      preparing ??= prepare(presentViews()).finally(() => {
        preparing = undefined;
      });
      return preparing;
    },
    current() {
      const present = version();
      if (kept?.version !== present) {
        const views = presentViews();
        kept = { version: present, views, snapshot: next(views) };
      }
      return kept.snapshot;
    },
  };
}
