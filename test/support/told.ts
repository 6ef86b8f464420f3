/** What the history tells, asked as anyone may ask it. */
import type { Call } from './admin-client.ts';
import { waitUntil } from './control-plane/wait-until.ts';
import type { Stored } from './stored.ts';

/** All entries that match, the oldest first; `filter` is like `feature=IS:a`. */
export async function told(call: Call, filter: string): Promise<readonly Stored[]> {
  const { body, text } = await call(`GET /search/events?limit=1000&${filter}`);
  if (body?.events === undefined) throw new Error(`the history answered ${text}`);
  return body.events.toReversed();
}

/** Resolves with them once there are so many. */
export function untilTold(call: Call, filter: string, count: number): Promise<readonly Stored[]> {
  return waitUntil({ what: `${count} entries for ${filter}` }, async () => {
    const events = await told(call, filter);
    return events.length >= count && events;
  });
}
