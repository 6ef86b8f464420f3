/** Imports that cost too much, sent to an operator with the memory of the chart: each is refused, and nobody else waits. */
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { footprintOf } from '../perf/scale/footprint.ts';
import { type Answer, adminClient, type Call, type CallOptions } from '../support/admin-client.ts';
import { environmentOfChart } from '../support/chart/environment-of-chart.ts';
import { sharedCluster } from '../support/cluster.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { withLittleMemory } from '../support/little-memory.ts';
import { type OperatorProgram, startOperatorProgram } from '../support/operator-program.ts';
import { grantOperatorRoles } from '../support/operator-roles.ts';
import { readMetric } from '../support/read-metric.ts';

/** The limit of charts/vexil/values.yaml. */
const LIMIT_MIB = 768;
/** Of the largest document, with some room for a machine that does other things beside. */
const LONGEST_HOLD_SECONDS = 0.5;

const cluster = sharedCluster();
const undo: (() => unknown)[] = [];
let operator: OperatorProgram;
let call: Call;
let opsUrl: string;
let ending: unknown;

beforeAll(async () => {
  const home = await cluster.freshNamespace('state-bounds');
  const { node, nodeOptions } = await withLittleMemory(LIMIT_MIB, (step) => undo.push(step));
  operator = startOperatorProgram({
    ...(node !== undefined && { node }),
    nodeOptions,
    settings: {
      ...(await environmentOfChart(home, { settings: { VEXIL_AUTH: 'none' } })),
      MALLOC_ARENA_MAX: '2',
      KUBECONFIG: await grantOperatorRoles(cluster, home, []),
    },
  });
  void operator.ended.then((end) => {
    ending = end;
  });
  const { httpPort, opsPort } = await operator.listening;
  call = adminClient(`http://127.0.0.1:${httpPort}`);
  opsUrl = `http://127.0.0.1:${opsPort}`;
  await waitUntil({ what: 'the operator is ready' }, async () => (await fetch(`${opsUrl}/readyz`)).ok);
});
afterAll(async () => {
  await operator?.stop();
  for (const step of undo.reverse()) await step();
});

const IMPORT = 'POST /state/import?dryRun=true';

/** The longest that the operator did nothing else since this was asked before. */
const longestHold = () => readMetric(opsUrl, 'nodejs_eventloop_lag_max_seconds');

async function expectUnharmed(): Promise<void> {
  expect(ending, 'the operator ended').toBeUndefined();
  expect((await footprintOf(operator.pid)).peakMb).toBeLessThan(LIMIT_MIB);
  expect(await longestHold()).toBeLessThan(LONGEST_HOLD_SECONDS);
}

async function send(options: CallOptions): Promise<Answer> {
  const answer = await call(IMPORT, options);
  await expectUnharmed();
  return answer;
}

const json = (text: string): CallOptions => ({ body: text });
const yaml = (text: string): CallOptions => ({ body: text, headers: { 'content-type': 'application/yaml' } });
const packed = (body: Buffer, encoding: string, type = 'application/yaml'): CallOptions => ({
  body,
  headers: { 'content-type': type, 'content-encoding': encoding },
});
const form = (text: string, name: string): CallOptions => ({
  body: `--x\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\n${text}\r\n--x--\r\n`,
  headers: { 'content-type': 'multipart/form-data; boundary=x' },
});

const list = (count: number, item: (index: number) => string) =>
  Array.from({ length: count }, (_, n) => item(n)).join();
const many = list(1_730_000, () => '{}');
const manyAsYaml = `version: 4\nx: [${many}]\n`;
const manyAsJson = `{"version":4,"x":[${many}]}`;
const keys = `{${list(430_000, (n) => `"k${n}":0`)}}`;

describe('more values than are read', () => {
  test.each<[string, CallOptions]>([
    ['YAML in 5 kB of gzip', packed(gzipSync(manyAsYaml), 'gzip')],
    ['YAML as br', packed(brotliCompressSync(manyAsYaml), 'br')],
    ['YAML as deflate', packed(deflateSync(manyAsYaml), 'deflate')],
    ['YAML as it is', yaml(manyAsYaml)],
    ['YAML in a form', form(manyAsYaml, 'x.yaml')],
    ['YAML of short lines', yaml(`x:\n${'- 1\n'.repeat(1_300_000)}`)],
    ['JSON in gzip', packed(gzipSync(manyAsJson), 'gzip', 'application/json')],
    ['JSON as it is', json(manyAsJson)],
    ['JSON in a form', form(manyAsJson, 'x.json')],
    ['many keys', json(keys)],
    ['many keys as YAML', yaml(keys)],
  ])('%s: 413', async (_, options) => {
    const { status, body } = await send(options);
    expect([status, body.name]).toEqual([413, 'PayloadTooLargeError']);
    expect(body.message).toMatch(/^The body has more than 327680 values, .* Send it in parts/);
  });

  test('six at once: one after the other', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => call(IMPORT, json(manyAsJson))));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([413]));
    await expectUnharmed();
  });
});
