/** The work that the rules of a flag prescribe to every evaluation, which is bounded (ADR 63). */
import { patternSize } from '../../../evaluation/patterns.ts';
import type { Constraint } from '../../../schema/constraint.ts';
import type { FeatureFlag, FlagEnvironment } from '../../../schema/feature-flag.ts';
import type { Finding } from '../../judgement/findings.ts';
import type { SegmentLookups } from '../../segment/segment-values.ts';
import { dependenciesOf, type Parents } from '../dependencies.ts';
import { environmentsOf, strategiesOf } from '../flag-values.ts';

/**
 * The most work of a flag in an environment. A unit takes at most 0.1 µs for the longest value of a context, which has
 * 2,000 characters, so that an evaluation takes at most 50 ms.
 */
const MAX_EVALUATION_WORK = 500_000;

/** What every strategy and every constraint takes: to hash, read or fold one value of the context. */
const BASE_WORK = 20;
/**
 * What it takes to look for a text in the longest value, without its characters: a value that nearly contains the text
 * everywhere compares each of them at each place.
 */
const PART_WORK = 100;
/** What RE2 takes for each part of a pattern, at worst. */
const PATTERN_WORK = 800;
/** A larger pattern is never evaluated. */
export const MAX_PATTERN_SIZE = MAX_EVALUATION_WORK / PATTERN_WORK;

/** Errors for environments in which an evaluation, with that of the parents, would take too long. */
export function costlyEvaluations(
  flag: FeatureFlag,
  { segments, parents }: { readonly segments: SegmentLookups | undefined; readonly parents: Parents | undefined },
): readonly Finding[] {
  return environmentsOf(flag).flatMap(([name, environment]): Finding[] => {
    const ofParents = sum(dependenciesOf(flag).map(({ feature }) => parents?.get(feature)?.work.get(name) ?? 0));
    const work = workOf(environment, segments) + ofParents;
    if (work <= MAX_EVALUATION_WORK) return [];
    const share = ofParents > 0 ? ` (${ofParents} for its parents)` : '';
    const message = `an evaluation takes ${work} units of work${share}, and ${MAX_EVALUATION_WORK} are allowed: shorten patterns and lists of STR_CONTAINS, or use fewer strategies`;
    return [{ severity: 'Error', path: ['environments', name, 'strategies'], reason: 'EvaluationTooCostly', message }];
  });
}

/** The units of work where the flag is evaluated: beyond the limit it is off. */
export function workByEnvironment(
  flag: FeatureFlag,
  segments: SegmentLookups | undefined,
): ReadonlyMap<string, number> {
  const all = environmentsOf(flag).map(([name, environment]) => [name, workOf(environment, segments)] as const);
  return new Map(all.filter(([, work]) => work <= MAX_EVALUATION_WORK));
}

/** Disabled strategies are never evaluated. */
function workOf(environment: FlagEnvironment, segments: SegmentLookups | undefined): number {
  const workOfSegment = (name: string) => {
    const segment = segments?.get(name);
    return typeof segment === 'object' ? sum(segment.constraints.map(workOfConstraint)) : 0;
  };
  const strategies = strategiesOf(environment).filter(({ strategy }) => !strategy.disabled);
  return sum(
    strategies.map(
      ({ strategy: { constraints, segments: named } }) =>
        BASE_WORK + sum((constraints ?? []).map(workOfConstraint)) + sum((named ?? []).map(workOfSegment)),
    ),
  );
}

function workOfConstraint(constraint: Constraint): number {
  return BASE_WORK + workOfOperand(constraint);
}

function workOfOperand({ operator, value, values }: Constraint): number {
  if (operator === 'REGEX') return PATTERN_WORK * patternSize(value ?? '');
  const list = values ?? [];
  return operator === 'STR_CONTAINS' ? sum(list.map((one) => PART_WORK + one.length)) : list.length;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
