/** Usage goes up: summed, kept while the upstream is away, and never counted twice. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { waitUntil } from '../../support/control-plane/wait-until.ts';
import { readMetric } from '../../support/read-metric.ts';
import { type RunningEdge, startEdge } from '../../support/running-edge.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../../support/scripted-upstream.ts';

const TOKEN = '*:production.0123456789abcdef0123456789';
let upstream: ScriptedUpstream;
let edge: RunningEdge;
const stops: (() => Promise<void>)[] = [];

beforeEach(async () => {
  upstream = await startScriptedUpstream();
  upstream.tokens.add(TOKEN);
  upstream.serve('one');
});
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
  await upstream.stop();
});

async function start(seconds: string, tokens = TOKEN): Promise<void> {
  edge = await startEdge({ UPSTREAM_URL: upstream.url, TOKENS: tokens, METRICS_INTERVAL_SECONDS: seconds });
  stops.push(edge.stop);
}

async function report(yes: number, token = TOKEN): Promise<void> {
  const bucket = { start: new Date(), stop: new Date(), toggles: { one: { yes, no: 0, variants: { red: yes } } } };
  const answer = await fetch(`${edge.url}/api/client/metrics`, {
    method: 'POST',
    headers: { authorization: token, 'content-type': 'application/json' },
    body: JSON.stringify({ appName: 'shop', instanceId: 'a', bucket }),
  });
  expect(answer.status).toBe(202);
}

const counted = () => upstream.reports.flatMap(({ metrics }) => metrics).reduce((sum, { yes }) => sum + yes, 0);

test('reports are summed by application, flag and hour, and sent when the edge stops', async () => {
  await start('3600');
  await report(2);
  await report(3);
  await stops.pop()?.();
  expect(upstream.reports.length).toBe(1);
  expect(upstream.reports[0]?.metrics).toMatchObject([
    { featureName: 'one', appName: 'shop', environment: 'production', yes: 5, no: 0, variants: { red: 5 } },
  ]);
});

test('the edge is named for single evaluations of a provider, and once for an application that reports', async () => {
  await start('3600');
  await report(2);
  const answer = await fetch(`${edge.url}/ofrep/v1/evaluate/flags/one`, {
    method: 'POST',
    headers: { authorization: TOKEN, 'content-type': 'application/json', 'unleash-appname': 'till' },
    body: '{"context":{"targetingKey":"7"}}',
  });
  expect(answer.status).toBe(200);
  await stops.pop()?.();
  const [sent] = upstream.reports;
  // Unleash refuses a whole report for an instance that is absent, or a version that is empty.
  expect(sent?.applications[1]).toMatchObject({ appName: 'till', instanceId: '' });
  expect(sent?.applications[1]).not.toHaveProperty('sdkVersion');
  const through = sent?.applications.map(({ appName, connectVia }) => [appName, connectVia]);
  const edges = [{ appName: 'vexil-edge', instanceId: expect.any(String) }];
  expect(through).toEqual([
    ['shop', edges],
    ['till', edges],
  ]);
});

test('what an upstream refuses for the moment, or does not answer at all, is sent later', async () => {
  await start('1');
  upstream.answerReports(503);
  await report(2);
  await waitUntil({ what: 'the report is refused', everyMs: 20 }, async () => upstream.reports.length > 0);
  await upstream.stop();
  await report(3);
  await waitUntil({ what: 'it is kept', everyMs: 20 }, async () =>
    edge.log.some(({ msg }) => msg === 'usage: cannot be sent, it is kept'),
  );
  upstream.reports.splice(0);
  upstream.answerReports(202);
  await upstream.restart();
  await waitUntil({ what: 'the report arrives', everyMs: 20 }, async () => counted() === 5);
});

test('a report whose answer is lost is not sent again, and counts as dropped', async () => {
  await start('1');
  upstream.answerReports(undefined);
  await report(4);
  await waitUntil({ what: 'the report has arrived', everyMs: 20 }, async () => upstream.reports.length === 1);
  upstream.answerReports(202);
  await report(1);
  await waitUntil({ what: 'the next report arrives', everyMs: 20 }, async () => upstream.reports.length === 2);
  expect(counted()).toBe(5);
  expect(await readMetric(`${edge.url}/internal-backstage`, 'vexil_edge_usage_dropped_evaluations_total')).toBe(4);
  expect(edge.log.filter(({ msg }) => String(msg).startsWith('usage: ')).map(({ msg }) => msg)).toEqual([
    'usage: report is lost',
  ]);
});

test('an edge that stops while it sends the usage of one scope sends that of the others too', async () => {
  const tokens = ['a', 'b'].map((project) => TOKEN.replace('*', project));
  for (const token of tokens) upstream.tokens.add(token);
  await start('1', tokens.join(','));
  const release = upstream.holdReports();
  for (const [index, token] of tokens.entries()) await report(index + 2, token);
  await waitUntil({ what: 'the first report arrives', everyMs: 20 }, async () => upstream.reports.length > 0);
  const stopped = stops.pop()?.();
  release();
  await stopped;
  expect(counted()).toBe(5);
});
