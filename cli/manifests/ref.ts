/** Finds the object that a manifest describes. */
import { recordOf } from '../../src/model/json.ts';
import type { Ref } from '../../src/model/object.ts';
import type { Manifest } from './parse-manifests.ts';

/** `namespace` applies to an object that names none, also to one with an empty text, as kubectl reads it. */
export function refOf({ value }: Manifest, namespace: string): Ref {
  const { name, namespace: own } = metadataOf(value);
  return {
    namespace: typeof own === 'string' && own !== '' ? own : namespace,
    name: typeof name === 'string' ? name : '',
  };
}

/** Empty for what is no object. */
export function metadataOf(object: unknown): Readonly<Record<string, unknown>> {
  return recordOf(recordOf(object)['metadata']);
}
