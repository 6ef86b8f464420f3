/**
 * Alerts and dashboard use metrics that an operator really serves, and each alert has its section in
 * docs/operations.md.
 */
import { generateKeyPairSync } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { shippedAlerts } from '../support/alert-rules.ts';
import { makeCertificate, mountSecret } from '../support/certificate.ts';
import { sharedCluster } from '../support/cluster.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { dashboardQueries } from '../support/dashboard.ts';
import { flagsDirectly } from '../support/fault-proxy/flags-directly.ts';
import { selectorsIn } from '../support/promql.ts';
import { type Replica, replicaKubeconfig, startReplica } from '../support/replica.ts';
import { complaintsAbout, metricsIn } from '../support/served-metrics.ts';

const root = new URL('../../', import.meta.url);
const read = (path: string) => readFile(new URL(path, root), 'utf8');

const alerts = shippedAlerts('operator');
const page = await read('docs/operations.md');

const cluster = sharedCluster();
let replica: Replica;
let served: ReturnType<typeof metricsIn>;

beforeAll(async () => {
  const home = await cluster.freshNamespace('alerts');
  const secret = await mountSecret(await makeCertificate());
  const { privateKey } = generateKeyPairSync('ed25519');
  const signing = await mountSecret({ cert: '', key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() });
  const settings = {
    VEXIL_TLS_CERT_FILE: secret.certFile,
    VEXIL_TLS_KEY_FILE: secret.keyFile,
    // A file that the API server has not made yet.
    VEXIL_AUDIT_LOG_FILE: `${secret.certFile}.log`,
    VEXIL_HISTORY_SIGNING_KEY_FILE: signing.keyFile,
    VEXIL_HISTORY_EXPORT_URL: `file://${dirname(signing.keyFile)}`,
  };
  replica = await startReplica({ kubeconfig: await replicaKubeconfig(cluster, home), home, settings });
  const flags = flagsDirectly(cluster.kubeconfig, home);
  await flags.apply('Project', 'shop', {});
  flags.close();
  await waitUntil({ what: 'it leads, and has judged something' }, async () => {
    const runs = await replica.metric('vexil_reconcile_duration_seconds_count{kind="Project",result="success"}');
    return runs > 0;
  });
  served = metricsIn(await replica.metricsPage());
  await Promise.all([secret.remove(), signing.remove()]);
});
afterAll(() => replica?.stop());

const complaints = (expression: string) => complaintsAbout(expression, served);

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
    expect(complaints(expr)).toEqual([]);
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
  const expressions = dashboardQueries('operator');
  expect(expressions.length).toBeGreaterThan(5);
  expect(expressions.flatMap(complaints)).toEqual([]);
});

test('the test detects an expression with other metrics, and an invalid one', () => {
  expect(complaints('sum(vexil_leaders) > rate(vexil_leader{job="a"}[5m])')).toEqual(['vexil_leaders is not a metric']);
  expect(complaints('max by (kind) (vexil_watch_age_seconds{plural="flags"})')).toEqual([
    'vexil_watch_age_seconds has no label plural',
  ]);
  expect(() => selectorsIn('sum(vexil_leader')).toThrow('not PromQL');
});
