/** Segments of a state document: Vexil has none, so strategies get their constraints. */
import { Refusal } from '../../errors.ts';
import type { Complaints } from '../../model/complaints.ts';
import type { StateDocument, StrategyOfDocument } from './state-input.ts';

/** How many constraints, with their values, strategies get in all: a short document could else ask for any number. */
const MAX_INLINED = 1_000_000;

type Constraints = NonNullable<StrategyOfDocument['constraints']>;

interface Segmented {
  readonly id?: string | null | undefined;
  readonly segments?: readonly number[] | null | undefined;
}

export type Segments = ReturnType<typeof createSegments>;

export function createSegments(document: StateDocument, complaints: Complaints) {
  const known = new Map((document.segments ?? []).map(({ id, constraints }) => [id, constraints ?? []]));
  const links = Map.groupBy(
    (document.featureStrategySegments ?? []).map((link, index) => ({ ...link, index })),
    ({ featureStrategyId }) => featureStrategyId,
  );
  refuseLoose(document, complaints);
  let inlined = 0;
  return {
    /** The constraints of all segments of a strategy. */
    constraintsOf(at: readonly string[], { id, segments }: Segmented): Constraints {
      const named = (segments ?? []).map((segment, index) => ({ segment, at: [...at, 'segments', `${index}`] }));
      const linked = (id ? (links.get(id) ?? []) : []).map(({ segmentId, index }) => {
        return { segment: segmentId, at: ['featureStrategySegments', `${index}`, 'segmentId'] };
      });
      const all = new Map([...named, ...linked].map((one) => [one.segment, one]));
      return [...all.values()].flatMap((one) => {
        const constraints = known.get(one.segment);
        if (!constraints) complaints.add(one.at, 'must be the id of one of `segments`.', `${one.segment}`);
        inlined += (constraints ?? []).reduce((sum, { values }) => sum + 1 + (values?.length ?? 0), 0);
        if (inlined > MAX_INLINED) throw tooManyInlined();
        return constraints ?? [];
      });
    },
  };
}

function tooManyInlined(): Refusal {
  const message = `The segments become more than ${MAX_INLINED} constraints and values in the strategies that have them. Send the document in parts.`;
  return new Refusal('too-large', message, { details: [{ part: 'body', keys: ['segments'], message }] });
}

/** A link of no strategy would be lost without a word. */
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
