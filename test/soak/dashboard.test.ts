/** A real Prometheus scrapes a real operator: it answers each query of the dashboard and of the alerts. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { adminClient } from '../support/admin-client.ts';
import { RULES_FILE, shippedAlerts } from '../support/alert-rules.ts';
import { sharedCluster } from '../support/cluster.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { dashboardQueries } from '../support/dashboard.ts';
import { flagsDirectly } from '../support/fault-proxy/flags-directly.ts';
import { selectorsIn } from '../support/promql.ts';
import { type Replica, replicaKubeconfig, startReplica } from '../support/replica.ts';
import { type Prometheus, startPrometheus } from '../support/tools/prometheus.ts';

interface Rule {
  readonly name: string;
  readonly health: string;
  readonly state: string;
  readonly lastError?: string;
}

const cluster = sharedCluster();
let replica: Replica;
let prometheus: Prometheus;
/** The names of all series that Prometheus has stored. */
let stored: ReadonlySet<string>;

/** As docs/operations.md describes it: a job named vexil, with the labels that the chart's ServiceMonitor gives. */
const config = (opsPort: number): string => `
global: { scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s }
rule_files: [${RULES_FILE}]
scrape_configs:
- job_name: vexil
  static_configs:
  - targets: ['127.0.0.1:${opsPort}']
    labels: { namespace: vexil-system, pod: vexil-0 }
`;

beforeAll(async () => {
  const home = await cluster.freshNamespace('dashboard');
  replica = await startReplica({ kubeconfig: await replicaKubeconfig(cluster, home), home });
  const flags = flagsDirectly(cluster.kubeconfig, home);
  await flags.apply('Project', 'shop', {});
  flags.close();
  await waitUntil({ what: 'it leads, and has judged something' }, async () => {
    const runs = await replica.metric('vexil_reconcile_duration_seconds_count{kind="Project",result="success"}');
    return runs > 0;
  });
  const { opsPort } = await replica.listening;
  prometheus = await startPrometheus(config(opsPort));
  const call = adminClient(replica.url);
  await waitUntil({ what: 'Prometheus has seen requests go on', timeoutMs: 60_000 }, async () => {
    expect((await call('GET /projects')).status).toBe(200);
    const found = await prometheus.query('sum(rate(vexil_http_request_duration_seconds_count{status="200"}[5m])) > 0');
    return found.length > 0;
  });
  stored = new Set(await prometheus.get<string[]>('label/__name__/values'));
}, 1_800_000);
afterAll(async () => {
  await prometheus?.stop();
  await replica?.stop();
});

const metricsIn = (query: string) => selectorsIn(query).map(({ metric }) => metric);

test('the target is up, and has all labels that the dashboard chooses by', async () => {
  const [target] = await prometheus.query('up');
  expect(target?.metric).toMatchObject({ job: 'vexil', namespace: 'vexil-system', pod: 'vexil-0' });
  expect(target?.value[1]).toBe('1');
});

test.each(dashboardQueries())('%s', async (query) => {
  const found = await prometheus.query(query);
  // Of what has not happened yet there are no series; and of series that exist a label may say that nothing fits.
  const narrow = /"5\.\."|route=~/.test(query);
  if (!narrow && metricsIn(query).every((metric) => stored.has(metric))) expect(found.length).toBeGreaterThan(0);
  for (const { value } of found) expect(value[1]).toMatch(/^[+-]?(\d|Inf|NaN)/);
});

test('most queries have data', () => {
  const answered = dashboardQueries().filter((query) => metricsIn(query).every((metric) => stored.has(metric)));
  expect(answered.length).toBeGreaterThan(dashboardQueries().length / 2);
});

test('every alert is evaluated without an error, and a healthy operator makes none fire', async () => {
  const evaluated = await waitUntil({ what: 'the rules are evaluated' }, async () => {
    const { groups } = await prometheus.get<{ groups: readonly { rules: readonly Rule[] }[] }>('rules');
    const rules = groups.flatMap((group) => group.rules);
    return rules.length > 0 && rules.every(({ health }) => health !== 'unknown') && rules;
  });
  expect(evaluated.map(({ name }) => name)).toEqual(shippedAlerts().map(({ alert }) => alert));
  for (const { name, health, lastError } of evaluated)
    expect([name, health, lastError]).toEqual([name, 'ok', undefined]);
  expect(evaluated.filter(({ state }) => state === 'firing')).toEqual([]);
});

test('a query that Prometheus does not read would be found', async () => {
  await expect(prometheus.query('sum(vexil_leader')).rejects.toThrow('parse error');
});
