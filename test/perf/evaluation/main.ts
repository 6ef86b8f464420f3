/**
 * Measures the evaluation of many flags for one context, compared with the Node SDK: `node
 * test/perf/evaluation/main.ts`.
 */
import { parseArgs } from 'node:util';
import type { ClientFeature, ClientStrategy } from '../../../src/evaluation/client-document.ts';
import type { ClientDocument } from '../../../src/wire/client/read-document.ts';
import { aSituation, compileDocument, type GivenContext, nodeClient } from '../../support/evaluation/answers.ts';
import { aFeature, aStrategy } from '../../support/evaluation/documents.ts';
import { compare, type Measurements, medianRound, type Sample, type Side } from '../compare.ts';
import { describeMachine, describeRow } from '../report.ts';
import { percentile } from '../statistics.ts';

const FLAGS = 1_000;

/** A user for whom about half of the flags are on. */
const user: GivenContext = {
  userId: 'user-17',
  sessionId: '0b3c1f',
  remoteAddress: '10.20.30.40',
  currentTime: '2026-11-22T12:00:00.000Z',
  properties: { country: 'de', email: 'someone@example.com', appVersion: '2.4.1', age: '34' },
};

const countries = ['at', 'be', 'ch', 'cz', 'dk', 'es', 'fi', 'fr', 'it', 'nl', 'no', 'pl', 'pt', 'se'];

const condition = (contextName: string, operator: string, operand: string | readonly string[]) => ({
  contextName,
  operator,
  ...(typeof operand === 'string' ? { value: operand } : { values: operand }),
});

/** The strategies of the flags, in turn. */
const kinds: readonly ((flag: string, number: number) => readonly ClientStrategy[])[] = [
  (flag) => [rollout(flag, 25, [condition('country', 'IN', countries)]), rollout(flag, 50)],
  (flag) => [rollout(flag, 75, [condition('appVersion', 'SEMVER_GT', '2.3.0')]), rollout(flag, 5)],
  (flag, number) => [
    aStrategy({ name: 'userWithId', parameters: { userIds: users(number).join(',') } }),
    rollout(flag, 40, [condition('email', 'STR_ENDS_WITH', ['@example.org', '@example.com'])]),
  ],
  (flag) => [
    rollout(flag, 60, [
      condition('currentTime', 'DATE_AFTER', '2026-06-01T00:00:00.000Z'),
      condition('age', 'NUM_GTE', '18'),
    ]),
  ],
  (flag) => [
    rollout(flag, 80, [condition('remoteAddress', 'IN_CIDR', ['192.168.0.0/16', '10.0.0.0/8'])]),
    rollout(flag, 20, [condition('email', 'REGEX', '^[a-z]+@example[.]org$')]),
  ],
];

function rollout(
  groupId: string,
  percentage: number,
  constraints: readonly ReturnType<typeof condition>[] = [],
): ClientStrategy {
  const parameters = { rollout: `${percentage}`, groupId, stickiness: 'default' };
  return aStrategy({ name: 'flexibleRollout', parameters, constraints });
}

function users(first: number): readonly string[] {
  return Array.from({ length: 20 }, (_, index) => `user-${first + index}`);
}

const variants = ['blue', 'green', 'red'].map((name, index) => ({
  name,
  weight: index === 0 ? 334 : 333,
  payload: { type: 'string', value: name },
}));

function flagOf(number: number): ClientFeature {
  const name = `flag-${number}`;
  const strategies = kinds[number % kinds.length]?.(name, number) ?? [];
  return aFeature({ name, strategies, variants: number % 3 === 0 ? variants : [] });
}

const manyFlags: ClientDocument = { features: Array.from({ length: FLAGS }, (_, n) => flagOf(n)), segments: [] };

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
