/** What is read from the Lease. */
import { expect, test } from 'vitest';
import { createLease } from '../../../../src/kube/api/lease.ts';
import type { Transport } from '../../../../src/kube/api/transport.ts';

test.each([
  [undefined, 6],
  [15, 15],
  [1_000_000_000, 300],
])('a Lease that lasts %s seconds lasts %s', async (leaseDurationSeconds, seconds) => {
  const answer = { metadata: { resourceVersion: '1' }, spec: { holderIdentity: 'planted', leaseDurationSeconds } };
  const transport: Pick<Transport, 'request'> = { request: async () => answer };
  const ref = { namespace: 'home', name: 'vexil' };
  const lease = createLease({ transport: transport as Transport, ref, durationMs: 6_000, now: Date.now });
  expect(await lease.read()).toMatchObject({ holder: 'planted', durationMs: seconds * 1000 });
});
