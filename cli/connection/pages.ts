/** Reads a list page by page, with an end also if the server names one page after the other for ever. */
import { Failure } from '../failure.ts';
import { EXIT } from '../terminal.ts';

export interface Page<T, P> {
  readonly items: readonly T[];
  /** Where the next page begins; undefined: this is the last one. */
  readonly next: P | undefined;
}

export interface PagedList<T, P> {
  /** The server, for the error. */
  readonly place: string;
  /** What the pages list, as a plural. */
  readonly what: string;
  /** `position` is the `next` of the page before; undefined: the first page. */
  readonly read: (position: P | undefined) => Promise<Page<T, P>>;
  readonly limits?: Partial<PageLimits>;
  /** Of all items as JSON, where they are collected. */
  readonly maxCharacters?: number;
  /** In ms. */
  readonly now?: () => number;
}

export interface PageLimits {
  readonly items: number;
  readonly pages: number;
  /** The time of all readings together. */
  readonly ms: number;
  /** How often in a row a page may name its own position as the next, because the server waits for something. */
  readonly waits: number;
}

/** The largest list of a command. */
export const MAX_ITEMS = 100_000;
const LIMITS: PageLimits = { items: MAX_ITEMS, pages: 2_000, ms: 30 * 60_000, waits: 0 };

/** Throws a Failure that names the server if the pages do not go on, or do not end within the limits. */
export async function* itemsOfPages<T, P>(list: PagedList<T, P>): AsyncGenerator<T> {
  const { read, now = () => performance.now() } = list;
  const refuseMore = endOf(list);
  for (let position: P | undefined; ; ) {
    const startedAt = now();
    const { items, next } = await read(position);
    const ms = now() - startedAt;
    yield* items;
    if (next === undefined) return;
    refuseMore({ position, next, items: items.length, ms });
    position = next;
  }
}

interface ReadPage<P> extends Pick<PageLimits, 'items' | 'ms'> {
  readonly position: P | undefined;
  readonly next: P;
}

/** Returns a function that is called for each page that has a next one. */
function endOf<P>({ place, what, limits }: PagedList<unknown, P>): (page: ReadPage<P>) => void {
  const most = { ...LIMITS, ...limits };
  const used = { items: 0, pages: 0, ms: 0, waits: 0 };
  const before = new Set<P>();
  return ({ position, next, items, ms }) => {
    used.items += items;
    used.pages += 1;
    used.ms += ms;
    used.waits = next === position ? used.waits + 1 : 0;
    const [beyond] = limitWords.filter(([limit]) => used[limit] > most[limit]);
    const isBack = next !== position && before.has(next);
    const why = isBack ? 'it names a page again that was read before' : beyond?.[1](most[beyond[0]]);
    if (why !== undefined)
      throw new Failure(`${place} does not end its list of ${what}: ${why}. Is it the right server?`, EXIT.unavailable);
    before.add(next);
  };
}

/** The items of all pages; fails as `itemsOfPages`, and if all pages together are too large. */
export async function readAllPages<T, P>(list: PagedList<T, P>): Promise<readonly T[]> {
  const { place, what, maxCharacters } = list;
  const count = sizeBound(`${place}, ${what}`, maxCharacters);
  const items: T[] = [];
  for await (const item of itemsOfPages(list)) {
    count(JSON.stringify(item)?.length ?? 0);
    items.push(item);
  }
  return items;
}

/** What a command keeps of the answers of a server: more than 50,000 large flags. */
const MAX_COLLECTED_CHARACTERS = 512 * 1024 * 1024;

/** Returns a function that is called with the size of each answer, and throws a Failure beyond the bound. */
export function sizeBound(place: string, max = MAX_COLLECTED_CHARACTERS): (characters: number) => void {
  let sum = 0;
  return (characters) => {
    sum += characters;
    if (sum <= max) return;
    throw new Failure(`${place}: the answers have more than ${max} characters together`, EXIT.unavailable);
  };
}

const limitWords: readonly (readonly [keyof PageLimits, (most: number) => string])[] = [
  ['items', (most) => `it has more than ${most}`],
  ['pages', (most) => `it has more than ${most} pages`],
  ['ms', (most) => `reading it took longer than ${Math.ceil(most / 60_000)} minutes`],
  ['waits', (most) => `it names the same page as the next one ${most + 1} times in a row`],
];
