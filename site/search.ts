/** Shows the results in the index for the query in the address of the page. Runs in browsers. */
import MiniSearch, { type SearchResult } from 'minisearch';
import { SEARCH_OPTIONS } from './search-options.ts';

const MAX_SHOWN = 50;

const query = new URLSearchParams(location.search).get('q') ?? '';
for (const input of document.querySelectorAll<HTMLInputElement>('[name=q]')) input.value = query;
if (query.trim() !== '') show(await search());

async function search(): Promise<readonly SearchResult[]> {
  const response = await fetch('search-index.json');
  if (!response.ok) throw new Error(`the index of the search answers ${response.status}`);
  return MiniSearch.loadJSON(await response.text(), SEARCH_OPTIONS).search(query);
}

function show(found: readonly SearchResult[]): void {
  const count = found.length > MAX_SHOWN ? `The best ${MAX_SHOWN} of ${found.length}` : found.length || 'No';
  const noun = found.length === 1 ? 'result' : 'results';
  document.getElementById('results')?.replaceChildren(...found.slice(0, MAX_SHOWN).map(itemOf));
  document.getElementById('summary')?.replaceChildren(`${count} ${noun} for “${query}”`);
}

function itemOf({ id, page, heading }: SearchResult): HTMLElement {
  const link = document.createElement('a');
  link.href = id;
  link.textContent = heading === '' ? page : `${page}: ${heading}`;
  const item = document.createElement('li');
  item.append(link);
  return item;
}
