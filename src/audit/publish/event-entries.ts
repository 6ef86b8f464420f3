/** Which entries share an Event. */
import type { Entry, StepPlace } from '../../domain/history/entry.ts';

/** One entry, or those of a new object; the Event has the name that follows from the first. */
export type EventEntries = readonly [Entry, ...Entry[]];

/** The Event stays below the limits of the API server. */
export const MAX_EVENT_ENTRIES = 50;

/**
 * Groups a page of entries, in the order of their ids, by Event. Leaves out the last Event of a full page, because
 * further entries of it may be in the next page.
 */
export function shareEvents(entries: readonly Entry[], pageSize: number): readonly EventEntries[] {
  const shared: [Entry, ...Entry[]][] = [];
  for (const entry of entries) {
    const last = shared.at(-1);
    if (last !== undefined && last.length < MAX_EVENT_ENTRIES && areOfOneCreation(last[0], entry)) last.push(entry);
    else shared.push([entry]);
  }
  return entries.length < pageSize ? shared : shared.slice(0, -1);
}

/** A moment of a plan has another time than the creation. */
function areOfOneCreation(one: Entry, other: Entry): boolean {
  return isCreation(one) && one.uid === other.uid && isCreation(other) && one.createdAt === other.createdAt;
}

const isCreation = ({ fromVersion }: StepPlace) => fromVersion === '';
