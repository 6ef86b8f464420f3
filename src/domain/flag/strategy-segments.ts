/** The segments of a strategy: names in the spec, ids on the wire. */
import { Refusal } from '../../errors.ts';
import type { FeatureFlag, FlagEnvironment } from '../../schema/feature-flag.ts';
import type { Segment } from '../../schema/segment.ts';
import type { Strategy } from '../../schema/strategy.ts';
import { wireNameOf } from '../identity/names.ts';
import { isForFlagsOf, type SegmentLookups } from '../segment/segment-values.ts';
import { projectIdOf, strategiesOf } from './flag-values.ts';

/** Undefined if there is no such segment, or it has no id yet. */
export type SegmentIds = (name: string) => number | undefined;

/** Refuses ids of segments that the flag cannot use. */
export type SegmentNames = (ids: readonly number[]) => readonly string[];

export function segmentIdsIn(segments: SegmentLookups | undefined): SegmentIds {
  return (name) => {
    const found = segments?.get(name);
    return typeof found === 'object' ? found.id : undefined;
  };
}

/** The ids in ascending order. */
export function segmentIdsOf({ segments }: Strategy, idOf: SegmentIds): number[] {
  return (segments ?? []).flatMap((name) => idOf(name) ?? []).sort((a, b) => a - b);
}

/** The keys of strategies with a segment that has no id. */
export function lackingSegments(environment: FlagEnvironment, idOf: SegmentIds): readonly string[] {
  return strategiesOf(environment)
    .filter(({ strategy }) => (strategy.segments ?? []).some((name) => idOf(name) === undefined))
    .map(({ key }) => key);
}

export interface SegmentsOfInstance {
  readonly segment: (id: number) => Segment | undefined;
  /** The operator namespace. */
  readonly home: string;
  /** The error for an id under which the flag finds no segment. */
  readonly notFound: (id: number) => Refusal;
}

export function segmentNamesFor(flag: FeatureFlag, { segment, home, notFound }: SegmentsOfInstance): SegmentNames {
  const place = { namespace: flag.metadata.namespace, projectId: projectIdOf(flag) };
  return (ids) =>
    [...new Set(ids)].map((id) => {
      const found = segment(id);
      if (!found) throw notFound(id);
      const { project } = found.spec;
      if (project !== undefined && project !== place.projectId) throw ofAnotherProject(id, place.projectId);
      if (!isForFlagsOf(found, place, home)) throw notFound(id);
      return wireNameOf(found);
    });
}

function ofAnotherProject(id: number, project: string): Refusal {
  const message = `The segment with the id ${id} is for flags of another project than "${project}".`;
  return new Refusal('invalid', message, { details: [{ part: 'body', keys: ['segments'], message }] });
}
