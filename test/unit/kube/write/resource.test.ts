/** How long calls of one kind may take. */
import { expect, test } from 'vitest';
import type { Call, Transport } from '../../../../src/kube/api/transport.ts';
import { createStore } from '../../../../src/kube/cache/store.ts';
import { createResource } from '../../../../src/kube/write/resource.ts';
import { systemClock } from '../../../../src/runtime/clock.ts';
import { PROBE, rawProbe } from '../../../support/probe.ts';

test('what a write reads, and a deletion whose stamp is written, take no longer than a write', async () => {
  const ref = { namespace: 'default', name: 'probe' };
  const calls: Call[] = [];
  const transport: Transport = {
    request: async (call) => {
      calls.push(call);
      return call.query?.['fieldSelector']
        ? { items: [], metadata: { resourceVersion: '7' } }
        : rawProbe({ version: 7, spec: {} });
    },
    stream: () => Promise.reject(new Error('no stream')),
    close: () => undefined,
  };
  const store = createStore({ kind: PROBE, indexes: {}, onFault: () => undefined });
  const parts = { kind: PROBE, transport, store, namespaces: [undefined], isProtected: () => false };
  const probes = createResource({ ...parts, clock: systemClock, random: Math.random });
  await probes.change(ref, ({ spec }) => spec);
  await probes.claimFields(ref, () => []);
  await probes.listLive({ fieldSelector: 'metadata.name=probe' });
  const beforeSend = Object.assign(async () => undefined, { timeoutMs: 10_000 });
  await probes.delete(await probes.live(ref), { stamp: () => ({ by: 'ada' }), beforeSend });
  const limits = calls.map(({ method, ...call }) => [method, call.timeoutMs ?? call.beforeSend?.timeoutMs]);
  const methods = ['GET', 'GET', 'GET', 'GET', 'DELETE', 'PATCH', 'DELETE'];
  expect(limits).toEqual(methods.map((method) => [method, 10_000]));
});
