/** The ratios of Vexil to each other side in a row. */
import { type Measurements, ratios } from './compare.ts';
import type { Aim, Row } from './rows.ts';
import { median } from './statistics.ts';

export interface Comparison {
  /** The name of the other side. */
  readonly control: string;
  /**
   * `throughput`: the share of Vexil in the other side's requests per second, where more is better; `latency`: the
   * multiple of its p50. The others are multiples of what the other side took.
   */
  readonly of: 'throughput' | 'latency' | 'time' | 'processor time' | 'memory';
  readonly rounds: readonly number[];
  /** The median of the ratios of all rounds. */
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
