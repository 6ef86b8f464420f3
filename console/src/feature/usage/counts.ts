/** The evaluations of a flag in an environment, by hour or by day. */
import type { Schemas } from '../../api.generated.ts';

export interface Count {
  /** The beginning of the hour or day. */
  readonly timestamp: string;
  readonly yes: number;
  readonly no: number;
}

type Rows = Schemas['RawFeatureUsage']['data'];

/** Adds up all applications, in the order of the rows. */
export function countsIn(rows: Rows, environment: string): readonly Count[] {
  const counts = new Map<string, Count>();
  for (const { timestamp, yes, no, ...row } of rows) {
    if (row.environment !== environment) continue;
    const before = counts.get(timestamp);
    counts.set(timestamp, { timestamp, yes: (before?.yes ?? 0) + yes, no: (before?.no ?? 0) + no });
  }
  return [...counts.values()];
}

/** The evaluations of each variant, the most frequent first. */
export function variantsIn(rows: Rows, environment: string): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const { variants = {}, ...row } of rows) {
    if (row.environment !== environment) continue;
    for (const [name, count] of Object.entries(variants)) counts.set(name, (counts.get(name) ?? 0) + count);
  }
  return [...counts].toSorted(([, one], [, other]) => other - one);
}
