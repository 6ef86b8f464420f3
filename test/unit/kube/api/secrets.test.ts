/** Calls for Secrets, which a sign-in waits for. */
import { beforeEach, expect, test } from 'vitest';
import { createSecrets } from '../../../../src/kube/api/secrets.ts';
import type { Call, Transport } from '../../../../src/kube/api/transport.ts';

let calls: Call[];
const transport: Pick<Transport, 'request'> = {
  async request(call) {
    calls.push(call);
    return {};
  },
};
const secrets = createSecrets(transport, 'keys');

beforeEach(() => {
  calls = [];
});

test('a Secret is read and created within the time for which a caller waits', async () => {
  const ref = { namespace: 'vexil-system', name: 'vexil-session-keys' };
  await secrets.read(ref);
  await secrets.create({ ref, labels: {}, value: 'secret' });
  const path = '/api/v1/namespaces/vexil-system/secrets';
  expect(calls).toMatchObject([
    { method: 'GET', path: `${path}/vexil-session-keys`, timeoutMs: 10_000 },
    { method: 'POST', path, timeoutMs: 10_000 },
  ]);
});

test.each(['.', '..'])('there is no Secret %j, and nothing else is read for it', async (name) => {
  expect(await secrets.read({ namespace: 'shop', name })).toBeUndefined();
  expect(calls).toEqual([]);
});
