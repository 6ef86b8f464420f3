/** The search, the filters and the order of the flags of a project, which the address keeps. */
import { useSearchParams } from 'wouter';
import type { KeptFlag } from '../../kept/kept-flags.ts';

/** The filters with a fixed list of values, with the words for each value. The first value is the default. */
export const CHOICES = {
  show: {
    all: 'All',
    favourites: 'My favourites',
    owned: 'Owned by Git',
    ineffective: 'Asked, not in effect',
    stale: 'Stale',
    overdue: 'Past its lifetime',
  },
  type: {
    any: 'Any',
    release: 'release',
    experiment: 'experiment',
    operational: 'operational',
    'kill-switch': 'kill-switch',
    permission: 'permission',
  },
  schedule: { any: 'Any', planned: 'A change is planned', window: 'With a window', ramp: 'With a ramp' },
  seen: { any: 'Any time', week: 'In the last 7 days', month: 'Not in the last 30 days', never: 'Never' },
  sort: { name: 'Name', newest: 'Newest first', type: 'Type', seen: 'Last seen first' },
} as const;
export type Choices = { readonly [K in keyof typeof CHOICES]: keyof (typeof CHOICES)[K] };

/** What a switch in an environment may be. */
export const STATES = {
  on: 'on',
  everyone: 'on for everyone',
  part: 'on for a part',
  none: 'on, but for nobody',
  off: 'off',
} as const;

interface Texts {
  readonly q: string;
  /** A tag, written `type:value`, or the value of a simple tag. */
  readonly tag: string;
  /** A label, written `key=value` or `key`. */
  readonly label: string;
  /** A part of the name of a manager that owns a switch. */
  readonly owner: string;
  /** The name of a segment. */
  readonly segment: string;
  /** An environment and a key of `STATES`, with a colon between them. */
  readonly in: string;
}

export interface Filter extends Texts, Choices {}

const TEXTS = ['q', 'tag', 'label', 'owner', 'segment', 'in'] as const satisfies readonly (keyof Texts)[];
const CHOICE_NAMES = Object.keys(CHOICES) as (keyof Choices)[];

function defaultOf(name: keyof Choices): string {
  return Object.keys(CHOICES[name])[0] ?? '';
}

/** The filter in the query of an address. Unknown values are the default. */
export function filterIn(search: URLSearchParams): Filter {
  const texts = TEXTS.map((name) => [name, search.get(name) ?? '']);
  const choices = CHOICE_NAMES.map((name) => {
    const value = search.get(name) ?? '';
    return [name, Object.hasOwn(CHOICES[name], value) ? value : defaultOf(name)];
  });
  return Object.fromEntries([...texts, ...choices]) as Filter;
}

/** The query of the address, without what is the default. */
export function addressOf(filter: Filter): string {
  const entries = [
    ...TEXTS.map((name) => [name, filter[name]] as const),
    ...CHOICE_NAMES.map((name) => [name, filter[name] === defaultOf(name) ? '' : filter[name]] as const),
  ];
  return `${new URLSearchParams(entries.filter(([, value]) => value !== '').map(([name, value]) => [name, value]))}`;
}

/** The names of the filters that leave flags out, without the search and the order. */
export function filtersIn(filter: Filter): readonly (keyof Filter)[] {
  return [
    ...TEXTS.filter((name) => name !== 'q' && filter[name] !== ''),
    ...CHOICE_NAMES.filter((name) => name !== 'sort' && filter[name] !== defaultOf(name)),
  ];
}

export function isFiltered(filter: Filter): boolean {
  return filter.q !== '' || filtersIn(filter).length > 0;
}

/** The filter without one of its parts. */
export function cleared(filter: Filter, name: keyof Filter): Filter {
  const value = CHOICE_NAMES.some((one) => one === name) ? defaultOf(name as keyof Choices) : '';
  return { ...filter, [name]: value } as Filter;
}

export function useFilter(): readonly [Filter, (part: Partial<Filter>) => void] {
  const [search, setSearch] = useSearchParams();
  const filter = filterIn(search);
  const change = (part: Partial<Filter>) => setSearch(addressOf({ ...filter, ...part }), { replace: true });
  return [filter, change];
}

const SHOWN = {
  all: {},
  favourites: {},
  owned: { switch: 'protected' },
  ineffective: { switch: 'ineffective' },
  stale: { state: 'IS:stale' },
  overdue: { state: 'IS:potentially-stale' },
} as const satisfies Readonly<Record<Choices['show'], object>>;

const SORTS = {
  name: { sortBy: 'name' },
  newest: { sortBy: 'createdAt', sortOrder: 'desc' },
  type: { sortBy: 'type' },
  seen: { sortBy: 'lastSeenAt', sortOrder: 'desc' },
} as const satisfies Readonly<Record<Choices['sort'], object>>;

const DAY_MS = 86_400_000;

interface SearchContext {
  /** In ms since 1970. */
  readonly now: number;
  readonly favourites: readonly KeptFlag[];
}

function seenOf(seen: Choices['seen'], now: number) {
  const day = (ago: number) => new Date(now - ago * DAY_MS).toISOString().slice(0, 'YYYY-MM-DD'.length);
  if (seen === 'week') return { lastSeenAt: `IS_ON_OR_AFTER:${day(7)}` };
  if (seen === 'month') return { lastSeenAt: `IS_BEFORE:${day(30)}` };
  return seen === 'never' ? { lifecycle: 'IS:initial' } : {};
}

/** `state` is on and off only; `share` also says for how many. */
function placeOf(text: string) {
  const [environment, state] = [text.slice(0, text.lastIndexOf(':')), text.slice(text.lastIndexOf(':') + 1)];
  if (environment === '' || !Object.hasOwn(STATES, state)) return {};
  if (state === 'on') return { status: [`${environment}:enabled`] };
  return state === 'off' ? { status: [`${environment}:disabled`] } : { share: [`${environment}:${state}`] };
}

/** Returns the parameters of the API's search. */
export function searchOf(filter: Filter, { now, favourites }: SearchContext) {
  const { q, tag, label, owner, segment, type, schedule, show } = filter;
  const [text, wantedTag, wantedLabel] = [q.trim(), tag.trim(), label.trim()];
  return {
    ...(text !== '' && { query: text, descriptions: true }),
    ...(wantedTag !== '' && { tag: `INCLUDE:${wantedTag.includes(':') ? wantedTag : `simple:${wantedTag}`}` }),
    ...(wantedLabel !== '' && { label: `INCLUDE:${wantedLabel}` }),
    ...(owner.trim() !== '' && { switchOwner: owner.trim() }),
    ...(segment !== '' && { segment: `INCLUDE:${segment}` }),
    ...(type !== 'any' && { type: `IS:${type}` }),
    ...(schedule !== 'any' && { schedule }),
    ...(show === 'favourites' && { name: `IS_ANY_OF:${favourites.map(({ name }) => name).join(',')}` }),
    ...placeOf(filter.in),
    ...seenOf(filter.seen, now),
    ...SHOWN[show],
    ...SORTS[filter.sort],
  };
}
