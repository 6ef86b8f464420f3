/** Which object a manifest is about. */
import { isRecord } from '../../src/model/json.ts';
import type { Ref } from '../../src/model/object.ts';
import type { Manifest } from './parse-manifests.ts';

/** `namespace` is that of an object that names none. */
export function refOf({ value: { metadata } }: Manifest, namespace: string): Ref {
  const { name, namespace: own } = isRecord(metadata) ? metadata : {};
  return { namespace: typeof own === 'string' ? own : namespace, name: typeof name === 'string' ? name : '' };
}
