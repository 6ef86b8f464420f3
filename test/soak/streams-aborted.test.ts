/** Streams whose clients leave at random moments: none of them stays counted. */
import { connect, type Socket } from 'node:net';
import pLimit from 'p-limit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { seededRandom } from '../../src/model/seeded-random.ts';
import { createAccount } from '../support/account.ts';
import { adminClient } from '../support/admin-client.ts';
import { aFlag } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { grantReviews } from '../support/operator-roles.ts';
import { type Replica, startReplica } from '../support/replica.ts';
import { tokenValue } from '../support/sdk-world.ts';

const STREAMS = 10_000;
const CONCURRENT = 40;
/** Some leave before the request is read, others after the first event. */
const MAX_STAY_MS = 40;

/** Callers are reviewed often, so that many clients leave while their request waits for the API server. */
const settings = { VEXIL_AUTH: 'token', VEXIL_ACCESS_CACHE: '100ms' };

let instance: Instance;
let backend: string;
let user: string;
/** A process of its own, so that requests are read while clients leave. */
let replica: Replica;

beforeAll(async () => {
  instance = await startInstance('streams-aborted', { settings });
  const { cluster, home, kubeconfig } = instance;
  await grantReviews(cluster, home);
  backend = await tokenValue(instance, 'backend');
  ({ token: user } = await createAccount(cluster, {
    namespace: home,
    name: 'reader',
    rules: { [home]: [[['*'], ['*']]] },
  }));
  const production = { enabled: true, strategies: { all: { name: 'default' } } };
  await instance.apply(aFlag(`${home}/watched`, { environments: { production } }));
  replica = await startReplica({ kubeconfig, home, settings });
  await waitUntil({ what: 'the replica is ready' }, () => replica.isReady());
});
afterAll(async () => {
  await replica.stop();
  await instance.stop();
});

/** Leaves after some ms, or with the first data if `stayMs` is undefined. Resolves when the connection has ended. */
async function openAndLeave([path, token]: readonly [string, string], stayMs: number | undefined): Promise<void> {
  const { hostname, port } = new URL(replica.url);
  const signal = stayMs === undefined ? undefined : AbortSignal.timeout(Math.round(stayMs));
  const socket: Socket = connect({ host: hostname, port: Number(port), ...(signal && { signal }) });
  const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.on('error', () => undefined);
  socket.on('data', () => stayMs ?? socket.destroy());
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: ${token}\r\n\r\n`);
  await ended;
}

test('10,000 streams that are aborted leave no stream open, while flags change', async () => {
  const call = adminClient(replica.url, { authorization: `Bearer ${user}` });
  const { body } = await adminClient(replica.url, { authorization: backend })('POST //ofrep/v1/evaluate/flags', {
    body: {},
  });
  const streams = [
    ['/api/client/streaming', backend],
    ['/api/admin/changes', `Bearer ${user}`],
    [`/${body.eventStreams[0].endpoint.requestUri}`, ''],
  ] as const;
  const random = seededRandom(16);
  const limit = pLimit(CONCURRENT);
  let left = 0;
  const leaving = Array.from({ length: STREAMS }, (_, index) =>
    limit(async () => {
      await openAndLeave(streams[index % 3] ?? streams[0], index % 10 === 0 ? undefined : random() ** 2 * MAX_STAY_MS);
      left += 1;
    }),
  );
  const path = '/projects/shop/features/watched/environments/production';
  for (let on = false; left < STREAMS; on = !on) await call(`POST ${path}/${on ? 'on' : 'off'}`);
  await Promise.all(leaving);
  for (const series of ['vexil_sdk_streams', 'vexil_change_streams']) {
    await waitUntil({ what: `${series} is 0` }, async () => (await replica.metric(series)) === 0);
    const opened = await replica.metric(`${series}_closed_total{reason="client"}`);
    expect([series, opened > 100]).toEqual([series, true]);
  }
}, 120_000);
