/** The evaluations of a flag in an environment by hour. */
import type { Schemas } from '../../api.generated.ts';

export interface Hour {
  readonly timestamp: string;
  readonly yes: number;
  readonly no: number;
}

/** Adds up all applications, in the order of the rows. */
export function hoursIn(rows: Schemas['RawFeatureUsage']['data'], environment: string): readonly Hour[] {
  const hours = new Map<string, Hour>();
  for (const { timestamp, yes, no, ...row } of rows) {
    if (row.environment !== environment) continue;
    const before = hours.get(timestamp);
    hours.set(timestamp, { timestamp, yes: (before?.yes ?? 0) + yes, no: (before?.no ?? 0) + no });
  }
  return [...hours.values()];
}
