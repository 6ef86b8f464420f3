/** The statistics of a round of measurements. */

/** The percentile of values in any order; `share` is from 0 to 1. */
export function percentile(values: Iterable<number>, share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

/** The middle value, so that a disturbed round has no effect. */
export function median(values: Iterable<number>): number {
  const sorted = Float64Array.from(values).sort();
  const half = Math.floor(sorted.length / 2);
  const upper = sorted[half] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] ?? upper) + upper) / 2;
}
