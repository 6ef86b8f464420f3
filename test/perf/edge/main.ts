/**
 * Measures the edge beside bare Express, and beside a real Unleash Edge if VEXIL_BENCH_EDGE names its binary:
 * `node test/perf/edge/main.ts`.
 */
import { parseArgs } from 'node:util';
import type { BareRoutes } from '../bare-express.ts';
import { type ChildProgram, startProgram } from '../child-program.ts';
import { compare, medianRound } from '../compare.ts';
import type { Load, Measured } from '../load.ts';
import { describeLoad, describeMachine, describeRow } from '../report.ts';
import { type Row, readResult } from '../rows.ts';
import { runBench, type Undo } from '../run-bench.ts';
import {
  CLIENT_TOKEN,
  type Contestant,
  FLAGS,
  FRONTEND_TOKEN,
  startOurs,
  startTheirs,
  startUpstream,
} from './contestants.ts';

const ROUND_MS = 2_000;
const POLL = '/api/client/features';
/** What browsers poll, and what other programs ask for all flags. */
const EVALUATION = '/api/frontend?sessionId=1&userId=ada@example.com';
const EVALUATION_OF_ALL = EVALUATION.replace('frontend', 'frontend/all');

interface Bench {
  readonly generator: ChildProgram<Load, Measured>;
  readonly rounds: number;
  readonly edges: readonly Contestant[];
  readonly undoLater: (undo: Undo) => void;
}

interface Asking extends Pick<Load, 'path' | 'connections'> {
  readonly title: string;
  readonly token: string;
  /** The least multiple of the requests per second of Unleash Edge. */
  readonly ofUnleashEdge: number;
  /** The aim without Unleash Edge. */
  readonly alone: Row['aim'];
  /** Whether the caller has the present flags. */
  readonly isUnchanged?: true;
}

const askings: readonly Asking[] = [
  {
    ...{ title: 'Poll of an SDK', path: POLL, token: CLIENT_TOKEN, connections: 8 },
    ...{ ofUnleashEdge: 3, alone: { throughputAtLeast: 0.5 } },
  },
  {
    ...{ title: 'The same, answered 304', path: POLL, token: CLIENT_TOKEN, connections: 32 },
    ...{ ofUnleashEdge: 1, alone: { throughputAtLeast: 0.6 }, isUnchanged: true },
  },
  ...[
    { title: 'Evaluation for one user', path: EVALUATION },
    { title: 'Evaluation for another user each time', path: EVALUATION.replace('ada', 'user-{n}') },
    { title: 'Evaluation with the flags that are off, for one user', path: EVALUATION_OF_ALL },
    { title: 'The same, another user each time', path: EVALUATION_OF_ALL.replace('ada', 'user-{n}') },
  ].map((asking) => ({
    ...asking,
    ...{ token: FRONTEND_TOKEN, connections: 8, ofUnleashEdge: 2, alone: { throughputAtLeast: 0.15 } },
  })),
];

async function measure(bench: Bench, asking: Asking): Promise<Row> {
  const { edges, generator, rounds } = bench;
  const [ours] = edges;
  if (!ours) throw new Error('there is no edge');
  const answer = await answerOf(ours, asking);
  const express = startProgram<BareRoutes, number>('bare-express.ts');
  const [route = ''] = asking.path.split('?');
  const port = await express.ask({ etag: true, bodies: [{ route, body: answer.body }] });
  const sides = await Promise.all(
    [...edges, { name: 'bare Express', port }].map(async (one) => {
      const { tag } = await answerOf(one, asking);
      const headers = { Authorization: asking.token, ...(asking.isUnchanged && { 'If-None-Match': tag }) };
      const { path, connections } = asking;
      const load = { port: one.port, path, connections, headers, durationMs: ROUND_MS };
      return { name: one.name, measure: () => generator.ask(load) };
    }),
  );
  const measured = await compare(sides, rounds);
  await express.stop();
  const title = `${asking.title}, ${FLAGS} flags, ${answer.body.length} bytes, ${asking.connections} connections`;
  return {
    title,
    ...readResult(measured),
    aim: edges.length > 1 ? { throughputAtLeast: asking.ofUnleashEdge } : asking.alone,
  };
}

async function answerOf({ name, port }: Contestant, { path, token }: Asking) {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { Authorization: token } });
  if (!answer.ok) throw new Error(`${name} answers ${path} with ${answer.status}`);
  return { body: Buffer.from(await answer.arrayBuffer()), tag: answer.headers.get('etag') ?? '' };
}

/** The p99 must not be worse than that of Unleash Edge. */
function compareP99({ sides: [ours, theirs] }: Row): string {
  if (!theirs) return '';
  const [us, them] = [medianRound(ours).p99Ms, medianRound(theirs).p99Ms];
  return `  p99 ${us.toFixed(2)} ms against ${them.toFixed(2)} ms of ${theirs.name}\n`;
}

await runBench({
  usage: 'Usage: [VEXIL_BENCH_EDGE=…/unleash-edge] node test/perf/edge/main.ts [--rounds N]',
  readOptions() {
    const { rounds } = parseArgs({ options: { rounds: { type: 'string', default: '5' } } }).values;
    if (!/^[1-9]\d?$/.test(rounds)) throw new Error(`--rounds must be from 1 to 99, not ${rounds}`);
    return { rounds: Number(rounds), binary: process.env['VEXIL_BENCH_EDGE'] };
  },
  async run({ rounds, binary }, undoLater) {
    process.stdout.write(`${describeMachine()}\n`);
    if (!binary) process.stdout.write('VEXIL_BENCH_EDGE names no binary: Unleash Edge is not measured\n');
    const upstreamUrl = await startUpstream(undoLater);
    const ours = await startOurs(upstreamUrl, undoLater);
    const others = binary ? [await startTheirs(binary, { upstreamUrl, undoLater })] : [];
    const generator = startProgram<Load, Measured>('load.ts');
    undoLater(generator.stop);
    for (const asking of askings) {
      const row = await measure({ generator, rounds, edges: [ours, ...others], undoLater }, asking);
      process.stdout.write(`\n${describeRow(row)}${compareP99(row)}`);
    }
    process.stdout.write(`${describeLoad()}\n`);
  },
});
