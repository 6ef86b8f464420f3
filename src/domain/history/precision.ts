/** How exactly the time of an entry is known. */
import type { NewEntry } from './entry.ts';

/** Whether several changes are one, and between which times it happened; empty: it is one change at a known time. */
export function precisionOf({ coalesced, earliestAt, createdAt }: NewEntry): string {
  const [from, to] = [earliestAt ?? createdAt, createdAt].map((time) => new Date(time).toISOString());
  const parts = [
    ...(coalesced ? ['several changes at once'] : []),
    ...(earliestAt === null ? [] : [`between ${from} and ${to}`]),
  ];
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}
