/** Where kinds are found in the API. */
import { API_VERSION, type Kind } from '../schema/kind.ts';

/** Gives the path of all objects of a kind, of those in a namespace, or of one of them. */
export function resourcePath(kind: Kind<unknown, unknown>, namespace?: string, name?: string): string {
  const scope = namespace === undefined ? [] : ['namespaces', encodeURIComponent(namespace)];
  const object = name === undefined ? [] : [encodeURIComponent(name)];
  return ['/apis', API_VERSION, ...scope, kind.plural, ...object].join('/');
}
