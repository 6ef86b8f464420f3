/** Times that the history knows for certain. */
import type { Call } from './admin-client.ts';
import { waitUntil } from './control-plane/wait-until.ts';

/** Objects say when they were written in whole seconds: in the next one, what was in force is certain. */
export async function inNextSecond(): Promise<string> {
  const second = Math.floor(Date.now() / 1000);
  await waitUntil({ what: 'the second is over', everyMs: 10 }, () => {
    return Math.floor(Date.now() / 1000) > second;
  });
  return new Date().toISOString();
}

/** Resolves when the leader keeps versions of the flags of the project. */
export async function untilVersionsAreKept(ask: Call, project: string): Promise<void> {
  await waitUntil({ what: 'versions are kept', everyMs: 50 }, async () => {
    const time = encodeURIComponent(new Date().toISOString());
    return (await ask(`GET /projects/${project}/features?at=${time}&inGap=after`)).status === 200;
  });
}
