/** A finding: an error or a warning about a manifest. */
import type { Place } from '../manifests/place.ts';

export interface Finding {
  readonly severity: 'error' | 'warning';
  readonly place: Place;
  /** Keys from the root of the object. */
  readonly path: readonly string[];
  /** `unreadable`, `schema`, `rule`, or the reason of a problem as in the status of the object. */
  readonly rule: string;
  readonly message: string;
}

/** A finding about one field of an object. */
export type FieldFinding = Omit<Finding, 'place'>;

/** Nobody reads more findings about one object, and each takes a search for its place and for near names. */
const MAX_FINDINGS = 100;

/** The first findings, and how many more there are. */
export function firstFindings<T>(found: readonly T[], findingOf: (one: T) => FieldFinding): readonly FieldFinding[] {
  const first = found.slice(0, MAX_FINDINGS).map(findingOf);
  const more = found.length - first.length;
  if (more === 0) return first;
  const message = `the object has ${more} more errors: correct these first`;
  return [...first, { severity: 'error', path: [], rule: 'schema', message }];
}
