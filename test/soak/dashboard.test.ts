/** A real Prometheus scrapes a real operator, and answers each query of the dashboard and of the alerts. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { adminClient } from '../support/admin-client.ts';
import { RULE_FILES, shippedAlerts } from '../support/alert-rules.ts';
import { type Cluster, sharedCluster } from '../support/cluster.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { dashboardQueries } from '../support/dashboard.ts';
import { type OpenedStream, openStream } from '../support/event-stream.ts';
import { flagsDirectly } from '../support/fault-proxy/flags-directly.ts';
import { type Replica, replicaKubeconfig, startReplica } from '../support/replica.ts';
import { tokensDirectly } from '../support/tokens-directly.ts';
import { type Prometheus, startPrometheus } from '../support/tools/prometheus.ts';

/** The settings of the operator that receives the requests. */
const TRAFFIC_SETTINGS = { VEXIL_USAGE_FLUSH_INTERVAL: '200ms' };

interface Traffic {
  /** Polls and reports of an SDK, and changes of a flag. */
  round(): Promise<void>;
  end(): void;
}

const FLAG = '/projects/shop/features/checkout';
const CHANGES = '/api/admin/changes';

/**
 * Sends an alert, opens and closes a stream of each kind, and leaves one of each open. The operator requires no token.
 */
async function startTraffic(cluster: Cluster, home: string, url: string): Promise<Traffic> {
  const call = adminClient(url);
  const token = await prepare(cluster, home);
  await waitUntil({ what: 'the flag is served' }, async () => (await call(`GET ${FLAG}`)).status === 200);
  const open = async (path?: string): Promise<OpenedStream> => openStream(url, { token, ...(path && { path }) });
  const streams = await Promise.all([open(), open(CHANGES)]);
  for (const stream of await Promise.all([open(), open(CHANGES)])) stream.close();
  const labels = { alertname: 'Errors', vexil_flag: 'checkout', vexil_environment: 'production' };
  const alert = {
    ...{ status: 'firing', startsAt: '2026-03-01T09:30:00.000Z', fingerprint: 'c0ffee', labels },
    annotations: { vexil_action: 'off' },
  };
  expect((await call('POST /alerts', { body: { version: '4', alerts: [alert] } })).status).toBe(200);

  const sdk = async (path: string, body?: string): Promise<number> => {
    const headers = { authorization: token, 'content-type': 'application/json' };
    const options = body === undefined ? { headers } : { method: 'POST', headers, body };
    const answer = await fetch(`${url}/api/client/${path}`, options);
    await answer.body?.cancel();
    return answer.status;
  };
  let rounds = 0;
  return {
    async round() {
      rounds += 1;
      const toggles = { checkout: { yes: 2, no: 1, variants: {} } };
      const [start, stop] = [new Date(Date.now() - 1000), new Date()];
      const report = { appName: 'shop', instanceId: 'shop-1', bucket: { start, stop, toggles } };
      expect(await sdk('features')).toBe(200);
      expect(await sdk('metrics', JSON.stringify(report))).toBe(202);
      await sdk('metrics', 'not JSON');
      const body = [{ op: 'replace', path: '/description', value: `round ${rounds}` }];
      expect((await call(`PATCH ${FLAG}`, { body })).status).toBe(200);
    },
    end() {
      for (const stream of streams) stream.close();
    },
  };
}

/** Creates a flag that is on, and the token of an SDK. */
async function prepare({ kubeconfig }: Cluster, home: string): Promise<string> {
  const flags = flagsDirectly(kubeconfig, home);
  await flags.apply('Environment', 'production', {});
  await flags.apply('Project', 'shop', {});
  const production = { enabled: true, strategies: { all: { name: 'default' } } };
  await flags.apply('FeatureFlag', 'checkout', { project: 'shop', environments: { production } });
  flags.close();
  const tokens = tokensDirectly(kubeconfig, home);
  await tokens.create('backend', { type: 'client', environment: 'production' });
  const token = await tokens.untilReady('backend');
  tokens.close();
  return token;
}

interface Rule {
  readonly name: string;
  readonly health: string;
  readonly state: string;
  readonly lastError?: string;
}

const cluster = sharedCluster();
let replica: Replica;
let prometheus: Prometheus;
let traffic: Traffic;

/** Parts of queries that have no data while nothing fails, because a series begins with its first event. */
const WITHOUT_DATA: Readonly<Record<string, string>> = {
  'vexil_watch_failures_total{': 'no watch breaks',
  'vexil_audit_failures_total{': 'the archive and the API server answer',
  'status=~"5.."': 'no request fails',
};
const needsData = (query: string) => !Object.keys(WITHOUT_DATA).some((part) => query.includes(part));

/** The configuration in docs/operations.md: a job named vexil, with the labels that the chart's ServiceMonitor sets. */
const config = (opsPort: number): string => `
global: { scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s }
rule_files: [${RULE_FILES.operator}]
scrape_configs:
- job_name: vexil
  static_configs:
  - targets: ['127.0.0.1:${opsPort}']
    labels: { namespace: vexil-system, pod: vexil-0 }
`;

beforeAll(async () => {
  const home = await cluster.freshNamespace('dashboard');
  const kubeconfig = await replicaKubeconfig(cluster, home);
  replica = await startReplica({ kubeconfig, home, settings: TRAFFIC_SETTINGS });
  traffic = await startTraffic(cluster, home, replica.url);
  const { opsPort } = await replica.listening;
  prometheus = await startPrometheus(config(opsPort));
  const hasData = async (query: string) => (await prometheus.query(query)).length > 0;
  await waitUntil({ what: 'Prometheus has data', timeoutMs: 60_000, everyMs: 500 }, async () => {
    await traffic.round();
    return (await Promise.all(dashboardQueries('operator').filter(needsData).map(hasData))).every(Boolean);
    // The tests below name the queries that have no data.
  }).catch(() => undefined);
}, 1_800_000);
afterAll(async () => {
  traffic?.end();
  await prometheus?.stop();
  await replica?.stop();
});

test('the target is up, and has all labels that the dashboard selects', async () => {
  const [target] = await prometheus.query('up');
  expect(target?.metric).toMatchObject({ job: 'vexil', namespace: 'vexil-system', pod: 'vexil-0' });
  await expect.poll(async () => (await prometheus.query('up'))[0]?.value[1]).toBe('1');
});

test.each(dashboardQueries('operator'))('%s', async (query) => {
  const found = await prometheus.query(query);
  if (needsData(query)) expect(found.length).toBeGreaterThan(0);
  for (const { value } of found) expect(value[1]).toMatch(/^[+-]?(\d|Inf|NaN)/);
});

test.each(Object.entries(WITHOUT_DATA))('a query has %s, and no data because %s', (part) => {
  expect(dashboardQueries('operator').filter((query) => query.includes(part)).length).toBeGreaterThan(0);
});

test('every alert is evaluated without an error, and none fires for a healthy operator', async () => {
  const evaluated = await waitUntil({ what: 'the rules are evaluated' }, async () => {
    const { groups } = await prometheus.get<{ groups: readonly { rules: readonly Rule[] }[] }>('rules');
    const rules = groups.flatMap((group) => group.rules);
    return rules.length > 0 && rules.every(({ health }) => health !== 'unknown') && rules;
  });
  expect(evaluated.map(({ name }) => name)).toEqual(shippedAlerts('operator').map(({ alert }) => alert));
  for (const { name, health, lastError } of evaluated)
    expect([name, health, lastError]).toEqual([name, 'ok', undefined]);
  expect(evaluated.filter(({ state }) => state === 'firing')).toEqual([]);
});

test('the test detects a query that Prometheus does not accept', async () => {
  await expect(prometheus.query('sum(vexil_leader')).rejects.toThrow('parse error');
});
