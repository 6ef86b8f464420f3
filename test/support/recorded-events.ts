/** Reads entries of the history through the search of the admin API. */
import type { Call } from './admin-client.ts';
import { waitUntil } from './control-plane/wait-until.ts';
import type { Stored } from './stored.ts';

/** Returns all matching entries, the oldest first. `filter` is like `feature=IS:a`. */
export async function recorded(call: Call, filter: string): Promise<readonly Stored[]> {
  const { body, text } = await call(`GET /search/events?limit=1000&${filter}`);
  if (body?.events === undefined) throw new Error(`the history answered ${text}`);
  return body.events.toReversed();
}

/** Resolves with the entries when there are that many. */
export function untilRecorded(call: Call, filter: string, count: number): Promise<readonly Stored[]> {
  return waitUntil({ what: `${count} entries for ${filter}` }, async () => {
    const events = await recorded(call, filter);
    return events.length >= count && events;
  });
}
