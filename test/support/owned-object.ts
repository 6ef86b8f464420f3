/** Parsed objects with owners of their fields, for tests without a cluster. */
import type { CustomObject, FieldOwner, ObjectMetadata } from '../../src/model/object.ts';

export const WRITTEN_AT = '2026-01-01T00:00:00Z';

/** An owner of these fields, the `f:spec` part of fieldsV1, by server-side apply unless the caller says otherwise. */
export function anOwner(manager: string, fields: object, operation: FieldOwner['operation'] = 'Apply'): FieldOwner {
  return { manager, operation, time: WRITTEN_AT, fields: JSON.stringify(fields) };
}

export function anOwnedObject(
  spec: object,
  owners: readonly FieldOwner[],
  metadata: Partial<ObjectMetadata> = {},
): CustomObject<object, object> {
  return {
    metadata: {
      namespace: 'home',
      name: 'f',
      uid: 'u',
      resourceVersion: '7',
      generation: 1,
      creationTimestamp: WRITTEN_AT,
      ...metadata,
    },
    spec,
    rawSpec: spec,
    status: undefined,
    defects: [],
    owners,
  };
}
