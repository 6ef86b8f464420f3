/** Keys for the parts of a draft, so that their form fields keep their state when other parts are added or removed. */

export interface Keyed {
  readonly key: number;
}

let last = 0;

export function newKey(): number {
  last += 1;
  return last;
}

export function replaced<T extends Keyed>(list: readonly T[], next: T): readonly T[] {
  return list.map((one) => (one.key === next.key ? next : one));
}

export function without<T extends Keyed>(list: readonly T[], { key }: Keyed): readonly T[] {
  return list.filter((one) => one.key !== key);
}

/** Returns the list with the part one place earlier or later. */
export function moved<T extends Keyed>(list: readonly T[], { key }: Keyed, by: -1 | 1): readonly T[] {
  const index = list.findIndex((one) => one.key === key);
  const [part, other] = [list[index], list[index + by]];
  if (!part || !other) return list;
  return list.with(index, other).with(index + by, part);
}
