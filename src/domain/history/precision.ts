/** The precision of the time of an entry. */
import type { NewEntry } from './entry.ts';

/**
 * Says whether the entry stands for several changes, and between which times they happened; empty for one change at a
 * known time.
 */
export function precisionOf({ coalesced, earliestAt, createdAt }: NewEntry): string {
  const [from, to] = [earliestAt ?? createdAt, createdAt].map((time) => new Date(time).toISOString());
  const parts = [
    ...(coalesced ? ['several changes at once'] : []),
    ...(earliestAt === null ? [] : [`between ${from} and ${to}`]),
  ];
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}
