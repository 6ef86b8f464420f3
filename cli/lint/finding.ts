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
