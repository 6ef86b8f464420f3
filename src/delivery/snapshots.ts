/** What SDKs read: the flags of an environment as bytes, put together from the bytes of each flag. */
import { LRUCache } from 'lru-cache';
import type { Catalog } from '../catalog/catalog.ts';
import type { ProjectView } from '../catalog/project-views.ts';
import { wireNameOf } from '../domain/identity/names.ts';
import type { FeatureFlag } from '../schema/feature-flag.ts';
import { closingOf, OPENING, type SnapshotQuery } from '../wire/client/document.ts';
import { collectInSlices } from './collect-in-slices.ts';
import { createFlagsInEnvironment, haveSameItems, viewsOf } from './flags-in-environment.ts';

export interface Snapshot {
  readonly bytes: Buffer;
}

/** One query whose answer changes. */
export interface SnapshotSource {
  /**
   * Makes the bytes of new and changed flags a few at a time, so that `current` takes little time and other requests do not
   * wait for thousands of flags. Undefined: there is nothing to do.
   */
  prepare(): Promise<void> | undefined;
  /** The same object for as long as its bytes stay the same. */
  current(): Snapshot;
}

/** The bound of all snapshots together; the least recently asked are dropped, and made again when asked for. */
const MAX_BYTES = 128 * 1024 * 1024;
/** What a source takes beside its bytes, as an estimate. */
const SOURCE_BYTES = 1024;

export type Snapshots = ReturnType<typeof createSnapshots>;

export function createSnapshots(catalog: Catalog) {
  // Each begins with a comma.
  const flags = createFlagsInEnvironment(catalog, (feature) => Buffer.from(`,${JSON.stringify(feature)}`));

  const sources = new LRUCache<string, SnapshotSource>({ maxSize: MAX_BYTES });
  const newSource = (query: SnapshotQuery, key: string): SnapshotSource => {
    const source = createSource({
      version: catalog.version,
      views: () => viewsOf(catalog, query.projects),
      bytesOfEach: (view) => flags.inView(view, query.environment, (flag) => isAskedFor(flag, query)),
      closing: closingOf(query),
      onSize: (size) => sources.set(key, source, { size: size + SOURCE_BYTES }),
    });
    sources.set(key, source, { size: SOURCE_BYTES });
    return source;
  };

  return {
    /** The same source for as long as it is asked for. */
    source(query: SnapshotQuery): SnapshotSource {
      const key = JSON.stringify([query.environment, query.projects, query.tags, query.namePrefix]);
      return sources.get(key) ?? newSource(query, key);
    },

    /** Undefined: the flag is not there, or not in these projects. */
    feature: (name: string, query: SnapshotQuery): Buffer | undefined => flags.named(name, query)?.subarray(1),
  };
}

interface Kept {
  /** Of the catalog. */
  readonly version: number;
  readonly views: readonly ProjectView[];
  readonly snapshot: Snapshot;
}

interface SourceParts {
  readonly version: () => number;
  readonly views: () => readonly ProjectView[];
  /** Of its flags, each with a comma before it. */
  readonly bytesOfEach: (view: ProjectView) => Iterable<Buffer>;
  readonly closing: string;
  /** Called for each new snapshot, with its size in bytes. */
  readonly onSize: (bytes: number) => void;
}

/** Looks at the projects only after a change, and at the flags of a project only after a change in it. */
function createSource({ version, views: presentViews, bytesOfEach, closing, onSize }: SourceParts): SnapshotSource {
  const known = new WeakMap<ProjectView, readonly Buffer[]>();
  let kept: Kept | undefined;
  let preparing: Promise<void> | undefined;
  const prepare = async (views: readonly ProjectView[]): Promise<void> => {
    for (const view of views) if (!known.has(view)) known.set(view, await collectInSlices(bytesOfEach(view)));
  };
  const assemble = (views: readonly ProjectView[]): Buffer => {
    const [first, ...others] = views.flatMap((view) => known.get(view) ?? [...bytesOfEach(view)]);
    return Buffer.concat([OPENING, ...(first ? [first.subarray(1), ...others] : []), Buffer.from(closing)]);
  };
  const next = (views: readonly ProjectView[]): Snapshot => {
    if (kept && haveSameItems(kept.views, views)) return kept.snapshot;
    const bytes = assemble(views);
    if (kept?.snapshot.bytes.equals(bytes)) return kept.snapshot;
    onSize(bytes.length);
    return { bytes };
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

function isAskedFor(flag: FeatureFlag, { tags, namePrefix = '' }: SnapshotQuery): boolean {
  const hasTag = tags === undefined || flag.spec.tags?.some((tag) => tags.includes(tag)) === true;
  return hasTag && wireNameOf(flag).startsWith(namePrefix);
}
