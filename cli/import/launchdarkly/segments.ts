/** Reads segments of LaunchDarkly, which each environment has its own of. */
import { isDeepStrictEqual } from 'node:util';
import { recordOf, recordsIn } from '../../../src/model/json.ts';
import type { ImportedObject } from '../imported.ts';
import { conjunction, disjunction, inverted, type Read } from '../rules/alternatives.ts';
import { oneOf } from '../rules/comparison.ts';
import { type Given, listOf, textOf } from '../rules/records.ts';
import { lostSegment, segmentObjects } from '../rules/segment-objects.ts';
import { DEFAULT_FIELD } from '../rules/targeting-rule.ts';
import type { Unmapped } from '../unmapped.ts';
import { type FindSegment, isUser, readClauses } from './clause.ts';

/** The answer of the REST API: the segments of one environment. */
export function isSegmentList({ items }: Given): boolean {
  return recordsIn(items).some((one) => 'included' in one && 'excluded' in one);
}

/** A segment of an environment; undefined is any environment. */
export interface PlacedSegment {
  readonly key: string;
  readonly environment: string | undefined;
  readonly given: Given;
}

export function segmentsOfList({ items }: Given): readonly PlacedSegment[] {
  return recordsIn(items).flatMap((given) => {
    const key = textOf(given['key']);
    return key === undefined ? [] : [{ key, environment: environmentOf(given), given }];
  });
}

/** `/api/v2/segments/PROJECT/ENVIRONMENT/KEY` is the address of a segment. */
function environmentOf({ _links: links }: Given): string | undefined {
  const self = recordOf(recordOf(links)['self'])['href'];
  return /\/segments\/[^/]+\/([^/]+)\//.exec(String(self))?.[1];
}

export interface ReadSegments {
  readonly objects: readonly ImportedObject<'segments'>[];
  readonly unmapped: readonly Unmapped[];
  /** Returns how to find the segments of an environment. */
  readonly of: (environment: string) => FindSegment;
}

export function readSegments(segments: readonly PlacedSegment[], project: string): ReadSegments {
  const read = segments.map((one) => ({ ...one, when: readSegment(one, segments) }));
  const named = read.filter((one, index) => read.findIndex((other) => isSame(one, other)) === index);
  const { objects, conditions } = segmentObjects(
    named.map((one) => ({ ...one, name: nameOf(one, segments), description: textOf(one.given['description']) })),
    project,
  );
  return {
    objects,
    unmapped: named.flatMap(({ key, given, when }) => (when ? [] : [lostSegment(key, given)])),
    of: (environment) => (key) => {
      const found = read.find((one) => isFor(one, key, environment));
      return found && conditions[named.findIndex((one) => isSame(found, one))];
    },
  };
}

function isFor(segment: PlacedSegment, key: string, environment: string | undefined): boolean {
  return segment.key === key && (segment.environment ?? environment) === environment;
}

function isSame(one: PlacedSegment & { when: Read }, other: PlacedSegment & { when: Read }): boolean {
  return one.key === other.key && isDeepStrictEqual(one.when, other.when);
}

/** Segments that differ between environments have the environment in their names. */
function nameOf(one: PlacedSegment & { when: Read }, segments: readonly PlacedSegment[]): string {
  const read = segments.filter(({ key }) => key === one.key).map((other) => readSegment(other, segments));
  const isEverywhere = read.every((when) => isDeepStrictEqual(when, one.when));
  return isEverywhere || one.environment === undefined ? one.key : `${one.key}-${one.environment}`;
}

/** People do not nest segments deeper; the limit also stops segments that refer to themselves. */
const MAX_DEPTH = 10;

/** Those who are included, and those of a rule who are not excluded. */
function readSegment({ given, environment }: PlacedSegment, segments: readonly PlacedSegment[], depth = 0): Read {
  const { included, excluded, rules, unbounded } = given;
  const ofOthers = [given['includedContexts'], given['excludedContexts']].flatMap(recordsIn);
  if (unbounded === true || depth > MAX_DEPTH || !ofOthers.every(({ contextKind }) => isUser(contextKind)))
    return undefined;
  const [keysIn, keysOut] = [listOf(included), listOf(excluded)];
  const find: FindSegment = (key) => {
    const other = segments.find((one) => isFor(one, key, environment));
    return other && readSegment(other, segments, depth + 1);
  };
  const notOut = keysOut.length === 0 ? undefined : inverted(users(keysOut));
  return disjunction([
    ...(keysIn.length > 0 ? [users(keysIn)] : []),
    ...recordsIn(rules).map((rule) => conjunction([...(notOut ? [notOut] : []), readRule(rule, find)])),
  ]);
}

/** A share of the users has no constraint. */
function readRule({ clauses, weight }: Given, find: FindSegment): Read {
  return weight === undefined || weight === null ? readClauses(clauses, find) : undefined;
}

function users(keys: readonly unknown[]): Read {
  return oneOf({ field: DEFAULT_FIELD, operator: 'IN', values: keys });
}
