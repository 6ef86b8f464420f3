/** The searches, filter and order of the flags of a project, which the address keeps. */
import { useSearchParams } from 'wouter';

/** The filters for flags, with their names on the page. */
export const SHOWN = {
  all: 'All',
  owned: 'Owned by Git',
  ineffective: 'Asked, not in effect',
  stale: 'Stale',
} as const;
export const ORDERS = { name: 'Name', newest: 'Newest first', type: 'Type' } as const;

export interface Filter {
  readonly q: string;
  /** A part of the name of a manager that owns a switch. */
  readonly owner: string;
  /** The name of a segment. */
  readonly segment: string;
  readonly show: keyof typeof SHOWN;
  readonly sort: keyof typeof ORDERS;
}

function isKeyOf<T extends object>(known: T, key: string): key is Extract<keyof T, string> {
  return Object.hasOwn(known, key);
}

export function isFiltered({ q, owner, segment, show }: Filter): boolean {
  return `${q}${owner}${segment}` !== '' || show !== 'all';
}

export function useFilter(): readonly [Filter, (part: Partial<Filter>) => void] {
  const [search, setSearch] = useSearchParams();
  const show = search.get('show') ?? '';
  const sort = search.get('sort') ?? '';
  const filter: Filter = {
    q: search.get('q') ?? '',
    owner: search.get('owner') ?? '',
    segment: search.get('segment') ?? '',
    show: isKeyOf(SHOWN, show) ? show : 'all',
    sort: isKeyOf(ORDERS, sort) ? sort : 'name',
  };
  const change = (part: Partial<Filter>) => {
    const { show: nextShow, sort: nextSort, ...texts } = { ...filter, ...part };
    const next = { ...texts, show: nextShow === 'all' ? '' : nextShow, sort: nextSort === 'name' ? '' : nextSort };
    setSearch(Object.fromEntries(Object.entries(next).filter(([, value]) => value !== '')), { replace: true });
  };
  return [filter, change];
}

const FILTERS = {
  all: {},
  owned: { switch: 'protected' },
  ineffective: { switch: 'ineffective' },
  stale: { state: 'IS:stale' },
} as const satisfies Readonly<Record<Filter['show'], object>>;

const SORTS = {
  name: { sortBy: 'name' },
  newest: { sortBy: 'createdAt', sortOrder: 'desc' },
  type: { sortBy: 'type' },
} as const satisfies Readonly<Record<Filter['sort'], object>>;

/** Returns the parameters of the API's search. */
export function searchOf({ q, owner, segment, show, sort }: Filter) {
  const [text, manager] = [q.trim(), owner.trim()];
  return {
    ...(text !== '' && { query: text, descriptions: true }),
    ...(manager !== '' && { switchOwner: manager }),
    ...(segment !== '' && { segment: `INCLUDE:${segment}` }),
    ...FILTERS[show],
    ...SORTS[sort],
  };
}
