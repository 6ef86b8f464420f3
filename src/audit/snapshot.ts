/** An object as the history remembers it: JSON that holds what its next step is judged by. */
import { parseObject } from '../kube/parse-object.ts';
import { asRawObject, isRecord, type RawMetadata, type RawObject } from '../kube/raw-object.ts';
import { cutDeep } from '../schema/depth.ts';
import { GROUP, type Kind } from '../schema/kind.ts';
import type { CustomObject } from '../schema/object.ts';

/**
 * Without what others note on it, and of its field owners no more than who wrote the spec and when. What is nested too deep
 * is cut: a defect of the strategy to the operator, to the history a text with a digest.
 */
export function snapshotOf({ metadata, spec, status }: RawObject): string {
  const { namespace, name, uid, resourceVersion, generation, creationTimestamp, deletionTimestamp } = metadata;
  const identity = { namespace, name, uid, resourceVersion, generation, creationTimestamp, deletionTimestamp };
  const annotations = Object.fromEntries(
    Object.entries(metadata.annotations ?? {}).filter(([key]) => key.startsWith(`${GROUP}/`)),
  );
  return JSON.stringify({
    metadata: { ...identity, annotations, managedFields: specOwners(metadata) },
    spec: cutDeep(spec),
    status: cutDeep(status),
  });
}

export function readSnapshot(kind: Kind<unknown, unknown>, snapshot: string): CustomObject<unknown, unknown> {
  const raw = asRawObject(JSON.parse(snapshot));
  // Snapshots of earlier versions may hold what was not cut.
  return parseObject(kind, { ...raw, spec: cutDeep(raw.spec) });
}

function specOwners({ managedFields = [] }: RawMetadata): readonly unknown[] {
  return managedFields.flatMap((entry) => {
    if (!isRecord(entry) || entry['subresource'] || !isRecord(entry['fieldsV1'])) return [];
    if (!('f:spec' in entry['fieldsV1'])) return [];
    const { manager, operation, time } = entry;
    return [{ manager, operation, time, fieldsV1: { 'f:spec': {} } }];
  });
}
