/** Requests of SDKs for many flags. */
import { waitUntil } from '../../support/control-plane/wait-until.ts';
import { descriptionOf, ENVIRONMENTS, pathOf } from '../contents.ts';
import { type KeptClient, keptClient } from '../kept-client.ts';
import { placeOf } from './flags.ts';
import { type Latency, latencyOf } from './latency.ts';

const CHANGES = 50;

const pathFor = (environment: string) => `/api/client/features?environment=${environment}`;

/** Reads the first answer for each environment, one after the other. */
export async function readEnvironments(url: string): Promise<void> {
  const client = keptClient({ url });
  for (const environment of ENVIRONMENTS) await client.call({ method: 'GET', path: pathFor(environment) });
  client.close();
}

/** Measures the first poll after a change: the operator builds its bytes and sends them. */
export async function pollAfterChanges(url: string, admin: KeptClient): Promise<Latency> {
  const client = keptClient({ url });
  const path = pathFor(ENVIRONMENTS[0] ?? '');
  const took: number[] = [];
  for (let number = 0; number < CHANGES; number += 1) {
    const description = descriptionOf(number + 1);
    await describeFlag(admin, number, description);
    await waitUntil({ what: 'a poll has the change', everyMs: 1 }, async () => {
      const { bytes, tookMs } = await client.call({ method: 'GET', path });
      if (!bytes.includes(description)) return false;
      took.push(tookMs);
      return true;
    });
  }
  client.close();
  return latencyOf(took);
}

async function describeFlag(admin: KeptClient, number: number, description: string): Promise<void> {
  const { namespace, name } = placeOf(number);
  await admin.call({
    method: 'PATCH',
    path: pathOf('featureflags', namespace, name),
    contentType: 'application/merge-patch+json',
    body: { spec: { description } },
  });
}
