/**
 * Alerts and dashboard use metrics that an operator really serves, and each alert has its section in
 * docs/operations.md.
 */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { shippedAlerts } from '../support/alert-rules.ts';
import { makeCertificate, mountSecret } from '../support/certificate.ts';
import { sharedCluster } from '../support/cluster.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { dashboardQueries } from '../support/dashboard.ts';
import { flagsDirectly } from '../support/fault-proxy/flags-directly.ts';
import { selectorsIn } from '../support/promql.ts';
import { type Replica, replicaKubeconfig, startReplica } from '../support/replica.ts';

const root = new URL('../../', import.meta.url);
const read = (path: string) => readFile(new URL(path, root), 'utf8');

const alerts = shippedAlerts();
const page = await read('docs/operations.md');

/** Labels that the scraping Prometheus adds. */
const SCRAPED = ['job', 'instance', 'namespace', 'pod', 'service', 'endpoint', 'container'];
/** Metrics that Prometheus itself adds. */
const PROMETHEUS = ['up'];

const cluster = sharedCluster();
let replica: Replica;
/** The labels of each served series, by its name. */
let served: ReadonlyMap<string, ReadonlySet<string>>;

beforeAll(async () => {
  const home = await cluster.freshNamespace('alerts');
  const secret = await mountSecret(await makeCertificate());
  const settings = { VEXIL_TLS_CERT_FILE: secret.certFile, VEXIL_TLS_KEY_FILE: secret.keyFile };
  replica = await startReplica({ kubeconfig: await replicaKubeconfig(cluster, home), home, settings });
  const flags = flagsDirectly(cluster.kubeconfig, home);
  await flags.apply('Project', 'shop', {});
  flags.close();
  await waitUntil({ what: 'it leads, and has judged something' }, async () => {
    const runs = await replica.metric('vexil_reconcile_duration_seconds_count{kind="Project",result="success"}');
    return runs > 0;
  });
  served = namesIn(await replica.metricsPage());
  await secret.remove();
});
afterAll(() => replica?.stop());

/** A metric without a value has a type too. */
function namesIn(text: string): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  const add = (name: string, labels: readonly string[]) =>
    found.set(name, new Set([...(found.get(name) ?? []), ...labels]));
  for (const [, name = '', type] of text.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
    for (const suffix of type === 'histogram' ? ['_bucket', '_sum', '_count'] : ['']) add(name + suffix, []);
  }
  for (const [, name = '', labels = ''] of text.matchAll(/^([a-z_]+)(?:\{([^}]*)\})? \S+$/gm)) {
    add(
      name,
      [...labels.matchAll(/(\w+)="/g)].map(([, label = '']) => label),
    );
  }
  return found;
}

function complaintsAbout(expression: string): readonly string[] {
  return selectorsIn(expression).flatMap(({ metric, labels }) => {
    if (PROMETHEUS.includes(metric)) return [];
    const known = served.get(metric);
    if (!known) return [`${metric} is not a metric`];
    // The labels of a metric are unknown until its first value.
    const unknown = known.size === 0 ? [] : labels.filter((label) => !known.has(label) && !SCRAPED.includes(label));
    return unknown.map((label) => `${metric} has no label ${label}`);
  });
}

/** The anchors that GitHub makes of the headings. */
const anchors = [...page.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w -]/g, '')
    .replaceAll(' ', '-'),
);
const kebab = (name: string) => name.replaceAll(/(?<=.)(?=[A-Z])/g, '-').toLowerCase();

describe.each(alerts)('$alert', ({ alert, expr, labels, annotations }) => {
  test('uses existing metrics', () => {
    expect(selectorsIn(expr).length).toBeGreaterThan(0);
    expect(complaintsAbout(expr)).toEqual([]);
  });

  test('has a severity, a text, and a section with instructions', () => {
    expect(['critical', 'warning', 'info']).toContain(labels?.severity);
    expect(annotations).toMatchObject({
      summary: expect.stringMatching(/\S/),
      description: expect.stringMatching(/\S/),
    });
    expect(annotations?.['runbook_url']).toMatch(new RegExp(`docs/operations\\.md#${kebab(alert)}$`));
    expect(anchors).toContain(kebab(alert));
  });
});

test('every alert in the page exists', () => {
  const explained = anchors.slice(anchors.indexOf('alerts') + 1);
  expect(explained.toSorted()).toEqual(alerts.map(({ alert }) => kebab(alert)).toSorted());
});

test('every link of the page to one of its sections has a target', () => {
  const wanted = [...page.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor]) => anchor);
  for (const anchor of wanted) expect(anchors).toContain(anchor);
});

test('the dashboard uses existing metrics', () => {
  const expressions = dashboardQueries();
  expect(expressions.length).toBeGreaterThan(5);
  expect(expressions.flatMap(complaintsAbout)).toEqual([]);
});

test('the test detects an expression with other metrics, and an invalid one', () => {
  expect(complaintsAbout('sum(vexil_leaders) > rate(vexil_leader{job="a"}[5m])')).toEqual([
    'vexil_leaders is not a metric',
  ]);
  expect(complaintsAbout('max by (kind) (vexil_watch_age_seconds{plural="flags"})')).toEqual([
    'vexil_watch_age_seconds has no label plural',
  ]);
  expect(() => selectorsIn('sum(vexil_leader')).toThrow('not PromQL');
});
