/** The last manifest of client-side `kubectl apply`, which kubectl stores in an annotation. */

import type { FieldPath } from '../../model/field-owner.ts';
import { readJson, recordOf } from '../../model/json.ts';
import { valueAt } from './field-set.ts';

export const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** The spec in the annotation of an object as the API server sent it; undefined: it is absent or not JSON. */
export function lastAppliedSpec(object: unknown): unknown {
  const { annotations } = recordOf(recordOf(object)['metadata']);
  const text = recordOf(annotations)[LAST_APPLIED];
  return typeof text === 'string' ? recordOf(readJson(text))['spec'] : undefined;
}

/**
 * Whether the spec has a value at the path: kubectl deletes such a field when the manifest drops it, even if other
 * managers own it.
 */
export function isAppliedAt(spec: unknown, path: FieldPath): boolean {
  return path.reduce(valueAt, spec) !== undefined;
}
