/** Herds of clients at the edge: 10,000 streams over two edges, a restart, and clients that do not read. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ChildProgram, startProgram } from '../../perf/child-program.ts';
import { footprintOf } from '../../perf/scale/footprint.ts';
import type { AllHave, ReadersQuestion } from '../../perf/streams/readers.ts';
import type { Rushed, RushQuestion } from '../../perf/streams/rush.ts';
import { aFlag } from '../../support/builders.ts';
import { freePorts } from '../../support/control-plane/ports.ts';
import { waitUntil } from '../../support/control-plane/wait-until.ts';
import { type EdgeProgram, startEdgeProgram } from '../../support/edge-program.ts';
import { type Instance, startInstance } from '../../support/instance.ts';
import { readMetric } from '../../support/read-metric.ts';
import { startScriptedUpstream } from '../../support/scripted-upstream.ts';
import { tokenValue } from '../../support/sdk-world.ts';

const PATH = '/api/client/streaming';
const FLAGS = 20;
const TOKEN = '*:production.0123456789abcdef0123456789';
let instance: Instance;
let token: string;
const edges: EdgeProgram[] = [];
const programs: ChildProgram<object, unknown>[] = [];

beforeAll(async () => {
  instance = await startInstance('soak-edge-herd', { settings: { VEXIL_AUTH: 'token' } });
  token = await tokenValue(instance, 'backend');
  for (let number = 0; number < FLAGS; number += 1) await change(`before-${number}`, number);
});
afterAll(async () => {
  for (const program of programs) await program.stop();
  for (const edge of edges) await edge.end('SIGKILL');
  await instance.stop();
});

const change = (description: string, number = 0) =>
  instance.apply(
    aFlag(`${instance.home}/flag-${number}`, {
      description,
      environments: { production: { enabled: true, strategies: { all: { name: 'default' } } } },
    }),
  );

async function startOne(settings: Readonly<Record<string, string>> = {}): Promise<EdgeProgram> {
  const edge = await startEdgeProgram({ UPSTREAM_URL: instance.url, TOKENS: token, ...settings });
  edges.push(edge);
  await waitUntil({ what: 'the edge is ready' }, async () => (await fetch(`${edge.url}/ready`)).ok);
  return edge;
}

function startClients<Question extends object, Answer>(file: string): ChildProgram<Question, Answer> {
  const program = startProgram<Question, Answer>(file);
  programs.push(program);
  return program;
}

const portOf = ({ url }: EdgeProgram) => Number(new URL(url).port);

test('a change reaches the last of 10,000 streams over two edges within a second', async () => {
  const pairs = await Promise.all(
    [0, 1].map(async () => ({
      edge: await startOne(),
      readers: startClients<ReadersQuestion, AllHave>('streams/readers.ts'),
    })),
  );
  for (const { edge, readers } of pairs) await readers.ask({ open: 5_000, port: portOf(edge), path: PATH, token });
  const tookMs: number[] = [];
  for (const description of ['one', 'two', 'three', 'four', 'five'].map((name) => `change-${name}`)) {
    const sentAt = performance.timeOrigin + performance.now();
    const all = Promise.all(pairs.map(({ readers }) => readers.ask({ text: description })));
    await change(description);
    tookMs.push(Math.max(...(await all).map(({ lastAt }) => lastAt)) - sentAt);
  }
  const memory = await Promise.all(pairs.map(({ edge }) => footprintOf(edge.pid)));
  process.stderr.write(`last of 10,000 streams after ${tookMs.map(Math.round)} ms; ${JSON.stringify(memory)}\n`);
  expect(Math.max(...tookMs)).toBeLessThan(1_000);
  for (const { edge, readers } of pairs) {
    await readers.stop();
    await edge.end('SIGTERM');
  }
});

const LIMITS = { VEXIL_EDGE_MAX_STREAMS: '6000', VEXIL_EDGE_MAX_CONNECTIONS: '6500' };

test('10,000 clients that come back at once after a restart get a place or a time to come back, and keep it', async () => {
  const [port = 0] = await freePorts(1);
  const first = await startOne({ ...LIMITS, PORT: `${port}` });
  const rush = async (clients: number) => {
    const halves = [0, 1].map(() => startClients<RushQuestion, Rushed>('streams/rush.ts'));
    const coming = { clients: clients / 2, port, path: PATH, token, areReading: true };
    return { halves, rushed: await Promise.all(halves.map((half) => half.ask(coming))) };
  };
  const before = await rush(4_000);
  expect(before.rushed.map(({ open }) => open)).toEqual([2_000, 2_000]);
  await first.end('SIGKILL');
  const second = await startOne({ ...LIMITS, PORT: `${port}` });
  const { halves, rushed } = await rush(10_000);
  const sum = (of: (one: Rushed) => number, all = rushed) => all.reduce((total, one) => total + of(one), 0);
  process.stderr.write(`rush: ${JSON.stringify(rushed)}; ${JSON.stringify(await footprintOf(second.pid))}\n`);
  expect(sum(({ open }) => open)).toBe(6_000);
  expect(sum(({ refused }) => (refused['429'] ?? 0) + (refused['503'] ?? 0))).toBe(4_000);
  expect(sum(({ withoutRetryAfter, dropped }) => withoutRetryAfter + dropped)).toBe(0);
  const all = Promise.all(halves.map((half) => half.ask({ text: 'after-the-rush' })));
  await change('after-the-rush');
  expect(sum(({ open }) => open, await all)).toBe(6_000);
  expect(sum(({ closed }) => closed, await all)).toBe(0);
  expect((await footprintOf(second.pid)).peakMb).toBeLessThan(450);
});

/** More than the system takes for a client that does not read. */
function largeDocument(): string {
  const values = Array.from({ length: 4_000 }, (_, number) => `user-${number}`.padEnd(12, 'x'));
  const strategies = [{ name: 'default', constraints: [{ contextName: 'userId', operator: 'IN', values }] }];
  const features = Array.from({ length: 200 }, (_, number) => ({ name: `flag-${number}`, enabled: true, strategies }));
  return JSON.stringify({ version: 2, features });
}

test('clients that do not read are closed, and take no memory of the edge', async () => {
  const upstream = await startScriptedUpstream();
  upstream.tokens.add(TOKEN);
  const text = largeDocument();
  upstream.answer(({ headers }, response) => {
    if (headers['if-none-match'] === '"same"') response.writeHead(304).end();
    else response.setHeader('ETag', '"same"').end(text);
  });
  const edge = await startOne({ UPSTREAM_URL: upstream.url, TOKENS: TOKEN });
  const slow = startClients<RushQuestion, Rushed>('streams/rush.ts');
  const coming = { clients: 1, port: portOf(edge), path: PATH, token: TOKEN, areReading: false };
  expect((await slow.ask(coming)).open).toBe(1);
  const withOne = await footprintOf(edge.pid);
  expect((await slow.ask({ ...coming, clients: 100 })).open).toBe(101);
  const closed = () => readMetric(`${edge.url}/internal-backstage`, 'vexil_sdk_streams_closed_total{reason="slow"}');
  await waitUntil({ what: 'all are closed', everyMs: 500, timeoutMs: 90_000 }, async () => (await closed()) === 101);
  const after = await footprintOf(edge.pid);
  process.stderr.write(`clients that do not read: ${JSON.stringify({ withOne, after })}\n`);
  // A copy for each would be 1,200 MiB.
  expect(after.peakMb).toBeLessThan(withOne.peakMb + 200);
  await upstream.stop();
});
