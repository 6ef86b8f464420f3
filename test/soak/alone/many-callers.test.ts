/** Many callers at once of an operator with thousands of flags, within the memory of the chart. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { uncheckedClient } from '../../support/admin-client.ts';
import { aFlag } from '../../support/builders.ts';
import { waitUntil } from '../../support/control-plane/wait-until.ts';
import { createMany } from '../../support/create-many.ts';
import { expectCalm } from '../../support/expect-calm.ts';
import { type Instance, startInstance } from '../../support/instance.ts';
import { startLimitedReplica } from '../../support/limited-replica.ts';
import type { Replica } from '../../support/replica.ts';

const FLAGS = 3_000;
/** For a caller whose answer takes a tenth of a second alone. */
const MAX_WAIT_MS = 15_000;

let instance: Instance;
let replica: Replica;
let stop: (() => Promise<void>) | undefined;

beforeAll(async () => {
  instance = await startInstance('soak-callers');
  const { home, kubeconfig, cluster } = instance;
  const on = { enabled: true, strategies: { staff: { name: 'userWithId', parameters: { userIds: '1,2,3' } } } };
  const spec = { description: 'plain', tags: ['simple:plain'], environments: { development: on, production: on } };
  await instance.stop();
  await createMany(
    cluster,
    Array.from({ length: FLAGS }, (_, index) => aFlag(`${home}/plain-${index}`, spec)),
  );
  ({ replica, stop } = await startLimitedReplica({ kubeconfig, home }));
}, 240_000);
afterAll(async () => {
  await stop?.();
});

const ofProduction = { environment: 'production', project: 'shop' };

test.each<readonly [count: number, request: string, body: object | undefined]>([
  [50, 'POST /features-batch/export', ofProduction],
  [50, 'GET /state/export', undefined],
  [200, 'GET /projects/shop/health-report', undefined],
  [200, 'GET /features', undefined],
  [40, 'GET /projects/shop/features?include=status', undefined],
  [40, 'GET /projects/shop/features?namePrefix=p', undefined],
  [200, 'GET /search/features?limit=1000&query=plain&sortBy=lastSeenAt', undefined],
  [200, 'GET /search/features?limit=100&query=1&sortBy=environment:production', undefined],
  [200, 'GET /reports/stale', undefined],
])(
  '%i callers of %s at once do not delay /health',
  async (count, request, body) => {
    const call = uncheckedClient(replica.url);
    await expectCalm(replica, async () => {
      const answers = await Promise.all(Array.from({ length: count }, () => call(request, body ? { body } : {})));
      for (const { status, text } of answers) expect([200, 503], text.slice(0, 300)).toContain(status);
      expect(answers.some(({ status }) => status === 200)).toBe(true);
    });
  },
  300_000,
);

test('exports and lists are answered while browsers ask all the time', async () => {
  const call = uncheckedClient(replica.url);
  let isOver = false;
  let asked = 0;
  const browsers = Array.from({ length: 10 }, async (_, browser) => {
    for (; !isOver; asked += 1) {
      const { status } = await call(`GET //api/frontend?environment=production&userId=${browser}-${asked}`);
      expect([200, 503]).toContain(status);
    }
  });
  await waitUntil({ what: 'browsers ask' }, () => asked > 20);
  try {
    for (const [request, body] of [
      ['GET /state/export', undefined],
      ['POST /features-batch/export', ofProduction],
      ['GET /search/features?limit=1000', undefined],
    ] as const) {
      const began = performance.now();
      const { status, text } = await call(request, body ? { body } : {});
      expect(status, text.slice(0, 300)).toBe(200);
      expect(performance.now() - began, request).toBeLessThan(MAX_WAIT_MS);
    }
  } finally {
    isOver = true;
    await Promise.all(browsers);
  }
}, 120_000);

test('nothing is done for callers that have gone', async () => {
  const call = uncheckedClient(replica.url);
  await call('POST /features-batch/export', { body: ofProduction });
  const before = await replica.metric('process_cpu_seconds_total');
  const leaving = Array.from({ length: 200 }, () =>
    fetch(`${replica.url}/api/admin/features-batch/export`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(ofProduction),
      signal: AbortSignal.timeout(100),
    }).then(
      (response) => response.text().catch(() => 'gone'),
      () => 'gone',
    ),
  );
  await Promise.all(leaving);
  const began = performance.now();
  expect((await call('POST /features-batch/export', { body: ofProduction })).status).toBe(200);
  expect(performance.now() - began).toBeLessThan(5_000);
  expect((await replica.metric('process_cpu_seconds_total')) - before).toBeLessThan(10);
});
