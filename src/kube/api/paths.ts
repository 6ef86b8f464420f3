/** Paths of resources in the Kubernetes API. */
import { API_VERSION } from '../../model/kind.ts';

/** The part of a kind that determines its path. */
export interface Located {
  readonly plural: string;
  /** Path of its API group; absent: the group of Vexil. */
  readonly root?: string;
}

/** Returns the path of all objects of a kind, of its objects in a namespace, or of one. Throws for an odd name. */
export function resourcePath(
  { plural, root = `apis/${API_VERSION}` }: Located,
  namespace?: string,
  name?: string,
): string {
  const scope = namespace === undefined ? [] : ['namespaces', segmentOf(namespace)];
  const object = name === undefined ? [] : [segmentOf(name)];
  return ['', root, ...scope, plural, ...object].join('/');
}

/** In a URL, a segment of dots leads to another path, also if it is encoded. */
function segmentOf(name: string): string {
  if (name === '.' || name === '..') throw new Error(`${JSON.stringify(name)} is no name of an object`);
  return encodeURIComponent(name);
}
