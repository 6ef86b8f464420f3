/** What SDKs read: the flags of an environment as bytes, put together from the bytes of each flag. */
import { LRUCache } from 'lru-cache';
import type { Catalog } from '../catalog/catalog.ts';
import type { ProjectView } from '../catalog/project-views.ts';
import { wireNameOf } from '../domain/identity/names.ts';
import type { FeatureFlag } from '../schema/feature-flag.ts';
import { closingOf, OPENING, type SnapshotQuery } from '../wire/client/document.ts';
import { createFlagsInEnvironment, haveSameItems, viewsOf } from './flags-in-environment.ts';

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
  const flags = createFlagsInEnvironment(catalog, (feature) => Buffer.from(JSON.stringify(feature)));
  const assemble = (views: readonly ProjectView[], query: SnapshotQuery): Buffer => {
    const items = views.flatMap((view) => flags.inView(view, query.environment, (flag) => isAskedFor(flag, query)));
    const separated = items.flatMap((item, index) => (index === 0 ? [item] : [COMMA, item]));
    return Buffer.concat([OPENING, ...separated, Buffer.from(closingOf(query))]);
  };

  const sources = new LRUCache<string, SnapshotSource>({ maxSize: MAX_BYTES });
  const newSource = (query: SnapshotQuery, key: string): SnapshotSource => {
    const source = createSource({
      version: catalog.version,
      views: () => viewsOf(catalog, query.projects),
      assemble: (views) => assemble(views, query),
      onSize: (size) => sources.set(key, source, { size }),
    });
    return source;
  };

  return {
    /** The same source for as long as it is asked for. */
    source(query: SnapshotQuery): SnapshotSource {
      const key = JSON.stringify([query.environment, query.projects, query.tags, query.namePrefix]);
      return sources.get(key) ?? newSource(query, key);
    },

    /** Undefined: the flag is not there, or not in these projects. */
    feature: (name: string, query: SnapshotQuery): Buffer | undefined => flags.named(name, query),
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
  readonly assemble: (views: readonly ProjectView[]) => Buffer;
  /** Called for each new snapshot, with its size in bytes. */
  readonly onSize: (bytes: number) => void;
}

/** Looks at the projects only after a change, and assembles only after a change in one of them. */
function createSource({ version, views: presentViews, assemble, onSize }: SourceParts): SnapshotSource {
  let kept: Kept | undefined;
  const next = (views: readonly ProjectView[]): Snapshot => {
    if (kept && haveSameItems(kept.views, views)) return kept.snapshot;
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
