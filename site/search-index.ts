/** Makes the index that the search page reads: an entry for each heading of each page. */
import MiniSearch from 'minisearch';
import { sectionsOf } from './markdown.ts';
import type { Page } from './pages.ts';
import { SEARCH_OPTIONS } from './search-options.ts';

/** Returns JSON. */
export function searchIndex(pages: Iterable<Page>): string {
  const index = new MiniSearch(SEARCH_OPTIONS);
  for (const { address, title, content } of pages) {
    for (const { heading, text } of sectionsOf(content)) {
      const isPage = heading.level === 1;
      const id = isPage ? address : `${address}#${heading.id}`;
      index.add({ id, page: title, heading: isPage ? '' : heading.text, text });
    }
  }
  return JSON.stringify(index);
}
