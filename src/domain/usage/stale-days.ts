/** The number of days after which the use of a flag is evidence. */
import type { FlagSpec, FlagType } from '../../schema/feature-flag.ts';
import { flagTypeOf } from '../flag/flag-values.ts';

export type StaleDays = Readonly<Record<FlagType, number>>;

/** The flag's own lifetime takes precedence over the days of its type. */
export function staleDaysOf(spec: FlagSpec, byType: StaleDays): number {
  return spec.lifetimeDays ?? byType[flagTypeOf(spec)];
}
