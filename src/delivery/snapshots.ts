/** What SDKs read: the flags of an environment as bytes, put together from the bytes of each flag. */
import { setImmediate } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Catalog } from '../catalog/catalog.ts';
import { memo } from '../catalog/memo.ts';
import { type ProjectView, undisputedEffect } from '../catalog/project-views.ts';
import type { FlagContext } from '../domain/flag/flag-context.ts';
import { isArchived, projectIdOf } from '../domain/flag/flag-values.ts';
import { wireNameOf } from '../domain/identity/names.ts';
import type { ClientSegment } from '../evaluation/client-document.ts';
import type { FeatureFlag } from '../schema/feature-flag.ts';
import { closingOf, OPENING, type SnapshotQuery } from '../wire/client/document.ts';
import { presentClientFeature } from '../wire/client/feature.ts';
import { segmentsOf, withoutSegments } from '../wire/client/segment.ts';

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
/** The longest time for which the bytes of flags are made before other requests have their turn. */
const SLICE_MS = 5;

export type Snapshots = ReturnType<typeof createSnapshots>;

export function createSnapshots(catalog: Catalog) {
  const itemByEnvironment = memo((_flag: FeatureFlag, _: FlagContext) => new Map<string, Item>());
  const itemOf = (flag: FeatureFlag, flagContext: FlagContext, environment: string): Item => {
    const known = itemByEnvironment(flag, flagContext);
    const found = known.get(environment);
    if (found) return found;
    const item = newItem(flag, flagContext, environment);
    known.set(environment, item);
    return item;
  };
  const viewsOf = (projects: readonly string[] | undefined): readonly ProjectView[] =>
    (projects ?? catalog.projects().map(wireNameOf)).flatMap((id) => catalog.view(id) ?? []);
  function* itemsOf({ flags, flagContext }: ProjectView, query: SnapshotQuery): Iterable<Item> {
    for (const flag of flags) {
      if (isArchived(flag) || !isAskedFor(flag, query)) continue;
      yield itemOf(flag, catalog.withRelated(flag, flagContext), query.environment);
    }
  }

  const sources = new LRUCache<string, SnapshotSource>({ maxSize: MAX_BYTES });
  const newSource = (query: SnapshotQuery, key: string): SnapshotSource => {
    const source = createSource({
      version: catalog.version,
      views: () => viewsOf(query.projects),
      itemsOf: (view) => itemsOf(view, query),
      assemble: (items) => assemble(items, query),
      onSize: (size) => sources.set(key, source, { size: size + SOURCE_BYTES }),
    });
    sources.set(key, source, { size: SOURCE_BYTES });
    return source;
  };

  return {
    /** The same source for as long as it is asked for. */
    source(query: SnapshotQuery): SnapshotSource {
      const { environment, projects, tags, namePrefix, inlinesSegments } = query;
      const key = JSON.stringify([environment, projects, tags, namePrefix, inlinesSegments]);
      return sources.get(key) ?? newSource(query, key);
    },

    /** Undefined: the flag is not there, or not in these projects. */
    feature(name: string, query: SnapshotQuery): Buffer | undefined {
      const { environment, projects } = query;
      const flag = catalog.flag(name);
      if (!flag || isArchived(flag) || projects?.includes(projectIdOf(flag)) === false) return undefined;
      const flagContext = catalog.flagContextOf(flag);
      return flagContext.project && bytesFor(itemOf(flag, flagContext, environment), query).subarray(1);
    },
  };
}

/** A flag as it is sent. The bytes begin with a comma. */
interface Item {
  readonly bytes: Buffer;
  /** For SDKs that know no segments. */
  readonly inlined: Buffer;
  /** Those that the flag uses. */
  readonly segments: readonly ClientSegment[];
}

function newItem(flag: FeatureFlag, flagContext: FlagContext, environment: string): Item {
  const effect = undisputedEffect(flag, flagContext);
  const { segments: lookups } = flagContext;
  const feature = presentClientFeature({ flag, effect, segments: lookups }, environment);
  const bytes = bytesOf(feature);
  const segments = segmentsOf(feature, lookups);
  if (segments.length === 0) return { bytes, inlined: bytes, segments };
  return { bytes, inlined: bytesOf(withoutSegments(feature, segments)), segments };
}

function bytesOf(feature: object): Buffer {
  return Buffer.from(`,${JSON.stringify(feature)}`);
}

function bytesFor({ bytes, inlined }: Item, { inlinesSegments = false }: SnapshotQuery): Buffer {
  return inlinesSegments ? inlined : bytes;
}

function assemble(items: readonly Item[], query: SnapshotQuery): Buffer {
  const [first, ...others] = items.map((item) => bytesFor(item, query));
  const segments = items.flatMap((item) => item.segments);
  const closing = Buffer.from(closingOf(query, segments));
  return Buffer.concat([OPENING, ...(first ? [first.subarray(1), ...others] : []), closing]);
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
  readonly itemsOf: (view: ProjectView) => Iterable<Item>;
  readonly assemble: (items: readonly Item[]) => Buffer;
  /** Called for each new snapshot, with its size in bytes. */
  readonly onSize: (bytes: number) => void;
}

/** Looks at the projects only after a change, and at the flags of a project only after a change in it. */
function createSource(parts: SourceParts): SnapshotSource {
  const { version, views: presentViews, itemsOf, onSize } = parts;
  const known = new WeakMap<ProjectView, readonly Item[]>();
  let kept: Kept | undefined;
  let preparing: Promise<void> | undefined;
  const prepare = async (views: readonly ProjectView[]): Promise<void> => {
    for (const view of views) if (!known.has(view)) known.set(view, await collectInSlices(itemsOf(view)));
  };
  const next = (views: readonly ProjectView[]): Snapshot => {
    if (kept && isSameList(kept.views, views)) return kept.snapshot;
    const bytes = parts.assemble(views.flatMap((view) => known.get(view) ?? [...itemsOf(view)]));
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

async function collectInSlices<T>(work: Iterable<T>): Promise<readonly T[]> {
  const collected: T[] = [];
  let endsAt = performance.now() + SLICE_MS;
  for (const item of work) {
    collected.push(item);
    if (performance.now() < endsAt) continue;
    await setImmediate();
    endsAt = performance.now() + SLICE_MS;
  }
  return collected;
}

function isAskedFor(flag: FeatureFlag, { tags, namePrefix = '' }: SnapshotQuery): boolean {
  const hasTag = tags === undefined || flag.spec.tags?.some((tag) => tags.includes(tag)) === true;
  return hasTag && wireNameOf(flag).startsWith(namePrefix);
}

function isSameList(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((item, index) => item === other[index]);
}
