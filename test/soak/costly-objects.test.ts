/** The costliest flags that the API server and the budget allow: the operator answers others meanwhile. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { adminClient } from '../support/admin-client.ts';
import { aFlag } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { costliestFlags } from '../support/costliest-flags.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { healthDuring } from '../support/probe-health.ts';
import { type Replica, startReplica } from '../support/replica.ts';

const FLAGS = 40;
/** How long each request is repeated. */
const WORK_MS = 3_000;
const MAX_P99_MS = 100;
/** The limit of the chart. */
const MAX_MEMORY_BYTES = 768 * 2 ** 20;

const user = 'a'.repeat(1_990);
let instance: Instance;
let replica: Replica;

beforeAll(async () => {
  instance = await startInstance('soak-costly');
  const { cluster, home, kubeconfig } = instance;
  const costliest = costliestFlags(user);
  // Too large for the annotation of `kubectl apply`.
  const path = `/apis/vexil.dev/v1alpha1/namespaces/${home}/featureflags`;
  for (let index = 0; index < FLAGS; index += 1) {
    const body = aFlag(`${home}/costly-${index}`, costliest[index % 5]?.spec);
    await cluster.request({ method: 'POST', path, body });
  }
  await instance.stop();
  replica = await startReplica({ kubeconfig, home });
  await waitUntil({ what: 'the replica leads', timeoutMs: 60_000 }, () => replica.leads());
}, 120_000);
afterAll(() => replica.stop());

const context = { userId: user };
const shopUsers = Array.from({ length: 10 }, (_, index) => `${'a'.repeat(190)}${index}`).join(',');
const flag = '/projects/shop/features/costly-0';

test.each<readonly [what: string, request: string, body?: unknown]>([
  ['the frontend API', `GET //api/frontend?environment=production&userId=${user}`],
  ['OFREP', 'POST //ofrep/v1/evaluate/flags', { context: { targetingKey: user.slice(0, 1_000) } }],
  ['the client API', 'GET //api/client/features?environment=production'],
  ['the playground', 'POST /playground', { environment: 'production', projects: '*', context }],
  [
    'the playground for many users',
    'POST /playground/advanced?explain=true',
    { environments: ['production'], projects: '*', context: { userId: shopUsers } },
  ],
  ['an explanation', `GET ${flag}/evaluate?environment=production&userId=${user}`],
  ['the search', 'GET /search/features?query=costly&limit=100'],
  ['the list of a project', 'GET /projects/shop/features'],
  ['an export as YAML', 'GET /state/export?format=yaml'],
  ['an export as JSON', 'GET /state/export'],
  ['a change', `PATCH ${flag}`, [{ op: 'replace', path: '/description', value: 'changed' }]],
])('%s does not delay /health', async (_, request, body) => {
  const call = adminClient(replica.url);
  const began = performance.now();
  const times = await healthDuring(replica.url, async () => {
    do {
      const { status, text } = await call(`${request}`, body === undefined ? {} : { body: body as object });
      expect(status, text.slice(0, 300)).toBe(200);
    } while (performance.now() - began < WORK_MS);
  });
  expect(times[Math.floor(times.length * 0.99)]).toBeLessThan(MAX_P99_MS);
  expect(await replica.leads()).toBe(true);
  expect(await replica.metric('process_resident_memory_bytes')).toBeLessThan(MAX_MEMORY_BYTES);
});
