/** The resourceVersion of an object that the API server sent. */
import { isRecord } from '../../model/json.ts';

/** Returns undefined if the object has no resourceVersion, or an empty one. */
export function versionOf(object: unknown): string | undefined {
  const metadata = isRecord(object) ? object['metadata'] : undefined;
  const version = isRecord(metadata) ? metadata['resourceVersion'] : undefined;
  return typeof version === 'string' && version !== '' ? version : undefined;
}
