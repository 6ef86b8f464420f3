/** How long calls of one kind may take. */
import { expect, test } from 'vitest';
import type { Call, Transport } from '../../../../src/kube/api/transport.ts';
import { createStore } from '../../../../src/kube/cache/store.ts';
import { createResource } from '../../../../src/kube/write/resource.ts';
import { systemClock } from '../../../../src/runtime/clock.ts';
import { PROBE, rawProbe } from '../../../support/probe.ts';

test('a change that changes nothing waits for its reads no longer than a write', async () => {
  const ref = { namespace: 'default', name: 'probe' };
  const calls: Call[] = [];
  const transport: Transport = {
    request: async (call) => {
      calls.push(call);
      return rawProbe({ version: 7, spec: {} });
    },
    stream: () => Promise.reject(new Error('no stream')),
    close: () => undefined,
  };
  const store = createStore({ kind: PROBE, indexes: {}, onFault: () => undefined });
  const parts = { kind: PROBE, transport, store, namespaces: [undefined], isProtected: () => false };
  const probes = createResource({ ...parts, clock: systemClock, random: Math.random });
  await probes.change(ref, ({ spec }) => spec);
  await probes.claimFields(ref, () => []);
  expect(calls.map(({ method, timeoutMs }) => [method, timeoutMs])).toEqual([
    ['GET', 10_000],
    ['GET', 10_000],
  ]);
});
