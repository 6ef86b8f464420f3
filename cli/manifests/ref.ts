/** Finds the object that a manifest describes. */
import { isRecord } from '../../src/model/json.ts';
import type { Ref } from '../../src/model/object.ts';
import type { Manifest } from './parse-manifests.ts';

/** `namespace` applies to an object that names none, also to one with an empty text, as kubectl reads it. */
export function refOf({ value: { metadata } }: Manifest, namespace: string): Ref {
  const { name, namespace: own } = isRecord(metadata) ? metadata : {};
  return {
    namespace: typeof own === 'string' && own !== '' ? own : namespace,
    name: typeof name === 'string' ? name : '',
  };
}
