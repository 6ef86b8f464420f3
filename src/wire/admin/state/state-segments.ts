/** Segments of a state document, by name: ids differ between instances. */
import type { WantedSegment } from '../../../domain/state/wanted.ts';
import type { Complaints } from '../../../model/complaints.ts';
import { segmentSpecOfCreate } from '../segment-input.ts';
import type { StateDocument } from './state-input.ts';

interface Segmented {
  readonly id?: string | null | undefined;
  readonly segments?: readonly number[] | null | undefined;
}

/** Returns the names of all segments of a strategy. */
export type NamesOfSegments = (at: readonly string[], strategy: Segmented) => readonly string[];

export function segmentLinks(document: StateDocument, complaints: Complaints): NamesOfSegments {
  const names = new Map((document.segments ?? []).map(({ id, name }) => [id, name]));
  const links = Map.groupBy(
    (document.featureStrategySegments ?? []).map((link, index) => ({ ...link, index })),
    ({ featureStrategyId }) => featureStrategyId,
  );
  refuseRepeated(document, complaints);
  refuseLoose(document, complaints);
  return (at, { id, segments }) => {
    const named = (segments ?? []).map((segment, index) => ({ segment, at: [...at, 'segments', `${index}`] }));
    const linked = (id ? (links.get(id) ?? []) : []).map(({ segmentId, index }) => {
      return { segment: segmentId, at: ['featureStrategySegments', `${index}`, 'segmentId'] };
    });
    const all = new Map([...named, ...linked].map((one) => [one.segment, one]));
    return [...all.values()].flatMap((one) => {
      const name = names.get(one.segment);
      if (name === undefined) complaints.add(one.at, 'must be the id of one of `segments`.', `${one.segment}`);
      return name ?? [];
    });
  };
}

export function readSegment(segment: NonNullable<StateDocument['segments']>[number], index: number): WantedSegment {
  const { name, project } = segment;
  const spec = {
    ...(typeof project === 'string' && { project }),
    ...segmentSpecOfCreate({ ...segment, constraints: segment.constraints ?? [] }),
  };
  return { at: ['segments', `${index}`], name, spec };
}

function refuseRepeated({ segments }: StateDocument, complaints: Complaints): void {
  for (const key of ['id', 'name'] as const) {
    const once = complaints.once();
    for (const [index, { [key]: value }] of (segments ?? []).entries()) {
      once(`${value}`, () => ({ at: ['segments', `${index}`, key], value }));
    }
  }
}

/** Refuses a link without its strategy, which would otherwise be lost silently. */
function refuseLoose(document: StateDocument, complaints: Complaints): void {
  const ids = new Set([
    ...(document.featureStrategies ?? []).map(({ id }) => id),
    ...(document.features ?? []).flatMap(({ strategies }) => (strategies ?? []).map(({ id }) => id)),
  ]);
  for (const [index, { featureStrategyId }] of (document.featureStrategySegments ?? []).entries()) {
    if (ids.has(featureStrategyId)) continue;
    const sent = JSON.stringify(featureStrategyId.slice(0, 100));
    complaints.add(
      ['featureStrategySegments', `${index}`, 'featureStrategyId'],
      `must be the id of a strategy of the document. You sent ${sent}.`,
    );
  }
}
