/** Pages of lists. */
import { ClusterError } from '../../errors.ts';
import { isRecord } from '../../model/json.ts';
import type { Call, Transport } from './transport.ts';

/** The media type of a list of nothing but metadata. */
export const METADATA_ONLY = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';

const PAGE_SIZE = 500;

export interface ListPage {
  readonly items: readonly unknown[];
  readonly version: string;
  readonly token?: string | undefined;
  /** How many objects follow on later pages; the API server may leave it out. */
  readonly remaining?: number | undefined;
}

/** Reads the answer to a list call. */
export function readPage(answer: unknown): ListPage {
  const { metadata, items: said } = isRecord(answer) ? answer : {};
  // A list of nothing but metadata is null when it is empty.
  const items = said === null ? [] : said;
  const { resourceVersion, continue: token, remainingItemCount: remaining } = isRecord(metadata) ? metadata : {};
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

/** Yields the pages of a list of nothing but metadata. */
export async function* metadataPages(
  transport: Transport,
  { path, query = {}, signal }: Pick<Call, 'path' | 'query' | 'signal'>,
): AsyncIterable<ListPage> {
  let next: Call['query'] = { ...query, limit: PAGE_SIZE };
  for (;;) {
    const call = { method: 'GET', path, query: next, accept: METADATA_ONLY, signal } as const;
    const page = readPage(await transport.request(call));
    yield page;
    if (page.token === undefined) return;
    next = { limit: PAGE_SIZE, continue: page.token };
  }
}
