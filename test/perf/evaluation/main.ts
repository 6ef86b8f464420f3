/**
 * Measures the evaluation of many flags for one context, compared with the Node SDK: `node
 * test/perf/evaluation/main.ts`.
 */
import { parseArgs } from 'node:util';
import { aSituation, compileDocument, nodeClient } from '../../support/evaluation/answers.ts';
import { compare, type Measurements, medianRound, type Sample, type Side } from '../compare.ts';
import { describeMachine, describeRow } from '../report.ts';
import { percentile } from '../statistics.ts';
import { FLAGS, manyFlags, user } from './flags.ts';

const ROUND_MS = 500;
const AIM_MS = 1;

function measureAll(evaluateAll: () => void): Sample {
  const tookMs: number[] = [];
  const start = performance.now();
  for (let now = start; now - start < ROUND_MS; ) {
    evaluateAll();
    const end = performance.now();
    tookMs.push(end - now);
    now = end;
  }
  return {
    perSecond: (1_000 * tookMs.length) / ROUND_MS,
    p50Ms: percentile(tookMs, 0.5),
    p99Ms: percentile(tookMs, 0.99),
  };
}

function side(name: string, evaluateAll: () => void): Side {
  return { name, measure: () => Promise.resolve(measureAll(evaluateAll)) };
}

function isInTime(ours: Measurements): string {
  const { p50Ms } = medianRound(ours);
  return `p50 of Vexil: ${p50Ms.toFixed(2)} ms, aim at most ${AIM_MS} ms: ${p50Ms <= AIM_MS ? 'met' : 'aim missed'}`;
}

const { rounds } = parseArgs({ options: { rounds: { type: 'string', default: '6' } } }).values;
const flags = compileDocument(manyFlags);
const client = nodeClient(manyFlags);
const names = [...flags.keys()];

const [ours, theirs] = await compare(
  [
    side('Vexil', () => {
      const situation = aSituation(flags, user);
      for (const flag of flags.values()) flag.evaluate(situation);
    }),
    // One call returns both whether a flag is on and which variant the user has.
    side('unleash-client', () => {
      for (const name of names) client.getVariant(name, user);
    }),
  ],
  Number(rounds),
);
if (!ours || !theirs) throw new Error('nothing was measured');

process.stdout.write(
  `${describeMachine()}\n\n${describeRow({
    title: `On or off, and the variant, of ${FLAGS} flags for one context`,
    unit: 'contexts',
    sides: [ours, theirs],
    aim: { latencyAtMost: 0.2 },
    remarks: [isInTime(ours)],
  })}\n`,
);
