/** The part of a long list that a page shows. */
export const PAGE_SIZE = 50;

export interface PageOfList {
  readonly offset: number;
  readonly total: number;
  /** The API counts up to `total` only: there are more items than this. */
  readonly isAtLeast?: boolean | undefined;
}

export interface PageRange {
  readonly isWhole: boolean;
  /** Such as "51 to 100 of 240"; the total if the page shows the whole list. */
  readonly text: string;
  /** The offset of the next page; undefined on the last one. */
  readonly next: number | undefined;
}

export function pageRangeOf({ offset, total, isAtLeast = false }: PageOfList): PageRange {
  const end = isAtLeast ? offset + PAGE_SIZE : Math.min(offset + PAGE_SIZE, total);
  const all = isAtLeast ? `more than ${total}` : `${total}`;
  const isWhole = !isAtLeast && total <= PAGE_SIZE;
  return {
    isWhole,
    text: isWhole ? all : `${offset + 1} to ${end} of ${all}`,
    next: isAtLeast || end < total ? end : undefined,
  };
}
