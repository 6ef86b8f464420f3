/** Snapshots of objects: the JSON in the archive with which the next version is compared. */
import { parseObject } from '../../kube/object/parse-object.ts';
import { asRawObject, type RawMetadata, type RawObject } from '../../kube/object/raw-object.ts';
import { cutDeep } from '../../model/depth.ts';
import { isRecord } from '../../model/json.ts';
import { GROUP, type Kind } from '../../model/kind.ts';
import type { AnyObject } from '../../model/object.ts';

/**
 * Leaves out foreign annotations; of the field owners keeps only who wrote the spec and when. Values nested too deep
 * are cut to a text with a digest.
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

export function readSnapshot(kind: Kind<unknown, unknown>, snapshot: string): AnyObject {
  const raw = asRawObject(JSON.parse(snapshot));
  // Snapshots written by earlier versions of the operator may be uncut.
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
