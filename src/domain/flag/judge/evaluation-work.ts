/** The work that the rules of a flag prescribe to every evaluation, which is bounded (ADR 63). */
import { patternSize } from '../../../evaluation/patterns.ts';
import type { FeatureFlag, FlagEnvironment } from '../../../schema/feature-flag.ts';
import type { Variant } from '../../../schema/variant.ts';
import type { Finding } from '../../judgement/findings.ts';
import type { SegmentLookups } from '../../segment/segment-values.ts';
import { dependenciesOf, type Parents } from '../dependencies.ts';
import { environmentsOf, strategiesOf, variantsIn } from '../flag-values.ts';
import { sizeOfList } from '../list-parameters.ts';

/**
 * The most work of a flag in an environment. A unit takes at most 0.1 µs for the longest value of a context, which has
 * 2,000 characters, so that an evaluation takes at most 50 ms.
 */
export const MAX_EVALUATION_WORK = 500_000;

/** What every strategy and every constraint takes: to hash, read or fold one value of the context. */
const BASE_WORK = 20;
/**
 * What it takes to look for a text in the longest value, without its characters: a value that nearly contains the text
 * everywhere compares each of them at each place.
 */
const PART_WORK = 100;
/** What RE2 takes for each part of a pattern, at worst. */
const PATTERN_WORK = 800;
/** What it takes, once for each version of a flag, to read a value of a list. */
const VALUE_WORK = 5;
/** The same for an address or a range, with one unit for each of its characters: IPv6 takes longer than IPv4. */
const ADDRESS_WORK = 25;
/** The parameters that are lists, by strategy type. */
const listOfType: ReadonlyMap<string, string> = new Map([
  ['userWithId', 'userIds'],
  ['remoteAddress', 'IPs'],
]);
/** A larger pattern is never evaluated. */
export const MAX_PATTERN_SIZE = MAX_EVALUATION_WORK / PATTERN_WORK;

/** Errors for environments in which an evaluation, with that of the parents, would take too long. */
export function costlyEvaluations(
  flag: FeatureFlag,
  { segments, parents }: { readonly segments: SegmentLookups | undefined; readonly parents: Parents | undefined },
): readonly Finding[] {
  return environmentsOf(flag).flatMap(([name, environment]): Finding[] => {
    const ofParents = sum(dependenciesOf(flag), ({ feature }) => parents?.get(feature)?.work.get(name) ?? 0);
    const work = workOf(environment, { variants: variantsIn(flag, name), segments }) + ofParents;
    if (work <= MAX_EVALUATION_WORK) return [];
    const share = ofParents > 0 ? ` (${ofParents} for its parents)` : '';
    const message = `an evaluation takes ${work} units of work${share}, and ${MAX_EVALUATION_WORK} are allowed: shorten patterns and lists, or use fewer strategies`;
    return [{ severity: 'Error', path: ['environments', name, 'strategies'], reason: 'EvaluationTooCostly', message }];
  });
}

/** The units of work where the flag is evaluated: beyond the limit it is off. */
export function workByEnvironment(
  flag: FeatureFlag,
  segments: SegmentLookups | undefined,
): ReadonlyMap<string, number> {
  const all = environmentsOf(flag).map(
    ([name, environment]) => [name, workOf(environment, { variants: variantsIn(flag, name), segments })] as const,
  );
  return new Map(all.filter(([, work]) => work <= MAX_EVALUATION_WORK));
}

interface Parts {
  readonly variants: readonly Variant[];
  readonly segments: SegmentLookups | undefined;
}

/** Disabled strategies are never evaluated. */
function workOf(environment: FlagEnvironment, { variants, segments }: Parts): number {
  const strategies = strategiesOf(environment).flatMap(({ strategy }) => (strategy.disabled ? [] : strategy));
  const inSegment = (name: string) => {
    const segment = segments?.get(name);
    return typeof segment === 'object' ? segment.constraints : [];
  };
  return workOfRules({ strategies, variants, inSegment });
}

type Absent = null | undefined;

interface ConstraintRules {
  readonly operator: string;
  readonly value?: string | Absent;
  readonly values?: readonly string[] | Absent;
  readonly caseInsensitive?: boolean | Absent;
}

interface VariantRules {
  readonly overrides?: readonly { readonly values: readonly string[] }[] | Absent;
}

/** What an evaluation reads of a strategy, of a flag of the cluster or of another server. */
interface StrategyRules<Segment> {
  readonly name: string;
  readonly parameters?: Readonly<Record<string, unknown>> | Absent;
  readonly constraints?: readonly ConstraintRules[] | Absent;
  readonly variants?: readonly VariantRules[] | Absent;
  readonly segments?: readonly Segment[] | Absent;
}

interface WorkRules<Segment> {
  readonly strategies: readonly StrategyRules<Segment>[];
  readonly variants: readonly VariantRules[];
  readonly inSegment: (segment: Segment) => readonly ConstraintRules[];
}

/** The units of work of a flag in one environment, without its parents. */
export function workOfRules<Segment>({ strategies, variants, inSegment }: WorkRules<Segment>): number {
  const toCompare = ({ constraints, segments: named }: StrategyRules<Segment>) =>
    BASE_WORK + sum([...(constraints ?? []), ...(named ?? []).flatMap(inSegment)], workToCompare);
  const toRead = ({ name, parameters, constraints, variants: own }: StrategyRules<Segment>) =>
    workOfList(name, parameters) + sum(constraints, workToRead) + sum(own, workOfOverrides);
  // Strategies share what is read of a segment.
  const named = [...new Set(strategies.flatMap((strategy) => strategy.segments ?? []))];
  return (
    sum(strategies, toCompare) +
    sum(strategies, toRead) +
    sum(named.flatMap(inSegment), workToRead) +
    sum(variants, workOfOverrides)
  );
}

function workOfList(type: string, parameters: StrategyRules<unknown>['parameters']): number {
  const list = listOfType.get(type);
  if (list === undefined) return 0;
  const { items, characters } = sizeOfList(parameters?.[list]);
  return list === 'IPs' ? ADDRESS_WORK * items + characters : VALUE_WORK * items;
}

function workOfOverrides({ overrides }: VariantRules): number {
  return sum(overrides, ({ values }) => BASE_WORK + VALUE_WORK * values.length);
}

function workToRead({ operator, values }: ConstraintRules): number {
  if (operator === 'IN' || operator === 'NOT_IN') return VALUE_WORK * (values?.length ?? 0);
  return operator === 'IN_CIDR' ? sum(values, (one) => ADDRESS_WORK + one.length) : 0;
}

function workToCompare({ operator, value, values, caseInsensitive }: ConstraintRules): number {
  if (operator === 'REGEX') return BASE_WORK + PATTERN_WORK * patternSize(value ?? '', caseInsensitive ?? false);
  if (operator === 'STR_CONTAINS') return BASE_WORK + sum(values, (one) => PART_WORK + one.length);
  return BASE_WORK + (values?.length ?? 0);
}

function sum<T>(parts: readonly T[] | null | undefined, workOfPart: (part: T) => number): number {
  return (parts ?? []).reduce((total, part) => total + workOfPart(part), 0);
}
