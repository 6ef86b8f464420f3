/** A flag as SDKs read it in one environment, and the queries that it answers. */
import { projectIdOf } from '../domain/flag/flag-values.ts';
import { wireNameOf } from '../domain/identity/names.ts';
import type { ClientFeature, ClientSegment } from '../evaluation/client-document.ts';
import { bytesOf } from '../model/bytes.ts';
import type { FeatureFlag } from '../schema/feature-flag.ts';
import type { SnapshotQuery } from '../wire/client/document.ts';
import { withoutSegments } from '../wire/client/segment.ts';

export interface ServedPlace {
  readonly name: string;
  readonly project: string;
  readonly tags: readonly string[];
}

export interface ServedFlag extends ServedPlace {
  readonly bytes: Buffer;
  /** The flag for SDKs that know no segments. */
  readonly inlined: Buffer;
  /** The segments that the flag uses. */
  readonly segments: readonly ClientSegment[];
}

export function placeOf(flag: FeatureFlag): ServedPlace {
  return { name: wireNameOf(flag), project: projectIdOf(flag), tags: flag.spec.tags ?? [] };
}

export function serve(feature: ClientFeature, segments: readonly ClientSegment[], flag: FeatureFlag): ServedFlag {
  const bytes = serialised(feature);
  const inlined = segments.length === 0 ? bytes : serialised(withoutSegments(feature, segments));
  return { ...placeOf(flag), bytes, inlined, segments };
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
