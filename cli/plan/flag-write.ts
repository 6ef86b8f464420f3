/** The planned write of a flag. */
import { parseObject } from '../../src/kube/object/parse-object.ts';
import { isRecord } from '../../src/model/json.ts';
import { type FeatureFlag, featureFlag } from '../../src/schema/feature-flag.ts';

/** The flag as the API server has it, and as the write leaves it; undefined if it does not exist. */
export interface FlagWrite {
  readonly before: unknown;
  readonly after: unknown;
}

/** The flag before or after the write. Undefined if it does not exist. */
export function plannedFlag(object: unknown): FeatureFlag | undefined {
  return object === undefined ? undefined : parseObject(featureFlag, versioned(object));
}

/** Adds an empty version, because the dry run of a creation returns none. */
function versioned(object: unknown): unknown {
  const metadata = isRecord(object) ? object['metadata'] : undefined;
  return isRecord(object) && isRecord(metadata)
    ? { ...object, metadata: { resourceVersion: '', ...metadata } }
    : object;
}
