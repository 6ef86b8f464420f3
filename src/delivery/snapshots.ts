/** What SDKs read: the flags of an environment as bytes, put together from the bytes of each flag. */
import { setImmediate } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Catalog } from '../catalog/catalog.ts';
import { memo } from '../catalog/memo.ts';
import { type ProjectView, undisputedEffect } from '../catalog/project-views.ts';
import type { FlagContext } from '../domain/flag/flag-context.ts';
import { isArchived } from '../domain/flag/flag-values.ts';
import { wireNameOf } from '../domain/identity/names.ts';
import { joined } from '../model/joined.ts';
import type { FeatureFlag } from '../schema/feature-flag.ts';
import { closingOf, OPENING, type SnapshotQuery } from '../wire/client/document.ts';
import { presentClientFeature } from '../wire/client/feature.ts';
import { segmentsOf, uniqueSegments, withoutSegments } from '../wire/client/segment.ts';
import { bytesFor, isAskedFor, placeOf, type ServedFlag, type ServedItem } from './served-flag.ts';

export interface Snapshot {
  readonly bytes: Buffer;
  /** The part of the bytes that is the flags, with commas between them. */
  readonly features: Buffer;
  /** JSON: a list. */
  readonly segments: string;
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
  const itemOf = createItems();
  const viewsOf = (projects: readonly string[] | undefined): readonly ProjectView[] =>
    (projects ?? catalog.projects().map(wireNameOf)).flatMap((id) => catalog.view(id) ?? []);
  function* itemsOf({ flags, flagContext }: ProjectView, query: SnapshotQuery): Iterable<ServedItem> {
    for (const flag of flags) {
      if (isArchived(flag) || !isAskedFor(placeOf(flag), query)) continue;
      yield itemOf(flag, catalog.withRelated(flag, flagContext), query.environment);
    }
  }
  const served = (flag: FeatureFlag | undefined, environment: string): ServedFlag | undefined => {
    if (!flag || isArchived(flag)) return undefined;
    const flagContext = catalog.flagContextOf(flag);
    return flagContext.project && { ...placeOf(flag), ...itemOf(flag, flagContext, environment) };
  };

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
      const key = keyOfQuery(query);
      return sources.get(key) ?? newSource(query, key);
    },

    /** Undefined: the flag is not there, or not in these projects. */
    feature(name: string, { environment, projects, inlinesSegments }: SnapshotQuery): Buffer | undefined {
      const query = { environment, projects, inlinesSegments };
      const flag = served(catalog.flag(name), environment);
      return flag && isAskedFor(flag, query) ? bytesFor(flag, query) : undefined;
    },

    /** Undefined: no flag of this name is read by SDKs. */
    served: (name: string, environment: string): ServedFlag | undefined => served(catalog.flag(name), environment),

    everyServed: (environment: string): Iterable<ServedFlag> =>
      viewsOf(undefined).flatMap(({ flags }) => flags.flatMap((flag) => served(flag, environment) ?? [])),
  };
}

/** The same for queries that read the same. */
export function keyOfQuery({ environment, projects, tags, namePrefix, inlinesSegments }: SnapshotQuery): string {
  return JSON.stringify([environment, projects, tags, namePrefix, inlinesSegments]);
}

/** Each item is made once for a version of its flag and what surrounds it. */
function createItems() {
  const itemByEnvironment = memo((_flag: FeatureFlag, _: FlagContext) => new Map<string, ServedItem>());
  return (flag: FeatureFlag, flagContext: FlagContext, environment: string): ServedItem => {
    const known = itemByEnvironment(flag, flagContext);
    const found = known.get(environment);
    if (found) return found;
    const item = newItem(flag, flagContext, environment);
    known.set(environment, item);
    return item;
  };
}

function newItem(flag: FeatureFlag, flagContext: FlagContext, environment: string): ServedItem {
  const effect = undisputedEffect(flag, flagContext);
  const { segments: lookups } = flagContext;
  const feature = presentClientFeature({ flag, effect, segments: lookups }, environment);
  const bytes = Buffer.from(JSON.stringify(feature));
  const segments = segmentsOf(feature, lookups);
  if (segments.length === 0) return { bytes, inlined: bytes, segments };
  return { bytes, inlined: Buffer.from(JSON.stringify(withoutSegments(feature, segments))), segments };
}

function assemble(items: readonly ServedItem[], query: SnapshotQuery): Snapshot {
  const segments = uniqueSegments(items.flatMap((item) => item.segments));
  const closing = closingOf(query, segments);
  const own = items.map((item) => bytesFor(item, query));
  const bytes = joined(OPENING, own, closing);
  const features = bytes.subarray(Buffer.byteLength(OPENING), bytes.length - Buffer.byteLength(closing));
  return { bytes, features, segments: JSON.stringify(query.inlinesSegments ? [] : segments) };
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
  readonly itemsOf: (view: ProjectView) => Iterable<ServedItem>;
  readonly assemble: (items: readonly ServedItem[]) => Snapshot;
  /** Called for each new snapshot, with its size in bytes. */
  readonly onSize: (bytes: number) => void;
}

/** Looks at the projects only after a change, and at the flags of a project only after a change in it. */
function createSource(parts: SourceParts): SnapshotSource {
  const { version, views: presentViews, itemsOf, onSize } = parts;
  const known = new WeakMap<ProjectView, readonly ServedItem[]>();
  let kept: Kept | undefined;
  let preparing: Promise<void> | undefined;
  const prepare = async (views: readonly ProjectView[]): Promise<void> => {
    for (const view of views) if (!known.has(view)) known.set(view, await collectInSlices(itemsOf(view)));
  };
  const next = (views: readonly ProjectView[]): Snapshot => {
    if (kept && isSameList(kept.views, views)) return kept.snapshot;
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

function isSameList(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((item, index) => item === other[index]);
}
