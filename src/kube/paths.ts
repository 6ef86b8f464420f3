/** Where kinds are found in the API. */
import { API_VERSION } from '../schema/kind.ts';

/** What of a kind its path follows from. */
export interface Located {
  readonly plural: string;
  /** Where its group is; absent: the group of our kinds. */
  readonly root?: string;
}

/** Gives the path of all objects of a kind, of those in a namespace, or of one of them. */
export function resourcePath(
  { plural, root = `apis/${API_VERSION}` }: Located,
  namespace?: string,
  name?: string,
): string {
  const scope = namespace === undefined ? [] : ['namespaces', encodeURIComponent(namespace)];
  const object = name === undefined ? [] : [encodeURIComponent(name)];
  return ['', root, ...scope, plural, ...object].join('/');
}
