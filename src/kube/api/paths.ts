/** Paths of resources in the Kubernetes API. */
import { ClusterError } from '../../errors.ts';
import { API_VERSION } from '../../model/kind.ts';

/** The part of a kind that determines its path. */
export interface Located {
  readonly plural: string;
  /** Path of its API group; absent: the group of Vexil. */
  readonly root?: string;
}

/**
 * Returns the path of all objects of a kind, of its objects in a namespace, or of one. Throws `not-found` for a name
 * that no object can have: it may come from a field of another object, which others write.
 */
export function resourcePath(
  { plural, root = `apis/${API_VERSION}` }: Located,
  namespace?: string,
  name?: string,
): string {
  const scope = namespace === undefined ? [] : ['namespaces', segmentOf(namespace)];
  const object = name === undefined ? [] : [segmentOf(name)];
  return ['', root, ...scope, plural, ...object].join('/');
}

/**
 * In a URL, a segment of dots leads to another path, also if it is encoded, and the API server decodes `/` before it
 * reads the path. It accepts no names with `/` or `%` (IsValidPathSegmentName).
 */
function segmentOf(name: string): string {
  const isName = !/^\.{0,2}$|[/%]/.test(name) && name.isWellFormed();
  if (!isName) throw new ClusterError('not-found', `${JSON.stringify(name)} is no name of an object`);
  return encodeURIComponent(name);
}
