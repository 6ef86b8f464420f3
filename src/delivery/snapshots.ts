/** What SDKs read: the flags of an environment as bytes, put together from the bytes of each flag. */
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
  /** The same object for as long as its bytes stay the same. */
  current(): Snapshot;
}

/** The bound of all snapshots together; the least recently asked are dropped, and made again when asked for. */
const MAX_BYTES = 128 * 1024 * 1024;
const COMMA = Buffer.from(',');

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
  const assemble = (views: readonly ProjectView[], query: SnapshotQuery): Buffer => {
    const items = views.flatMap(({ flags, flagContext }) =>
      flags
        .filter((flag) => !isArchived(flag) && isAskedFor(flag, query))
        .map((flag) => itemOf(flag, catalog.withRelated(flag, flagContext), query.environment)),
    );
    const separated = items.flatMap((item, index) =>
      index === 0 ? [bytesFor(item, query)] : [COMMA, bytesFor(item, query)],
    );
    const segments = items.flatMap((item) => item.segments);
    return Buffer.concat([OPENING, ...separated, Buffer.from(closingOf(query, segments))]);
  };

  const sources = new LRUCache<string, SnapshotSource>({ maxSize: MAX_BYTES });
  const newSource = (query: SnapshotQuery, key: string): SnapshotSource => {
    const source = createSource({
      version: catalog.version,
      views: () => viewsOf(query.projects),
      assemble: (views) => assemble(views, query),
      onSize: (size) => sources.set(key, source, { size }),
    });
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
      return flagContext.project && bytesFor(itemOf(flag, flagContext, environment), query);
    },
  };
}

/** A flag as it is sent. */
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
  const bytes = Buffer.from(JSON.stringify(feature));
  const segments = segmentsOf(feature, lookups);
  if (segments.length === 0) return { bytes, inlined: bytes, segments };
  return { bytes, inlined: Buffer.from(JSON.stringify(withoutSegments(feature, segments))), segments };
}

function bytesFor({ bytes, inlined }: Item, { inlinesSegments = false }: SnapshotQuery): Buffer {
  return inlinesSegments ? inlined : bytes;
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
  readonly assemble: (views: readonly ProjectView[]) => Buffer;
  /** Called for each new snapshot, with its size in bytes. */
  readonly onSize: (bytes: number) => void;
}

/** Looks at the projects only after a change, and assembles only after a change in one of them. */
function createSource({ version, views: presentViews, assemble, onSize }: SourceParts): SnapshotSource {
  let kept: Kept | undefined;
  const next = (views: readonly ProjectView[]): Snapshot => {
    if (kept && isSameList(kept.views, views)) return kept.snapshot;
    const bytes = assemble(views);
    if (kept?.snapshot.bytes.equals(bytes)) return kept.snapshot;
    onSize(bytes.length);
    return { bytes };
  };
  return {
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

function isSameList(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((item, index) => item === other[index]);
}
