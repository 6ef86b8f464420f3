/** The last manifest of client-side `kubectl apply`, which kubectl stores in an annotation. */

import type { FieldPath } from '../../model/field-owner.ts';
import { isRecord } from '../../model/json.ts';
import { valueAt } from './field-set.ts';

export const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** The spec in the annotation of an object as the API server sent it; undefined: it is absent or not JSON. */
export function lastAppliedSpec(object: unknown): unknown {
  const metadata = isRecord(object) ? object['metadata'] : undefined;
  const annotations = isRecord(metadata) ? metadata['annotations'] : undefined;
  const text = isRecord(annotations) ? annotations[LAST_APPLIED] : undefined;
  if (typeof text !== 'string') return undefined;
  try {
    const manifest: unknown = JSON.parse(text);
    return isRecord(manifest) ? manifest['spec'] : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Whether the spec has a value at the path: kubectl deletes such a field when the manifest drops it, even if other
 * managers own it.
 */
export function isAppliedAt(spec: unknown, path: FieldPath): boolean {
  return path.reduce(valueAt, spec) !== undefined;
}
