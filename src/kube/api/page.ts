/** One page of a list. */
import { ClusterError } from '../../errors.ts';
import { recordOf } from '../../model/json.ts';

export interface ListPage {
  readonly items: readonly unknown[];
  readonly version: string;
  readonly token?: string | undefined;
  /** How many objects follow on later pages; the API server may leave it out. */
  readonly remaining?: number | undefined;
}

/** Reads the answer to a list call. */
export function readPage(answer: unknown): ListPage {
  const { metadata, items: said } = recordOf(answer);
  // A list of nothing but metadata is null when it is empty.
  const items = said === null ? [] : said;
  const { resourceVersion, continue: token, remainingItemCount: remaining } = recordOf(metadata);
  if (typeof resourceVersion !== 'string' || !Array.isArray(items)) {
    throw new ClusterError('unavailable', 'The API server answered a list without items or a resourceVersion');
  }
  return {
    items,
    version: resourceVersion,
    token: typeof token === 'string' && token !== '' ? token : undefined,
    remaining: typeof remaining === 'number' ? remaining : undefined,
  };
}
