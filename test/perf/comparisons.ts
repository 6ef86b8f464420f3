/** What a row says of our side against each of the others. */
import { type Measurements, ratios } from './compare.ts';
import type { Aim, Row } from './rows.ts';
import { median } from './statistics.ts';

export interface Comparison {
  /** The name of the other side. */
  readonly control: string;
  /**
   * `throughput`: our share of its requests per second, the more the better; `latency`: our multiple of its p50. The
   * others are our multiples of what it took.
   */
  readonly of: 'throughput' | 'latency' | 'time' | 'processor time' | 'memory';
  readonly rounds: readonly number[];
  /** The median of the rounds. */
  readonly ratio: number;
}

export function comparisonsOf({ sides: [ours, ...others], aim }: Pick<Row, 'sides' | 'aim'>): readonly Comparison[] {
  return others.map((other) => comparisonOf(ours, other, aim));
}

function comparisonOf(ours: Measurements, other: Measurements, aim: Aim): Comparison {
  const of = 'latencyAtMost' in aim ? 'latency' : 'throughput';
  const rounds = ratios(ours, other, ({ perSecond, p50Ms }) => (of === 'throughput' ? perSecond : p50Ms));
  return { control: other.name, of, rounds, ratio: median(rounds) };
}
