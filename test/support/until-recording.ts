/** Waits until an operator that has just started records changes. */
import type { Call } from './admin-client.ts';
import type { ControlPlaneAccess } from './control-plane/access.ts';
import { waitUntil } from './control-plane/wait-until.ts';
import type { Stored } from './stored.ts';

/** Changes the flag until the namespace has an Event: objects that exist when the history begins are not recorded. */
export async function untilRecording(
  cluster: ControlPlaneAccess,
  call: Call,
  { flag, namespace }: { readonly flag: string; readonly namespace: string },
): Promise<void> {
  let round = 0;
  await waitUntil({ what: `a change of ${flag} has its Event`, everyMs: 500 }, async () => {
    round += 1;
    await call(`PATCH ${flag}`, { body: [{ op: 'replace', path: '/description', value: `round ${round}` }] });
    const { items }: Stored = await cluster.getObject('events', namespace);
    return items.some(({ reason }: Stored) => reason === 'FeatureMetadataUpdated');
  });
}
