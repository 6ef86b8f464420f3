/** A flag as SDKs read it in one environment, and the queries that it answers. */
import type { ClientFeature, ClientSegment } from '../evaluation/client-document.ts';
import { bytesOf } from '../model/bytes.ts';
import type { SnapshotQuery } from '../wire/client/document.ts';
import { withoutSegments } from '../wire/client/segment.ts';
import type { ServedPlace } from './flag-origin.ts';

export interface ServedFlag extends ServedPlace {
  readonly bytes: Buffer;
  /** The flag for SDKs that know no segments. */
  readonly inlined: Buffer;
  /** The segments that the flag uses. */
  readonly segments: readonly ClientSegment[];
}

export function serve(
  feature: ClientFeature,
  segments: readonly ClientSegment[],
  { name, project, tags }: ServedPlace,
): ServedFlag {
  const bytes = serialised(feature);
  const inlined = segments.length === 0 ? bytes : serialised(withoutSegments(feature, segments));
  return { name, project, tags, bytes, inlined, segments };
}

function serialised(feature: object): Buffer {
  return bytesOf(JSON.stringify(feature));
}

export function isAskedFor({ name, project, tags }: ServedPlace, query: SnapshotQuery): boolean {
  const hasTag = query.tags === undefined || tags.some((tag) => query.tags?.includes(tag));
  return hasTag && query.projects?.includes(project) !== false && name.startsWith(query.namePrefix ?? '');
}

export function bytesFor({ bytes, inlined }: ServedFlag, { inlinesSegments = false }: SnapshotQuery): Buffer {
  return inlinesSegments ? inlined : bytes;
}
