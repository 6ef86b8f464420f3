/** The name of an endpoint for generated clients: made from method and path, so as stable and unique as they are. */
import type { AnyRoute } from '../client-route.ts';

/**
 * `GET /projects/:projectId/features` is `getProjectFeatures`. A list with a parameter is named after the single item.
 */
export function operationIdOf({ method, path }: Pick<AnyRoute, 'method' | 'path'>): string {
  const words: string[] = [];
  for (const segment of path.split('/').filter(Boolean)) {
    if (segment.startsWith(':')) words.push(...nounOf(segment.slice(1), words.pop() ?? ''));
    else words.push(segment);
  }
  return method + words.map(capitalised).join('');
}

/**
 * `features/:featureName` results in a feature, `project/:projectId` in `of` a project. If the parameter has another
 * name than the list, both are kept.
 */
function nounOf(parameter: string, list: string): readonly string[] {
  const noun = parameter.replace(/(Id|Name)$/, '');
  if (list === noun) return ['of', noun];
  // `api-tokens/:tokenName` is an API token.
  if (list.endsWith(`-${noun}s`)) return [list.slice(0, -1)];
  const isOneOf = [`${noun}s`, noun.replace(/y$/, 'ies')].includes(list);
  return isOneOf ? [noun] : [list, 'of', noun];
}

/** Turns `user-admin` into `UserAdmin`. */
export function capitalised(word: string): string {
  return word.replace(/(^|[-_])(.)/g, (_, __, letter: string) => letter.toUpperCase());
}
