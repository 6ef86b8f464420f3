/** Reads the segments of Flipt, which belong to a namespace. */

import { recordOf, recordsIn } from '../../../src/model/json.ts';
import type { ImportedObject } from '../imported.ts';
import { ALWAYS, conjunction, disjunction, type Read } from '../rules/alternatives.ts';
import { type Given, listOf, textOf } from '../rules/records.ts';
import { lostSegment, segmentObjects } from '../rules/segment-objects.ts';
import type { Unmapped } from '../unmapped.ts';
import { readConstraint } from './constraint.ts';

export interface FliptSegments {
  readonly objects: readonly ImportedObject<'segments'>[];
  readonly unmapped: readonly Unmapped[];
  /** Returns the condition of a rule or rollout; undefined if Vexil has no such condition. */
  readonly conditionOf: (rule: Given) => Read;
}

interface Naming {
  readonly project: string;
  /** What the names of Segments begin with. */
  readonly prefix: string;
}

export function readFliptSegments(given: readonly Given[], { project, prefix }: Naming): FliptSegments {
  const read = given.map((segment) => ({ key: String(segment['key']), segment, when: readSegment(segment) }));
  const { objects, conditions } = segmentObjects(
    read.map(({ key, segment, when }) => ({
      ...{ name: `${prefix}${key}`, when },
      description: textOf(segment['description']),
    })),
    project,
  );
  return {
    objects,
    unmapped: read.flatMap(({ key, segment, when }) => (when ? [] : [lostSegment(key, segment)])),
    conditionOf: (rule) => {
      const { keys, operator } = namedIn(rule);
      const found = keys.map((key) => conditions[read.findIndex((one) => one.key === key)]);
      if (found.length === 0) return undefined;
      return operator === 'AND_SEGMENT_OPERATOR' ? conjunction(found) : disjunction(found);
    },
  };
}

/** A rule names one segment, a list of them, or an object with a list and an operator. */
function namedIn(rule: Given): { readonly keys: readonly unknown[]; readonly operator: unknown } {
  const { segment, segments } = rule;
  const object = recordOf(segments ?? segment);
  const single = typeof segment === 'string' ? segment : object['key'];
  const list = listOf(object['keys'] ?? segments ?? segment);
  return { keys: list.length > 0 ? list : [single], operator: object['operator'] ?? rule['operator'] };
}

/** A segment without constraints has all users. */
function readSegment({ constraints, match_type: matchType }: Given): Read {
  const read = recordsIn(constraints).map(readConstraint);
  if (read.length === 0) return ALWAYS;
  return matchType === 'ANY_MATCH_TYPE' ? disjunction(read) : conjunction(read);
}
