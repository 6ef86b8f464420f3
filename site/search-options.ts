/** The options of the search index, for its creation and for browsers that read it. */
import type { Options } from 'minisearch';

export interface SearchEntry {
  /** The address relative to the search page. */
  readonly id: string;
  /** The title of the page. */
  readonly page: string;
  /** Empty for the page as a whole. */
  readonly heading: string;
  readonly text: string;
}

export const SEARCH_OPTIONS: Options<SearchEntry> = {
  fields: ['page', 'heading', 'text'],
  storeFields: ['page', 'heading'],
  searchOptions: { boost: { page: 4, heading: 3 }, prefix: true, fuzzy: 0.2, combineWith: 'AND' },
};
