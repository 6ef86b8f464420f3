/** Alerts and dashboard of the edge use metrics that an edge really serves, and each alert has its section. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { keptClient } from '../../perf/kept-client.ts';
import { shippedAlerts } from '../../support/alert-rules.ts';
import { makeCertificate, mountSecret } from '../../support/certificate.ts';
import { waitUntil } from '../../support/control-plane/wait-until.ts';
import { dashboardQueries } from '../../support/dashboard.ts';
import { type RunningEdge, startEdge } from '../../support/running-edge.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../../support/scripted-upstream.ts';
import { complaintsAbout, metricsIn } from '../../support/served-metrics.ts';

const TOKEN = '*:production.0123456789abcdef0123456789';
const PAGE = 'docs/install-edge.md';
const alerts = shippedAlerts('edge');
let upstream: ScriptedUpstream;
let edge: RunningEdge;
let served: ReturnType<typeof metricsIn>;

/** Asks for flags, reports a use, and has one answer of the upstream refused, so that the metrics have labels. */
beforeAll(async () => {
  const certificate = await makeCertificate();
  const secret = await mountSecret(certificate);
  upstream = await startScriptedUpstream();
  upstream.tokens.add(TOKEN);
  edge = await startEdge({
    ...{ UPSTREAM_URL: upstream.url, TOKENS: TOKEN },
    ...{ TLS_SERVER_CERT: secret.certFile, TLS_SERVER_KEY: secret.keyFile },
  });
  const url = edge.url.replace('http:', 'https:');
  const client = keptClient({ url, ca: Buffer.from(certificate.cert), headers: { Authorization: TOKEN } });
  const read = (path: string) => client.call({ method: 'GET', path: `/internal-backstage${path}` });
  await waitUntil({ what: 'the upstream has failed', everyMs: 20 }, async () => {
    const { bytes } = await read('/metrics');
    return /^vexil_edge_upstream_failures_total\{/m.test(bytes.toString());
  });
  upstream.serve('one');
  await waitUntil({ what: 'the edge has flags', everyMs: 20 }, () =>
    read('/ready').then(
      () => true,
      () => false,
    ),
  );
  await client.call({ method: 'GET', path: '/api/client/features' });
  served = metricsIn((await read('/metrics')).bytes.toString());
  client.close();
  await secret.remove();
});
afterAll(async () => {
  await edge.stop();
  await upstream.stop();
});

const complaints = (expression: string) => complaintsAbout(expression, served);

describe.each(alerts)('$alert', ({ alert, expr, labels, annotations }) => {
  test('uses existing metrics, and has a severity, a text, and a section with instructions', async () => {
    expect(complaints(expr)).toEqual([]);
    expect(['critical', 'warning', 'info']).toContain(labels?.severity);
    expect(annotations).toMatchObject({ summary: expect.any(String), description: expect.any(String) });
    const anchor = alert.replaceAll(/(?<=.)(?=[A-Z])/g, '-').toLowerCase();
    expect(annotations?.['runbook_url']).toBe(`${PAGE}#${anchor}`);
    const page = await readFile(new URL(`../../../${PAGE}`, import.meta.url), 'utf8');
    const headings = [...page.matchAll(/^### (.*)$/gm)].map(([, heading = '']) => heading.toLowerCase());
    expect(headings).toContain(anchor.replaceAll('-', ' '));
  });
});

test('every query of the dashboard uses existing metrics', () => {
  const queries = dashboardQueries('edge');
  expect(queries.length).toBeGreaterThan(10);
  expect(queries.flatMap(complaints)).toEqual([]);
  expect(complaints('vexil_ready')).toEqual(['vexil_ready is not a metric']);
});
