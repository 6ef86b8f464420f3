/** The past time that a page shows. It is in the address, so that a link leads back to it. */
export interface PastTime {
  /** As the address has it: RFC 3339, or a text that the API refuses. */
  readonly at: string;
  readonly inGap?: GapSide;
}

const SIDES = ['before', 'after'] as const;

/** The side of a change whose time is uncertain. */
export type GapSide = (typeof SIDES)[number];

/** Undefined: the text names no side. */
export function gapSideOf(text: string | null): GapSide | undefined {
  return SIDES.find((side) => side === text);
}

export function pastIn(search: URLSearchParams): PastTime | undefined {
  const at = search.get('at') ?? '';
  if (at === '') return undefined;
  const inGap = gapSideOf(search.get('inGap'));
  return { at, ...(inGap && { inGap }) };
}

const HOUR_MS = 3_600_000;

/** In whole seconds. */
export function hoursAgo(hours: number): string {
  return `${new Date(Date.now() - hours * HOUR_MS).toISOString().slice(0, 19)}Z`;
}

/** The parameters in an address; none for the present. */
export function pastQuery(past: PastTime | undefined): Readonly<Record<string, string>> {
  return past ? { at: past.at, ...(past.inGap && { inGap: past.inGap }) } : {};
}

/** An address with the time, if there is one. */
export function withPast(path: string, past: PastTime | undefined, more: Readonly<Record<string, string>> = {}) {
  const query = new URLSearchParams({ ...more, ...pastQuery(past) }).toString();
  return query === '' ? path : `${path}?${query}`;
}

/** Such as 2026-03-01 14:03 UTC; another text stays as it is. */
export function utcText(text: string): string {
  const time = Date.parse(text);
  if (Number.isNaN(time)) return text;
  const [day = '', clock = ''] = new Date(time).toISOString().split('T');
  const seconds = clock.slice(5, 8) === ':00' ? '' : clock.slice(5, 8);
  return `${day} ${clock.slice(0, 5)}${seconds} UTC`;
}

/** The same with milliseconds: changes at uncertain times are often within one second. */
export function exactUtcText(time: string): string {
  return time.replace('T', ' ').replace(/(\.000)?Z$/, ' UTC');
}
