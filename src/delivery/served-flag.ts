/** A flag as SDKs read it in one environment, and the queries that it answers. */
import type { ClientFeature, ClientSegment } from '../evaluation/client-document.ts';
import { bytesOf } from '../model/bytes.ts';
import type { SnapshotQuery } from '../wire/client/document.ts';
import { forEdgesText, withForEdges } from '../wire/client/for-edges.ts';
import { withoutSegments } from '../wire/client/segment.ts';
import type { OriginFlag, ServedPlace } from './flag-origin.ts';

export interface ServedFlag extends ServedPlace {
  readonly bytes: Buffer;
  /** The flag for SDKs that know no segments. */
  readonly inlined: Buffer;
  /** The segments that the flag uses. */
  readonly segments: readonly ClientSegment[];
  /** Makes the JSON of what only edges get; not kept, as most callers are none. */
  readonly forEdges: () => string;
}

export function serve(
  feature: ClientFeature,
  segments: readonly ClientSegment[],
  { name, project, tags, plan }: OriginFlag,
): ServedFlag {
  const bytes = serialised(feature);
  const inlined = segments.length === 0 ? bytes : serialised(withoutSegments(feature, segments));
  return { name, project, tags, bytes, inlined, segments, forEdges: () => forEdgesText(tags, plan()) };
}

function serialised(feature: object): Buffer {
  return bytesOf(JSON.stringify(feature));
}

export function isAskedFor({ name, project, tags }: ServedPlace, query: SnapshotQuery): boolean {
  const hasTag = query.tags === undefined || tags.some((tag) => query.tags?.includes(tag));
  return hasTag && query.projects?.includes(project) !== false && name.startsWith(query.namePrefix ?? '');
}

export function bytesFor({ bytes, inlined, forEdges }: ServedFlag, query: SnapshotQuery): Buffer {
  const { inlinesSegments = false, isForEdge = false } = query;
  const own = inlinesSegments ? inlined : bytes;
  return isForEdge ? withForEdges(own, forEdges()) : own;
}
