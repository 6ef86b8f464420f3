/** Segments as SDKs read them. */
import type { SegmentLookups, UsableSegment } from '../../domain/segment/segment-values.ts';
import type { ClientFeature, ClientSegment } from '../../evaluation/client-document.ts';
import { presentConstraints } from './constraint.ts';

/** Undefined: the flag cannot use it, or SDKs do not agree on its constraints. */
export function presentSegment(name: string, lookups: SegmentLookups | undefined): ClientSegment | undefined {
  const found = lookups?.get(name);
  return found === undefined || typeof found === 'string' ? undefined : presentUsable(found);
}

function presentUsable({ id, name, constraints }: UsableSegment): ClientSegment | undefined {
  const presented = presentConstraints(constraints);
  return presented && { id, name, constraints: presented };
}

/** Those that the strategies of a feature name, each once, by id. */
export function segmentsOf(feature: ClientFeature, lookups: SegmentLookups | undefined): readonly ClientSegment[] {
  const ids = new Set(feature.strategies.flatMap(({ segments }) => segments ?? []));
  if (ids.size === 0) return [];
  return uniqueSegments([...(lookups?.keys() ?? [])].flatMap((name) => presentSegment(name, lookups) ?? [])).filter(
    ({ id }) => ids.has(id),
  );
}

/** Each id once, in ascending order. */
export function uniqueSegments(segments: readonly ClientSegment[]): readonly ClientSegment[] {
  return [...new Map(segments.map((segment) => [segment.id, segment])).values()].sort((a, b) => a.id - b.id);
}

/** For SDKs that know no segments: their constraints become those of the strategies. */
export function withoutSegments(feature: ClientFeature, segments: readonly ClientSegment[]): ClientFeature {
  const constraintsOf = new Map(segments.map(({ id, constraints }) => [id, constraints]));
  const strategies = feature.strategies.map(({ segments: ids = [], ...strategy }) => ({
    ...strategy,
    constraints: [...strategy.constraints, ...ids.flatMap((id) => constraintsOf.get(id) ?? [])],
  }));
  return { ...feature, strategies };
}
