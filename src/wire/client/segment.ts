/** Segments as SDKs read them. */

import type { SegmentLookups } from '../../domain/segment/segment-values.ts';
import type { ClientConstraint, ClientFeature, ClientSegment } from '../../evaluation/client-document.ts';
import { sdkOperand } from '../../evaluation/operand.ts';
import type { Constraint } from '../../schema/constraint.ts';

/** Undefined if the flag cannot use the segment. */
export function presentSegment(name: string, lookups: SegmentLookups | undefined): ClientSegment | undefined {
  const found = lookups?.get(name);
  if (found === undefined || typeof found === 'string') return undefined;
  return { id: found.id, name: found.name, constraints: found.constraints.map(presentConstraint) };
}

/** The segments that the strategies of a feature name, each once, ordered by id. */
export function segmentsOf(feature: ClientFeature, lookups: SegmentLookups | undefined): readonly ClientSegment[] {
  const ids = new Set(feature.strategies.flatMap(({ segments }) => segments ?? []));
  if (ids.size === 0) return [];
  return uniqueSegments([...(lookups?.keys() ?? [])].flatMap((name) => presentSegment(name, lookups) ?? [])).filter(
    ({ id }) => ids.has(id),
  );
}

/** The segments, each id once, in ascending order. */
export function uniqueSegments(segments: readonly ClientSegment[]): readonly ClientSegment[] {
  return [...new Map(segments.map((segment) => [segment.id, segment])).values()].sort((a, b) => a.id - b.id);
}

/** For SDKs that know no segments: the constraints of segments become constraints of the strategies. */
export function withoutSegments(feature: ClientFeature, segments: readonly ClientSegment[]): ClientFeature {
  const constraintsOf = new Map(segments.map(({ id, constraints }) => [id, constraints]));
  const strategies = feature.strategies.map(({ segments: ids = [], ...strategy }) => ({
    ...strategy,
    constraints: [...strategy.constraints, ...ids.flatMap((id) => constraintsOf.get(id) ?? [])],
  }));
  return { ...feature, strategies };
}

/** The constraint must be one that SDKs can be sent. */
export function presentConstraint(constraint: Constraint): ClientConstraint {
  const { contextName, operator, values, inverted = false, caseInsensitive = false } = constraint;
  const value = sdkOperand(constraint);
  return { contextName, operator, values: values ?? [], ...(value && { value }), inverted, caseInsensitive };
}
