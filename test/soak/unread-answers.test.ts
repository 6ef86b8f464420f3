/** Callers that read nothing of their answers, within the memory of the chart. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { uncheckedClient } from '../support/admin-client.ts';
import { aFlag } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { createMany } from '../support/create-many.ts';
import { startInstance } from '../support/instance.ts';
import { MAX_MEMORY_BYTES, startLimitedReplica } from '../support/limited-replica.ts';
import type { Replica } from '../support/replica.ts';

const FLAGS = 1_000;
const CALLERS = 100;

let replica: Replica;
let stop: (() => Promise<void>) | undefined;
const sockets: Socket[] = [];

beforeAll(async () => {
  const instance = await startInstance('soak-unread');
  const { home, kubeconfig, cluster } = instance;
  // The system takes some MB of each answer, so that pages must be larger.
  const tags = Array.from({ length: 100 }, (_, index) => `simple:tag-${index}-${'x'.repeat(40)}`);
  const spec = { description: `plain ${'x'.repeat(4_000)}`, tags };
  await instance.stop();
  await createMany(
    cluster,
    Array.from({ length: FLAGS }, (_, index) => aFlag(`${home}/plain-${index}`, spec)),
  );
  ({ replica, stop } = await startLimitedReplica({ kubeconfig, home }));
}, 240_000);
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await stop?.();
});

async function askAndReadNothing(path: string): Promise<void> {
  const { hostname, port } = new URL(replica.url);
  const socket = connect(Number(port), hostname).on('error', () => undefined);
  sockets.push(socket.pause());
  await once(socket, 'connect');
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\n\r\n`);
  // The head of the answer has come.
  await once(socket, 'readable');
}

test('many answers that nobody reads stay within the memory of the chart', async () => {
  let most = 0;
  for (let caller = 0; caller < CALLERS; caller += 1) {
    // The pages differ, so that no two callers share one.
    await askAndReadNothing(`/api/admin/search/features?limit=1000&offset=${caller}&query=plain`);
    if (caller % 10 === 0) most = Math.max(most, await replica.metric('process_resident_memory_bytes'));
  }
  expect(most).toBeLessThan(MAX_MEMORY_BYTES);
  await waitUntil({ what: 'others get their answers' }, async () => {
    const { status, text } = await uncheckedClient(replica.url)('GET /search/features?limit=1000&query=plain');
    return status === 200 && text.length > 10_000_000;
  });
}, 120_000);
