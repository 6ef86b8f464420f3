/** Calls for Secrets, which a sign-in waits for. */
import { expect, test } from 'vitest';
import { createSecrets } from '../../../../src/kube/api/secrets.ts';
import type { Call, Transport } from '../../../../src/kube/api/transport.ts';

test('a Secret is read and created within the time for which a caller waits', async () => {
  const calls: Call[] = [];
  const transport: Pick<Transport, 'request'> = {
    async request(call) {
      calls.push(call);
      return {};
    },
  };
  const secrets = createSecrets(transport, 'keys');
  const ref = { namespace: 'vexil-system', name: 'vexil-session-keys' };
  await secrets.read(ref);
  await secrets.create({ ref, labels: {}, value: 'secret' });
  expect(calls.map(({ method, timeoutMs }) => [method, timeoutMs])).toEqual([
    ['GET', 10_000],
    ['POST', 10_000],
  ]);
});
