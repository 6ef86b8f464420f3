/** Rounds in which every side is measured in turn, so that a disturbance of the machine affects all sides. */
import { median } from './statistics.ts';

export interface Sample {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** A side of a comparison, measured once in each round. */
export interface Side<S extends Sample = Sample> {
  readonly name: string;
  readonly measure: () => Promise<S>;
}

export interface Measurements<S extends Sample = Sample> {
  readonly name: string;
  /** The samples, one of each round, in order. */
  readonly samples: readonly S[];
}

/** Measures every side once to warm up, then `rounds` times. The order of the sides changes from round to round. */
export async function compare<S extends Sample>(sides: readonly Side<S>[], rounds: number): Promise<Measurements<S>[]> {
  for (const side of sides) await side.measure();
  const samples = new Map(sides.map((side) => [side, [] as S[]]));
  for (let round = 0; round < rounds; round += 1) {
    const first = round % sides.length;
    for (const side of [...sides.slice(first), ...sides.slice(0, first)]) {
      samples.get(side)?.push(await side.measure());
    }
  }
  return sides.map((side) => ({ name: side.name, samples: samples.get(side) ?? [] }));
}

/** The medians of a side over its rounds. */
export function medianRound({ samples }: Measurements): Sample {
  return {
    perSecond: median(samples.map(({ perSecond }) => perSecond)),
    p50Ms: median(samples.map(({ p50Ms }) => p50Ms)),
    p99Ms: median(samples.map(({ p99Ms }) => p99Ms)),
  };
}

/** The values of one side divided by those of another, round by round. */
export function ratios(of: Measurements, to: Measurements, value: (sample: Sample) => number): number[] {
  return of.samples.map((sample, round) => value(sample) / value(to.samples[round] ?? sample));
}
