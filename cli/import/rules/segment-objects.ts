/** Segments of other products as Segments of Vexil, and the terms that refer to them. */
import type { Constraint } from '../../../src/schema/constraint.ts';
import { MAX_CONSTRAINTS } from '../../../src/schema/constraint.ts';
import type { ImportedObject } from '../imported.ts';
import { lost, type Unmapped } from '../unmapped.ts';
import type { Alternatives, Read, Term } from './alternatives.ts';

export interface GivenSegment {
  /** The name that the Segment gets, if no other has it. */
  readonly name: string;
  readonly description?: string | undefined;
  /** Undefined if Vexil has no such condition. */
  readonly when: Read;
}

const LOST = 'Vexil has no such segment. Flags that use it are written switched off.';

export function lostSegment(key: string, value: unknown): Unmapped {
  return lost(['segments', key], value, LOST);
}

export interface WrittenSegments {
  readonly objects: readonly ImportedObject<'segments'>[];
  /** The conditions of the given segments, in their order. */
  readonly conditions: readonly Read[];
}

/** A Segment has one list of constraints, so a segment with alternatives becomes several. */
export function segmentObjects(given: readonly GivenSegment[], project: string): WrittenSegments {
  const taken = new Set(given.map(({ name }) => name));
  const objects: ImportedObject<'segments'>[] = [];
  const conditions = given.map(({ name, description, when }): Read => {
    return when?.map((terms, index): Alternatives[number] => {
      const constraints = terms.filter((term): term is Constraint => !('segment' in term));
      if (constraints.length < terms.length || !isSegment(constraints)) return terms;
      const own = when.length === 1 ? name : freeName(`${name}-${index + 1}`, taken);
      const spec = { ...(description !== undefined && { description }), project, constraints };
      objects.push({ kind: 'segments', name: own, spec });
      return [{ segment: own, constraints } satisfies Term];
    });
  });
  return { objects, conditions };
}

/** A segment of everyone needs no name. */
function isSegment(constraints: readonly Constraint[]): boolean {
  return constraints.length > 0 && constraints.length <= MAX_CONSTRAINTS;
}

function freeName(wanted: string, taken: Set<string>): string {
  let name = wanted;
  while (taken.has(name)) name = `${name}-`;
  taken.add(name);
  return name;
}
