/** How the index of the search is made, and read by browsers. */
import type { Options } from 'minisearch';

export interface SearchEntry {
  /** The address from the page of the search. */
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
