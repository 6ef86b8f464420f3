/** Conditions as alternatives of terms: for at least one list, all terms must hold. */
import type { Constraint } from '../../../src/schema/constraint.ts';
import { MAX_STRATEGIES } from '../../../src/schema/feature-flag.ts';

/** A Segment by its name, with the constraints that it has. */
export interface SegmentTerm {
  readonly segment: string;
  readonly constraints: readonly Constraint[];
}

export type Term = Constraint | SegmentTerm;

export type Alternatives = readonly (readonly Term[])[];

/** All users. */
export const ALWAYS: Alternatives = [[]];

/** Nobody. */
export const NEVER: Alternatives = [];

/** Undefined if Vexil has no such condition. */
export type Read = Alternatives | undefined;

/** All conditions must hold. Returns undefined if one is undefined. */
export function conjunction(conditions: readonly Read[]): Read {
  return all(conditions)?.reduce<Read>(
    (sum, next) => bounded(sum?.flatMap((before) => next.map((after) => [...before, ...after]))),
    ALWAYS,
  );
}

/** One condition must hold. Returns undefined if one is undefined. */
export function disjunction(conditions: readonly Read[]): Read {
  return bounded(all(conditions)?.flat());
}

type Invert = (constraint: Constraint) => Constraint;

/** The opposite: of each list, one term does not hold. `invert` is the opposite of one constraint. */
export function inverted(alternatives: Read, invert: Invert = invertedConstraint): Read {
  const ofTerm = (term: Term): Read => {
    return 'segment' in term ? disjunction(term.constraints.map(ofTerm)) : [[invert(term)]];
  };
  return alternatives && conjunction(alternatives.map((terms) => disjunction(terms.map(ofTerm))));
}

export function invertedConstraint({ inverted: isInverted = false, ...constraint }: Constraint): Constraint {
  return isInverted ? constraint : { ...constraint, inverted: true };
}

/** Returns undefined if an item is undefined. */
export function all<T>(list: readonly (T | undefined)[]): readonly T[] | undefined {
  const known = list.filter((one) => one !== undefined);
  return known.length === list.length ? known : undefined;
}

/** Returns undefined for more alternatives than a flag may have strategies. */
function bounded(alternatives: Read): Read {
  return alternatives && alternatives.length <= MAX_STRATEGIES ? alternatives : undefined;
}
