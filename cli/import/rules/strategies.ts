/** Strategies for rules that follow one another, and what is different about them. */
import type { Constraint } from '../../../src/schema/constraint.ts';
import { MAX_SEGMENTS, type Strategy } from '../../../src/schema/strategy.ts';
import type { SegmentTerm, Term } from './alternatives.ts';
import type { Share } from './targeting-rule.ts';

export interface Strategies {
  readonly strategies: readonly Strategy[];
  /** Differences from the behaviour in the other product. */
  readonly notes: readonly string[];
}

export const OTHER_USERS =
  'It is written as shares of the same size. Users change their bucket, because Vexil hashes in another way.';

/** Everyone, or a share of the users, for whom the terms hold. */
export function strategyOf(flag: string, terms: readonly Term[], share: Share | undefined): Strategy {
  const segments = [...new Map(terms.filter(isSegment).map((term) => [term.segment, term])).values()];
  const [named, others] = [segments.slice(0, MAX_SEGMENTS), segments.slice(MAX_SEGMENTS)];
  const own = terms.filter((term): term is Constraint => !isSegment(term));
  const constraints = [...own, ...others.flatMap((segment) => segment.constraints)];
  return {
    name: share ? 'flexibleRollout' : 'default',
    ...(share && { parameters: { rollout: share.percent, groupId: flag, stickiness: share.stickiness } }),
    ...(share?.ramp && { ramp: share.ramp }),
    ...(constraints.length > 0 && { constraints }),
    ...(named.length > 0 && { segments: named.map(({ segment }) => segment) }),
  };
}

function isSegment(term: Term): term is SegmentTerm {
  return 'segment' in term;
}

/** Percentages as Vexil has them, and what is said about those that change. */
export function roundingNotes(percentages: readonly number[]): readonly string[] {
  return percentages
    .filter((percent) => !Number.isInteger(percent))
    .map((percent) => `${percent.toFixed(2)} percent are written as ${Math.round(percent)}: percentages are whole.`);
}
