/** An object of Kubernetes as it is or was, on the wire. */
import { z } from 'zod';
import type { AnyObject } from '../../../model/object.ts';
import { objectManifest } from '../manifest.ts';

export const wireObject = z
  .object({
    uid: z.string().meta({ description: 'The `metadata.uid` of the object.' }),
    manifest: z
      .object({
        apiVersion: z.string(),
        kind: z.string(),
        metadata: z.object({ name: z.string(), namespace: z.string() }),
        spec: z.unknown(),
      })
      .meta({ description: 'The object without its status, labels and annotations.' }),
  })
  .meta({ id: 'StoredObject' });

export function presentObject(kind: string, object: AnyObject) {
  return { uid: object.metadata.uid, manifest: objectManifest(kind, object) };
}
